#define _GNU_SOURCE
#include "CNCurses.h"
#include <stdio.h>
#include <sys/eventfd.h>
#include <wchar.h>

SCREEN *nearend_open_screen(void) { return newterm(NULL, stdout, stdin); }
int nearend_character_width(uint32_t character) { return wcwidth((wchar_t)character); }
int nearend_wake_descriptor(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
