/* config.c - from text to values and back: types, ranges, choices, rules that tie keys together. */
#include "core/config/config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/inputs.h"
#include "core/config/rules.h"
#include "core/config/suggest.h"
#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/refine_list.h"
#include "core/lists/riemann_list.h"
#include "core/sys/interval.h"

#include "core/state/problem.h" /* empties the rows of keys that inputs.h reads */

#define HEAD "campaign: c\nproblem: sod\nmesh: {cells: [64, 32]}\ntime: {end: 2}\n"

static int read_text(const char *text, struct sl_config *cfg)
{
    return sl_config_parse("r.yaml", text, strlen(text), NULL, 0, cfg);
}

static void good(const char *text, struct sl_config *cfg)
{
    if (read_text(text, cfg) != SL_OK) fail_msg("%s", sl_error_text());
}

/* HEAD and these lines must be refused at this place with these words. */
static void refused(const char *more, const char *place, const char *words)
{
    char text[2000];
    struct sl_config cfg, before;
    memset(&cfg, 0x5a, sizeof cfg);
    before = cfg;
    snprintf(text, sizeof text, "%s%s\n", HEAD, more);
    assert_int_equal(read_text(text, &cfg), SL_EINPUT);
    assert_memory_equal(&cfg, &before, sizeof cfg);
    if (strncmp(sl_error_text(), place, strlen(place)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s': '%s' is not '%s ... %s'", more, sl_error_text(), place, words);
}

/* The text alone must be refused with these words. */
static void refused_whole(const char *text, const char *words)
{
    struct sl_config cfg;
    assert_int_equal(read_text(text, &cfg), SL_EINPUT);
    if (!strstr(sl_error_text(), words)) fail_msg("'%s' lacks '%s'", sl_error_text(), words);
}

static void defaults_of_the_table(void **state)
{
    (void)state;
    struct sl_config cfg;
    sl_config_default(&cfg);
    assert_true(cfg.fluid_gamma == 5. / 3.);
    assert_true(cfg.output_checkpoint == SL_INTERVAL_AUTO);
    assert_int_equal(cfg.seed, 1);
    assert_int_equal(cfg.mesh_box_n, 6);
    assert_true(cfg.mesh_box[5] == 1);
    assert_int_equal(cfg.mesh_cells_n, 0);
    assert_int_equal(cfg.fluid_riemann, SL_RIEMANN_auto);
    assert_int_equal(cfg.statistics_spectra, 7);
    assert_string_equal(cfg.run_member, "alone");
    assert_string_equal(cfg.campaign, "");
    assert_true(cfg.fluid_positivity);
    assert_string_equal(sl_choice_name("fluid.riemann", SL_RIEMANN_hllc), "hllc");
    assert_string_equal(sl_choice_name("fluid.riemann", 99), "");
    assert_string_equal(sl_choice_name("none", 0), "");
}

static void table_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        const struct sl_key *k = &sl_keys[i];
        assert_int_equal(sl_key_find(k->path), i); /* no path twice */
        assert_false(sl_key_is_group(k->path));    /* no key is a group too */
        assert_true(strlen(k->about) > 2);
        if (k->choices) assert_true(k->choice_count > 0);
        if (k->type == SL_TYPE_FLAGS) assert_true(k->choice_count <= 32); /* a bit each */
    }
}

static void nested_dotted_and_types(void **state)
{
    (void)state;
    struct sl_config cfg;
    good(HEAD "fluid.cfl: 0.25\n"
              "fluid: {riemann: roe, eos: isothermal, dual_energy: true}\n"
              "statistics: {spectra: [density], structure: [], pdf: density}\n"
              "mesh.boundary: [outflow, reflecting]\nseed: 12\nrun.input: \"a b.h5\"\n",
         &cfg);
    assert_true(cfg.fluid_cfl == 0.25);
    assert_int_equal(cfg.fluid_riemann, SL_RIEMANN_roe);
    assert_int_equal(cfg.fluid_eos, SL_EOS_isothermal);
    assert_true(cfg.fluid_dual_energy);
    assert_int_equal(cfg.statistics_spectra, 1u << SL_SPECTRUM_density);
    assert_int_equal(cfg.statistics_structure, 0);
    assert_int_equal(cfg.statistics_pdf, 1);
    assert_int_equal(cfg.seed, 12);
    assert_string_equal(cfg.run_input, "a b.h5");
    assert_int_equal(sl_config_dim(&cfg), 2);
    const int faces[] = {SL_BOUNDARY_outflow,    SL_BOUNDARY_outflow,  SL_BOUNDARY_reflecting,
                         SL_BOUNDARY_reflecting, SL_BOUNDARY_periodic, SL_BOUNDARY_periodic};
    assert_int_equal(cfg.mesh_boundary_n, 6);
    assert_memory_equal(cfg.mesh_boundary, faces, sizeof faces);
}

static void expressions_in_any_order(void **state)
{
    (void)state;
    struct sl_config cfg;
    good("output.snapshot: time.end / 4\ntime.end: 2 * sod.x0 * mesh.cells.y\nsod.x0: 1 / "
         "fluid.cfl\n"
         "fluid.cfl: 0.5\ncampaign: c\nproblem: sod\nmesh.cells: [2^6, 4 * resources.ranks]\n"
         "resources.ranks: 2\nmesh.box: [0, sqrt(4), -sod.x0, sod.x0]\n",
         &cfg);
    assert_true(cfg.time_end == 32);
    assert_true(cfg.output_snapshot == 8);
    assert_int_equal(cfg.mesh_cells[0], 64);
    assert_int_equal(cfg.mesh_cells[1], 8);
    assert_true(cfg.mesh_box[2] == -2);
}

static void units_of_length(void **state)
{
    (void)state;
    struct sl_config cfg;
    good(HEAD "units: {length: 250 Mpc, density: 1e-29, velocity: 100 km/s}\n"
              "mesh.box: [[0, 500 Mpc], [-1, 1]]\nfluid.sound_speed: 50 km/s\n",
         &cfg);
    assert_true(cfg.mesh_box[1] == 2);
    assert_true(cfg.mesh_box[2] == -1);
    assert_true(cfg.fluid_sound_speed == 0.5);
    assert_true(cfg.units_velocity == 1e7);
    refused("mesh.box: [[0, 500 Mpc], [0, 1]]", "r.yaml:5:20: ", "needs units.length");
    good(HEAD "fluid.mhd: glm\n", &cfg);
    assert_int_equal(cfg.fluid_riemann, SL_RIEMANN_hlld);
    good(HEAD, &cfg);
    assert_int_equal(cfg.fluid_riemann, SL_RIEMANN_hllc);
    refused("fluid: {mhd: glm, riemann: hllc}", "r.yaml:5:28: ", "nearest: hlld");
    refused("statistics.spectra: [velocity, magnetic]", "r.yaml:5:", "needs a magnetic field");
    refused("fluid: {riemann: hlld}", "r.yaml:5:18: ", "nearest: hllc");
    refused("units.length: 1 kpc", "r.yaml:5:15: units.length: ",
            "physical units need units.density and units.velocity too");
    refused("units: {velocity: 1 km/s, length: 1 kpc}",
            "r.yaml:5:35: units.length: ", "physical units need units.density too");
    assert_null(strstr(sl_error_text(), "default"));
    refused("units: {length: 1 kpc, density: 1 g/cm^3, velocity: 1}",
            "r.yaml:5:35: units.density: ", "this key has no unit; write 1");
    assert_null(strchr(sl_error_text(), '\n'));
}

