/* devices.c - see devices.h. */
#include "pipeline/local/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/cuda_driver.h"
#include "pipeline/campaign/stage.h"

static void add(struct sl_devices *all, const char *id, size_t length)
{
    if (length == 0 || length >= SL_DEVICE_ID || all->n == SL_DEVICES_MAX) return;
    memcpy(all->device[all->n].id, id, length);
    all->device[all->n++].id[length] = '\0';
}

/* Whether a list begins with one of n devices, or with the name of one. */
static bool is_device(const char *list, int n)
{
    if (strncmp(list, "GPU-", 4) == 0 || strncmp(list, "MIG-", 4) == 0) return true;
    return *list >= '0' && *list <= '9' && strtol(list, NULL, 10) < n;
}

void sl_devices_find(struct sl_devices *all)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    int n = sl_device_number();
    memset(all, 0, sizeof *all);
    if (n == 0) return; /* whatever the list says */
    for (int i = 0; i < n && !list; i++) {
        char id[16];
        add(all, id, (size_t)snprintf(id, sizeof id, "%d", i));
    }
    while (list && is_device(list, n)) { /* CUDA sees none from the first on that is no device */
        size_t length = strcspn(list, ",");
        add(all, list, length);
        list += length + (list[length] == ',');
    }
}

static int least(int64_t a, int b)
{
    return a < b ? (int)a : b;
}

struct sl_device_request sl_devices_request(const struct sl_devices *all,
                                            const struct sl_config *cfg, int stage)
{
    bool takes = sl_stage_takes_devices(stage, cfg) &&
                 (stage != SL_STAGE_sim || sl_config_sim_on_device(cfg));
    struct sl_config own;
    sl_config_stage(cfg, stage, &own);
    cfg = &own;
    int64_t nodes = cfg->resources_nodes > 1 ? cfg->resources_nodes : 1,
            asked = cfg->resources_gpus * nodes;
    if (!takes) return (struct sl_device_request){0};
    return (struct sl_device_request){.n = least(asked > 0 ? asked : cfg->resources_ranks, all->n),
                                      .alone = asked > 0};
}

/* The free one with the fewest users that is not taken yet; -1: none. */
static int next(const struct sl_devices *all, bool alone, uint64_t taken)
{
    int best = -1;
    for (int i = 0; i < all->n; i++) {
        int users = all->device[i].users;
        bool shut = all->device[i].alone || (alone && users > 0) || (taken >> i & 1);
        if (!shut && (best < 0 || users < all->device[best].users)) best = i;
    }
    return best;
}

uint64_t sl_devices_take(struct sl_devices *all, struct sl_device_request request)
{
    uint64_t taken = 0;
    for (int k = 0; k < request.n; k++) {
        int i = next(all, request.alone, taken);
        if (i < 0 && request.alone) return 0;
        if (i >= 0) taken |= UINT64_C(1) << i;
    }
    for (int i = 0; i < all->n; i++)
        if (taken >> i & 1) {
            all->device[i].users++;
            all->device[i].alone = request.alone;
        }
    return taken;
}

void sl_devices_give(struct sl_devices *all, uint64_t taken)
{
    for (int i = 0; i < all->n; i++)
        if (taken >> i & 1) {
            all->device[i].users--;
            all->device[i].alone = false;
        }
}

void sl_devices_text(const struct sl_devices *all, uint64_t taken, char text[SL_DEVICES_TEXT])
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < all->n; i++)
        if (taken >> i & 1)
            used += (size_t)snprintf(text + used, SL_DEVICES_TEXT - used, "%s%s", used ? "," : "",
                                     all->device[i].id);
}
