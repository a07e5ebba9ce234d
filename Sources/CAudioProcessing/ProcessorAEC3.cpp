// webrtc-audio-processing 1.3 (Debian 13) and 2.1, both with AEC3.
#include <vector>

#include "Interface1.h"
#include "Interface2.h"
#include "Processor.h"

namespace nearend {
namespace {

// The interfaces differ in the order of what they have, and in the kind of pointer that their builder returns.
#define NEAREND_INTERFACE(name, space)                                                                   \
  struct name {                                                                                          \
    using AudioProcessing = space::AudioProcessing;                                                      \
    using Builder = space::Builder;                                                                      \
    using Config = space::Config;                                                                        \
    using Construct = space::Construct;                                                                  \
    using StreamConfig = space::StreamConfig;                                                            \
    static constexpr auto kHigh = space::kHigh;                                                          \
    static AudioProcessing *create(void *symbol, Builder *builder) { return space::create(symbol, builder); } \
  };
NEAREND_INTERFACE(Interface1, webrtc1)
NEAREND_INTERFACE(Interface2, webrtc2)

template <typename Interface>
class Processor final : public nearend_processor {
 public:
  ~Processor() override {
    if (apm_) apm_->Release();
  }

  // False if the library refuses anything.
  bool begin(void *const *symbols, int rate, nearend_processor_kind kind) {
    typename Interface::Builder builder;
    reinterpret_cast<typename Interface::Construct>(symbols[0])(&builder);
    apm_ = Interface::create(symbols[1], &builder);
    reinterpret_cast<typename Interface::Construct>(symbols[2])(&builder);
    if (!apm_) return false;
    stream_ = typename Interface::StreamConfig(rate);
    reference_.resize(stream_.frames);
    cancels_echo_ = kind == NEAREND_ECHO_CANCELLER;

    typename Interface::Config config;
    config.echo_canceller.enabled = cancels_echo_;
    // The chain's own, switchable high-pass filter precedes this.
    config.echo_canceller.enforce_high_pass_filtering = false;
    config.noise_suppression.enabled = !cancels_echo_;
    config.noise_suppression.level = Interface::kHigh;
    apm_->ApplyConfig(config);

    if (apm_->Initialize({stream_, stream_, stream_, stream_}) != 0) return false;
    std::vector<float> silence(stream_.frames);
    return warm_up(*this, silence.data());
  }

  int analyze_reference(const float *reference) override {
    if (!cancels_echo_) return 0;
    float *destination = reference_.data();
    return apm_->ProcessReverseStream(&reference, stream_, stream_, &destination);
  }

  int expect_only_echo(bool) override { return 0; }  // AEC3 tells them apart itself.

  int process(const float *input, float *output) override {
    // The chain places the reference itself. The canceller requires a delay with every block, which must always be the same.
    if (cancels_echo_) apm_->set_stream_delay_ms(0);
    return apm_->ProcessStream(&input, stream_, stream_, &output);
  }

 private:
  typename Interface::AudioProcessing *apm_ = nullptr;
  typename Interface::StreamConfig stream_;
  std::vector<float> reference_;
  bool cancels_echo_ = false;
};

template <typename Interface>
std::unique_ptr<nearend_processor> create(void *const *symbols, int rate, nearend_processor_kind kind) {
  auto processor = std::make_unique<Processor<Interface>>();
  if (!processor->begin(symbols, rate, kind)) return nullptr;
  return processor;
}
}  // namespace

extern const Generation generation1 = {
    "webrtc-audio-processing 1.3",
    "libwebrtc-audio-processing-1.so.3",
    {webrtc1::kConstruct, webrtc1::kCreate, webrtc1::kDestroy},
    create<Interface1>};
extern const Generation generation2 = {
    "webrtc-audio-processing 2.1",
    "libwebrtc-audio-processing-2.so.1",
    {webrtc2::kConstruct, webrtc2::kCreate, webrtc2::kDestroy},
    create<Interface2>};
}  // namespace nearend
