/* devices.h - the GPUs of this machine, shared out among members that run side by side on it.
 *
 * A member with resources.gpus has that many for itself while a stage of it computes there, as on a
 * cluster; one without shares those that have the fewest members. Only what this process starts is
 * counted.
 *
 * Shapes  none
 * Units   none
 * Errors  none: without a driver there are none, and nothing waits
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    CUDA C++ Programming Guide, environment variables: CUDA_VISIBLE_DEVICES
 * Tests   tests/cli/devices.sh
 */
#ifndef SL_PIPELINE_LOCAL_DEVICES_H
#define SL_PIPELINE_LOCAL_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_config;

enum { SL_DEVICES_MAX = 64, SL_DEVICE_ID = 64, SL_DEVICES_TEXT = SL_DEVICES_MAX * SL_DEVICE_ID };

struct sl_devices {
    int n;
    struct {
        char id[SL_DEVICE_ID]; /* as CUDA_VISIBLE_DEVICES names it */
        int users;
        bool alone; /* its user shares it with nobody */
    } device[SL_DEVICES_MAX];
};

/* Those of CUDA_VISIBLE_DEVICES where that is set (parts of a device, MIG, must be named there),
 * else all of the driver. */
void sl_devices_find(struct sl_devices *all);

/* What a stage takes at a time. */
struct sl_device_request {
    int n; /* 0: it computes on the processor */
    bool alone;
};
struct sl_device_request sl_devices_request(const struct sl_devices *all,
                                            const struct sl_config *cfg, int stage);

/* A bit for each device that is taken; 0: it must wait until some are given back. */
uint64_t sl_devices_take(struct sl_devices *all, struct sl_device_request request);
void sl_devices_give(struct sl_devices *all, uint64_t taken);

/* Their names for CUDA_VISIBLE_DEVICES; "" for none. */
void sl_devices_text(const struct sl_devices *all, uint64_t taken, char text[SL_DEVICES_TEXT]);

#endif
