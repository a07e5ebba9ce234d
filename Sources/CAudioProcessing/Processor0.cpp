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
  // A filter of 128 ms instead of 48 ms, and a delay of its own finding: the graph's latencies do not know what a device hides.
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
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
    if (apm.echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kModerateSuppression) != 0) return nullptr;
    if (apm.echo_cancellation()->Enable(true) != 0) return nullptr;
  } else {
    if (apm.noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh) != 0) return nullptr;
    if (apm.noise_suppression()->Enable(true) != 0) return nullptr;
  }
  std::vector<float> silence(processor->stream.num_frames());
  return nearend::warm_up(processor.get(), silence.data()) ? processor.release() : nullptr;
}

void nearend_processor_destroy(nearend_processor *processor) { delete processor; }

int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference) {
  if (!processor->cancels_echo) return 0;
  float *destination = processor->reference.data();
  return processor->apm->ProcessReverseStream(&reference, processor->stream, processor->stream, &destination);
}

int nearend_processor_process(nearend_processor *processor, const float *input, float *output, int delay_ms) {
  if (processor->cancels_echo) {
    // A warning (the delay was truncated) is not an error.
    const int status = processor->apm->set_stream_delay_ms(nearend::clamped_delay(delay_ms));
    if (status != 0 && status != AudioProcessing::kBadStreamParameterWarning) return status;
  }
  return processor->apm->ProcessStream(&input, processor->stream, processor->stream, &output);
}
#endif
