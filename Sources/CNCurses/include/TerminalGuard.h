/// Puts the terminal back however the process ends, and turns the terminal's signals into a descriptor that can be polled.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What has happened since `nearend_terminal_events` was last asked.
enum {
  NEAREND_TERMINAL_RESIZED = 1,
  /// Ctrl-Z: the caller leaves the screen and then calls `nearend_terminal_suspend`.
  NEAREND_TERMINAL_SUSPEND = 2,
  /// The process was stopped and goes on: the terminal may hold anything.
  NEAREND_TERMINAL_CONTINUED = 4,
};

/// Remembers the modes of terminal `fd` and prepares what leaves the screen on it (terminfo must be set up), then takes the signals:
/// crashes (SEGV BUS ILL TRAP ABRT FPE), HUP INT QUIT TERM where nobody else handles them, TSTP CONT WINCH likewise.
/// Returns 0 or errno. One terminal at a time; call from the thread that draws. [control]
int nearend_terminal_arm(int fd);

/// Gives every signal back. The screen must have been left. [control]
void nearend_terminal_disarm(void);

/// A descriptor that is readable when there are events. [any]
int nearend_terminal_descriptor(void);

/// Takes the events. [control]
uint32_t nearend_terminal_events(void);

/// Stops the process as Ctrl-Z does; returns when it goes on. [control]
void nearend_terminal_suspend(void);
