// The realtime fence: an entry into RealtimeSanitizer's realtime context. Only this target is compiled with -fsanitize=realtime; whatever
// its `nonblocking` functions call, including Swift code, ends the process if it allocates, locks or waits.
#pragma once
#include <stdbool.h>

typedef void (*rt_fence_body)(void *context);

/// Calls body(context) like the audio thread: any allocation, lock or blocking call below it ends the process ("ERROR: RealtimeSanitizer",
/// exit code 43).
void rt_fence_run(rt_fence_body body, void *context);

/// Whether this build of the fence is sanitized; otherwise every check would pass.
bool rt_fence_is_armed(void);
