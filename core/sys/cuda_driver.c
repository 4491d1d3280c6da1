/* cuda_driver.c - see cuda_driver.h. */
#include "core/sys/cuda_driver.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/sys/library.h"

enum { NAME = 96 }; /* NVML_DEVICE_NAME_V2_BUFFER_SIZE */

struct nvml {
    int (*init)(void), (*shutdown)(void), (*version)(char *text, unsigned length);
    int (*count)(unsigned *n), (*device)(unsigned index, void **device);
    int (*name)(void *device, char *text, unsigned length);
    const char *(*error)(int code);
};

/* NULL, or why it does not answer. */
static const char *begin(struct nvml *x)
{
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    void *lib = sl_library_open(names);
    if (!lib) return "no driver of NVIDIA is here";
    bool all = sl_library_find(lib, "nvmlInit_v2", &x->init) &&
               sl_library_find(lib, "nvmlShutdown", &x->shutdown) &&
               sl_library_find(lib, "nvmlSystemGetDriverVersion", &x->version) &&
               sl_library_find(lib, "nvmlDeviceGetCount_v2", &x->count) &&
               sl_library_find(lib, "nvmlDeviceGetHandleByIndex_v2", &x->device) &&
               sl_library_find(lib, "nvmlDeviceGetName", &x->name) &&
               sl_library_find(lib, "nvmlErrorString", &x->error);
    if (!all) return "the library of the driver (libnvidia-ml.so.1) lacks calls";
    int code = x->init();
    return code == 0 ? NULL : x->error(code);
}

static void driver_of(const struct nvml *x, char *out, size_t size)
{
    if (x->version(out, (unsigned)size) != 0) snprintf(out, size, "unknown");
}

void sl_device_driver(char *out, size_t size)
{
    struct nvml x;
    snprintf(out, size, "unknown");
    if (begin(&x)) return;
    driver_of(&x, out, size);
    x.shutdown();
}

int sl_device_number(void)
{
    struct nvml x;
    unsigned count = 0;
    if (begin(&x)) return 0;
    if (x.count(&count) != 0) count = 0;
    x.shutdown();
    return (int)count;
}

static void name_of(const struct nvml *x, unsigned i, char name[NAME])
{
    void *device;
    if (x->device(i, &device) != 0 || x->name(device, name, NAME) != 0)
        snprintf(name, NAME, "unknown");
}

/* Neighbours of one name are counted. */
static void list(const struct nvml *x, unsigned count, char *out, size_t size)
{
    char name[NAME], next[NAME], driver[NAME];
    size_t n = 0;
    for (unsigned i = 0, same; i < count && n < size; i += same) {
        name_of(x, i, name);
        for (same = 1; i + same < count; same++) {
            name_of(x, i + same, next);
            if (strcmp(name, next) != 0) break;
        }
        n += (size_t)snprintf(out + n, size - n, "%u x %s, ", same, name);
    }
    driver_of(x, driver, sizeof driver);
    if (n < size) snprintf(out + n, size - n, "driver %s", driver);
}

void sl_device_list(char *out, size_t size)
{
    struct nvml x;
    const char *why = begin(&x);
    unsigned count = 0;
    int code = why ? 0 : x.count(&count);
    if (why)
        snprintf(out, size, "none: %s", why);
    else if (code != 0 || count == 0)
        snprintf(out, size, "none: %s", code ? x.error(code) : "the driver finds no device");
    else
        list(&x, count, out, size);
    if (!why) x.shutdown();
}
