/* scale.c - see scale.h. */
#include "core/config/scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"

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
    scale = (struct sl_scale){.length = cfg->units_length,
                              .density = cfg->units_density,
                              .velocity = cfg->units_velocity,
                              .dim = sl_config_dim(cfg)};
    return scale;
}

struct sl_scale sl_scale_at(const struct sl_config *cfg, double scale_factor)
{
    struct sl_scale scale = sl_scale_of(cfg);
    if (!sl_config_of_universe(cfg)) return scale;
    scale.dim = sl_config_dim(cfg);
    scale.scale_factor = scale_factor;
    scale.kelvin = sl_scale_kelvin(cfg->cosmology_helium);
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

/* Text behind what is there, after a blank. */
static void put(char *out, size_t room, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, room - used, "%s%s", used ? " " : "", text);
}

/* "rho_m (Mpc/h)^3 (100 km/s / a)^2", "" of what no universe has. */
static int say_of_universe(const struct sl_scale *s, const struct dimension *d, char *out,
                           size_t room)
{
    static const char *const lengths[] = {"", "Mpc/h", "(Mpc/h)^2", "(Mpc/h)^3"};
    int n = is_of_box(d) ? s->dim : (int)d->length;
    char speed[32], square[40];
    out[0] = '\0';
    if (!strcmp(d->name, "time")) put(out, room, "dt / a^2 in 1/H0");
    if (n < 0 || n > 3 || d->velocity < 0 || d->velocity > 2) return 0;
    snprintf(speed, sizeof speed, s->scale_factor > 0 ? "%.6g km/s" : "%g km/s / a",
             s->scale_factor > 0 ? 100 / s->scale_factor : 100);
    snprintf(square, sizeof square, "(%s)^2", speed);
    if (d->density > 0) put(out, room, d->density < 1 ? "(4 pi rho_m / a^3)^(1/2)" : "rho_m");
    if (n > 0) put(out, room, lengths[n]);
    if (d->velocity > 0) put(out, room, d->velocity > 1 ? square : speed);
    return 0;
}

/* Whether a blank or a slash stands outside brackets: "(Mpc/h)^3" is whole. */
static bool is_of_parts(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0 && (*text == ' ' || *text == '/')) return true;
    }
    return false;
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
    bool universe = s->scale_factor != 0;
    size_t used = 0;
    out[0] = '\0';
    while (*unit && used + 1 < room) {
        const struct dimension *d = universe || s->length > 0 ? dimension_at(unit) : NULL;
        char text[64];
        size_t n = 1;
        if (d) (universe ? say_of_universe : say)(s, d, text, sizeof text);
        if (d && !*text) d = NULL;
        if (d) n = 5 + strlen(d->name);
        bool alone = d && used == 0 && !unit[n];
        if (d && universe) {
            bool divided = used >= 2 && out[used - 2] == '/';
            alone |= !(unit[n] == '^' || divided) || !is_of_parts(text);
        }
        used += (size_t)(d ? snprintf(out + used, room - used, alone ? "%s" : "(%s)", text)
                           : snprintf(out + used, room - used, "%c", *unit));
        unit += n;
    }
}

void sl_scale_say_temperature(const struct sl_scale *s, const char *unit, char *out, size_t room)
{
    double speed = 100 / s->scale_factor;
    if (s->scale_factor > 0 && s->kelvin > 0)
        snprintf(out, room, "%.6g K", speed * speed * s->kelvin);
    else
        sl_scale_say(s, unit, out, room);
}
