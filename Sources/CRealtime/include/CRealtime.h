// Functions that the audio thread needs and Swift does not provide everywhere: atomics that the realtime annotations accept (Swift 6.0's
// checker rejects Synchronization.Atomic inside @_noLocks functions, 6.3's does not) and the C library's float functions, which have no
// annotation.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Marks a C function as callable from Swift's realtime-annotated functions: it neither locks nor allocates.
#define NEAREND_REALTIME __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

// The names state the ordering. An acquire load pairs with the release store (or exchange) of the same cell on the other thread.
#define NEAREND_ATOMICS(T, name)                                                                                       \
  static inline NEAREND_REALTIME T rt_load_relaxed_##name(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); } \
  static inline NEAREND_REALTIME T rt_load_acquire_##name(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); } \
  static inline NEAREND_REALTIME void rt_store_relaxed_##name(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); } \
  static inline NEAREND_REALTIME void rt_store_release_##name(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); } \
  static inline NEAREND_REALTIME T rt_exchange_##name(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL); }
#define NEAREND_ATOMIC_ADD(T, name) \
  static inline NEAREND_REALTIME T rt_add_relaxed_##name(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }

NEAREND_ATOMICS(uint64_t, u64)
NEAREND_ATOMICS(uint32_t, u32)
NEAREND_ATOMICS(uintptr_t, pointer)
NEAREND_ATOMIC_ADD(uint64_t, u64)
NEAREND_ATOMIC_ADD(uint32_t, u32)

// Sequentially consistent: for two threads that each write one cell and then read the other's (CycleGuard).
#define NEAREND_ATOMIC_SEQUENTIAL(T, name)                                                                                \
  static inline NEAREND_REALTIME T rt_load_sequential_##name(const T *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  static inline NEAREND_REALTIME void rt_store_sequential_##name(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
NEAREND_ATOMIC_SEQUENTIAL(uint64_t, u64)

// A value in words that one thread replaces and any thread reads whole: a sequence lock, ordered as in Boehm, "Can seqlocks get along with
// programming language memory models?" (2012). The sequence is odd while the words change. The release fence keeps them behind the odd
// number, and the acquire fence before the second look at it: whoever has read a new word then sees that the number has changed.
static inline NEAREND_REALTIME void rt_sequence_publish(uint64_t *sequence, uint64_t *words, const void *value, intptr_t count) {
  uint64_t number = __atomic_load_n(sequence, __ATOMIC_RELAXED);
  __atomic_store_n(sequence, number + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (intptr_t i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, (const char *)value + i * (intptr_t)sizeof word, sizeof word);
    __atomic_store_n(words + i, word, __ATOMIC_RELAXED);
  }
  __atomic_store_n(sequence, number + 2, __ATOMIC_RELEASE);
}
// Returns false if the value was being replaced; what has been read is then worthless.
static inline bool rt_sequence_read(const uint64_t *sequence, const uint64_t *words, void *value, intptr_t count) {
  uint64_t number = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
  for (intptr_t i = 0; i < count; i++) {
    uint64_t word = __atomic_load_n(words + i, __ATOMIC_RELAXED);
    memcpy((char *)value + i * (intptr_t)sizeof word, &word, sizeof word);
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return number % 2 == 0 && __atomic_load_n(sequence, __ATOMIC_RELAXED) == number;
}

// RealtimeSanitizer's own switch, which exists only in RealtimeCheck, which links the sanitizer; elsewhere these two do nothing. For calls
// into a library whose locks are known and justified (webrtc-audio-processing 0.3), around that call only.
extern void __rtsan_disable(void) __attribute__((weak));
extern void __rtsan_enable(void) __attribute__((weak));
static inline NEAREND_REALTIME void rt_fence_suspend(void) {
  if (__rtsan_disable) __rtsan_disable();
}
static inline NEAREND_REALTIME void rt_fence_resume(void) {
  if (__rtsan_enable) __rtsan_enable();
}

static inline NEAREND_REALTIME float rt_sqrtf(float x) { return sqrtf(x); }
static inline NEAREND_REALTIME float rt_expf(float x) { return expf(x); }
static inline NEAREND_REALTIME float rt_logf(float x) { return logf(x); }
static inline NEAREND_REALTIME float rt_log10f(float x) { return log10f(x); }
static inline NEAREND_REALTIME float rt_powf(float x, float y) { return powf(x, y); }
static inline NEAREND_REALTIME float rt_tanhf(float x) { return tanhf(x); }
static inline NEAREND_REALTIME float rt_cosf(float x) { return cosf(x); }
static inline NEAREND_REALTIME float rt_sinf(float x) { return sinf(x); }
static inline NEAREND_REALTIME double rt_log10(double x) { return log10(x); }
static inline NEAREND_REALTIME double rt_sqrt(double x) { return sqrt(x); }
static inline NEAREND_REALTIME long rt_lrintf(float x) { return lrintf(x); }

// Flushes denormals to zero on this thread until the returned mode is restored: they take a processor a hundred times as long, and a
// decaying filter is full of them.
static inline NEAREND_REALTIME uint64_t rt_flush_denormals(void) {
#if defined(__x86_64__)
  unsigned mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 0x8040);
  return mode;
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode | (1ull << 24)));
  return mode;
#else
  return 0;
#endif
}
static inline NEAREND_REALTIME void rt_restore_denormals(uint64_t mode) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

#include "MicrophoneCallback.h"
#include "StageCallback.h"
