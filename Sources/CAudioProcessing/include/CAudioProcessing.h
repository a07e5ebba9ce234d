// A C face over webrtc-audio-processing: its interface is C++ with virtual classes, which Swift does not import without turning the whole
// package to C++. One processor does one job for one mono stream, so that each stage of the chain has an output and a delay of its own.
//
// The library takes uncontended mutexes within a block (0.3: three) and allocates nothing once it is warm. Only the audio thread touches a
// processor that runs, so they stay uncontended, and the functions that process are marked as realtime.
#pragma once
#include <stdbool.h>

#include "CRealtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nearend_processor nearend_processor;

typedef enum {
  NEAREND_ECHO_CANCELLER = 0,
  NEAREND_NOISE_SUPPRESSOR = 1,
} nearend_processor_kind;

// [any] The library and its generation: "webrtc-audio-processing 0.3". Static storage.
const char *nearend_audio_processing_name(void);

// [control] A processor for blocks of `rate` / 100 frames, warm: nothing is allocated later. NULL where the library refuses.
nearend_processor *nearend_processor_create(int rate, nearend_processor_kind kind);

// [control]
void nearend_processor_destroy(nearend_processor *processor);

// [realtime] Hands the canceller one block of what the speaker plays, before the microphone's block of the same cycle. Its echo may
// come 0 to 40 ms after it; 0, or the library's error.
NEAREND_REALTIME int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference);

// [realtime] Whether the blocks from now on hold nothing but echo, as far as the chain knows: what is left of it may then be suppressed
// harder. Allocates nothing; 0, or the library's error.
NEAREND_REALTIME int nearend_processor_expect_only_echo(nearend_processor *processor, bool is_only_echo);

// [realtime] One block of the microphone; `input` and `output` may be the same. 0, or the library's error, and then `output` is not to be
// used.
NEAREND_REALTIME int nearend_processor_process(nearend_processor *processor, const float *input, float *output);

#ifdef __cplusplus
}
#endif
