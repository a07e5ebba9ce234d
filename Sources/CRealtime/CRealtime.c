#include "CRealtime.h"

_Thread_local bool nearend_is_in_microphone_callback;
