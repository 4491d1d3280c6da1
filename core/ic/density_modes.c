/* density_modes.c - see density_modes.h. */
#include "core/ic/density_modes.h"

uint64_t sl_density_modes_hash(const struct sl_density_modes *m)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int x = 0; x <= 4; x++)
        for (int y = -4; y <= 4; y++)
            for (int z = -4; z <= 4; z++) {
                double v[2] = {0, 0};
                const int n[3] = {x, y, z};
                if (sl_density_mode_drawn(n)) sl_density_mode(m, n, v);
                const unsigned char *b = (const unsigned char *)v;
                for (size_t i = 0; i < sizeof v; i++)
                    hash = (hash ^ b[i]) * 0x100000001b3u; /* FNV-1a */
            }
    return hash;
}
