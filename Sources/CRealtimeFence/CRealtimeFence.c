#include "CRealtimeFence.h"

void rt_fence_run(rt_fence_body body, void *context) __attribute__((nonblocking)) { body(context); }

bool rt_fence_is_armed(void) {
#if __has_feature(realtime_sanitizer)
  return true;
#else
  return false;
#endif
}
