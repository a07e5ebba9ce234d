// The weights of the suppressor's network, as Training/export.py writes them: `suppressor.weights`, beside this file.
//
// First eight 32-bit integers: the format, 1; then inputs, units and outputs of the network; zeros. Then its layers, in the order in which
// they run: input, first.input, first.state, second.input, second.state, output. Of each, all outputs rounded up to a multiple of 64:
// weights as `nearend_dense` wants them; a 32-bit float by output that scales them; and one that is added. Each part begins on a multiple
// of 64 bytes. Numbers are little-endian, as on x86-64 and arm64.
#pragma once

typedef struct {
  const void *_Nonnull begin;
  const void *_Nonnull end;
} nearend_weights_range;

// Returns where the weights are. [any]
nearend_weights_range nearend_weights(void);
