// webrtc-audio-processing behind a C interface. Nothing of it is linked: whichever generation is installed is loaded when the engine
// `webrtc` is chosen, and its C++ interface of virtual classes is declared anew for each of the three (Interface0.h, …), so that building
// does not take its headers, and one program runs with all of them.
//
// One processor does one job for one mono stream, so that each stage of the chain has its own output and delay. The library takes
// uncontended mutexes within a block (0.3: three), and allocates nothing once warmed up. Only the audio thread uses a running processor, so
// the mutexes stay uncontended, and the processing functions are marked as realtime.
#pragma once
#include <stdbool.h>

#include "CRealtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nearend_audio_processing nearend_audio_processing;
typedef struct nearend_processor nearend_processor;

typedef enum {
  NEAREND_ECHO_CANCELLER = 0,
  NEAREND_NOISE_SUPPRESSOR = 1,
} nearend_processor_kind;

// [control] The generations that are known, newest first: "webrtc-audio-processing 2.1" for 0, and so on. NULL past the last. Static
// storage.
const char *nearend_audio_processing_name(int generation);

// [control] The file that a generation is loaded from: "libwebrtc-audio-processing-2.so.1". NULL past the last. Static storage.
const char *nearend_audio_processing_file(int generation);

// [control] Loads a generation from a path, or from where the dynamic linker finds a name without "/". NULL if it is not there, or is not
// that generation; `nearend_audio_processing_failure` then says why. It stays loaded, and the result is valid, until the program ends.
const nearend_audio_processing *nearend_audio_processing_load(int generation, const char *file);

// [control] Why this thread's last call of `nearend_audio_processing_load` has failed. Valid until its next call.
const char *nearend_audio_processing_failure(void);

// [control] Makes a processor for blocks of `rate` / 100 frames, warmed up: nothing is allocated later. NULL if the library refuses.
nearend_processor *nearend_processor_create(const nearend_audio_processing *library, int rate, nearend_processor_kind kind);

// [control] Frees a processor.
void nearend_processor_destroy(nearend_processor *processor);

// [realtime] Analyses one block of what the speaker plays, before the microphone's block of the same cycle. Its echo may arrive 0 to 40 ms
// later. Returns 0, or the library's error.
NEAREND_REALTIME int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference);

// [realtime] Sets whether the following blocks contain only echo, as far as the chain knows: residual echo may then be suppressed harder.
// Allocates nothing. Returns 0, or the library's error.
NEAREND_REALTIME int nearend_processor_expect_only_echo(nearend_processor *processor, bool is_only_echo);

// [realtime] Processes one block of the microphone; `input` and `output` may be the same. Returns 0, or the library's error; then `output`
// is invalid.
NEAREND_REALTIME int nearend_processor_process(nearend_processor *processor, const float *input, float *output);

#ifdef __cplusplus
}
#endif
