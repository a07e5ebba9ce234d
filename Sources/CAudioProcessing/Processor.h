// Shared by all generations of the library. The installed headers decide which of the sources has a body.
#pragma once
#include "CAudioProcessing.h"

// Required by the library's own pkg-config file; set here because the package passes include folders only.
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
// Silent blocks that every new instance processes: the first ones allocate.
constexpr int kWarmUpBlocks = 10;

// Processes silence, so that nothing is left to allocate. Returns true if every block passes.
inline bool warm_up(nearend_processor *processor, float *silence) {
  for (int i = 0; i < kWarmUpBlocks; i++)
    if (nearend_processor_analyze_reference(processor, silence) != 0 || nearend_processor_process(processor, silence, silence) != 0)
      return false;
  return true;
}
}  // namespace nearend
