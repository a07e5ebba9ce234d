// What the generations of the library have in common. Which of the three sources below has a body is decided by the headers that are
// installed.
#pragma once
#include "CAudioProcessing.h"

// The library's own pkg-config file asks for these; they are here because the package passes include folders only.
#define WEBRTC_POSIX 1
#define WEBRTC_LINUX 1
#define WEBRTC_AUDIO_PROCESSING_ONLY_BUILD 1

#if __has_include(<api/audio/audio_processing.h>)
#define NEAREND_WEBRTC_2 1
#elif __has_include(<modules/audio_processing/include/audio_processing.h>)
#define NEAREND_WEBRTC_1 1
#elif __has_include(<webrtc/modules/audio_processing/include/audio_processing.h>)
#define NEAREND_WEBRTC_0 1
#else
#error \
    "webrtc-audio-processing is missing: install libwebrtc-audio-processing-dev (0.3), -1-dev (1.x) or -2-dev (2.x), then make"
#endif

namespace nearend {
// Silent blocks that every instance is run for before it is handed out: the first ones allocate.
constexpr int kWarmUpBlocks = 10;

// Runs silence through a new processor, so that nothing is left to allocate. True where every block passes.
inline bool warm_up(nearend_processor *processor, float *silence) {
  for (int i = 0; i < kWarmUpBlocks; i++)
    if (nearend_processor_analyze_reference(processor, silence) != 0 || nearend_processor_process(processor, silence, silence) != 0)
      return false;
  return true;
}
}  // namespace nearend
