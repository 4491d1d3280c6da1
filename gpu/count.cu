/* count.cu - the number of devices; see device.h. */
#include <cuda_runtime.h>

#include "gpu/device.h"

extern "C" int sl_device_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}
