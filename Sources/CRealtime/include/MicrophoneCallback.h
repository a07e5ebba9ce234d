#pragma once
#include "CRealtime.h"

// Of this thread; in the static block, so that the audio thread's first access allocates nothing.
extern _Thread_local bool nearend_is_in_microphone_callback __attribute__((tls_model("initial-exec")));

// A program's microphone callback, called like the audio thread's own code: the program promises that it neither locks nor allocates.
typedef void (*rt_microphone_callback)(void *_Nullable context, const float *_Nonnull samples, intptr_t frames, intptr_t channel_count,
                                       intptr_t sample_rate, uint64_t position);
static inline NEAREND_REALTIME void rt_call_microphone(rt_microphone_callback _Nonnull callback, void *_Nullable context,
                                                       const float *_Nonnull samples, intptr_t frames, intptr_t channel_count,
                                                       intptr_t sample_rate, uint64_t position) {
  nearend_is_in_microphone_callback = true;
  callback(context, samples, frames, channel_count, sample_rate, position);
  nearend_is_in_microphone_callback = false;
}

// Whether this thread is in a program's microphone callback, where it must not wait for that callback to return.
static inline bool rt_is_in_microphone_callback(void) { return nearend_is_in_microphone_callback; }
