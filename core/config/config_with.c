/* config_with.c - see config_rules.h: what works with what.
 *
 * A source says it in the row SL_SOURCE_WITH of its file, schemes in the column `with` of their
 * lists: an expression of `all` and the names of FEATURES, as in `all & ~(levels | expansion)`. */
#include "core/config/config_rules.h"

#include <string.h>

#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"

/* X(name, key that asks for it, whether cfg does, a value that does not, words of messages) */
#define FEATURES(X)                                                                                \
    X(levels, mesh_levels, cfg->mesh_levels > 0, "0", "levels (mesh.levels)")                      \
    X(expansion, time_unit, sl_config_expands(cfg), "code", "time.unit: redshift")                 \
    X(device, resources_backend, cfg->resources_backend == SL_BACKEND_cuda, "cpu", "a device")     \
    X(field, fluid_mhd, cfg->fluid_mhd != SL_MHD_none, "none", "a magnetic field (fluid.mhd)")     \
    X(glm, fluid_mhd, cfg->fluid_mhd == SL_MHD_glm, "ct", "fluid.mhd: glm")                        \
    X(volume, mesh_cells, cfg->mesh_cells_n == 3, "two axes", "three dimensions (mesh.cells)")

#define NUMBER(name, ...) N_##name,
enum { FEATURES(NUMBER) NFEATURE };
#undef NUMBER
#define BIT(name, ...) name = 1 << N_##name,
enum { FEATURES(BIT) all = (1 << NFEATURE) - 1 };
#undef BIT

static const struct {
    int key;
    const char *other, *words;
} features[] = {
#define FEATURE(name, member, asked, other, words) {SL_KEY_##member, other, words},
    FEATURES(FEATURE)
#undef FEATURE
};

static int features_of(const struct sl_config *cfg)
{
    int bits = 0;
#define ASKED(name, member, asked, ...)                                                            \
    if (asked) bits |= name;
    FEATURES(ASKED)
#undef ASKED
    return bits;
}

/* The first of them. */
static int first_of(int bits)
{
    int i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
}

/* ---- schemes -------------------------------------------------------------------------------- */

struct scheme {
    const char *name;
    int with;
};

static const struct scheme integrators[] = {
#define ROW(name, stages, device, with, about) {#name, with},
    SL_INTEGRATOR_LIST(ROW)
#undef ROW
};
#define ROW(name, with, about) {#name, with},
static const struct scheme eoses[] = {SL_EOS_LIST(ROW)}, fields[] = {SL_MHD_LIST(ROW)};
#undef ROW

/* nearest: the first of the list that works with all that the recipe asks for. */
static int check_scheme(const struct sl_inputs *in, int key, const struct scheme *list, int choice,
                        int asked)
{
    char text[200];
    int lacks = asked & ~list[choice].with, near = 0;
    if (!lacks) return SL_OK;
    while (asked & ~list[near].with)
        near++;
    snprintf(text, sizeof text, "%s does not work with %s; nearest: %s", list[choice].name,
             features[first_of(lacks)].words, list[near].name);
    return sl_config_wrong(in, key, text);
}

static int check_schemes(const struct sl_inputs *in, const struct sl_config *cfg, int asked)
{
    SL_RULED(in, check_scheme(in, SL_KEY_fluid_eos, eoses, cfg->fluid_eos, asked));
    SL_RULED(in, check_scheme(in, SL_KEY_fluid_mhd, fields, cfg->fluid_mhd, asked));
    return check_scheme(in, SL_KEY_fluid_integrator, integrators, cfg->fluid_integrator, asked);
}

/* ---- sources and problems ------------------------------------------------------------------- */

/* Whether a list of keys, as "cooling.*" or "particles.file or ic.species", holds one. */
static bool is_named(const char *keys, const char *path)
{
    size_t n = strlen(path), group = strcspn(path, ".");
    for (const char *s = keys; (s = strstr(s, path)); s += n)
        if (!s[n] || strchr(" ,:", s[n])) return true;
    return strncmp(keys, path, group) == 0 && strcmp(keys + group, ".*") == 0;
}

static int clear(int key, struct sl_config *cfg)
{
    if (*sl_keys[key].text) return sl_inputs_default(key, cfg);
    *((char *)cfg + sl_keys[key].at) = '\0';
    return SL_OK;
}

/* The key of which the default means a run without the source; -1: that takes more. */
static int key_of(const struct sl_config *cfg, enum sl_source_id source)
{
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (sl_key_is_required(&sl_keys[i]) ||
            !is_named(sl_config_source_keys(source), sl_keys[i].path))
            continue;
        struct sl_config without = *cfg;
        if (clear(i, &without) == SL_OK && !sl_config_wants(&without, source)) return i;
    }
    return -1;
}

/* At the key that asks for the source; where more than one does, at that of the feature. */
static int source_fault(const struct sl_inputs *in, const struct sl_config *cfg,
                        enum sl_source_id source, int feature)
{
    char text[300];
    int key = key_of(cfg, source), of = features[feature].key;
    const char *other = features[feature].other;
    if (key < 0)
        snprintf(text, sizeof text, "does not work with %s; nearest: %s",
                 sl_config_source_keys(source), other);
    else if (!*sl_keys[key].text) /* a file that the problem needs */
        snprintf(text, sizeof text, "does not work with %s; nearest: %s: %s",
                 features[feature].words, sl_keys[of].path, other);
    else
        snprintf(text, sizeof text, "does not work with %s; nearest: %s, or %s: %s",
                 features[feature].words, sl_key_default_text(&sl_keys[key]), sl_keys[of].path,
                 other);
    return sl_config_wrong(in, key < 0 ? of : key, text);
}

static int check_sources(const struct sl_inputs *in, const struct sl_config *cfg, int asked)
{
    static const int with[SL_SOURCE_COUNT] = {
#define SL_SOURCE_WITH(name, with) [SL_SOURCE_##name] = with,
#include "source_withs.def" /* generated */
#undef SL_SOURCE_WITH
    };
    for (int i = 0; i < SL_SOURCE_COUNT; i++) {
        enum sl_source_id source = (enum sl_source_id)i;
        int lacks = sl_config_wants(cfg, source) ? asked & ~with[i] : 0;
        if (lacks) SL_RULED(in, source_fault(in, cfg, source, first_of(lacks)));
    }
    return SL_OK;
}

int sl_config_check_with(const struct sl_inputs *in, const struct sl_config *cfg)
{
    int asked = features_of(cfg);
    SL_RULED(in, check_schemes(in, cfg, asked));
    return check_sources(in, cfg, asked);
}