static void wrong_values(void **state)
{
    (void)state;
    refused("seed: 1.5", "r.yaml:5:7: seed: ", "whole number");
    refused("seed: -1", "r.yaml:5:7: seed: ", "nearest: 0");
    refused("seed: 010", "r.yaml:5:7: seed: ", "leading zeros");
    refused("seed: no", "r.yaml:5:7: seed: ", "'no' is neither a number nor a key");
    refused("seed: [1]", "r.yaml:5:7: seed ", "not a list");
    refused("seed: {a: 1}", "r.yaml:5:7: seed ", "not a mapping");
    refused("seed: '5'", "r.yaml:5:7: seed ", "remove the quotes");
    refused("seed:", "r.yaml:5:6: seed ", "no value");
    refused("seed: ~", "r.yaml:5:7: seed ", "no value");
    refused("seed: null", "r.yaml:5:7: seed ", "no value");
    refused("seed: 9223372036854775808", "r.yaml:5:7: seed: ", "too large");
    refused("fluid.cfl: 2", "r.yaml:5:12: fluid.cfl: ", "2 is outside 1e-06 .. 1; nearest: 1");
    refused("fluid.cfl: .nan", "r.yaml:5:12: fluid.cfl: ", "finite");
    refused("fluid.cfl: 1e999", "r.yaml:5:12: fluid.cfl: ", "64-bit");
    refused("verify: yes", "r.yaml:5:9: verify: ", "neither true nor false");
    refused("verify: on", "r.yaml:5:9: verify: ", "neither true nor false");
    refused("verify: 1", "r.yaml:5:9: verify: ", "neither true nor false");
    refused("verify: 'true'", "r.yaml:5:9: verify ", "remove the quotes around 'true'");
    refused("fluid.riemann: hlcc", "r.yaml:5:16: fluid.riemann: ", "did you mean hllc");
    refused("fluid.riemann: [roe]", "r.yaml:5:16: fluid.riemann ", "not a list");
    refused("fluid.riemann: ROE", "r.yaml:5:16: fluid.riemann: ", "did you mean roe");
    refused("statistics.spectra: [density, density]", "r.yaml:5:31: ", "given twice");
    refused("statistics.spectra: [vorticity]",
            "r.yaml:5:22: ", "none of velocity, density, energy");
    refused("output.checkpoint: 3 pc", "r.yaml:5:22: output.checkpoint: ", "use one of: ms, s");
    refused("output.checkpoint: automatic", "r.yaml:5:20: output.checkpoint: ", "neither a number");
    refused("output.snapshot: auto", "r.yaml:5:18: output.snapshot: ", "neither a number");
    refused("output.snapshot: output.checkpoint / 2", "r.yaml:5:18: ", "is auto");
    refused("run.input: -rf", "r.yaml:5:12: run.input: ", "./-rf");
    refused("run.member: ../x", "r.yaml:5:13: run.member: ", "no name");
    refused("run.member: a/b", "r.yaml:5:13: run.member: ", "no name");
    refused("run.member: ''", "r.yaml:5:13: run.member: ", "no name");
    refused("run.member: .hidden", "r.yaml:5:13: run.member: ", "no name");
    refused("run.input: \"a\\nb\"", "r.yaml:5:12: run.input: ", "one line");
}

/* What a person may write who comes from other programs, and how it is written here. */
static void other_programs_numbers(void **state)
{
    (void)state;
    refused("mesh.block: 16x", "r.yaml:5:13: mesh.block: ", "'16x' is no list; write [16, 16, 16]");
    refused("mesh.block: 16x8", "r.yaml:5:13: ", "'16x8' is no list; write [16, 8]");
    refused("mesh.block: [16 x 8]", "r.yaml:5:14: ", "'16 x 8' is no list; write [16, 8]");
    refused("mesh.block: 16, 8", "r.yaml:5:13: ", "write [16, 8]");
    refused("mesh.block: (16, 8)", "r.yaml:5:13: ", "write [16, 8]");
    refused("mesh.block: 16 8", "r.yaml:5:13: ", "write [16, 8]");
    refused("mesh.block: 16\xc3\x97"
            "8",
            "r.yaml:5:13: ", "write [16, 8]");
    refused("statistics.fit: 3-20", "r.yaml:5:17: ", "'3-20' is no list; write [3, 20]");
    refused("statistics.decay: 1..2", "r.yaml:5:19: ", "write [1, 2]");
    refused("seed: 1-4", "r.yaml:5:7: seed: ", "a range is; write sweep: {seed: 1..4}");
    refused("seed: 1..4", "r.yaml:5:7: seed: ", "write sweep: {seed: 1..4}");
    refused("seed: 1:4", "r.yaml:5:7: seed: ", "write sweep: {seed: 1..4}");
    refused("seed: 1, 2, 3", "r.yaml:5:7: seed: ", "write sweep: {seed: [1, 2, 3]}");
    refused("fluid.cfl: 0,3", "r.yaml:5:12: ", "'0,3' has a comma; write 0.3");
    refused("fluid.gamma: 1,400", "r.yaml:5:14: ", "write 1400 or 1.400");
    refused("time.max_steps: 1,000", "r.yaml:5:17: ", "has a comma; write 1000");
    refused("time.max_steps: 1_000", "r.yaml:5:17: ", "no underscores in numbers; write 1000");
    refused("time.max_steps: 4G", "r.yaml:5:18: ", "this key has no unit; write 4e9");
    refused("time.max_steps: 2**9", "r.yaml:5:18: ", "a power is written ^");
    refused("fluid.cfl: 30%", "r.yaml:5:14: ", "write 0.3");
    refused("fluid.cfl: 3d-1", "r.yaml:5:13: ", "write 3e-1");
    refused("ic.temperature: 1e4 K", "r.yaml:5:21: ", "this key has no unit; write 1e4");
    assert_null(strstr(sl_error_text(), "1e4e3"));
    refused("fluid.cfl: 2pi", "r.yaml:5:13: ", "write 2 * pi");
    refused("output.snapshot: 0.05s", "r.yaml:5:22: ", "it is in time.unit; write 0.05");
    refused("output.snapshot: 01:30:00", "r.yaml:5:18: ", "in time.unit");
    refused("output.checkpoint: never", "r.yaml:5:20: ", "nearest: 0");
    refused("fluid.cfl: never", "r.yaml:5:12: ", "neither a number nor a key");
    assert_null(strstr(sl_error_text(), "nearest"));
}

