#include "CSampleRate.h"
#include <samplerate.h>

static SRC_STATE *state(rt_resampler *resampler) { return (SRC_STATE *)resampler; }

rt_resampler *rt_resampler_create(int channels) {
  int error = 0;
  return (rt_resampler *)src_new(SRC_SINC_FASTEST, channels, &error);
}

void rt_resampler_destroy(rt_resampler *resampler) {
  if (resampler) src_delete(state(resampler));
}

void rt_resampler_reset(rt_resampler *resampler) { src_reset(state(resampler)); }

void rt_resampler_jump(rt_resampler *resampler, double ratio) { src_set_ratio(state(resampler), ratio); }

long rt_resampler_process(rt_resampler *resampler, const float *input, long available, float *output, long wanted, double ratio,
                          long *used) {
  SRC_DATA data = {0};
  data.data_in = input;
  data.data_out = output;
  data.input_frames = available;
  data.output_frames = wanted;
  data.src_ratio = ratio;
  if (src_process(state(resampler), &data) != 0) {
    *used = 0;
    return -1;
  }
  *used = data.input_frames_used;
  return data.output_frames_gen;
}
