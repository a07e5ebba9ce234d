#pragma once
#include "CRealtime.h"

// A program's stage in the capture or render chain, called as the audio thread's own code is: that it takes no lock and allocates nothing
// is its promise.
typedef void (*rt_stage_callback)(void *_Nullable context, float *_Nonnull left, float *_Nullable right, intptr_t frames,
                                  intptr_t sample_rate);
static inline NEAREND_REALTIME void rt_call_stage(rt_stage_callback _Nonnull callback, void *_Nullable context, float *_Nonnull left,
                                                  float *_Nullable right, intptr_t frames, intptr_t sample_rate) {
  callback(context, left, right, frames, sample_rate);
}
