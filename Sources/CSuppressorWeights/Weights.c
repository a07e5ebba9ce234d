#include "CSuppressorWeights.h"

extern const unsigned char nearend_suppressor_weights[];
extern const unsigned char nearend_suppressor_weights_end[];

nearend_weights_range nearend_weights(void) {
  return (nearend_weights_range){nearend_suppressor_weights, nearend_suppressor_weights_end};
}
