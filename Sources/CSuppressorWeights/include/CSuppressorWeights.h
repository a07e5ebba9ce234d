// The weights of the suppressor's network, as Training/export.py writes them: `suppressor.weights`, beside this file.
//
// First eight 32-bit integers: the format, 3; then features, units, outputs, units of a band, rows of its summary and of its advice; zero.
// Then the layers, in the order in which they run: input, early.input, early.state, summary, first.input, first.state, second.input,
// second.state, advice, late.input, late.state, output. Of each: weights of 8 bits; a 32-bit float by output that scales them; and one that
// is added. Of those that bands share, input, early, summary, late and output, the weights are those of each output in turn; of input and
// output, what is added is by output and band. Of the others, all is for outputs rounded up to a multiple of 64, and weights are as
// `nearend_dense` wants them. Each part begins on a multiple of 64 bytes. Numbers are little-endian, as on x86-64 and arm64.
#pragma once

typedef struct {
  const void *_Nonnull begin;
  const void *_Nonnull end;
} nearend_weights_range;

// Returns where the weights are. [any]
nearend_weights_range nearend_weights(void);
