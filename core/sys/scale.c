/* scale.c - see scale.h. */
#include "core/sys/scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/sys/config.h"

/* X(name, length, density, velocity, unit): exponents; length in a box of three dimensions */
#define DIMENSION_LIST(X)                                                                          \
    X(time, 1, 0, -1, "s")                                                                         \
    X(length, 1, 0, 0, "cm")                                                                       \
    X(velocity, 0, 0, 1, "cm/s")                                                                   \
    X(density, 0, 1, 0, "g/cm^3")                                                                  \
    X(pressure, 0, 1, 2, "erg/cm^3")                                                               \
    X(field, 0, 0.5, 1, "G")                                                                       \
    X(volume, 3, 0, 0, "cm^3")                                                                     \
    X(mass, 3, 1, 0, "g")                                                                          \
    X(momentum, 3, 1, 1, "g cm/s")                                                                 \
    X(energy, 3, 1, 2, "erg")                                                                      \
    X(power, 2, 1, 3, "erg/s")                                                                     \
    X(acceleration, -1, 0, 2, "cm/s^2")

static const struct dimension {
    const char *name, *unit;
    double length, density, velocity;
} dimensions[] = {
#define ROW(name, length, density, velocity, unit) {#name, unit, length, density, velocity},
    DIMENSION_LIST(ROW)
#undef ROW
};
enum { DIMENSIONS = sizeof dimensions / sizeof *dimensions };

struct sl_scale sl_scale_of(const struct sl_config *cfg)
{
    struct sl_scale scale = {0};
    if (!sl_config_has_units(cfg)) return scale;
    scale = (struct sl_scale){cfg->units_length, cfg->units_density, cfg->units_velocity,
                              sl_config_dim(cfg)};
    return scale;
}

/* Whether it is an integral over the box, which lacks a length for each axis that is not there. */
static bool is_of_box(const struct dimension *d)
{
    return d->length >= 2;
}

static double factor_of(const struct sl_scale *s, const struct dimension *d)
{
    double missing = is_of_box(d) ? 3 - s->dim : 0, pi = acos(-1);
    return pow(s->length, d->length - missing) * pow(s->density, d->density) *
           pow(s->velocity, d->velocity) * (strcmp(d->name, "field") ? 1 : sqrt(4 * pi));
}

/* "1.7e-24 g/cm^3" */
static int say(const struct sl_scale *s, const struct dimension *d, char *out, size_t room)
{
    static const char *const missing[] = {"", "/cm", "/cm^2"}, *const volume[] = {"", "cm", "cm^2"};
    int lacks = is_of_box(d) && s->dim >= 1 && s->dim < 3 ? 3 - s->dim : 0;
    bool is_volume = !strcmp(d->name, "volume");
    return snprintf(out, room, "%.4g %s%s", factor_of(s, d),
                    is_volume && lacks ? volume[s->dim] : d->unit, is_volume ? "" : missing[lacks]);
}

/* The dimension whose name stands behind "code " at text. */
static const struct dimension *dimension_at(const char *text)
{
    if (strncmp(text, "code ", 5) != 0) return NULL;
    for (int i = 0; i < DIMENSIONS; i++) {
        size_t n = strlen(dimensions[i].name);
        if (strncmp(text + 5, dimensions[i].name, n) != 0) continue;
        if (!text[5 + n] || strchr(" ^)", text[5 + n])) return &dimensions[i];
    }
    return NULL;
}

void sl_scale_say(const struct sl_scale *s, const char *unit, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    while (*unit && used + 1 < room) {
        const struct dimension *d = s->length > 0 ? dimension_at(unit) : NULL;
        char text[64];
        size_t n = 1;
        if (d) {
            n = 5 + strlen(d->name);
            say(s, d, text, sizeof text);
        }
        bool alone = d && used == 0 && !unit[n];
        used += (size_t)(d ? snprintf(out + used, room - used, alone ? "%s" : "(%s)", text)
                           : snprintf(out + used, room - used, "%c", *unit));
        unit += n;
    }
}
