// webrtc-audio-processing 0.3 (Debian 12).
#include <vector>

#include "Interface0.h"
#include "Processor.h"

namespace nearend {
namespace {
using namespace webrtc0;

class Processor final : public nearend_processor {
 public:
  // False if the library refuses anything.
  bool begin(Create create, int rate, nearend_processor_kind kind) {
    apm_.reset(create());
    if (!apm_) return false;
    stream_ = StreamConfig(rate);
    reference_.resize(stream_.frames);
    cancels_echo_ = kind == NEAREND_ECHO_CANCELLER;

    if (apm_->Initialize({stream_, stream_, stream_, stream_}) != 0) return false;
    if (cancels_echo_) {
      if (apm_->echo_cancellation()->enable_drift_compensation(false) != 0) return false;
      if (apm_->echo_cancellation()->set_suppression_level(kLowSuppression) != 0) return false;
      if (apm_->echo_cancellation()->Enable(true) != 0) return false;
    } else {
      if (apm_->noise_suppression()->set_level(kHigh) != 0) return false;
      if (apm_->noise_suppression()->Enable(true) != 0) return false;
    }
    std::vector<float> silence(stream_.frames);
    return warm_up(*this, silence.data()) && (!cancels_echo_ || take_whole_reference(silence.data()));
  }

  int analyze_reference(const float *reference) override {
    if (!cancels_echo_) return 0;
    float *destination = reference_.data();
    return apm_->ProcessReverseStream(&reference, stream_, stream_, &destination);
  }

  int expect_only_echo(bool is_only_echo) override {
    if (!cancels_echo_ || suppresses_more_ == is_only_echo) return 0;
    suppresses_more_ = is_only_echo;
    // The higher levels remove more of the near end in double talk; without a near end, only the echo beyond the filter is removed.
    return apm_->echo_cancellation()->set_suppression_level(is_only_echo ? kModerateSuppression : kLowSuppression);
  }

  int process(const float *input, float *output) override {
    // The chain places the reference itself. The canceller requires a delay with every block, which must always be the same.
    if (cancels_echo_) apm_->set_stream_delay_ms(0);
    return apm_->ProcessStream(&input, stream_, stream_, &output);
  }

 private:
  // The library holds back 4 ms of the reference, and does not cancel an echo that is earlier. With two blocks of the reference ahead it
  // discards the 4 ms as excess, and two blocks of the microphone then use up all the rest, for good.
  bool take_whole_reference(float *silence) {
    for (int i = 0; i < 2; i++)
      if (analyze_reference(silence) != 0) return false;
    for (int i = 0; i < 2; i++)
      if (process(silence, silence) != 0) return false;
    return true;
  }

  std::unique_ptr<AudioProcessing> apm_;
  StreamConfig stream_;
  std::vector<float> reference_;
  bool cancels_echo_ = false;
  bool suppresses_more_ = false;
};

std::unique_ptr<nearend_processor> create(void *const *symbols, int rate, nearend_processor_kind kind) {
  auto processor = std::make_unique<Processor>();
  if (!processor->begin(reinterpret_cast<Create>(symbols[0]), rate, kind)) return nullptr;
  return processor;
}
}  // namespace

extern const Generation generation0 = {"webrtc-audio-processing 0.3", "libwebrtc_audio_processing.so.1", {kCreate}, create};
}  // namespace nearend
