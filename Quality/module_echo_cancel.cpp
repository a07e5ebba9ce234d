// module_echo_cancel FAR MIC OUT: webrtc-audio-processing 0.3 or 1.3 as PipeWire's module-echo-cancel configures it: high-pass filter,
// voice detection, noise suppression high, no gain control; 0.3 with extended filter, delay agnostic, and echo suppression high; 1.3
// with transient suppression. The files are mono, 32-bit float, 48 kHz, without a header.
#if __has_include(<webrtc/modules/interface/module_common_types.h>)
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>
#define IS_WEBRTC_0 1
#else
#include <modules/audio_processing/include/audio_processing.h>
#define IS_WEBRTC_0 0
#endif

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int rate = 48000;
constexpr size_t blockSize = rate / 100;

std::vector<float> read(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<float> samples(static_cast<size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(samples.data()), static_cast<std::streamsize>(samples.size() * sizeof(float)));
  return samples;
}

void write(const std::string &path, const std::vector<float> &samples) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(samples.data()), static_cast<std::streamsize>(samples.size() * sizeof(float)));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

#if IS_WEBRTC_0
std::unique_ptr<webrtc::AudioProcessing> makeProcessing() {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
  config.Set<webrtc::ExperimentalNs>(new webrtc::ExperimentalNs(false));
  std::unique_ptr<webrtc::AudioProcessing> processing(webrtc::AudioProcessing::Create(config));
  webrtc::StreamConfig mono(rate, 1, false);
  processing->Initialize(webrtc::ProcessingConfig{{mono, mono, mono, mono}});
  processing->high_pass_filter()->Enable(true);
  processing->echo_cancellation()->enable_drift_compensation(false);
  processing->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
  processing->echo_cancellation()->Enable(true);
  processing->noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh);
  processing->noise_suppression()->Enable(true);
  processing->voice_detection()->Enable(true);
  return processing;
}
#else
std::unique_ptr<webrtc::AudioProcessing> makeProcessing() {
  webrtc::AudioProcessing::Config config;
  config.echo_canceller.enabled = true;
  config.high_pass_filter.enabled = true;
  config.noise_suppression.enabled = true;
  config.noise_suppression.level = webrtc::AudioProcessing::Config::NoiseSuppression::kHigh;
  config.transient_suppression.enabled = true;
  config.voice_detection.enabled = true;
  std::unique_ptr<webrtc::AudioProcessing> processing(webrtc::AudioProcessingBuilder().Create());
  processing->ApplyConfig(config);
  const webrtc::StreamConfig mono(rate, 1, false);
  processing->Initialize(webrtc::ProcessingConfig{{mono, mono, mono, mono}});
  return processing;
}
#endif

std::vector<float> process(std::vector<float> far, std::vector<float> mic) {
  const auto processing = makeProcessing();
  const webrtc::StreamConfig mono(rate, 1, false);
  std::vector<float> voice(mic.size()), ignored(blockSize);
  far.resize(mic.size());
  for (size_t start = 0; start + blockSize <= mic.size(); start += blockSize) {
    float *reference = far.data() + start, *played = ignored.data(), *microphone = mic.data() + start, *output = voice.data() + start;
    processing->ProcessReverseStream(&reference, mono, mono, &played);
    processing->set_stream_delay_ms(0);
    processing->ProcessStream(&microphone, mono, mono, &output);
  }
  return voice;
}

}  // namespace

int main(int count, char **arguments) try {
  if (count != 4) throw std::runtime_error("usage: module_echo_cancel FAR MIC OUT");
  write(arguments[3], process(read(arguments[1]), read(arguments[2])));
} catch (const std::exception &error) {
  std::fprintf(stderr, "module_echo_cancel: %s\n", error.what());
  return 1;
}