static void other_programs_units(void **state)
{
    (void)state;
    refused("resources.memory: 4G", "r.yaml:5:20: ", "write 4 GB or 4 GiB");
    refused("resources.memory: 4gb", "r.yaml:5:20: ", "; write 4 GB");
    refused("resources.memory: 512 Mi", "r.yaml:5:23: ", "; write 512 MiB");
    refused("resources.walltime: 90m", "r.yaml:5:23: ", "; write 90 min");
    refused("resources.walltime: 2 hours", "r.yaml:5:23: ", "; write 2 h");
    refused("resources.walltime: 1h30m", "r.yaml:5:22: ", "; write 1 h + 30 min");
    refused("resources.walltime: 1h 30min", "r.yaml:5:24: ", "; write 1 h + 30 min");
    refused("resources.walltime: 01:30:00", "r.yaml:5:21: ", "; write 1 h + 30 min");
    refused("resources.walltime: '01:30:00'", "r.yaml:5:21: ", "; write 1 h + 30 min");
    refused("resources.walltime: 1:30", "r.yaml:5:21: ", "; write 1 h + 30 min or 1 min + 30 s");
    refused("resources.walltime: 1-12:00:00", "r.yaml:5:21: ", "; write 1 d + 12 h");
    refused("resources.walltime: 2-12", "r.yaml:5:21: ", "; write 2 d + 12 h");
    refused("resources.walltime: 00:00:00", "r.yaml:5:21: ", "no colons in numbers");
    refused("resources.walltime: 3 furlongs", "r.yaml:5:23: ", "use one of: ms, s");
    assert_null(strstr(sl_error_text(), "write"));
}

static void other_programs_words(void **state)
{
    (void)state;
    const char *const yes[] = {"True", "TRUE", "yes", "on", "1", ".true."}, *const no[] = {
                                                                                "False", "No",
                                                                                "off", "0",
                                                                                ".false."};
    char line[64];
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        snprintf(line, sizeof line, "verify: %s", yes[i]);
        refused(line, "r.yaml:5:9: verify: ", "is neither true nor false; nearest: true");
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        snprintf(line, sizeof line, "verify: %s", no[i]);
        refused(line, "r.yaml:5:9: verify: ", "is neither true nor false; nearest: false");
    }
    refused("resources.backend: gpu", "r.yaml:5:20: ", "did you mean cuda");
    refused("resources.backend: CPU", "r.yaml:5:20: ", "did you mean cpu");
    refused("mesh.boundary: open", "r.yaml:5:16: ", "did you mean outflow");
    refused("mesh.boundary: [periodic, zero-gradient]", "r.yaml:5:27: ", "did you mean outflow");
    refused("mesh.boundary: reflect", "r.yaml:5:16: ", "did you mean reflecting");
    refused("mesh.boundary: outflow, periodic", "r.yaml:5:16: ", "write [outflow, periodic]");
    refused("fluid.mhd: off", "r.yaml:5:12: ", "did you mean none");
    refused("statistics.spectra: none", "r.yaml:5:21: ", "; for none of them write []");
    refused("statistics.spectra:", "r.yaml:5:20: ", "; for none of them write []");
    refused("statistics.structure: all", "r.yaml:5:", "write [velocity, density, diagonals]");
    refused("statistics.spectra: velocity density", "r.yaml:5:", "write [velocity, density]");
    refused("mesh.refine: none", "r.yaml:5:14: ", "[] for none");
}

static void meant_problem(const char *word, const char *problem)
{
    char text[200], words[64];
    snprintf(text, sizeof text, "campaign: c\nmesh.cells: [8]\ntime.end: 1\nproblem: %s\n", word);
    snprintf(words, sizeof words, "wave; did you mean %s", problem);
    refused_whole(text, words);
}

static void names_of_problems(void **state)
{
    (void)state;
    meant_problem("sedov blast", "sedov");
    meant_problem("Sedov-Taylor", "sedov");
    meant_problem("shock tube", "sod");
    meant_problem("turb", "turbulence");
    meant_problem("Orszag-Tang vortex", "orszag_tang");
    meant_problem("helmholtz", "kelvin_helmholtz");
    refused_whole("campaign: c\nmesh.cells: [8]\ntime.end: 1\nproblem: quasar\n", "is none of");
    assert_null(strstr(sl_error_text(), "did you mean"));
#define ROW(at, word, words)                                                                       \
    do {                                                                                           \
        int found = 0;                                                                             \
        for (int i = 0; i < SL_KEY_COUNT; i++)                                                     \
            for (const struct sl_choice *c = sl_keys[i].choices; c && c->name; c++)                \
                found += strcmp(c->name, word) == 0 && strstr(sl_keys[i].path, at);                \
        if (!found) fail_msg("%s has no %s", at, word);                                            \
    } while (0);
    SL_SUGGEST_LIST(ROW)
#undef ROW
}

static void cells_are(const char *cells, const char *words)
{
    char text[200];
    struct sl_config cfg;
    snprintf(text, sizeof text, "campaign: c\nproblem: sod\ntime.end: 1\nmesh.cells: %s\n", cells);
    if (*words)
        refused_whole(text, words);
    else
        good(text, &cfg);
}

/* A power of a number is one axis of so many cells: a cube is meant. */
static void cubes(void **state)
{
    (void)state;
    cells_are("64^3", "r.yaml:4:13: mesh.cells: '64^3' is one axis of 262144 cells; write [64, 64, "
                      "64], or 262144 if that is meant");
    cells_are("[64^2]",
              "r.yaml:4:14: mesh.cells: '64^2' is one axis of 4096 cells; write [64, 64]");
    cells_are("128^3", "write [128, 128, 128]");
    cells_are("64**3", "r.yaml:4:13: mesh.cells: '64**3' is no list; write [64, 64, 64]");
    cells_are("64\xc2\xb3", "write [64, 64, 64]");
    cells_are("16*16*16", "write [16, 16, 16]");
    cells_are("16x16x16", "r.yaml:4:13: mesh.cells: '16x16x16' is no list; write [16, 16, 16]");
    cells_are("2^9", "");
    cells_are("10^3", "");
    cells_are("[2^3, 4^2]", "");
    cells_are("4096", "");
    cells_are("[4 * 64]", "");
}

static void times_of_statistics(void **state)
{
    (void)state;
    struct sl_config cfg;
    refused("statistics.decay: [2, 1]",
            "r.yaml:5:19: statistics.decay: ", "ends at 1, but begins at 2");
    refused("statistics.decay: [1, 1]", "r.yaml:5:19: ", "ends at 1, but begins at 1");
    refused("statistics.decay: [5, 6]",
            "r.yaml:5:19: statistics.decay: ", "begins at 5, but the run ends at time.end, 2");
    refused("statistics.decay: [2, 0]", "r.yaml:5:19: ", "begins at 2, but the run ends");
    refused("statistics.decay: [1]", "r.yaml:5:19: ", "from when to when; nearest: [1, 0]");
    refused("statistics.average: 3",
            "r.yaml:5:21: statistics.average: ", "begins at 3, but the run ends at time.end, 2");
    good(HEAD "statistics: {decay: [1, 5], average: 1}\n", &cfg);
    good(HEAD "statistics.decay: [0, 1]\n", &cfg);
    refused_whole("campaign: c\nproblem: sod\nmesh.cells: [8]\ntime.end: soon\n"
                  "statistics.average: 3\n",
                  "time.end: 'soon'");
    assert_null(strstr(sl_error_text(), "statistics")); /* of a time.end that nobody knows */
}

