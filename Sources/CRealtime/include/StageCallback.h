#pragma once
#include "CRealtime.h"

// A program's stage in the capture or render chain, called like the audio thread's own code: the program promises that it neither locks nor
// allocates.
typedef void (*rt_stage_callback)(void *_Nullable context, float *_Nonnull left, float *_Nullable right, intptr_t frames,
                                  intptr_t sample_rate);
static inline NEAREND_REALTIME void rt_call_stage(rt_stage_callback _Nonnull callback, void *_Nullable context, float *_Nonnull left,
                                                  float *_Nullable right, intptr_t frames, intptr_t sample_rate) {
  callback(context, left, right, frames, sample_rate);
}

// Called once when nothing listens to a stage any more.
typedef void (*rt_idle_callback)(void *_Nullable context);
static inline NEAREND_REALTIME void rt_call_idle(rt_idle_callback _Nullable callback, void *_Nullable context) {
  if (callback) callback(context);
}
