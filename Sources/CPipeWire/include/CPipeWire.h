#pragma once
#include <pipewire/pipewire.h>
