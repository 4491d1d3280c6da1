/* show.c - what problems show: the words of every row mean something, and maps are those that a run
 * can have. */
#include "core/config/show.h"
#include "core/cell/eos_list.h"
#include "core/cell/mhd_list.h"
#include "core/config/config.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
