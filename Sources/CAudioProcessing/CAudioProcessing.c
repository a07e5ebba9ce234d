#include "CAudioProcessing.h"
