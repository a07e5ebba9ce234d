// libsamplerate, under names that Swift's realtime-annotated functions may call. src_process allocates nothing: src_new makes its buffers
// for any ratio from 1/256 to 256, and a changing ratio is ramped inside a call. SRC_SINC_FASTEST has 119 dB signal to noise for a 1 kHz
// tone from 44.1 to 48 kHz in cycles of 256; SRC_LINEAR 62 dB; SRC_SINC_MEDIUM_QUALITY 142 dB, more than 16 bits hold, in twice the time.
#pragma once
#include "CRealtime.h"
#include <stdbool.h>

typedef struct rt_resampler rt_resampler;

/// Makes a band-limited resampler (SRC_SINC_FASTEST) for interleaved frames of 1 or 2 floats; NULL if memory is short. [control]
rt_resampler *rt_resampler_create(int channels);
void rt_resampler_destroy(rt_resampler *resampler);

/// Discards all history. [realtime]
NEAREND_REALTIME void rt_resampler_reset(rt_resampler *resampler);

/// Sets the ratio (output rate over input rate) without a ramp. [realtime]
NEAREND_REALTIME void rt_resampler_jump(rt_resampler *resampler, double ratio);

/// Reads up to `available` frames of `input`, writes up to `wanted` frames of `output`, and returns the number written; `*used` is the
/// number read. The ratio moves linearly, over the `wanted` frames, from that of the last call to `ratio`. Returns −1 if libsamplerate
/// fails. [realtime]
NEAREND_REALTIME long rt_resampler_process(rt_resampler *resampler, const float *input, long available, float *output, long wanted,
                                           double ratio, long *used);
