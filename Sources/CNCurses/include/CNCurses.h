/// ncursesw, with what Swift cannot import of it: function-like macros, attribute macros with casts, and the global `stdscr`.
#pragma once
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdint.h>
#include <term.h>
#include "TerminalGuard.h"

/// `stdscr` is a mutable global, which Swift 6 refuses to read.
static inline WINDOW *nearend_stdscr(void) { return stdscr; }

/// `curscr`, for the same reason: ncurses' picture of the terminal.
static inline WINDOW *nearend_curscr(void) { return curscr; }

/// `LINES` and `COLS`, for the same reason.
static inline int nearend_lines(void) { return LINES; }
static inline int nearend_columns(void) { return COLS; }

/// Calls `newterm` on standard output and input, which are mutable globals, too.
SCREEN *nearend_open_screen(void);

/// `wcwidth`, which glibc's module hides.
int nearend_character_width(uint32_t character);

/// Makes an eventfd, non-blocking and closed on exec; its flags are enumerators behind macros. Returns −1 and sets errno on failure.
int nearend_wake_descriptor(void);

/// Attributes are macros over casts.
static inline attr_t nearend_bold(void) { return A_BOLD; }
static inline attr_t nearend_dim(void) { return A_DIM; }
static inline attr_t nearend_reverse(void) { return A_REVERSE; }
static inline attr_t nearend_underline(void) { return A_UNDERLINE; }
