// Compares what Sources/CAudioProcessing declares anew with the library's own headers. INTERFACE is 0, 1 or 2. Prints each difference.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if INTERFACE == 0
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include "Interface0.h"
namespace own = nearend::webrtc0;
#elif INTERFACE == 1
#include <modules/audio_processing/include/audio_processing.h>

#include "Interface1.h"
namespace own = nearend::webrtc1;
#else
#include <api/audio/audio_processing.h>

#include "Interface2.h"
namespace own = nearend::webrtc2;
#endif

static int compared, different;

static void compare(const char *what, long ours, long theirs) {
  ++compared;
  if (ours == theirs) return;
  ++different;
  printf("%s: %ld here, %ld in the library's headers\n", what, ours, theirs);
}

// The number of a virtual function in its table, by the Itanium C++ ABI.
template <typename Function>
static long slot(Function function) {
  uintptr_t words[2];
  static_assert(sizeof function == sizeof words, "not the Itanium C++ ABI");
  memcpy(words, &function, sizeof words);
#if defined(__aarch64__) || defined(__arm__)
  return words[0] / sizeof(void *);
#else
  return (words[0] - 1) / sizeof(void *);
#endif
}

using Audio = webrtc::AudioProcessing;
using Stream = webrtc::StreamConfig;

#define SLOT(ours, theirs) compare(#ours, slot(&own::ours), slot(&webrtc::theirs))
#define SLOT_OF(name, ...)                                                                                        \
  compare(#name, slot(&own::AudioProcessing::name), slot(static_cast<int (Audio::*)(__VA_ARGS__)>(&Audio::name)))
#define MEMBER(name) \
  compare("Config." #name, offset(config, config.name), offset(theirs, theirs.name)); \
  compare("the standard of Config." #name, (long)(1000 * (double)config.name), (long)(1000 * (double)theirs.name))
#define MEMBER_AS(name, other) \
  compare("Config." #name, offset(config, config.name), offset(theirs, theirs.other)); \
  compare("the standard of Config." #name, (long)(1000 * (double)config.name), (long)(1000 * (double)theirs.other))

template <typename Whole, typename Part>
static long offset(const Whole &whole, const Part &part) {
  return reinterpret_cast<const char *>(&part) - reinterpret_cast<const char *>(&whole);
}

int main() {
  own::StreamConfig stream(48000);
  Stream other(48000, 1);
  compare("StreamConfig's size", sizeof stream, sizeof other);
  memset((void *)&stream, 0, sizeof stream);
  memset((void *)&other, 0, sizeof other);
  new (&stream) own::StreamConfig(48000);
  new (&other) Stream(48000, 1);
  compare("StreamConfig's content", 0, memcmp((void *)&stream, (void *)&other, sizeof stream));
  compare("ProcessingConfig's size", sizeof(own::ProcessingConfig), sizeof(webrtc::ProcessingConfig));

  SLOT_OF(Initialize, const webrtc::ProcessingConfig &);
  SLOT_OF(ProcessStream, const float *const *, const Stream &, const Stream &, float *const *);
  SLOT_OF(ProcessReverseStream, const float *const *, const Stream &, const Stream &, float *const *);
  SLOT(AudioProcessing::set_stream_delay_ms, AudioProcessing::set_stream_delay_ms);
#if INTERFACE == 0
  SLOT(AudioProcessing::echo_cancellation, AudioProcessing::echo_cancellation);
  SLOT(AudioProcessing::noise_suppression, AudioProcessing::noise_suppression);
  SLOT(EchoCancellation::Enable, EchoCancellation::Enable);
  SLOT(EchoCancellation::enable_drift_compensation, EchoCancellation::enable_drift_compensation);
  SLOT(EchoCancellation::set_suppression_level, EchoCancellation::set_suppression_level);
  SLOT(NoiseSuppression::Enable, NoiseSuppression::Enable);
  SLOT(NoiseSuppression::set_level, NoiseSuppression::set_level);
  compare("kLowSuppression", own::kLowSuppression, webrtc::EchoCancellation::kLowSuppression);
  compare("kModerateSuppression", own::kModerateSuppression, webrtc::EchoCancellation::kModerateSuppression);
  compare("kHigh", own::kHigh, webrtc::NoiseSuppression::kHigh);
  compare("ExtendedFilter's standard", false, webrtc::ExtendedFilter().enabled);
  compare("DelayAgnostic's standard", false, webrtc::DelayAgnostic().enabled);
#else
  SLOT(AudioProcessing::AddRef, AudioProcessing::AddRef);
  SLOT(AudioProcessing::Release, AudioProcessing::Release);
  SLOT(AudioProcessing::ApplyConfig, AudioProcessing::ApplyConfig);
  compare("AudioProcessingBuilder fits", true, sizeof(webrtc::AudioProcessingBuilder) <= sizeof(own::Builder));
  compare("kHigh", own::kHigh, Audio::Config::NoiseSuppression::kHigh);

  own::Config config;
  Audio::Config theirs;
  compare("Config's size", sizeof config, sizeof theirs);
  MEMBER(pipeline.maximum_internal_processing_rate);
  MEMBER(pipeline.multi_channel_render);
  MEMBER(pipeline.multi_channel_capture);
  MEMBER(pre_amplifier.enabled);
  MEMBER(pre_amplifier.fixed_gain_factor);
  MEMBER(high_pass_filter.enabled);
  MEMBER(high_pass_filter.apply_in_full_band);
  MEMBER(echo_canceller.enabled);
  MEMBER(echo_canceller.mobile_mode);
  MEMBER(echo_canceller.export_linear_aec_output);
  MEMBER(echo_canceller.enforce_high_pass_filtering);
  MEMBER(noise_suppression.enabled);
  MEMBER(noise_suppression.level);
  MEMBER(noise_suppression.analyze_linear_aec_output_when_available);
  MEMBER_AS(transient_suppression, transient_suppression.enabled);
  MEMBER(gain_controller1.enabled);
  MEMBER(gain_controller1.mode);
  MEMBER(gain_controller1.target_level_dbfs);
  MEMBER(gain_controller1.compression_gain_db);
  MEMBER(gain_controller1.enable_limiter);
  MEMBER(gain_controller1.analog_gain_controller.enabled);
  MEMBER(gain_controller1.analog_gain_controller.startup_min_volume);
  MEMBER(gain_controller1.analog_gain_controller.clipped_level_min);
  MEMBER(gain_controller1.analog_gain_controller.enable_digital_adaptive);
  MEMBER(gain_controller2.enabled);
  MEMBER_AS(gain_controller2.fixed_gain_db, gain_controller2.fixed_digital.gain_db);
  MEMBER(gain_controller2.adaptive_digital.enabled);
  MEMBER(gain_controller2.adaptive_digital.max_gain_change_db_per_second);
  MEMBER(gain_controller2.adaptive_digital.max_output_noise_level_dbfs);
#if INTERFACE == 1
  MEMBER_AS(voice_detection, voice_detection.enabled);
  MEMBER(gain_controller1.analog_level_minimum);
  MEMBER(gain_controller1.analog_level_maximum);
  MEMBER(gain_controller1.analog_gain_controller.enable_agc2_level_estimator);
  MEMBER(gain_controller2.adaptive_digital.vad_probability_attack);
  MEMBER(gain_controller2.adaptive_digital.level_estimator);
  MEMBER(gain_controller2.adaptive_digital.level_estimator_adjacent_speech_frames_threshold);
  MEMBER(gain_controller2.adaptive_digital.use_saturation_protector);
  MEMBER(gain_controller2.adaptive_digital.initial_saturation_margin_db);
  MEMBER(gain_controller2.adaptive_digital.extra_saturation_margin_db);
  MEMBER(gain_controller2.adaptive_digital.gain_applier_adjacent_speech_frames_threshold);
  MEMBER_AS(residual_echo_detector, residual_echo_detector.enabled);
  MEMBER_AS(level_estimation, level_estimation.enabled);
#else
  MEMBER_AS(pipeline.capture_downmix_method, pipeline.capture_downmix_method);
  MEMBER(capture_level_adjustment.enabled);
  MEMBER(capture_level_adjustment.pre_gain_factor);
  MEMBER(capture_level_adjustment.post_gain_factor);
  MEMBER(capture_level_adjustment.analog_mic_gain_emulation.enabled);
  MEMBER(capture_level_adjustment.analog_mic_gain_emulation.initial_level);
  MEMBER(gain_controller1.analog_gain_controller.clipped_level_step);
  MEMBER(gain_controller1.analog_gain_controller.clipped_ratio_threshold);
  MEMBER(gain_controller1.analog_gain_controller.clipped_wait_frames);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.enabled);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.mode);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.window_length);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.reference_window_length);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.reference_window_delay);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.clipping_threshold);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.crest_factor_margin);
  MEMBER(gain_controller1.analog_gain_controller.clipping_predictor.use_predicted_step);
  MEMBER_AS(gain_controller2.input_volume_controller, gain_controller2.input_volume_controller.enabled);
  MEMBER(gain_controller2.adaptive_digital.headroom_db);
  MEMBER(gain_controller2.adaptive_digital.max_gain_db);
  MEMBER(gain_controller2.adaptive_digital.initial_gain_db);
#endif
#endif
  printf("%d compared, %d different\n", compared, different);
  return different != 0;
}
