// webrtc-audio-processing 1.x (Debian 13, AEC3), and 2.x, which differs only in the header's location and the kind of pointer.
#include "Processor.h"
#if defined(NEAREND_WEBRTC_1) || defined(NEAREND_WEBRTC_2)
#ifdef NEAREND_WEBRTC_2
#include <api/audio/audio_processing.h>
#else
#include <modules/audio_processing/include/audio_processing.h>
#endif

#include <memory>
#include <vector>

using webrtc::AudioProcessing;
using webrtc::StreamConfig;

namespace {
// Both generations count references: 1.x returns a plain pointer that the caller adopts, 2.x an owning one.
#ifdef NEAREND_WEBRTC_2
using Handle = decltype(webrtc::AudioProcessingBuilder().Create());
#else
using Handle = rtc::scoped_refptr<AudioProcessing>;
#endif
}  // namespace

struct nearend_processor {
  Handle apm;
  StreamConfig stream;
  std::vector<float> reference;
  bool cancels_echo;
};

const char *nearend_audio_processing_name(void) {
#ifdef NEAREND_WEBRTC_2
  return "webrtc-audio-processing 2.x";
#else
  return "webrtc-audio-processing 1.x";
#endif
}

nearend_processor *nearend_processor_create(int rate, nearend_processor_kind kind) {
  std::unique_ptr<nearend_processor> processor(new nearend_processor());
  processor->apm = Handle(webrtc::AudioProcessingBuilder().Create());
  if (!processor->apm) return nullptr;
  processor->stream = StreamConfig(rate, 1);
  processor->reference.resize(processor->stream.num_frames());
  processor->cancels_echo = kind == NEAREND_ECHO_CANCELLER;

  AudioProcessing::Config config;
  config.pipeline.maximum_internal_processing_rate = 48000;
  config.high_pass_filter.enabled = false;
  config.gain_controller1.enabled = false;
  config.gain_controller2.enabled = false;
  config.echo_canceller.enabled = processor->cancels_echo;
  config.echo_canceller.mobile_mode = false;
  // The chain's own, switchable high-pass filter precedes this.
  config.echo_canceller.enforce_high_pass_filtering = false;
  config.noise_suppression.enabled = !processor->cancels_echo;
  config.noise_suppression.level = AudioProcessing::Config::NoiseSuppression::kHigh;
  processor->apm->ApplyConfig(config);

  webrtc::ProcessingConfig streams;
  for (StreamConfig &stream : streams.streams) stream = processor->stream;
  if (processor->apm->Initialize(streams) != 0) return nullptr;
  std::vector<float> silence(processor->stream.num_frames());
  return nearend::warm_up(processor.get(), silence.data()) ? processor.release() : nullptr;
}

void nearend_processor_destroy(nearend_processor *processor) { delete processor; }

int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference) {
  if (!processor->cancels_echo) return 0;
  float *destination = processor->reference.data();
  return processor->apm->ProcessReverseStream(&reference, processor->stream, processor->stream, &destination);
}

int nearend_processor_expect_only_echo(nearend_processor *, bool) { return 0; }  // AEC3 tells them apart itself.

int nearend_processor_process(nearend_processor *processor, const float *input, float *output) {
  // The chain places the reference itself. The canceller requires a delay with every block, which must always be the same.
  if (processor->cancels_echo) processor->apm->set_stream_delay_ms(0);
  return processor->apm->ProcessStream(&input, processor->stream, processor->stream, &output);
}
#endif