static void wrong_keys(void **state)
{
    (void)state;
    refused("fluid.gama: 1", "r.yaml:5:1: ", "did you mean 'fluid.gamma'?");
    refused("fluid: {gama: 1}", "r.yaml:5:9: ", "did you mean 'fluid.gamma'?");
    refused("gamma: 1.4", "r.yaml:5:1: ", "did you mean 'fluid.gamma'?");
    refused("xyzzy: 1", "r.yaml:5:1: ", "`sluice keys` lists all");
    refused("mesh.cells.x: 1", "r.yaml:5:1: ", "unknown key 'mesh.cells.x'");
    refused("seed.x: 1", "r.yaml:5:1: ", "unknown key");
    refused("fluid: 3", "r.yaml:5:8: ", "group of keys");
    refused("fluid: [1]", "r.yaml:5:8: ", "group of keys");
    refused("time.end: 3", "r.yaml:5:1: ", "'time.end' is given twice, first on line 4");
    refused("seed: 1\nseed: 2", "r.yaml:6:1: ", "given twice");
    refused("sweep: {seed: 1..4}", "r.yaml:5:9: ", "a sweep makes many runs");
    refused("fluid.cfl: output.history\noutput.history: sod.x0 / 2\nsod.x0: fluid.cfl",
            "r.yaml:", "hangs on itself: ");
    refused("fluid.cfl: fluid.cfl", "r.yaml:5:12: ", "fluid.cfl -> fluid.cfl");
    refused("fluid.cfl: fluid.riemann", "r.yaml:5:12: ", "'fluid.riemann' is no number");
    refused("fluid.cfl: mesh.cells", "r.yaml:5:12: ", "is a list; add .x, .y or .z");
    refused("fluid.cfl: mesh.cells.z", "r.yaml:5:12: ", "no such value");
    refused("fluid.cfl: 1 / tme.end", "r.yaml:5:16: ", "did you mean 'time.end'?");
    refused("fluid.cfl: hello", "r.yaml:5:12: ", "is neither a number nor a key");
    assert_null(strstr(sl_error_text(), "did you mean")); /* mesh.cells is not near */
}

static void needed_keys(void **state)
{
    (void)state;
    refused_whole("[1, 2]\n", "r.yaml:1:1: a recipe is a mapping");
    refused_whole("just text\n", "r.yaml:1:1: a recipe is a mapping");
    refused_whole("problem: sod\nmesh.cells: [8]\ntime.end: 1\n", "campaign: must be given");
    refused_whole("campaign: c\nmesh.cells: [8]\ntime.end: 1\n", "problem: must be given");
    refused_whole("campaign: c\nproblem: sod\ntime.end: 1\n", "mesh.cells: must be given");
    refused_whole("campaign: c\nproblem: sod\nmesh.cells: [8]\n", "time.end: must be given");
    refused_whole("campaign: c\nproblem: sod\nmesh.cells: []\ntime.end: 1\n",
                  "r.yaml:3:13: mesh.cells");
    refused_whole("campaign: c\nproblem: sod\nmesh.cells: [8]\ntime.end: 1\n"
                  "fluid.cfl: time.end\ntime.unit: [code]\n",
                  "time.unit");
}

static void rules_of_the_mesh(void **state)
{
    (void)state;
    refused("mesh.block: 24", "r.yaml:5:13: mesh.block: ", "nearest: 16 or 32");
    refused("mesh.block: [16, 12]", "r.yaml:5:13: mesh.block: ", "along y; nearest: 8 or 16");
    refused("mesh.block: 2", "r.yaml:5:13: mesh.block: ", "smallest block, 4; nearest: 4");
    refused("mesh.block: [64, 64]", "r.yaml:5:13: mesh.block: ", "nearest: 32");
    refused("mesh.block: [8, 8, 8]", "r.yaml:5:13: mesh.block: ", "3 values for 2 axes");
    refused("mesh.box: [0, 1]", "r.yaml:5:11: mesh.box: ", "2 values for 2 axes");
    refused("mesh.box: [0, 1, 1, 1]", "r.yaml:5:11: mesh.box: ", "along y is not above");
    refused("mesh.box: [0, 1, 0, 1, 0, 2]",
            "r.yaml:5:11: mesh.box: ", "3 axes, but mesh.cells has 2");
    refused("mesh.box: [[0, 1], [0]]", "r.yaml:5:20: mesh.box: ", "same length");
    refused("mesh.box: [[0, 1], 0, 1]", "r.yaml:5:20: mesh.box: ", "mixed");
    refused("mesh.boundary: [periodic, fixed, fixed, fixed]",
            "r.yaml:5:16: mesh.boundary: ", "only one face along x");
    refused("mesh.boundary: [periodic, fixed, fixed]",
            "r.yaml:5:16: mesh.boundary: ", "3 values for 2 axes");
    refused_whole("campaign: c\nproblem: sod\ntime.end: 1\nmesh.cells: [64, 3]\n",
                  "r.yaml:4:13: mesh.cells: 3 cells along y");
    refused_whole("campaign: c\nproblem: sod\ntime.end: 1\nmesh.cells: [64, 1]\n",
                  "mesh.cells: 1 cell");
}

static void chosen_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *cells; /* and what follows */
        int ranks, block[3];
    } rows[] = {
        {"[16]", 1, {16, 1, 1}},
        {"[32]", 1, {32, 1, 1}},
        {"[1024]", 1, {1024, 1, 1}}, /* a rank alone: long rows */
        {"[4096]", 1, {1024, 1, 1}},
        {"[1300]", 1, {1300, 1, 1}},
        {"[64]", 2, {32, 1, 1}},
        {"[100]", 3, {25, 1, 1}},
        {"[127]", 2, {127, 1, 1}}, /* a prime has no other */
        {"[1048573]", 1, {1048573, 1, 1}},
        {"[32]", 2, {16, 1, 1}},
        {"[32]", 5, {4, 1, 1}},
        {"[32]", 30, {4, 1, 1}}, /* some ranks stay empty */
        {"[400, 200]", 1, {100, 100, 1}},
        {"[96, 128]", 1, {96, 128, 1}},
        {"[400, 200]", 2, {25, 25, 1}},
        {"[64, 64]\nmesh.block: [0, 8]", 1, {64, 8, 1}},
        {"[32, 32, 32]", 2, {32, 32, 16}}, /* rows along x stay long */
        {"[64, 64, 64]", 1, {32, 32, 32}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_config cfg;
        char text[200];
        snprintf(text, sizeof text,
                 "campaign: c\nproblem: sod\ntime.end: 1\nresources.ranks: %d\nmesh.cells: %s\n",
                 rows[i].ranks, rows[i].cells);
        good(text, &cfg);
        assert_int_equal(cfg.mesh_block_n, cfg.mesh_cells_n);
        for (int d = 0; d < 3; d++)
            if (cfg.mesh_block[d] != rows[i].block[d])
                fail_msg("%d along axis %d of\n%s", (int)cfg.mesh_block[d], d, text);
    }
}

