#include "CLadspa.h"
