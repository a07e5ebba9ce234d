// The realtime fence: a way into RealtimeSanitizer's realtime context. This target alone is compiled with -fsanitize=realtime; what a
// `nonblocking` function of it calls, Swift code included, dies where it allocates, locks or waits.
#pragma once
#include <stdbool.h>

typedef void (*rt_fence_body)(void *context);

/// Calls body(context) as the audio thread would: any allocation, lock or blocking call below it ends the process
/// ("ERROR: RealtimeSanitizer", exit code 43).
void rt_fence_run(rt_fence_body body, void *context);

/// Whether this build of the fence is sanitized; without it every check would pass.
bool rt_fence_is_armed(void);