static void faces_of_axes_that_are_not_there(void **state)
{
    (void)state;
    struct sl_config cfg;
    good(HEAD "mesh.boundary: outflow\n", &cfg);
    assert_int_equal(cfg.mesh_boundary[3], SL_BOUNDARY_outflow);
    assert_int_equal(cfg.mesh_boundary[4], SL_BOUNDARY_periodic);
    assert_int_equal(cfg.mesh_boundary_n, 6);
}

static void check_alone_changes_nothing_twice(void **state)
{
    (void)state;
    struct sl_config cfg, again;
    good(HEAD, &cfg);
    again = cfg;
    assert_int_equal(sl_config_check(&again), SL_OK);
    assert_memory_equal(&cfg, &again, sizeof cfg);
    again.mesh_block[0] = 5;
    assert_int_equal(sl_config_check(&again), SL_EINPUT);
    assert_int_equal(again.mesh_block[0], 5);
}

static void overrides_win(void **state)
{
    (void)state;
    struct sl_config cfg;
    char *more[] = {"seed=3", "mesh.cells=[128]", "fluid.riemann=roe", "seed=4",
                    "time.end=seed * 2"};
    const char *text = HEAD "seed: 1\n";
    assert_int_equal(sl_config_parse("r", text, strlen(text), more, 5, &cfg), SL_OK);
    assert_int_equal(cfg.seed, 4); /* the last */
    assert_int_equal(cfg.mesh_cells_n, 1);
    assert_true(cfg.time_end == 8);
    char *wrong[] = {"seed=3", "sed=5"};
    assert_int_equal(sl_config_parse("r", text, strlen(text), wrong, 2, &cfg), SL_EINPUT);
    assert_non_null(
        strstr(sl_error_text(), "command line:2:1: unknown key 'sed'; did you mean 'seed'"));
}

/* ---- random configurations, printed and read again ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double random_real(const struct sl_key *key)
{
    for (int tries = 0; tries < 20; tries++) { /* any bits that are in range */
        union {
            uint64_t bits;
            double value;
        } u = {random_bits()};
        if (isfinite(u.value) && u.value >= key->min && u.value <= key->max) return u.value;
    }
    return key->min + (key->max - key->min) * (double)(random_bits() >> 11) * 0x1p-53;
}

static int64_t random_int(const struct sl_key *key)
{
    return (int64_t)key->min + (int64_t)(random_bits() % ((uint64_t)(key->max - key->min) + 1));
}

static void random_text(const struct sl_key *key, char *out)
{
    static const char any[] = "abz019._-\"\\'#:{}[]&*!|>%@` ,?~\xc3\xa4";
    static const char name[] = "abz019._-";
    size_t n = 1 + random_bits() % 40;
    memset(out, 0, SL_TEXT_MAX);
    out[0] = 'n';
    for (size_t i = 1; i < n; i++)
        if (key->kind == SL_TEXT_name)
            out[i] = name[random_bits() % (sizeof name - 1)];
        else
            out[i] = any[random_bits() % (sizeof any - 3)];
    if (key->kind != SL_TEXT_name && random_bits() % 3 == 0) memcpy(out + n, "\xc3\xa4", 2);
    if (key->kind != SL_TEXT_name && random_bits() % 8 == 0) memset(out, 0, SL_TEXT_MAX);
}

/* A rule that a recipe can say of gas without a field and scalars. */
static void random_rule(struct sl_refine_rule *r)
{
    const struct sl_key *p;
    memset(r, 0, sizeof *r);
    do
        r->by = (int)(random_bits() % (SL_REFINE_sphere + 1));
    while (r->by == SL_REFINE_jeans || r->by == SL_REFINE_current);
    for (int i = 0; (p = sl_rules_parameter(i)) != NULL; i++) {
        void *at = (char *)r + p->at;
        if (!sl_rules_takes(r->by, i)) continue;
        if (p->choices)
            *(int *)at = (int)(random_bits() % SL_REFINE_OF_entropy);
        else if (p->type == SL_TYPE_INT)
            *(int *)at = (int)(random_bits() % 4);
        else
            for (int d = 0; d < p->count; d++)
                ((double *)at)[d] = random_real(p);
    }
    if (r->by == SL_REFINE_loehner) r->above = random_real(&(struct sl_key){.min = 0, .max = 0.9});
    if (r->by >= SL_REFINE_box) r->above = 0.5, r->below = 0.5;
    if (r->below > r->above) r->below = r->above / 3 < r->above ? r->above / 3 : r->above;
    for (int d = 0; d < 3 && r->by == SL_REFINE_box; d++)
        r->lo[d] = -11 + 0.01 * d, r->hi[d] = 11 + 0.01 * d;
    if (r->by == SL_REFINE_sphere) r->radius = 1e29, r->lo[0] = r->lo[1] = r->lo[2] = 0.3;
}

static void random_value(const struct sl_key *key, struct sl_config *cfg)
{
    void *at = (char *)cfg + key->at;
    int n = 1;
    if (key->type >= SL_TYPE_REALS)
        n = *(int *)((char *)cfg + key->at_n) = (int)(1 + random_bits() % (unsigned)key->count);
    for (int i = 0; i < n; i++) {
        switch (key->type) {
        case SL_TYPE_REAL:
        case SL_TYPE_REALS:
            ((double *)at)[i] = random_real(key);
            break;
        case SL_TYPE_INT:
        case SL_TYPE_INTS:
            ((int64_t *)at)[i] = random_int(key);
            break;
        case SL_TYPE_BOOL:
            *(bool *)at = random_bits() & 1;
            break;
        case SL_TYPE_ENUM:
        case SL_TYPE_ENUMS:
            ((int *)at)[i] = (int)(random_bits() % (unsigned)key->choice_count);
            break;
        case SL_TYPE_FLAGS:
            *(unsigned *)at = (unsigned)(random_bits() & ((1u << key->choice_count) - 1));
            break;
        case SL_TYPE_TEXT:
            random_text(key, at);
            break;
        case SL_TYPE_RULES:
            random_rule((struct sl_refine_rule *)at + i);
            break;
        }
    }
}

