// webrtc-audio-processing 0.3 (Debian 12).
#include "Processor.h"
#ifdef NEAREND_WEBRTC_0
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include <memory>
#include <vector>

using webrtc::AudioProcessing;
using webrtc::StreamConfig;

struct nearend_processor {
  std::unique_ptr<AudioProcessing> apm;
  StreamConfig stream;
  std::vector<float> reference;
  bool cancels_echo;
};

const char *nearend_audio_processing_name(void) { return "webrtc-audio-processing 0.3"; }

nearend_processor *nearend_processor_create(int rate, nearend_processor_kind kind) {
  webrtc::Config config;
  // A filter of 128 ms instead of 48 ms. The library's own search for the delay is off: it starts after 15 s of audio, then moves a filter
  // that has converged, and the chain knows the delay sooner.
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(false));
  std::unique_ptr<nearend_processor> processor(new nearend_processor());
  processor->apm.reset(AudioProcessing::Create(config));
  if (!processor->apm) return nullptr;
  processor->stream = StreamConfig(rate, 1);
  processor->reference.resize(processor->stream.num_frames());
  processor->cancels_echo = kind == NEAREND_ECHO_CANCELLER;

  webrtc::ProcessingConfig streams;
  for (StreamConfig &stream : streams.streams) stream = processor->stream;
  AudioProcessing &apm = *processor->apm;
  if (apm.Initialize(streams) != 0) return nullptr;
  if (processor->cancels_echo) {
    if (apm.echo_cancellation()->enable_drift_compensation(false) != 0) return nullptr;
    // The higher levels buy little where the filter has converged, and take more of the near end in double talk.
    if (apm.echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kLowSuppression) != 0) return nullptr;
    if (apm.echo_cancellation()->Enable(true) != 0) return nullptr;
  } else {
    if (apm.noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh) != 0) return nullptr;
    if (apm.noise_suppression()->Enable(true) != 0) return nullptr;
  }
  std::vector<float> silence(processor->stream.num_frames());
  if (!nearend::warm_up(processor.get(), silence.data())) return nullptr;
  // The library keeps some 17 ms of the reference back, for sound cards that report too little, and does not cancel an echo that is earlier
  // than 12 ms. One block of the microphone without its block of the reference takes 10 ms off for good.
  if (processor->cancels_echo && nearend_processor_process(processor.get(), silence.data(), silence.data()) != 0) return nullptr;
  return processor.release();
}

void nearend_processor_destroy(nearend_processor *processor) { delete processor; }

int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference) {
  if (!processor->cancels_echo) return 0;
  float *destination = processor->reference.data();
  return processor->apm->ProcessReverseStream(&reference, processor->stream, processor->stream, &destination);
}

int nearend_processor_process(nearend_processor *processor, const float *input, float *output) {
  // The chain places the reference itself. The canceller asks for a delay with every block and has to be told the same one each time.
  if (processor->cancels_echo) processor->apm->set_stream_delay_ms(0);
  return processor->apm->ProcessStream(&input, processor->stream, processor->stream, &output);
}
#endif
