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
  bool suppresses_more;
};

namespace {
// The library holds back 4 ms of the reference, and does not cancel an echo that is earlier. With two blocks of the reference ahead it
// discards the 4 ms as excess, and two blocks of the microphone then use up all the rest, for good.
bool take_whole_reference(nearend_processor *processor, float *silence) {
  for (int i = 0; i < 2; i++)
    if (nearend_processor_analyze_reference(processor, silence) != 0) return false;
  for (int i = 0; i < 2; i++)
    if (nearend_processor_process(processor, silence, silence) != 0) return false;
  return true;
}
}  // namespace

const char *nearend_audio_processing_name(void) { return "webrtc-audio-processing 0.3"; }

nearend_processor *nearend_processor_create(int rate, nearend_processor_kind kind) {
  webrtc::Config config;
  // A filter of 48 ms; one of 128 ms costs half as much again. The library's own delay search is off: it starts after 15 s of audio, then
  // moves a converged filter, and the chain knows the delay sooner.
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(false));
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
    if (apm.echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kLowSuppression) != 0) return nullptr;
    if (apm.echo_cancellation()->Enable(true) != 0) return nullptr;
  } else {
    if (apm.noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh) != 0) return nullptr;
    if (apm.noise_suppression()->Enable(true) != 0) return nullptr;
  }
  std::vector<float> silence(processor->stream.num_frames());
  if (!nearend::warm_up(processor.get(), silence.data())) return nullptr;
  if (processor->cancels_echo && !take_whole_reference(processor.get(), silence.data())) return nullptr;
  return processor.release();
}

void nearend_processor_destroy(nearend_processor *processor) { delete processor; }

int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference) {
  if (!processor->cancels_echo) return 0;
  float *destination = processor->reference.data();
  return processor->apm->ProcessReverseStream(&reference, processor->stream, processor->stream, &destination);
}

int nearend_processor_expect_only_echo(nearend_processor *processor, bool is_only_echo) {
  if (!processor->cancels_echo || processor->suppresses_more == is_only_echo) return 0;
  processor->suppresses_more = is_only_echo;
  // The higher levels remove more of the near end in double talk; without a near end, only the echo beyond the filter is removed.
  return processor->apm->echo_cancellation()->set_suppression_level(
      is_only_echo ? webrtc::EchoCancellation::kModerateSuppression : webrtc::EchoCancellation::kLowSuppression);
}

int nearend_processor_process(nearend_processor *processor, const float *input, float *output) {
  // The chain places the reference itself. The canceller requires a delay with every block, which must always be the same.
  if (processor->cancels_echo) processor->apm->set_stream_delay_ms(0);
  return processor->apm->ProcessStream(&input, processor->stream, processor->stream, &output);
}
#endif
