// Libraries that the portable program loads when it first calls them, in place of linking them: it starts, and holds a call, where they are
// missing. Each function here is a jump through a slot; the first call of any loads its library, and fills its slots. Where there is none,
// the functions fail as the library itself would, with words that say what to install. x86-64.
//
// A function of these libraries that nearend calls and that is not listed is an error of the linker.
#include <dlfcn.h>
#include <stddef.h>

#define CURL 0
#define SOUND 1
#define CAIRO 2
#define RATE 3

static const struct {
  const char *file, *missing;
} libraries[] = {
    [CURL] = {"libcurl.so.4", "libcurl.so.4 is missing: apt install libcurl4, dnf install libcurl, or pacman -S curl"},
    [SOUND] = {"libsndfile.so.1", "libsndfile.so.1 is missing: apt install libsndfile1, dnf install libsndfile, or pacman -S libsndfile"},
    [CAIRO] = {"libcairo.so.2", "libcairo.so.2 is missing: apt install libcairo2, dnf install cairo, or pacman -S cairo"},
    [RATE] = {"libsamplerate.so.0", "libsamplerate.so.0 is missing"},
};

// What is called in place of a missing library's functions: 0 or NULL, an error's number, or its words.
static long nothing(void) { return 0; }
static long curl_failed(void) { return 2; }   // CURLE_FAILED_INIT
static long sound_failed(void) { return 2; }  // SF_ERR_SYSTEM
static long cairo_failed(void) { return 1; }  // CAIRO_STATUS_NO_MEMORY
static long rate_failed(void) { return 1; }   // SRC_ERR_MALLOC_FAILED
static const char *curl_words(void) { return libraries[CURL].missing; }
static const char *sound_words(void) { return libraries[SOUND].missing; }
static const char *cairo_words(void) { return libraries[CAIRO].missing; }

#define FUNCTIONS(F)                           \
  F(curl_easy_cleanup, CURL, nothing)          \
  F(curl_easy_getinfo, CURL, curl_failed)      \
  F(curl_easy_init, CURL, nothing)             \
  F(curl_easy_perform, CURL, curl_failed)      \
  F(curl_easy_reset, CURL, nothing)            \
  F(curl_easy_setopt, CURL, curl_failed)       \
  F(curl_easy_strerror, CURL, curl_words)      \
  F(curl_global_init, CURL, curl_failed)       \
  F(curl_slist_append, CURL, nothing)          \
  F(curl_slist_free_all, CURL, nothing)        \
  F(sf_close, SOUND, nothing)                  \
  F(sf_command, SOUND, nothing)                \
  F(sf_error, SOUND, sound_failed)             \
  F(sf_error_number, SOUND, sound_words)       \
  F(sf_open, SOUND, nothing)                   \
  F(sf_open_fd, SOUND, nothing)                \
  F(sf_open_virtual, SOUND, nothing)           \
  F(sf_readf_float, SOUND, nothing)            \
  F(sf_strerror, SOUND, sound_words)           \
  F(sf_writef_float, SOUND, nothing)           \
  F(sf_writef_int, SOUND, nothing)             \
  F(sf_writef_short, SOUND, nothing)           \
  F(cairo_create, CAIRO, nothing)              \
  F(cairo_destroy, CAIRO, nothing)             \
  F(cairo_fill, CAIRO, nothing)                \
  F(cairo_image_surface_create, CAIRO, nothing) \
  F(cairo_line_to, CAIRO, nothing)             \
  F(cairo_move_to, CAIRO, nothing)             \
  F(cairo_paint, CAIRO, nothing)               \
  F(cairo_rectangle, CAIRO, nothing)           \
  F(cairo_select_font_face, CAIRO, nothing)    \
  F(cairo_set_font_size, CAIRO, nothing)       \
  F(cairo_set_line_width, CAIRO, nothing)      \
  F(cairo_set_source_rgb, CAIRO, nothing)      \
  F(cairo_show_text, CAIRO, nothing)           \
  F(cairo_status_to_string, CAIRO, cairo_words) \
  F(cairo_stroke, CAIRO, nothing)              \
  F(cairo_surface_destroy, CAIRO, nothing)     \
  F(cairo_surface_write_to_png, CAIRO, cairo_failed) \
  F(src_delete, RATE, nothing)                 \
  F(src_new, RATE, nothing)                    \
  F(src_process, RATE, rate_failed)            \
  F(src_reset, RATE, nothing)                  \
  F(src_set_ratio, RATE, nothing)

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

// Each function, and what its slot holds until its library is loaded.
#define DEFINE(name, library, otherwise)                                                              \
  extern char late_first_##name[] __attribute__((visibility("hidden")));                              \
  __attribute__((visibility("hidden"), used)) void *late_slot_##name = late_first_##name;             \
  __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                        \
          "  jmp *late_slot_" #name "(%rip)\n"                                                        \
          ".hidden late_first_" #name "\nlate_first_" #name ":\n"                                     \
          "  pushq $" NUMBER(library) "\n  call late_common\n  addq $8, %rsp\n"                       \
          "  jmp *late_slot_" #name "(%rip)\n.size " #name ", . - " #name "\n");
FUNCTIONS(DEFINE)

// Keeps every register that may hold an argument. The number of the library lies above the return address.
__asm__(
    ".text\nlate_common:\n"
    "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  pushq %rax\n"
    "  subq $128, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  movl 192(%rsp), %edi\n  call late_load\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  addq $128, %rsp\n"
    "  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n  ret\n");

static const struct {
  const char *name;
  void **slot;
  int library;
  void *otherwise;
} functions[] = {
#define ENTRY(name, library, otherwise) {#name, &late_slot_##name, library, (void *)otherwise},
    FUNCTIONS(ENTRY)};

// Fills a library's slots. Several threads may do so at once: each stores the same.
__attribute__((visibility("hidden"), used)) void late_load(int library) {
  void *handle = dlopen(libraries[library].file, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (functions[i].library != library) continue;
    void *found = handle ? dlsym(handle, functions[i].name) : NULL;
    __atomic_store_n(functions[i].slot, found ? found : functions[i].otherwise, __ATOMIC_RELEASE);
  }
}
