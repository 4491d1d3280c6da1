/* count.cu - the number of devices and the name of one; see device.h. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

#include "gpu/device.h"

extern "C" int sl_device_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

extern "C" void sl_device_name(char *out, size_t size, char uuid[16])
{
    struct cudaDeviceProp about;
    int id = 0;
    bool known =
        cudaGetDevice(&id) == cudaSuccess && cudaGetDeviceProperties(&about, id) == cudaSuccess;
    snprintf(out, size, "%s", known ? about.name : "unknown");
    if (uuid && known) memcpy(uuid, about.uuid.bytes, 16);
}