static void random_mesh(struct sl_config *cfg)
{
    int dim = cfg->mesh_cells_n = 1 + (int)(random_bits() % 3);
    cfg->mesh_block_n = 1;
    cfg->mesh_block[0] = 4 << random_bits() % 3;
    for (int d = 0; d < dim; d++) {
        cfg->mesh_cells[d] = cfg->mesh_block[0] * (int64_t)(1 + random_bits() % 100);
        cfg->mesh_box[2 * d] = random_real(&(struct sl_key){.min = -10, .max = 0});
        cfg->mesh_box[2 * d + 1] = random_real(&(struct sl_key){.min = 1e-9, .max = 10});
    }
    cfg->mesh_box_n = 2 * dim;
    if (random_bits() & 1) {
        random_value(&sl_keys[SL_KEY_mesh_refine], cfg);
        for (int i = 0; i < cfg->mesh_refine_n; i++)
            if (cfg->mesh_refine[i].by >= SL_REFINE_box) {
                cfg->mesh_refine[i].axes = dim;
                for (int d = dim; d < 3; d++)
                    cfg->mesh_refine[i].lo[d] = cfg->mesh_refine[i].hi[d] = 0;
            }
    }
    if (random_bits() & 1) {
        cfg->units_length = random_real(&(struct sl_key){.min = 1e-3, .max = 1e30});
        cfg->units_density = random_real(&(struct sl_key){.min = 1e-30, .max = 1});
        cfg->units_velocity = random_real(&(struct sl_key){.min = 1e-3, .max = 1e10});
    }
}

/* Every key at random that the rules between keys allow beside those before it: a value that they
 * refuse is taken back. The mesh is made as a whole, the problem asks nothing of other keys.
 * Returns how many values were kept. */
static int random_config(struct sl_config *cfg)
{
    static struct sl_config before, tried;
    int kept = 0;
    sl_config_default(cfg);
    strcpy(cfg->campaign, "random");
    cfg->problem = SL_PROBLEM_sod;
    random_mesh(cfg);
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        const char *path = sl_keys[i].path;
        if (strncmp(path, "mesh.", 5) == 0 || strncmp(path, "units.", 6) == 0 ||
            strcmp(path, "problem") == 0)
            continue;
        before = *cfg;
        random_value(&sl_keys[i], cfg);
        tried = *cfg;
        if (sl_config_check(&tried) == SL_OK)
            kept++;
        else
            *cfg = before;
    }
    if (sl_config_check(cfg) != SL_OK) fail_msg("%s", sl_error_text());
    return kept;
}

static bool same_value(const struct sl_key *key, const struct sl_config *a,
                       const struct sl_config *b)
{
    static const size_t size[] = {8,
                                  8,
                                  sizeof(bool),
                                  sizeof(int),
                                  sizeof(unsigned),
                                  SL_TEXT_MAX,
                                  8,
                                  8,
                                  sizeof(int),
                                  sizeof(struct sl_refine_rule)};
    size_t n = 1;
    if (key->type >= SL_TYPE_REALS) {
        n = (size_t) * (const int *)((const char *)a + key->at_n);
        if (n != (size_t) * (const int *)((const char *)b + key->at_n)) return false;
    }
    return memcmp((const char *)a + key->at, (const char *)b + key->at, n * size[key->type]) == 0;
}

