/* gpu_cases.c - what tests/perf/gpu measures: recipes that are accepted, each once, with each
 * choice of the schema for a gas, GLM and CT wherever that is allowed. ranks: 1
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/config/key_id.h"
#include "core/config/keys.h"
#include "core/lists/riemann_list.h"
#include "core/sys/status.h"
#include "tests/perf/eddies.h"

static const struct row {
    int ranks;
    const char *keys;
} rows[] = {
#define SL_GPU_CASE(ranks, keys) {ranks, keys},
#include "tests/perf/gpu.def"
#undef SL_GPU_CASE
};
enum { ROWS = sizeof rows / sizeof rows[0], WORDS = 16 };

/* The rows' keys over what every run needs; a word may be given twice, the last counts. */
static int parse(const char *keys, struct sl_config *cfg)
{
    static const char text[] = "campaign: test\nproblem: sod\ntime.end: 1\n";
    char line[512], *save = NULL, *word[WORDS];
    int n = 0;
    snprintf(line, sizeof line, "%s", keys);
    for (char *w = strtok_r(line, " ", &save); w && n < WORDS; w = strtok_r(NULL, " ", &save))
        if (!eddies_asked(w)) word[n++] = w;
    return sl_config_parse("case", text, sizeof text - 1, word, n, cfg);
}

static void rows_are_recipes(void **unused)
{
    static struct sl_config cfg;
    (void)unused;
    for (int i = 0; i < ROWS; i++) {
        if (parse(rows[i].keys, &cfg) != SL_OK) fail_msg("%s: %s", rows[i].keys, sl_error_text());
        int blocks = 1;
        for (int d = 0; d < cfg.mesh_cells_n; d++)
            blocks *= (int)(cfg.mesh_cells[d] / cfg.mesh_block[d]);
        assert_int_equal(blocks % rows[i].ranks, 0);
        for (int j = 0; j < i; j++)
            if (strcmp(rows[i].keys, rows[j].keys) == 0) fail_msg("%s: twice", rows[i].keys);
    }
}

/* A choice beside those that it may need: a solver for all, two axes, and three ghost cells. */
static bool allowed(const char *mhd, const char *choice)
{
    static const char *const beside[] = {"mesh.cells=[256,256,256]",
                                         "mesh.cells=[256,256,256] fluid.reconstruct=ppm",
                                         "mesh.cells=[256,256]"};
    static struct sl_config cfg;
    char line[512];
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "%s fluid.riemann=hlle fluid.mhd=%s %s", beside[i], mhd,
                 choice);
        if (parse(line, &cfg) == SL_OK) return true;
    }
    return false;
}

/* The value of an enum, or of a bool. */
static int value_of(const struct sl_config *cfg, const struct sl_key *key)
{
    const char *at = (const char *)cfg + key->at;
    return key->type == SL_TYPE_BOOL ? *(const bool *)at : *(const int *)at;
}

static bool is_measured(int mhd, const struct sl_key *key, int value)
{
    static struct sl_config cfg;
    for (int i = 0; i < ROWS; i++)
        if (parse(rows[i].keys, &cfg) == SL_OK && cfg.fluid_mhd == mhd &&
            value_of(&cfg, key) == value)
            return true;
    return false;
}

static void choices_are_measured(void **unused)
{
    static const int keys[] = {SL_KEY_fluid_reconstruct, SL_KEY_fluid_limiter,
                               SL_KEY_fluid_riemann,     SL_KEY_fluid_integrator,
                               SL_KEY_fluid_eos,         SL_KEY_fluid_characteristic,
                               SL_KEY_fluid_shocks,      SL_KEY_fluid_dual_energy};
    const struct sl_key *field = &sl_keys[SL_KEY_fluid_mhd];
    char choice[128];
    (void)unused;
    for (int mhd = 0; mhd < field->choice_count; mhd++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const struct sl_key *key = &sl_keys[keys[k]];
            bool is_bool = key->type == SL_TYPE_BOOL;
            for (int v = is_bool; v < (is_bool ? 2 : key->choice_count); v++) {
                snprintf(choice, sizeof choice, "%s=%s", key->path,
                         is_bool ? "true" : key->choices[v].name);
                bool is_solver = key != &sl_keys[SL_KEY_fluid_riemann] || v != SL_RIEMANN_auto;
                if (is_solver && allowed(field->choices[mhd].name, choice) &&
                    !is_measured(mhd, key, v))
                    fail_msg("no row with fluid.mhd=%s %s", field->choices[mhd].name, choice);
            }
        }
}

static void scalars_are_measured(void **unused)
{
    static struct sl_config cfg;
    unsigned seen = 0;
    (void)unused;
    for (int i = 0; i < ROWS; i++)
        if (parse(rows[i].keys, &cfg) == SL_OK && cfg.fluid_scalars > 0)
            seen |= 1u << cfg.fluid_mhd;
    assert_int_equal(seen, (1u << sl_keys[SL_KEY_fluid_mhd].choice_count) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_recipes),
                                       cmocka_unit_test(choices_are_measured),
                                       cmocka_unit_test(scalars_are_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
