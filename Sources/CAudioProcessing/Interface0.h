// The part of webrtc-audio-processing 0.3's binary interface that nearend uses, declared anew. The order of the virtual functions and of
// the members is the interface; a function that nearend does not call is a slot without arguments. Scripts/webrtc-interface compares it
// with the library's own headers where those are installed.
#pragma once
#include <stddef.h>

namespace nearend::webrtc0 {

struct StreamConfig {
  int rate = 0;
  int channels = 0;
  bool has_keyboard = false;
  size_t frames = 0;

  StreamConfig() = default;
  explicit StreamConfig(int rate) : rate(rate), channels(1), frames(static_cast<size_t>(rate / 100)) {}
};

struct ProcessingConfig {
  StreamConfig input, output, reverse_input, reverse_output;
};

enum SuppressionLevel { kLowSuppression, kModerateSuppression, kHighSuppression };

struct EchoCancellation {
  virtual int Enable(bool enable) = 0;
  virtual void is_enabled() = 0;
  virtual int enable_drift_compensation(bool enable) = 0;
  virtual void is_drift_compensation_enabled() = 0;
  virtual void set_stream_drift_samples() = 0;
  virtual void stream_drift_samples() = 0;
  virtual int set_suppression_level(SuppressionLevel level) = 0;

 protected:
  ~EchoCancellation() = default;
};

enum SuppressedNoise { kLow, kModerate, kHigh, kVeryHigh };

struct NoiseSuppression {
  virtual int Enable(bool enable) = 0;
  virtual void is_enabled() = 0;
  virtual int set_level(SuppressedNoise level) = 0;

 protected:
  ~NoiseSuppression() = default;
};

struct AudioProcessing {
  virtual ~AudioProcessing() {}
  virtual void Initialize0() = 0;
  virtual int Initialize(const ProcessingConfig &config) = 0;
  virtual void Initialize6() = 0;
  virtual void SetExtraOptions() = 0;
  virtual void proc_sample_rate_hz() = 0;
  virtual void proc_split_sample_rate_hz() = 0;
  virtual void num_input_channels() = 0;
  virtual void num_output_channels() = 0;
  virtual void num_reverse_channels() = 0;
  virtual void set_output_will_be_muted() = 0;
  virtual void ProcessStreamFrame() = 0;
  virtual void ProcessStreamLayout() = 0;
  virtual int ProcessStream(const float *const *source, const StreamConfig &input, const StreamConfig &output, float *const *target) = 0;
  virtual void AnalyzeReverseStreamFrame() = 0;
  virtual void ProcessReverseStreamFrame() = 0;
  virtual void AnalyzeReverseStreamLayout() = 0;
  virtual int ProcessReverseStream(
      const float *const *source, const StreamConfig &input, const StreamConfig &output, float *const *target) = 0;
  virtual int set_stream_delay_ms(int delay) = 0;
  virtual void stream_delay_ms() = 0;
  virtual void was_stream_delay_set() = 0;
  virtual void set_stream_key_pressed() = 0;
  virtual void set_delay_offset_ms() = 0;
  virtual void delay_offset_ms() = 0;
  virtual void StartDebugRecordingByName() = 0;
  virtual void StartDebugRecording() = 0;
  virtual void StartDebugRecordingForPlatformFile() = 0;
  virtual void StopDebugRecording() = 0;
  virtual void UpdateHistogramsOnCallEnd() = 0;
  virtual EchoCancellation *echo_cancellation() const = 0;
  virtual void echo_control_mobile() = 0;
  virtual void gain_control() = 0;
  virtual void high_pass_filter() = 0;
  virtual void level_estimator() = 0;
  virtual NoiseSuppression *noise_suppression() const = 0;
};

// AudioProcessing::Create(): a filter of 48 ms, one of 128 ms costs half as much again; and without the library's own delay search, which
// starts after 15 s of audio, then moves a converged filter, and the chain knows the delay sooner.
using Create = AudioProcessing *(*)();
constexpr const char *kCreate = "_ZN6webrtc15AudioProcessing6CreateEv";

}  // namespace nearend::webrtc0
