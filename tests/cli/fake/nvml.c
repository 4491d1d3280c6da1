/* nvml.c - stands in for the library of NVIDIA's driver (libnvidia-ml.so.1): the calls that
 * core/sys/cuda_driver.c makes, for as many devices as FAKE_DEVICES says; none: it is not
 * loaded. */
#include <stdio.h>
#include <stdlib.h>
static const char *want(void)
{
    return getenv("FAKE_DEVICES") ? getenv("FAKE_DEVICES") : "none";
}
int nvmlInit_v2(void)
{
    return want()[0] == 'n' ? 9 : 0;
}
int nvmlShutdown(void)
{
    return 0;
}
int nvmlSystemGetDriverVersion(char *t, unsigned n)
{
    return snprintf(t, n, "1.2.3") < 0;
}
int nvmlDeviceGetCount_v2(unsigned *n)
{
    return *n = (unsigned)atoi(want()), 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d)
{
    return *d = (void *)(size_t)i, 0;
}
int nvmlDeviceGetName(void *d, char *t, unsigned n)
{
    return snprintf(t, n, (size_t)d < 2 ? "Big" : "Small") < 0;
}
const char *nvmlErrorString(int code)
{
    return code == 9 ? "Driver Not Loaded" : "?";
}
