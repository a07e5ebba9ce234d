#include "TerminalGuard.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

// Deadly signals that are always handled while the screen is up, then those that are handled only if nothing else handles them.
static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
static const int telling[] = {SIGWINCH, SIGTSTP, SIGCONT};
enum { CRASHES = 6, DEADLY = sizeof deadly / sizeof *deadly, TELLING = sizeof telling / sizeof *telling };

static struct sigaction former_deadly[DEADLY], former_telling[TELLING];
static struct termios saved_modes;
static int terminal = -1;
static char leave[512];  // written to leave the screen
static size_t leave_length;
static atomic_bool armed;
static atomic_uint events;
static int wake = -1;
static _Alignas(16) char handler_stack[64 * 1024];
static stack_t former_stack;
static bool has_handler_stack;

// Async-signal-safe. A terminal that takes nothing now gets back its modes alone, because writing to it would hang.
static void restore_terminal(void) {
  if (!atomic_exchange(&armed, false)) return;
  // A background process would be stopped for changing its terminal.
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction former;
  sigaction(SIGTTOU, &ignore, &former);
  struct pollfd event = {.fd = terminal, .events = POLLOUT};
  const char *rest = leave;
  size_t left = poll(&event, 1, 0) == 1 && (event.revents & POLLOUT) ? leave_length : 0;
  while (left > 0) {
    ssize_t written = write(terminal, rest, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest += written;
    left -= (size_t)written;
  }
  tcsetattr(terminal, TCSANOW, &saved_modes);
  sigaction(SIGTTOU, &former, NULL);
}

static void on_deadly(int signal_number) {
  int error = errno;
  restore_terminal();
  // The former handler, or the default action, ends the process: raised here, delivered when this handler returns.
  for (int i = 0; i < DEADLY; i++)
    if (deadly[i] == signal_number) sigaction(signal_number, &former_deadly[i], NULL);
  raise(signal_number);
  errno = error;
}

static void on_telling(int signal_number) {
  int error = errno;
  unsigned event = signal_number == SIGWINCH  ? NEAREND_TERMINAL_RESIZED
                   : signal_number == SIGTSTP ? NEAREND_TERMINAL_SUSPEND
                                              : NEAREND_TERMINAL_CONTINUED;
  atomic_fetch_or(&events, event);
  uint64_t one = 1;
  ssize_t ignored = write(wake, &one, sizeof one);
  (void)ignored;
  errno = error;
}

// A terminfo string without its padding ("$<5/>"), which only tputs understands.
static void append_capability(const char *name) {
  const char *text = tigetstr(name);
  if (text == NULL || text == (char *)-1) return;
  while (*text != 0 && leave_length < sizeof leave) {
    const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
    if (end != NULL)
      text = end + 1;
    else
      leave[leave_length++] = *text++;
  }
}

static bool is_default(int signal_number) {
  struct sigaction now;
  return sigaction(signal_number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

int nearend_terminal_arm(int fd) {
  static atomic_bool is_registered;
  if (tcgetattr(fd, &saved_modes) != 0) return errno;
  if (wake < 0 && (wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0) return errno;
  terminal = fd;
  leave_length = 0;
  const char *capabilities[] = {"op", "sgr0", "rmkx", "cnorm", "rmcup"};
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) append_capability(capabilities[i]);
  atomic_store(&events, 0);
  atomic_store(&armed, true);
  if (!atomic_exchange(&is_registered, true)) atexit(restore_terminal);

  // After a stack overflow the handler needs a stack of its own.
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  has_handler_stack = sigaltstack(NULL, &former_stack) == 0 && (former_stack.ss_flags & SS_DISABLE) && sigaltstack(&stack, NULL) == 0;

  struct sigaction action = {.sa_handler = on_deadly, .sa_flags = SA_ONSTACK};
  sigfillset(&action.sa_mask);
  for (int i = 0; i < DEADLY; i++) {
    sigaction(deadly[i], NULL, &former_deadly[i]);
    if (i < CRASHES || is_default(deadly[i])) sigaction(deadly[i], &action, NULL);
  }
  action.sa_handler = on_telling;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < TELLING; i++) {
    sigaction(telling[i], NULL, &former_telling[i]);
    if (is_default(telling[i])) sigaction(telling[i], &action, NULL);
  }
  return 0;
}

void nearend_terminal_disarm(void) {
  atomic_store(&armed, false);
  for (int i = 0; i < DEADLY; i++) sigaction(deadly[i], &former_deadly[i], NULL);
  for (int i = 0; i < TELLING; i++) sigaction(telling[i], &former_telling[i], NULL);
  if (has_handler_stack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    has_handler_stack = false;
  }
}

void nearend_terminal_abandon(void) { restore_terminal(); }

int nearend_terminal_descriptor(void) { return wake; }

uint32_t nearend_terminal_events(void) {
  uint64_t count;
  ssize_t ignored = read(wake, &count, sizeof count);
  (void)ignored;
  return atomic_exchange(&events, 0);
}

void nearend_terminal_suspend(void) {
  struct sigaction stop = {.sa_handler = SIG_DFL}, former;
  atomic_store(&armed, false);
  sigaction(SIGTSTP, &stop, &former);
  kill(getpid(), SIGTSTP);
  sigaction(SIGTSTP, &former, NULL);
  atomic_store(&armed, true);
}
