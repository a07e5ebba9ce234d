/// Restores the terminal however the process ends, and turns the terminal's signals into a descriptor that can be polled.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Events since the last call of `nearend_terminal_events`.
enum {
  NEAREND_TERMINAL_RESIZED = 1,
  /// Ctrl-Z: the caller leaves the screen and then calls `nearend_terminal_suspend`.
  NEAREND_TERMINAL_SUSPEND = 2,
  /// The process was stopped and continues: the terminal may contain anything.
  NEAREND_TERMINAL_CONTINUED = 4,
};

/// Saves the modes of terminal `fd` and prepares the sequence that leaves the screen (terminfo must be set up), then handles the signals:
/// crashes (SEGV BUS ILL TRAP ABRT FPE), and, unless something else handles them, HUP INT QUIT TERM and TSTP CONT WINCH. Returns 0 or
/// errno. One terminal at a time; call it on the thread that draws. [control]
int nearend_terminal_arm(int fd);

/// Restores all signal handlers. The screen must have been left. [control]
void nearend_terminal_disarm(void);

/// Restores the terminal as far as it takes something now, while the thread that draws may hang in a write. The process is to end. [any]
void nearend_terminal_abandon(void);

/// A descriptor that is readable when there are events. [any]
int nearend_terminal_descriptor(void);

/// Returns and clears the events. [control]
uint32_t nearend_terminal_events(void);

/// Stops the process like Ctrl-Z; returns when it continues. [control]
void nearend_terminal_suspend(void);
