/* density_modes.c - see density_modes.h. */
#include "core/ic/density_modes.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/random.h"

/* One of n and -n is drawn, the other is its conjugate. */
static int drawn_half(const int n[3])
{
    if (n[0] != 0) return n[0] > 0;
    if (n[1] != 0) return n[1] > 0;
    return n[2] > 0;
}

static int low(const struct sl_density_modes *m, const int n[3])
{
    return abs(n[0]) <= m->low_modes && abs(n[1]) <= m->low_modes && abs(n[2]) <= m->low_modes;
}

void sl_density_mode(const struct sl_density_modes *m, const int n[3], double out[2])
{
    int sign = drawn_half(n) ? 1 : -1;
    struct sl_random_name name = {m->low_modes > 0 && low(m, n) ? m->low_seed : m->seed,
                                  SL_RANDOM_DENSITY,
                                  0,
                                  {sign * n[0], sign * n[1], sign * n[2]}};
    sl_random_gauss(&name, 0, out);
    double size = m->fixed ? 1 / sqrt(out[0] * out[0] + out[1] * out[1]) : sqrt(0.5);
    if (m->paired) size = -size;
    out[0] *= size;
    out[1] *= sign * size;
}

uint64_t sl_density_modes_hash(const struct sl_density_modes *m)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int x = 0; x <= 4; x++)
        for (int y = -4; y <= 4; y++)
            for (int z = -4; z <= 4; z++) {
                double v[2] = {0, 0};
                const int n[3] = {x, y, z};
                if (drawn_half(n)) sl_density_mode(m, n, v);
                const unsigned char *b = (const unsigned char *)v;
                for (size_t i = 0; i < sizeof v; i++)
                    hash = (hash ^ b[i]) * 0x100000001b3u; /* FNV-1a */
            }
    return hash;
}
