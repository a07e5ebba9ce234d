// The part of webrtc-audio-processing 1.3's binary interface that nearend uses, declared anew, in the manner of Interface0.h.
#pragma once
#include <stddef.h>

namespace nearend::webrtc1 {

struct StreamConfig {
  int rate = 0;
  size_t channels = 0;
  bool has_keyboard = false;
  size_t frames = 0;

  StreamConfig() = default;
  explicit StreamConfig(int rate) : rate(rate), channels(1), frames(static_cast<size_t>(rate / 100)) {}
};

struct ProcessingConfig {
  StreamConfig input, output, reverse_input, reverse_output;
};

enum NoiseLevel { kLow, kModerate, kHigh, kVeryHigh };

// The whole of AudioProcessing::Config, because the library copies it, with its standard values.
struct Config {
  struct {
    int maximum_internal_processing_rate = 48000;
    bool multi_channel_render = false, multi_channel_capture = false;
  } pipeline;
  struct {
    bool enabled = false;
    float fixed_gain_factor = 1;
  } pre_amplifier;
  struct {
    bool enabled = false, apply_in_full_band = true;
  } high_pass_filter;
  struct {
    bool enabled = false, mobile_mode = false, export_linear_aec_output = false, enforce_high_pass_filtering = true;
  } echo_canceller;
  struct {
    bool enabled = false;
    NoiseLevel level = kModerate;
    bool analyze_linear_aec_output_when_available = false;
  } noise_suppression;
  bool transient_suppression = false;
  bool voice_detection = false;
  struct {
    bool enabled = false;
    int mode = 0;
    int target_level_dbfs = 3, compression_gain_db = 9;
    bool enable_limiter = true;
    int analog_level_minimum = 0, analog_level_maximum = 255;
    struct {
      bool enabled = true;
      int startup_min_volume = 0, clipped_level_min = 70;
      bool enable_agc2_level_estimator = false, enable_digital_adaptive = true;
    } analog_gain_controller;
  } gain_controller1;
  struct {
    bool enabled = false;
    float fixed_gain_db = 0;
    struct {
      bool enabled = false;
      float vad_probability_attack = 1;
      int level_estimator = 0, level_estimator_adjacent_speech_frames_threshold = 1;
      bool use_saturation_protector = true;
      float initial_saturation_margin_db = 20, extra_saturation_margin_db = 2;
      int gain_applier_adjacent_speech_frames_threshold = 1;
      float max_gain_change_db_per_second = 3, max_output_noise_level_dbfs = -50;
    } adaptive_digital;
  } gain_controller2;
  bool residual_echo_detector = true;
  bool level_estimation = false;
};

struct AudioProcessing {
  virtual void AddRef() const = 0;
  virtual int Release() const = 0;
  virtual void Destroy() = 0;
  virtual void DestroyAndFree() = 0;
  virtual void Initialize0() = 0;
  virtual int Initialize(const ProcessingConfig &config) = 0;
  virtual void Initialize6() = 0;
  virtual void ApplyConfig(const Config &config) = 0;
  virtual void proc_sample_rate_hz() = 0;
  virtual void proc_split_sample_rate_hz() = 0;
  virtual void num_input_channels() = 0;
  virtual void num_proc_channels() = 0;
  virtual void num_output_channels() = 0;
  virtual void num_reverse_channels() = 0;
  virtual void set_output_will_be_muted() = 0;
  virtual void SetRuntimeSetting() = 0;
  virtual void ProcessStreamInteger() = 0;
  virtual int ProcessStream(const float *const *source, const StreamConfig &input, const StreamConfig &output, float *const *target) = 0;
  virtual void ProcessReverseStreamInteger() = 0;
  virtual int ProcessReverseStream(
      const float *const *source, const StreamConfig &input, const StreamConfig &output, float *const *target) = 0;
  virtual void AnalyzeReverseStream() = 0;
  virtual void GetLinearAecOutput() = 0;
  virtual void set_stream_analog_level() = 0;
  virtual void recommended_stream_analog_level() = 0;
  virtual int set_stream_delay_ms(int delay) = 0;

 protected:
  ~AudioProcessing() = default;
};

// AudioProcessingBuilder, whose members are the library's affair: a space that is larger than it, and its functions.
struct Builder {
  alignas(16) unsigned char content[1024];
};
using Construct = void (*)(Builder *);
// Returns an instance without a reference.
using Create = AudioProcessing *(*)(Builder *);
constexpr const char *kConstruct = "_ZN6webrtc22AudioProcessingBuilderC1Ev";
constexpr const char *kCreate = "_ZN6webrtc22AudioProcessingBuilder6CreateEv";
constexpr const char *kDestroy = "_ZN6webrtc22AudioProcessingBuilderD1Ev";

inline AudioProcessing *create(void *symbol, Builder *builder) {
  AudioProcessing *created = reinterpret_cast<Create>(symbol)(builder);
  if (created) created->AddRef();
  return created;
}

}  // namespace nearend::webrtc1
