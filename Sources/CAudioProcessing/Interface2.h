// The part of webrtc-audio-processing 2.1's binary interface that nearend uses, declared anew, in the manner of Interface0.h.
#pragma once
#include <stddef.h>

namespace nearend::webrtc2 {

struct StreamConfig {
  int rate = 0;
  size_t channels = 0;
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
    int capture_downmix_method = 0;
  } pipeline;
  struct {
    bool enabled = false;
    float fixed_gain_factor = 1;
  } pre_amplifier;
  struct {
    bool enabled = false;
    float pre_gain_factor = 1, post_gain_factor = 1;
    struct {
      bool enabled = false;
      int initial_level = 255;
    } analog_mic_gain_emulation;
  } capture_level_adjustment;
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
  struct {
    bool enabled = false;
    int mode = 0;
    int target_level_dbfs = 3, compression_gain_db = 9;
    bool enable_limiter = true;
    struct {
      bool enabled = true;
      int startup_min_volume = 0, clipped_level_min = 70;
      bool enable_digital_adaptive = true;
      int clipped_level_step = 15;
      float clipped_ratio_threshold = 0.1f;
      int clipped_wait_frames = 300;
      struct {
        bool enabled = false;
        int mode = 0;
        int window_length = 5, reference_window_length = 5, reference_window_delay = 5;
        float clipping_threshold = -1, crest_factor_margin = 3;
        bool use_predicted_step = true;
      } clipping_predictor;
    } analog_gain_controller;
  } gain_controller1;
  struct {
    bool enabled = false;
    bool input_volume_controller = false;
    struct {
      bool enabled = false;
      float headroom_db = 5, max_gain_db = 50, initial_gain_db = 15, max_gain_change_db_per_second = 6, max_output_noise_level_dbfs = -50;
    } adaptive_digital;
    float fixed_gain_db = 0;
  } gain_controller2;
};

struct AudioProcessing {
  virtual void AddRef() const = 0;
  virtual int Release() const = 0;
  virtual void Destroy() = 0;
  virtual void DestroyAndFree() = 0;
  virtual void Initialize0() = 0;
  virtual int Initialize(const ProcessingConfig &config) = 0;
  virtual void ApplyConfig(const Config &config) = 0;
  virtual void proc_sample_rate_hz() = 0;
  virtual void proc_split_sample_rate_hz() = 0;
  virtual void num_input_channels() = 0;
  virtual void num_proc_channels() = 0;
  virtual void num_output_channels() = 0;
  virtual void num_reverse_channels() = 0;
  virtual void set_output_will_be_muted() = 0;
  virtual void SetRuntimeSetting() = 0;
  virtual void PostRuntimeSetting() = 0;
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
// An owning pointer, which the C++ ABI returns through memory because it has a destructor.
struct Reference {
  AudioProcessing *instance;
  ~Reference() {}
};
using Construct = void (*)(Builder *);
// Returns an instance with one reference.
using Create = Reference (*)(Builder *);
constexpr const char *kConstruct = "_ZN6webrtc22AudioProcessingBuilderC1Ev";
constexpr const char *kCreate = "_ZN6webrtc22AudioProcessingBuilder6CreateEv";
constexpr const char *kDestroy = "_ZN6webrtc22AudioProcessingBuilderD1Ev";

inline AudioProcessing *create(void *symbol, Builder *builder) { return reinterpret_cast<Create>(symbol)(builder).instance; }

}  // namespace nearend::webrtc2
