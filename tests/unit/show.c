/* show.c - what problems show: the words of every row mean something, and maps are those that a run
 * can have. */
#include "core/config/show.h"
#include "core/config/config.h"
#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const shown[] = {
#define NAME(name, about) #name,
    SL_SHOWN_LIST(NAME)
#undef NAME
};
static const char *const maps[] = {
#define NAME(name, unit, about) #name,
    SL_MAP_LIST(NAME)
#undef NAME
};

static bool all_known(const char *words, const char *const *known, size_t n)
{
    while (*words) {
        char word[64];
        size_t length = strcspn(words, " "), i = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        while (i < n && strcmp(known[i], word) != 0)
            i++;
        if (i == n) {
            printf("'%s' is no word of the row\n", word);
            return false;
        }
        words += length + strspn(words + length, " ");
    }
    return true;
}

static void test_rows(void **state)
{
    (void)state;
#define COUNT(name, ic, about) +1
    for (int i = 0; i < 0 SL_PROBLEM_NAMES(COUNT); i++) {
#undef COUNT
        const struct sl_show *s = sl_show_of(i);
        assert_true(*s->what);
        assert_true(all_known(s->what, shown, sizeof shown / sizeof *shown));
        assert_true(all_known(s->maps, maps + 1, sizeof maps / sizeof *maps - 1)); /* not auto */
    }
    assert_string_equal(sl_show_of(-1)->maps, "density");
}

static void test_words(void **state)
{
    (void)state;
    assert_true(sl_show_has("energies spectra", "spectra"));
    assert_true(sl_show_has("energies spectra", "energies"));
    assert_false(sl_show_has("magnetic_x pressure", "magnetic"));
    assert_false(sl_show_has("", "density"));
}

static struct sl_config recipe(int problem, int dim)
{
    struct sl_config cfg;
    sl_config_default(&cfg);
    cfg.problem = problem;
    cfg.mesh_cells_n = dim;
    return cfg;
}

static void test_maps(void **state)
{
    (void)state;
    struct sl_config cfg = recipe(SL_PROBLEM_orszag_tang, 2);
    unsigned gas = 1u << SL_MAP_density | 1u << SL_MAP_pressure | 1u << SL_MAP_vorticity;
    assert_int_equal(sl_show_maps(&cfg), gas);
    cfg.fluid_mhd = SL_MHD_ct;
    assert_int_equal(sl_show_maps(&cfg), gas | 1u << SL_MAP_magnetic);
    cfg.fluid_eos = SL_EOS_isothermal;
    cfg.statistics_maps |= 1u << SL_MAP_speed;
    assert_int_equal(sl_show_maps(&cfg), 1u << SL_MAP_density | 1u << SL_MAP_vorticity |
                                             1u << SL_MAP_magnetic | 1u << SL_MAP_speed);
    cfg.statistics_maps = 0;
    assert_int_equal(sl_show_maps(&cfg), 0);
    cfg = recipe(SL_PROBLEM_sod, 1);
    assert_int_equal(sl_show_maps(&cfg), 0); /* a line has none */
}

static void box_set(struct sl_config *cfg, int64_t boundary_low, int64_t boundary_high)
{
    for (int d = 0; d < 3; d++) {
        cfg->mesh_box[2 * d] = 0;
        cfg->mesh_box[2 * d + 1] = 1.2;
        cfg->mesh_boundary[2 * d] = (int)boundary_low;
        cfg->mesh_boundary[2 * d + 1] = (int)boundary_high;
    }
}

/* Slices go through where a problem is: its centre, the walls of an octant, the middle else. */
static void test_planes(void **state)
{
    (void)state;
    struct sl_config cfg = recipe(SL_PROBLEM_sedov, 3);
    box_set(&cfg, SL_BOUNDARY_reflecting, SL_BOUNDARY_outflow);
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 0);
    cfg.sedov_center[2] = 0.6;
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 24);
    assert_int_equal(sl_show_plane(&cfg, 1, 48), 0);
    cfg.sedov_center[2] = 0.31;
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 12);
    assert_int_equal(sl_show_plane(&cfg, 2, 96), 24);
    cfg.sedov_center[2] = 1.2; /* the upper face */
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 47);
    cfg.sedov_center[2] = 7; /* not in the box */
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 0);
    box_set(&cfg, SL_BOUNDARY_periodic, SL_BOUNDARY_periodic);
    assert_int_equal(sl_show_plane(&cfg, 0, 48), 1);
    assert_int_equal(sl_show_plane(&cfg, 2, 48), 24);
    cfg = recipe(SL_PROBLEM_noh, 3); /* has no key for its centre */
    box_set(&cfg, SL_BOUNDARY_reflecting, SL_BOUNDARY_fixed);
    assert_int_equal(sl_show_plane(&cfg, 0, 48), 0);
    box_set(&cfg, SL_BOUNDARY_outflow, SL_BOUNDARY_conducting);
    assert_int_equal(sl_show_plane(&cfg, 0, 48), 47);
    box_set(&cfg, SL_BOUNDARY_reflecting, SL_BOUNDARY_reflecting);
    assert_int_equal(sl_show_plane(&cfg, 0, 48), 24);
    cfg.mesh_cells_n = 2;
    assert_int_equal(sl_show_plane(&cfg, 2, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_maps), cmocka_unit_test(test_planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
