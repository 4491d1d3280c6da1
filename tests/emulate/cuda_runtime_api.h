/* cuda_runtime_api.h - see cuda_runtime.h. */
#include "tests/emulate/cuda_runtime.h"
