#pragma once
#include "CRealtime.h"

// A program's microphone callback, called like the audio thread's own code: the program promises that it neither locks nor allocates.
typedef void (*rt_microphone_callback)(void *_Nullable context, const float *_Nonnull samples, intptr_t frames, intptr_t channel_count,
                                       intptr_t sample_rate, uint64_t position);
static inline NEAREND_REALTIME void rt_call_microphone(rt_microphone_callback _Nonnull callback, void *_Nullable context,
                                                       const float *_Nonnull samples, intptr_t frames, intptr_t channel_count,
                                                       intptr_t sample_rate, uint64_t position) {
  callback(context, samples, frames, channel_count, sample_rate, position);
}
