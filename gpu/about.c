/* about.c - the version of the driver; see device.h. */
#include <stdio.h>

#include "gpu/device.h"
#include "gpu/library.h"

void sl_device_driver(char *out, size_t size)
{
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    int (*init)(void), (*version)(char *text, unsigned length), (*shutdown)(void);
    void *lib = sl_library_open(names);
    snprintf(out, size, "unknown");
    if (!lib || !sl_library_find(lib, "nvmlInit_v2", &init) ||
        !sl_library_find(lib, "nvmlSystemGetDriverVersion", &version) ||
        !sl_library_find(lib, "nvmlShutdown", &shutdown) || init() != 0)
        return;
    if (version(out, (unsigned)size) != 0) snprintf(out, size, "unknown");
    shutdown();
}