static void printed_is_read_again_exactly(void **state)
{
    (void)state;
    const char *given = getenv("SLUICE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 71;
    print_message("seed %llu\n", (unsigned long long)seed);
    random_state = seed;
    double kept = 0;
    for (int n = 0; n < 300; n++) {
        static struct sl_config cfg, back;
        char *text, *again;
        kept += random_config(&cfg);
        assert_int_equal(sl_config_print(&cfg, &text), SL_OK);
        if (read_text(text, &back) != SL_OK) fail_msg("%s in\n%s", sl_error_text(), text);
        for (int i = 0; i < SL_KEY_COUNT; i++)
            if (!same_value(&sl_keys[i], &cfg, &back))
                fail_msg("%s differs in\n%s", sl_keys[i].path, text);
        assert_int_equal(sl_config_print(&back, &again), SL_OK);
        assert_string_equal(text, again);
        free(text), free(again);
    }
    assert_true(kept > 300 * 0.8 * SL_KEY_COUNT); /* the rules refuse few */
}

/* GPUs are asked for statistics, and taken by them, where this holds. */
static void statistics_on_devices(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool takes;
    } rows[] = {
        {"mesh.cells: [1024, 1024]", true},
        {"mesh.cells: [1024, 1022]", false},
        {"mesh.cells: [128, 128, 64]\nresources.backend: cpu", false},
        {"mesh.cells: [128, 128, 64]\nstatistics.spectra: []", true},
        {"mesh.cells: [128, 128, 64]\nstatistics.structure: []", true},
        {"mesh.cells: [128, 128, 64]\nstatistics: {spectra: [], structure: []}", false},
        {"mesh.cells: [128, 128, 64]\nstatistics: {spectra: [], structure: [], matter: [gas]}",
         true},
        {"mesh.cells: [64]\nresources.backend: cuda", true},
        {"mesh.cells: [64]\nresources.backend: cuda\nstatistics: {spectra: [], structure: []}",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct sl_config cfg;
        char text[256];
        snprintf(text, sizeof text, "campaign: a\nproblem: sod\ntime.end: 1\n%s\n", rows[i].text);
        if (read_text(text, &cfg) != SL_OK) fail_msg("%s", sl_error_text());
        if (sl_config_stats_on_device(&cfg) != rows[i].takes) fail_msg("%s", rows[i].text);
    }
}

#define REST "campaign: c\ntime.end: 1\nmesh.cells: [64, 32]\n"

static void walls_and_forces(void **unused)
{
    (void)unused;
    struct sl_config cfg;
    good(HEAD "mesh.boundary: [conducting, symmetric]\nfluid.mhd: ct\nfluid.riemann: hlld\n", &cfg);
    good(HEAD "mesh.boundary: [conducting, symmetric]\n", &cfg);
    refused("fluid: {mhd: glm, riemann: hlld}\nmesh.boundary: [periodic, reflecting]",
            "r.yaml:6:", "nearest: conducting (no normal field) or symmetric");
    refused("driving.power: 1\nmesh.boundary: [outflow, periodic]", "r.yaml:6:", "is periodic");
    refused("driving: {power: 1, acceleration: 1}", "r.yaml:5:", "give one");
    refused("driving: {power: 1, kmin: 4}", "r.yaml:", "no waves are left");
    refused("driving: {power: 1, kmax: 16}", "r.yaml:5:", "nearest: 15");
    refused("driving: {power: 1, kmin: 3, spectrum: parabola}", "r.yaml:", "has no power");
    good(HEAD "driving: {power: 1, kmin: 3, kmax: 15, spectrum: quartic}\n", &cfg);
    refused_whole("campaign: c\nproblem: sod\ntime.end: 1\nmesh.cells: [64]\ndriving.power: 1\n",
                  "every mode is compressive");
    refused_whole(REST "problem: driven_turbulence\n", "needs a force");
    refused_whole(REST "problem: driven_turbulence\ndriving.power: 1\n"
                       "driven_turbulence.magnetic: 1\n",
                  "r.yaml:6:29: driven_turbulence.magnetic: needs a magnetic field");
    refused("verify: true\ndriving.power: 1", "r.yaml:5:", "nearest: false");
    refused("verify: true\ngravity.acceleration: [0, 1, 0]", "r.yaml:5:", "nearest: false");
    refused_whole(REST "problem: divergence_peak\nfluid.mhd: glm\nverify: true\n",
                  "no known answer to compare with");
}

/* Faces of a recipe that does not name them, as the letters of their names: p o r c f. */
static void faces_are(const char *text, const char *want)
{
    struct sl_config cfg;
    char have[7] = "";
    good(text, &cfg);
    for (int f = 0; f < 6; f++)
        have[f] = *sl_choice_name("mesh.boundary", cfg.mesh_boundary[f]);
    if (strcmp(have, want) != 0) fail_msg("%s has %s, not %s", text, have, want);
}

/* Each problem means faces of its own, and compares with an exact solution of no others. */
static void faces_of_problems(void **state)
{
    (void)state;
    struct sl_config cfg;
#define CUBE "campaign: c\ntime.end: 1\nmesh.cells: [8, 8, 8]\nproblem: "
    faces_are(CUBE "sod\n", "oopppp");
    faces_are(CUBE "sod\nmesh.boundary: periodic\n", "pppppp");
    faces_are(CUBE "sod\ndriving.power: 1\n", "pppppp");
    faces_are(CUBE "sedov\n", "rororo");
    faces_are(CUBE "sedov\nsedov.center: [0.5, 0.5, 0]\n", "ooooro");
    faces_are(CUBE "noh\n", "rfrfrf");
    faces_are(CUBE "noh\nmesh.box: [[-1, 1], [0, 1], [-1, 1]]\n", "ffrfff");
    faces_are(CUBE "shu_osher\n", "oopppp");
    faces_are(CUBE "riemann\nriemann.normal: [0, 2, 0]\n", "ppoopp");
    faces_are(CUBE "riemann\nriemann.normal: [1, 2, 0]\n", "ffffff");
    faces_are(CUBE "cloud_shock\n", "fooooo");
    faces_are(CUBE "implosion\n", "rrrrrr");
    faces_are(CUBE "kelvin_helmholtz\n", "pppppp");
    faces_are("campaign: c\ntime.end: 1\nmesh.cells: [8]\nproblem: sedov\n", "ropppp");
    good(CUBE "sod\nverify: true\n", &cfg);
    good(CUBE "sod\nverify: true\nmesh.boundary: outflow\n", &cfg);
    good(CUBE "sod\nverify: true\nmesh.boundary: fixed\n", &cfg);
    good(CUBE "sedov\nverify: true\nsedov.center: [0.5, 0.5, 0.5]\nmesh.boundary: periodic\n",
         &cfg);
    refused_whole(CUBE "sod\nverify: true\nmesh.boundary: periodic\n",
                  "r.yaml:6:16: mesh.boundary: the exact solution (verify) holds "
                  "with the face x- outflow, not periodic; nearest: outflow");
    refused_whole(CUBE "sedov\nverify: true\nmesh.boundary: outflow\n",
                  "with the face x- reflecting, not outflow");
    refused_whole(CUBE "riemann\nriemann.normal: [1, 1, 0]\nverify: true\nmesh.boundary: outflow\n",
                  "with the face x- fixed, not outflow");
    refused_whole(CUBE "wave\nverify: true\nmesh.boundary: outflow\n",
                  "with the face x- periodic, not outflow");
}

#define LEVELS "campaign: c\nproblem: sedov\ntime.end: 1\nmesh: {cells: [64, 32], levels: 3}\n"

static void rules_of_refinement(void **unused)
{
    (void)unused;
    struct sl_config cfg;
    good(LEVELS
         "mesh.refine: [{by: loehner, of: pressure, level: 2}, {of: density, by: low, below: "
         "mesh.cells.x}, {by: box, lo: [0, 0.25], hi: [1, 0.5]}, {by: problem}]\n",
         &cfg);
    const struct sl_refine_rule *r = cfg.mesh_refine;
    assert_int_equal(cfg.mesh_refine_n, 4);
    assert_int_equal(r[0].by, SL_REFINE_loehner);
    assert_int_equal(r[0].of, SL_REFINE_OF_pressure);
    assert_int_equal(r[0].level, 2);
    assert_true(r[0].above == 0.8 && r[0].below == 0.2 && r[0].filter == 0.01);
    assert_true(r[1].above == 64 && r[1].below == 64 && r[1].level == 0);
    assert_true(r[2].axes == 2 && r[2].lo[1] == 0.25 && r[2].hi[1] == 0.5);
    assert_int_equal(cfg.mesh_block[0], 16);
    assert_int_equal(cfg.mesh_block[1], 16);
    good(LEVELS "mesh.refine: {by: gradient, of: density, above: 2}\nfluid.reconstruct: ppm\n"
                "mesh.block: 8\n",
         &cfg);
    assert_true(cfg.mesh_refine_n == 1 && cfg.mesh_refine[0].below == 0.5);
    good(LEVELS "mesh.refine: {by: sphere, center: [1 kpc, 2 kpc], radius: 3 kpc}\n"
                "units: {length: 2 kpc, density: 1, velocity: 1}\n",
         &cfg);
    assert_true(cfg.mesh_refine[0].lo[1] == 1 && cfg.mesh_refine[0].radius == 1.5);
    good(HEAD "mesh.levels: 0\nmesh.refine: [{by: vorticity}]\n", &cfg);
}

/* LEVELS and these lines must be refused with these words. */
static void unrefined(const char *more, const char *words)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n", LEVELS, more);
    refused_whole(text, words);
}

