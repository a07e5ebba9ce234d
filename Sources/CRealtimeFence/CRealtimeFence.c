#include "CRealtimeFence.h"
