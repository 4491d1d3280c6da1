/* units.c - see units.h. */
#include "core/sys/units.h"

#include <ctype.h>
#include <string.h>

static const struct unit {
    const char *name;
    enum sl_unit kind;
    double factor;
} units[] = {
    {"ms", SL_UNIT_seconds, 1e-3},
    {"s", SL_UNIT_seconds, 1},
    {"min", SL_UNIT_seconds, 60},
    {"h", SL_UNIT_seconds, 3600},
    {"d", SL_UNIT_seconds, 86400},
    {"B", SL_UNIT_bytes, 1},
    {"kB", SL_UNIT_bytes, 1e3},
    {"MB", SL_UNIT_bytes, 1e6},
    {"GB", SL_UNIT_bytes, 1e9},
    {"TB", SL_UNIT_bytes, 1e12},
    {"KiB", SL_UNIT_bytes, 1024.},
    {"MiB", SL_UNIT_bytes, 1048576.},
    {"GiB", SL_UNIT_bytes, 1073741824.},
    {"TiB", SL_UNIT_bytes, 1099511627776.},
    {"cm", SL_UNIT_length, 1},
    {"m", SL_UNIT_length, 1e2},
    {"km", SL_UNIT_length, 1e5},
    {"au", SL_UNIT_length, 1.495978707e13},
    {"pc", SL_UNIT_length, 3.0856775814913673e18},
    {"kpc", SL_UNIT_length, 3.0856775814913673e21},
    {"Mpc", SL_UNIT_length, 3.0856775814913673e24},
    {"Gpc", SL_UNIT_length, 3.0856775814913673e27},
    {"cm/s", SL_UNIT_velocity, 1},
    {"m/s", SL_UNIT_velocity, 1e2},
    {"km/s", SL_UNIT_velocity, 1e5},
};

/* cm and cm_per_s carry the units of length and velocity. */
static enum sl_unit family(enum sl_unit unit)
{
    return unit == SL_UNIT_cm ? SL_UNIT_length : unit == SL_UNIT_cm_per_s ? SL_UNIT_velocity : unit;
}

struct sl_unit_match sl_unit_match(const char *text, enum sl_unit unit)
{
    struct sl_unit_match best = {0, 0, 0};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = strlen(units[i].name);
        if (n <= best.length || strncmp(text, units[i].name, n) != 0) continue;
        if (isalnum((unsigned char)text[n]) || text[n] == '_') continue;
        best.length = n;
        best.fits = units[i].kind == family(unit);
        best.factor = units[i].factor;
    }
    return best;
}

const char *sl_unit_names(enum sl_unit unit)
{
    switch (family(unit)) {
    case SL_UNIT_seconds:
        return "ms, s, min, h, d";
    case SL_UNIT_bytes:
        return "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
    case SL_UNIT_length:
        return "cm, m, km, au, pc, kpc, Mpc, Gpc";
    case SL_UNIT_velocity:
        return "cm/s, m/s, km/s";
    default:
        return "";
    }
}

const char *sl_unit_base(enum sl_unit unit)
{
    static const char *const base[] = {"",   "s",    "bytes",    "code length", "code velocity",
                                       "cm", "cm/s", "time.unit"};
    return base[unit];
}