static void wrong_refinement(void **unused)
{
    (void)unused;
    unrefined("", "mesh.levels: 3, but mesh.refine has no rule");
    unrefined("mesh.refine: 3", "r.yaml:5:14: mesh.refine takes a list of rules");
    unrefined("mesh.refine: [3]", "r.yaml:5:15: mesh.refine: a rule is a mapping");
    unrefined("mesh.refine: [{of: density}]", "r.yaml:5:15: mesh.refine: a rule needs `by`");
    unrefined("mesh.refine: [{by: lohner}]",
              "r.yaml:5:20: mesh.refine: 'lohner' is none of loehner");
    unrefined("mesh.refine: [{by: jump, of: densty, above: 1}]", "of: 'densty' is none of");
    unrefined("mesh.refine: [{by: jump, of: density, abve: 1}]",
              "r.yaml:5:39: mesh.refine: jump takes of, above, below, level, not 'abve'; did you "
              "mean above");
    unrefined("mesh.refine: [{by: jump, of: density, filter: 1}]", "not 'filter'");
    unrefined("mesh.refine: [{by: jump, of: density}]", "jump needs above");
    unrefined("mesh.refine: [{by: low, of: density, above: 1}]", "low needs below");
    unrefined("mesh.refine: [{by: jump, above: 1}]", "jump needs of");
    unrefined("mesh.refine: [{by: vorticity, above: 1, below: 2}]", "below, 2, is larger");
    unrefined("mesh.refine: [{by: vorticity, level: 13}]", "level: 13 is outside 1 .. 12");
    unrefined("mesh.refine: [{by: loehner, of: density, filter: 2}]",
              "filter: 2 is outside 0 .. 1");
    unrefined("mesh.refine: [{by: loehner, of: density, above: 1}]", "at most 1");
    unrefined("mesh.refine: [{by: box, lo: [0, 0], hi: 1}]", "the other corner has 2");
    unrefined("mesh.refine: [{by: box, lo: [0, 0], hi: [1, 0]}]", "hi along y is not above lo");
    unrefined("mesh.refine: [{by: box, lo: [0], hi: [1]}]", "1 numbers for 2 axes");
    unrefined("mesh.refine: [{by: jump, of: mach, above: 1}, {by: box, lo: [2, 0], hi: [3, 1]}]",
              "r.yaml:5:47: mesh.refine: a box outside mesh.box");
    unrefined("mesh.refine: [{by: sphere, center: [3, 3], radius: 1}]", "a sphere outside");
    unrefined("mesh.refine: [{by: current}]", "needs a magnetic field");
    unrefined("mesh.refine: [{by: jump, of: magnetic, above: 1}]", "needs a magnetic field");
    unrefined("mesh.refine: [{by: value, of: beta, above: 1}]",
              "beta needs a magnetic field (fluid.mhd); nearest: pressure");
    unrefined("mesh.refine: [{by: value, of: scalar1, above: 1}]", "only 0 passive scalars");
    unrefined("mesh.refine: [{by: jeans}]", "gravity.four_pi_g");
    refused("mesh.refine: [{by: shear}]", "r.yaml:5:14: ", "needs mesh.levels");
    refused("mesh.levels: 1\nmesh.refine: [{by: problem}]",
            "r.yaml:6:", "problem sod does not say where");
#define SHEAR "mesh.refine: [{by: shear}]\n"
    unrefined(SHEAR "mesh.block: 4", "smallest block, 6; nearest: 8");
    unrefined(SHEAR "mesh.block: 8\nmesh.buffer: 9", "more than a block has along x; nearest: 8");
    unrefined(SHEAR "fluid.integrator: tvd\ntime.levels: each", "nearest: one");
    unrefined(SHEAR "fluid.integrator: ctu", "nearest: rk2");
    refused_whole("campaign: c\nproblem: sedov\ntime.end: 1\n" SHEAR
                  "mesh.cells: [45]\nmesh.levels: 1\n",
                  "cannot be divided into blocks of an even number");
    refused_whole("campaign: c\nproblem: sedov\ntime.end: 1\n" SHEAR
                  "mesh.cells: [33, 33]\nmesh.levels: 1\n",
                  "mesh.cells");
    refused_whole("campaign: c\nproblem: sedov\ntime.end: 1\n" SHEAR
                  "mesh.cells: [90]\nmesh.block: 9\nmesh.levels: 1\n",
                  "9 along x is odd");
#define ROOT(cells, levels)                                                                        \
    "campaign: c\nproblem: sedov\ntime.end: 1\n" SHEAR "mesh.block: 8\nmesh.cells: " cells         \
    "\nmesh.levels: " levels "\n"
    refused_whole(ROOT("[1024, 1024, 1024]", "12"), "r.yaml:7:14: mesh.levels: 12, but");
    refused_whole(ROOT("[1024, 1024, 1024]", "12"), "at most 11; nearest: 11");
    struct sl_config cfg;
    good(ROOT("[1024, 1024, 1024]", "11"), &cfg);
    good(ROOT("[1024, 1024, 1016]", "12"), &cfg);
    good(ROOT("[1024, 1024]", "12"), &cfg);
}

/* What the rules say of `verify` is what the problems offer. */
/* Of verify: UNKNOWN, nothing; EXACT, one without sources; EXACT + 1 + i, one with source i. */
enum { COMPARED, UNKNOWN, EXACT };
static int exact_with(const char *force)
{
#define NAME(name, ...) #name,
    static const char *const names[] = {SL_SOURCE_NAMES(NAME)};
#undef NAME
    for (int i = 0; force && i < SL_SOURCE_COUNT; i++)
        if (strcmp(force, names[i]) == 0) return EXACT + 1 + i;
    return EXACT;
}

static void rules_of_verify(void **unused)
{
    (void)unused;
    for (const struct sl_problem *const *p = sl_problems; *p; p++) {
        int said = COMPARED;
        bool refines = false;
#undef SL_RULE_UNKNOWN
#undef SL_RULE_EXACT
#undef SL_RULE_EXACT_WITH
#undef SL_RULE_EXACT_WITH_OR
#define SL_SAYS(problem, what)                                                                     \
    if (strcmp((*p)->name, #problem) == 0) said = what;
#define SL_RULE_UNKNOWN(problem)            SL_SAYS(problem, UNKNOWN)
#define SL_RULE_EXACT(problem)              SL_SAYS(problem, EXACT)
#define SL_RULE_EXACT_WITH(problem, source) SL_SAYS(problem, EXACT + 1 + SL_SOURCE_##source)
#define SL_RULE_EXACT_WITH_OR(problem, source, other)                                              \
    if ((*p)->matter && strcmp((*p)->matter, #other) == 0) SL_RULE_EXACT_WITH(problem, source)
#undef SL_RULE_REFINES
#define SL_RULE_REFINES(problem) refines |= strcmp((*p)->name, #problem) == 0;
#include "problem_rules.def" /* generated */
        int offered = (*p)->exact ? exact_with((*p)->force) : (*p)->measure ? COMPARED : UNKNOWN;
        if (refines != ((*p)->refine != NULL)) fail_msg("the rules of %s on refine", (*p)->name);
        if (said != offered) fail_msg("the rules of %s misjudge verify", (*p)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_of_the_table),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(nested_dotted_and_types),
        cmocka_unit_test(expressions_in_any_order),
        cmocka_unit_test(units_of_length),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(other_programs_numbers),
        cmocka_unit_test(other_programs_units),
        cmocka_unit_test(other_programs_words),
        cmocka_unit_test(names_of_problems),
        cmocka_unit_test(cubes),
        cmocka_unit_test(times_of_statistics),
        cmocka_unit_test(wrong_keys),
        cmocka_unit_test(needed_keys),
        cmocka_unit_test(rules_of_the_mesh),
        cmocka_unit_test(walls_and_forces),
        cmocka_unit_test(rules_of_verify),
        cmocka_unit_test(rules_of_refinement),
        cmocka_unit_test(faces_of_problems),
        cmocka_unit_test(wrong_refinement),
        cmocka_unit_test(chosen_blocks),
        cmocka_unit_test(faces_of_axes_that_are_not_there),
        cmocka_unit_test(check_alone_changes_nothing_twice),
        cmocka_unit_test(overrides_win),
        cmocka_unit_test(statistics_on_devices),
        cmocka_unit_test(printed_is_read_again_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
