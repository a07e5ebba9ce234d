// For every processor of the architecture: SSE2 on x86-64, NEON on arm64.
#define NEAREND_KERNELS nearend_kernels_baseline
#define NEAREND_KERNELS_NAME "baseline"
#include "Version.h"
