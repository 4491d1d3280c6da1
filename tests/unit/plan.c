/* plan.c - the end that a plan expects, and what it has learnt from: factors, spreads,
 * quantiles. */
#include "core/config/config.h"
#include "pipeline/plan/pace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/pencils.h"
#include "core/sys/status.h"
#include "pipeline/plan/particles.h"
#include "pipeline/plan/plan.h"

static struct sl_pace learn(const char *lines, const char *problem)
{
    char text[4096];
    struct sl_pace p = {.spread = 0.69, .wait = -1};
    snprintf(text, sizeof text, "%s", lines);
    sl_pace_parse(text, problem, "auto-double-none", 8e6, &p);
    return p;
}

static void near(double x, double y)
{
    if (fabs(x - y) > 1e-9 * (1 + fabs(y))) fail_msg("%.12g, not %.12g", x, y);
}

static void nothing_known(void **state)
{
    (void)state;
    struct sl_pace p = learn("", "sod");
    assert_int_equal(p.source, SL_PACE_ASSUMED);
    near(sl_pace_half(&p), 1);
    assert_true(sl_pace_most(&p) > 2);
}

/* Twice as fast as assumed: half the time. */
static void a_bench(void **state)
{
    (void)state;
    struct sl_pace p =
        learn("bench\t1\tauto-double-none\t16e6\nbench\t1\tauto-single-none\t64e6\n", "sod");
    assert_int_equal(p.source, SL_PACE_BENCH);
    near(sl_pace_half(&p), 0.5);
}

/* ln 2 and ln 8 of one member each: mean ln 4, spread of the sample ln(4)/sqrt(2), and of the next
 * one sqrt(1 + 1/2) times that. */
static void two_campaigns(void **state)
{
    (void)state;
    const char *lines = "campaign\ta-1\t5\tsod\tauto-double-none\t1\t0.6931471805599453\t0\t30\n"
                        "bench\t6\tauto-double-none\t16e6\n"
                        "campaign\tb-1\t7\tsod\tauto-double-none\t1\t2.0794415416798357\t0\t90\n"
                        "campaign\tc-1\t7\tsedov\tauto-double-none\t9\t5\t0\t900\n"
                        "campaign\td-1\t7\tsod\tauto-double-glm\t9\t5\t0\t900\n";
    struct sl_pace p = learn(lines, "sod");
    assert_int_equal(p.source, SL_PACE_SITE);
    assert_int_equal(p.n, 2);
    near(sl_pace_half(&p), 4);
    near(p.spread, log(4) / sqrt(2) * sqrt(1.5));
    near(sl_pace_most(&p), 4 * exp(1.2816 * p.spread));
    near(p.wait, 90);
    p = learn(lines,
              "noh"); /* another problem: all that is of the kind, with the spread between them */
    assert_int_equal(p.n, 11);
    assert_true(p.spread >= 0.41);
}

static void the_last_word_of_a_campaign(void **state)
{
    (void)state;
    struct sl_pace p = learn("campaign\ta-1\t5\tsod\tauto-double-none\t3\t1\t0.1\t-1\n"
                             "campaign\ta-1\t9\tsod\tauto-double-none\t6\t0\t0.1\t-1\n",
                             "sod");
    assert_int_equal(p.n, 6);
    near(sl_pace_half(&p), 1);
    near(p.wait, -1);
}

static void lines_that_are_none(void **state)
{
    (void)state;
    struct sl_pace p = learn("\n\n\t\t\t\ncampaign\ncampaign\ta\tb\tc\td\te\tf\tg\th\ti\tj\tk\n"
                             "campaign\ta-1\t5\tsod\tauto-double-none\t-3\t1\t0.1\t1\n"
                             "campaign\ta-1\t5\tsod\tauto-double-none\t999999999999\t1\t0.1\t1\n"
                             "campaign\ta-1\t5\tsod\tauto-double-none\t9\tnan\t0.1\t1\n"
                             "campaign\ta-1\t5\tsod\tauto-double-none\t9\t0\tinf\t1\n"
                             "bench\t1\tauto-double-none\tnan\nbench\t1\tauto-double-none\t-5\n",
                             "sod");
    assert_int_equal(p.source, SL_PACE_ASSUMED);
    char long_text[60000] = "";
    for (int i = 0; i < 1500; i++)
        strcat(long_text, "bench\t1\tauto-double-none\t8e6\n");
    p = (struct sl_pace){.wait = -1};
    sl_pace_parse(long_text, "sod", "auto-double-none", 8e6, &p);
    assert_int_equal(p.source, SL_PACE_BENCH);
}

/* Ten members of 100 s on two ranks each. */
static struct sl_plan ten(void)
{
    return (struct sl_plan){
        .members = 10, .left = 10, .seconds = 1000, .longest = 100, .walltime = 1000, .ranks = 2};
}

static void the_end(void **state)
{
    (void)state;
    struct sl_plan p = ten();
    struct sl_outlook o = {.at_once = 1};
    near(sl_plan_end(&p, &o, 1), 1000);
    o = (struct sl_outlook){.at_once = 10, .wait = 50};
    near(sl_plan_end(&p, &o, 1), 50 + 100);
    o.at_once = 4;
    near(sl_plan_end(&p, &o, 2), 50 + 3 * 200);
    p.longest = 900; /* never before the longest */
    near(sl_plan_end(&p, &o, 1), 50 + 900);
    p.left = 0;
    near(sl_plan_end(&p, &o, 1), 0);
}

/* 100 s at 0.9 * 40 s per attempt are three attempts: two waits. */
static void wall_time_on_the_way(void **state)
{
    (void)state;
    struct sl_plan p = ten();
    p.walltime = 40;
    struct sl_outlook o = {.at_once = 1, .requeue = 121};
    near(sl_plan_end(&p, &o, 1), 1000 + 2 * 121);
}

static struct sl_config config_at(const char *problem, const char *recipe)
{
    struct sl_config cfg;
    char text[512];
    snprintf(text, sizeof text, "campaign: c\nproblem: %s\n%s", problem, recipe);
    if (sl_config_parse("test", text, strlen(text), NULL, 0, &cfg) != SL_OK)
        fail_msg("%s", sl_error_text());
    return cfg;
}

static struct sl_config config_of(const char *recipe)
{
    char text[512];
    snprintf(text, sizeof text, "mesh.cells: [64, 64, 64]\n%s", recipe);
    return config_at("wave", text);
}

static struct sl_need need(const struct sl_config *cfg)
{
    struct sl_need n;
    sl_plan_member(cfg, NULL, &n);
    return n;
}

static struct sl_need need_of(const char *recipe)
{
    struct sl_config cfg = config_of(recipe);
    return need(&cfg);
}

/* Gravity of the gas takes memory and time; an expanding universe as many steps as its scale factor
 * grows. */
static void gravity(void **state)
{
    (void)state;
    struct sl_need alone = need_of("time.end: 1\n"),
                   heavy = need_of("time.end: 1\ngravity.four_pi_g: 1\n"),
                   open = need_of("time.end: 1\ngravity.four_pi_g: 1\nmesh.boundary: outflow\n"),
                   universe = need_of("time: {end: 0, unit: redshift}\nic.redshift: 99\n"
                                      "output.redshift: [9, 3]\noutput.precision: double\n"),
                   thin = need_of("time.end: 1\nresources.ranks: 128\n"),
                   spread = need_of("time.end: 1\ngravity.four_pi_g: 1\nresources.ranks: 128\n"),
                   folds = need_of("time: {end: 0, unit: redshift}\nic.redshift: 99\n"
                                   "output.snapshot: 1\noutput.precision: double\n");
    near(heavy.rank_memory - alone.rank_memory,
         52 * 64 * 64 * 64 +
             8 * sl_potential_most((const int[3]){64, 64, 64}, SL_AROUND_periodic, 1));
    assert_true(spread.rank_memory - thin.rank_memory >
                3 * 8 * 64 * 64); /* planes, of half a one */
    assert_true(heavy.seconds > 1.2 * alone.seconds);
    assert_true(open.seconds > 1.3 * heavy.seconds);
    near(heavy.steps, alone.steps);
    near(universe.steps, 461);
    near(universe.snapshots, 4 * 7 * 8 * 64. * 64 * 64); /* start, both, end */
    near(folds.snapshots, 6 * 7 * 8 * 64. * 64 * 64);    /* four, start, end */
}

/* More ranks than planes need no more room each, with the layer around an isolated box, too. */
static void many_ranks(void **state)
{
    (void)state;
    const enum sl_around ways[] = {SL_AROUND_periodic, SL_AROUND_padded, SL_AROUND_screened};
    for (int n = 64; n <= 1024; n *= 2)
        for (int w = 0; w < 3; w++) {
            const int cells[3] = {n, n, n};
            double few = sl_potential_most(cells, ways[w], n);
            for (int ranks = 2 * n; ranks <= 8 * n; ranks *= 2)
                if (!(sl_potential_most(cells, ways[w], ranks) < 1.3 * few))
                    fail_msg("%d^3 cells take %g times as much of %d ranks as of %d", n,
                             sl_potential_most(cells, ways[w], ranks) / few, ranks, n);
        }
}

/* Super steps of viscosity: a step of the gas at the assumed signal, 0.3 / 64 / 2.2, takes twice 13
 * stages where the explicit limit is 0.5 / (4/3 3 64^2), and 1.3 times the gas for two. */
static void diffusion(void **state)
{
    (void)state;
    struct sl_need alone = need_of("time.end: 1\n"),
                   thick = need_of("time.end: 1\ndiffusion.viscosity: 1\n");
    near(thick.stage_seconds[SL_STAGE_sim] - 1,
         (1 + 1.3 * 13 / 2) * (alone.stage_seconds[SL_STAGE_sim] - 1));
    near(thick.rank_memory - alone.rank_memory, 2 * 4 * 8 * 64. * 64 * 64);
    near(thick.steps, alone.steps);
}

/* Each stage has its own; a plan sums over them what they ask for. */
static void stages(void **state)
{
    (void)state;
    struct sl_config cfg =
        config_of("time.end: 1\nresources: {ranks: 4, walltime: 1000, sim: {ranks: 8, nodes: 2}, "
                  "stats: {ranks: 2, walltime: 10}}\n");
    struct sl_need n = need(&cfg), all = need_of("time.end: 1\nresources.ranks: 8\n");
    struct sl_plan p = {.members = 0};
    near(n.stage_memory[SL_STAGE_sim], all.stage_memory[SL_STAGE_sim]);
    near(n.stage_memory[SL_STAGE_stats] - 4e7, 4 * (all.stage_memory[SL_STAGE_stats] - 4e7));
    near(n.stage_memory[SL_STAGE_ic], 0);
    near(n.memory, 8 * n.stage_memory[SL_STAGE_sim]);
    sl_plan_add(&p, &cfg, NULL, 1, 4, false);
    assert_int_equal(p.ranks, 8);
    assert_int_equal(p.nodes, 2);
    near(p.core_seconds, 8 * n.stage_seconds[SL_STAGE_sim] + 2 * n.stage_seconds[SL_STAGE_stats]);
    near(p.asked_seconds, 2 * 1000 + 0.5 * 10);
}

/* The tree of clumps is shared out among ranks, but for the planes at which pieces of it meet. */
static void tree(void **state)
{
    (void)state;
    struct sl_need one = need_of("time.end: 1\nresources.ranks: 1\nstatistics.tree: 0.5\n"),
                   eight = need_of("time.end: 1\nresources.ranks: 8\nstatistics.tree: 0.5\n");
    near(one.rank_memory, 4e7 + 150. * 64 * 64 * 64); /* a run needs more */
    near(eight.rank_memory, 4e7 + 14 * 8 * 64. * 64 * 64 / 8 + 4 * 64. * 64 * (180 + 2 * 92));
}

/* 1.5 to 6 times what an H200 took of both members of recipes/decaying-turbulence-gpu.yaml
 * (tests/perf/gpu.md). */
static void devices(void **state)
{
    (void)state;
#define MEMBER                                                                                     \
    "mesh.cells: [%d, %d, %d]\nfluid: {mhd: glm, riemann: hlld, cfl: 0.3}\n"                       \
    "time: {end: 1, unit: crossing}\noutput.snapshot: 0.5\nresources: {%s}\n"
    static const struct {
        int n;
        const char *resources;
        double least, most;
    } rows[] = {{128, "backend: cuda", 4, 20},
                {256, "backend: cuda", 35, 160},
                {256, "backend: auto, gpus: 1", 35, 160},
                {256, "backend: cuda, gpus: 1, ranks: 2", 35, 160}, /* they share it */
                {256, "backend: cuda, gpus: 2, ranks: 2", 20, 90},
                {256, "backend: auto", 5000, 1e4},
                {256, "backend: cpu, gpus: 1", 5000, 1e4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, MEMBER, rows[i].n, rows[i].n, rows[i].n, rows[i].resources);
        struct sl_config cfg = config_at("turbulence", text);
        double s = need(&cfg).seconds;
        if (s < rows[i].least || s > rows[i].most) fail_msg("row %zu: %g s", i, s);
    }
#undef MEMBER
}

/* Devices have less of what takes more registers or passes; processors are assumed to be alike. */
static void methods(void **state)
{
    (void)state;
    static const char *const slow[] = {"riemann: roe",         "riemann: lhllc",
                                       "integrator: tvd",      "reconstruct: ppm",
                                       "characteristic: true", "scalars: 1"};
    for (int i = 0; i < 6 * 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "mesh.cells: [64]\ntime.end: 1\nfluid: {%s}\nresources.backend: %s\n", slow[i / 2],
                 i % 2 ? "cpu" : "cuda");
        struct sl_config cfg = config_at("sod", text);
        double fraction = sl_plan_rate(&cfg) / sl_plan_usual(&cfg);
        if (i % 2 ? fraction != 1 : !(fraction < 0.3))
            fail_msg("%g of the usual rate:\n%s", fraction, text);
    }
    struct sl_config usual =
        config_at("sod", "mesh.cells: [64]\ntime.end: 1\nresources.backend: cuda\n");
    assert_true(sl_plan_rate(&usual) == sl_plan_usual(&usual));
}

/* What was measured on devices tells of devices alone, and of their usual method. */
static void kinds(void **state)
{
    (void)state;
    static const struct {
        const char *recipe, *kind;
    } rows[] = {{"time.end: 1\nresources.backend: cuda\n", "gpu-double-none"},
                {"time.end: 1\nresources: {backend: auto, gpus: 2}\nwave.mode: entropy\nfluid: "
                 "{mhd: ct, riemann: hlld}\n",
                 "gpu-double-ct"},
                {"time.end: 1\nresources: {backend: auto, gpus: 2}\ngravity.four_pi_g: 1\n",
                 "gpu-double-none"},
                {"time.end: 1\nresources.precision: single\n", "auto-single-none"},
                {"time.end: 1\nresources: {backend: cpu, gpus: 2}\n", "cpu-double-none"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char kind[SL_PACE_KIND];
        struct sl_config cfg = config_of(rows[i].recipe);
        sl_pace_kind(&cfg, kind);
        assert_string_equal(kind, rows[i].kind);
    }
    struct sl_config plm = config_of("time.end: 1\nresources.backend: cuda\n"),
                     ppm = config_of(
                         "time.end: 1\nresources.backend: cuda\nfluid.reconstruct: ppm\n");
    near(sl_plan_usual(&plm), sl_plan_usual(&ppm));
    near(sl_plan_rate(&plm), sl_plan_usual(&plm));
    struct sl_config four =
        config_of("time.end: 1\nresources: {backend: cuda, gpus: 1, ranks: 4}\n");
    near(sl_plan_rate(&four), sl_plan_usual(&plm) / 4);
    assert_true(sl_plan_rate(&ppm) < 0.25 * sl_plan_rate(&plm));
}

#define LEVELS                                                                                     \
    "mesh.block: 16\nmesh.levels: 2\nmesh.refine: [{by: loehner, of: density}]\ntime.end: 1\n"     \
    "output.precision: double\n"

/* Half of the box is refined once, a quarter twice: 0.5, 2 and 16 times the cells of the root
 * grid. */
static void levels(void **state)
{
    (void)state;
    const struct sl_filling f = {.levels = 2, .fraction = {1, 0.5, 0.25}, .most = {1, 0.5, 0.5}};
    struct sl_config one = config_of(LEVELS "time.levels: one\n"),
                     each = config_of(LEVELS "time.levels: each\n"), some = config_of(LEVELS),
                     none = config_of("time.end: 1\nmesh.block: 16\noutput.precision: double\n");
    struct sl_need a, b, c, uniform = need(&none);
    double root = 64. * 64 * 64;
    sl_plan_member(&one, &f, &a);
    sl_plan_member(&each, &f, &b);
    sl_plan_member(&some, &f, &c);
    near(uniform.cells, root), near(uniform.updates, root);
    near(a.level_cells[0], 0.5 * root), near(a.level_cells[1], 2 * root);
    near(a.level_cells[2], 16 * root), near(a.cells, 18.5 * root);
    near(a.updates, 18.5 * root), near(b.updates, (0.5 + 2 * 2 + 4 * 16) * root);
    near(a.steps, ceil(4 * uniform.steps)), near(b.steps, ceil(uniform.steps / 0.95)); /* spare */
    assert_true(c.updates * c.steps <= fmin(a.updates * a.steps, b.updates * b.steps));
    near(a.snapshots, 18.5 * uniform.snapshots), near(a.checkpoints, 18.5 * uniform.checkpoints);
    /* at most 1 + 8 / 2 + 64 / 2 of them with what is covered, twice in a regrid */
    near(a.rank_memory - 4e7, 2 * 37 * (uniform.rank_memory - 4e7));
    near(sl_filling_fraction(&f, 4, 4, false), 0.0625); /* finer ones go on as the last */
    near(sl_filling_fraction(&f, 1, 2, false), 0);
    sl_plan_member(&one, NULL, &a);
    near(a.level_cells[2], 64 * 0.09 * root);
}

/* Each step of the finest level takes a potential, whatever those of the others. */
static void potentials(void **state)
{
    (void)state;
    const struct sl_filling f = {.levels = 2, .fraction = {1, 0.5, 0.25}, .most = {1, 0.5, 0.5}};
    static const char *const steps[] = {"time.levels: one\n", "time.levels: each\n"};
    double more[2];
    for (int i = 0; i < 2; i++) {
        char text[512];
        struct sl_need light, heavy;
        snprintf(text, sizeof text, LEVELS "%s", steps[i]);
        struct sl_config gas = config_of(text);
        snprintf(text, sizeof text, LEVELS "%sgravity.four_pi_g: 1\n", steps[i]);
        struct sl_config falls = config_of(text);
        sl_plan_member(&gas, &f, &light);
        sl_plan_member(&falls, &f, &heavy);
        more[i] = (heavy.stage_seconds[SL_STAGE_sim] - light.stage_seconds[SL_STAGE_sim]) /
                  (heavy.steps * heavy.level_steps[2]);
        near(heavy.checkpoints, 1.4 * light.checkpoints); /* with two numbers more than five */
        assert_true(heavy.stage_seconds[SL_STAGE_sim] > 2 * light.stage_seconds[SL_STAGE_sim]);
    }
    assert_true(more[0] > 0);
    near(more[1], more[0]);
}

/* A surface on cells of twice the size fills twice the part of the box; what is said of two coarser
 * root grids is what the third would say. */
static void coarse_starts(void **state)
{
    (void)state;
    struct sl_filling f = {.source = SL_FILLING_ASSUMED};
    struct sl_config cfg = config_of(LEVELS);
    /* root grids of 2^3 and 1 blocks; a quarter, then a half of the box refined */
    const char *text = "{\"v\": 1, \"halved\": 1, \"block_cells\": 4096, \"leaves\": [6, 16, 0], "
                       "\"smooth\": [6, 16, 0], "
                       "\"coarser\": [0, 8, 0], \"asked\": [0]}";
    if (sl_filling_parse(text, &cfg, &f) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(f.source, SL_FILLING_COARSE);
    assert_false(f.asked[0]);
    near(f.most[1], 0.25),
        near(f.fraction[1], 0.0625); /* from 1 to a quarter: twice with each axis */
    near(f.fraction[2], 0), assert_int_equal(f.cells[2], 32);
    text = "{\"v\": 1, \"halved\": 0, \"block_cells\": 4096, \"leaves\": [32, 248, 64], "
           "\"coarser\": [0, 0, 0], \"asked\": [7]}";
    f = (struct sl_filling){.source = SL_FILLING_ASSUMED};
    assert_int_equal(sl_filling_parse(text, &cfg, &f), SL_OK);
    assert_int_equal(f.source, SL_FILLING_START);
    assert_true(f.asked[0]);
    near(f.fraction[1], 0.5), near(f.fraction[2], 1. / 64);
    assert_int_equal(sl_filling_parse("{}", &cfg, &f), SL_EINPUT);
    text = "{\"v\": 1, \"halved\": 0, \"block_cells\": 4096, \"leaves\": [32, 24, 64], "
           "\"coarser\": [], \"asked\": [7]}";
    assert_int_equal(sl_filling_parse(text, &cfg, &f), SL_EINPUT); /* they leave a hole */
}

/* Levels have a kind of their own, which a bench without them tells of as long as nothing ran. */
static void pace_of_levels(void **state)
{
    (void)state;
    char kind[SL_PACE_KIND], text[] = "bench\t1\tauto-double-none\t16e6\n";
    struct sl_config cfg = config_of(LEVELS);
    struct sl_pace p = {.spread = 0.69, .wait = -1};
    sl_pace_kind(&cfg, kind);
    assert_string_equal(kind, "auto-double-none-levels");
    sl_pace_parse(text, "sod", kind, 8e6, &p);
    near(sl_pace_half(&p), 0.5);
    assert_true(sl_plan_rate(&cfg) < sl_plan_usual(&cfg));
}

/* Of 32^3 particles in 100 Mpc/h; without gas a run takes neither its memory nor its time. */
#define SWARM                                                                                      \
    "mesh.box: [[0, 100], [0, 100], [0, 100]]\ntime: {end: 0, unit: redshift}\n"                   \
    "ic: {redshift: 49, species: %s}\ncosmology: {omega_m: 0.3, omega_b: 0.045}\n%s"

static struct sl_config swarm_of(const char *species, const char *more)
{
    char text[512];
    snprintf(text, sizeof text, "mesh.cells: [64, 64, 64]\n" SWARM, species, more);
    return config_at("cosmology", text);
}

static int notes;

static void count_notes(const char *text, void *user)
{
    notes++;
    if (!strstr(text, user)) fail_msg("%s", text);
}

/* Makes a start there: the host has amplitudes and shells; but for one that is no cube. */
static void starts_on_device(void)
{
    const char *device = "fluid.eos: none\nresources.backend: cuda\n";
    struct sl_config made = swarm_of("dark_matter", device), file = made, flat = made;
    file.ic_write = SL_IC_WRITE_true, flat.mesh_box[5] = 120;
    struct sl_need m = need(&made), w = need(&file), f = need(&flat);
    near(m.stage_memory[SL_STAGE_sim] - w.stage_memory[SL_STAGE_sim], 34 * 64 * 64.);
    assert_true(m.stage_seconds[SL_STAGE_sim] < w.stage_seconds[SL_STAGE_sim] + 1e-3);
    assert_true(f.stage_memory[SL_STAGE_sim] > m.stage_memory[SL_STAGE_sim] + 8 * 9 * 262144.);
}

/* Of a particle a processor holds what was measured, a device what gpu/device.h says, and the host
 * beside it a copy; the device has the mesh of all ranks and, at its most, the start. */
static void particles_on_device(void **state)
{
    (void)state;
    const char *device = "fluid.eos: none\nresources.backend: cuda\n";
    const double n = 32768, cells = 262144;
    struct sl_config host = swarm_of("dark_matter", "fluid.eos: none\n"),
                     made = swarm_of("dark_matter", device), file = made, single = made, two = made,
                     dense = made, open = made, first = made;
    file.ic_write = single.ic_write = two.ic_write = open.ic_write = SL_IC_WRITE_true;
    single.resources_precision = SL_PRECISION_single, two.resources_ranks = 2;
    dense.particles_spacing = 1, first.ic_order = 1;
    open.gravity_boundary = SL_GRAVITY_BOUNDARY_isolated;
    struct sl_need h = need(&host), m = need(&made), f = need(&file), s = need(&single);
    near(h.particle_bytes, 130), near(h.device_memory, 0), near(h.device_particle_bytes, 0);
    near(f.particle_bytes, 1.125 * 76), near(s.particle_bytes, 1.125 * 52);
    near(f.device_particle_bytes, 1.125 * 45 + 12), near(s.device_particle_bytes, 1.125 * 33 + 12);
    near(f.device_memory, 16 * cells + (1.125 * 45 + 12) * n);
    near(need(&two).device_memory, 56 / 2 * cells + (1.125 * 45 + 12) * n / 2);
    near(need(&open).device_memory, 80 * cells + (1.125 * 45 + 12) * n);
    open.gravity_isolated = SL_GRAVITY_ISOLATED_screened;
    near(need(&open).device_memory, 32 * cells + (1.125 * 45 + 12) * n);
    near(m.device_memory, (16 + 30) * cells + 230 * 80 * 80 + 8 * n);
    near(need(&dense).device_memory, (16 + 1.125 * 45 + 24) * cells); /* more than 36 + 8 */
    near(need(&first).device_memory, 16 * cells + (1.125 * 45 + 24) * n);
    near(h.stage_memory[SL_STAGE_stats], m.stage_memory[SL_STAGE_stats]);
    struct sl_config stays = file;
    stays.resources_backend = SL_BACKEND_cpu;
    near(sl_particle_cost(&stays).rank - sl_particle_cost(&file).rank,
         (130 - 1.125 * 76) * n + 60 * cells);
    near(sl_particle_cost(&two).rank, (1.125 * 76 * n + 60 * cells) / 2);
    double periodic = sl_particle_cost(&stays).seconds;
    stays.gravity_boundary = SL_GRAVITY_BOUNDARY_isolated;
    near(sl_particle_cost(&stays).seconds - periodic, 5.4 * 2e-8 * cells);
}

/* Bytes of a rank of the run that it measures itself with. */
static double measuring(struct sl_config cfg, int ranks)
{
    struct sl_config without = cfg;
    cfg.statistics_in_run = true;
    cfg.resources_ranks = without.resources_ranks = ranks;
    return need(&cfg).stage_memory[SL_STAGE_sim] - need(&without).stage_memory[SL_STAGE_sim];
}

/* The device of a lone rank keeps what it measures, but for haloes. */
static void measuring_on_device(void **state)
{
    (void)state;
    struct sl_config host = swarm_of("dark_matter", "fluid.eos: none\nstatistics.structure: []\n"
                                                    "statistics.spectra: [density]\n"
                                                    "statistics.matter: [particles]\n"),
                     device = host, haloes, both;
    const double n = 32768, cells = 262144, plane = 64 * 64, each = 8 * (1 + 3 + 6);
    device.resources_backend = SL_BACKEND_cuda;
    near(measuring(host, 1), each * cells), near(measuring(device, 1), 64 * plane);
    near(measuring(device, 2), each * cells / 2);
    both = haloes = device, haloes.statistics_haloes = 0.2, haloes.particles_spacing = 2;
    near(measuring(haloes, 1), 56 * n + 16 * cells + 64 * plane); /* more than 130 n */
    haloes.particles_spacing = 1;
    near(measuring(haloes, 1), 130 * cells + 64 * plane);
    both.statistics_interlace = true;
    near(measuring(both, 1), each * cells);
}

static void particles(void **state)
{
    (void)state;
    struct sl_config alone = swarm_of("dark_matter", "fluid.eos: none\n"),
                     both = swarm_of("one_fluid", "ic.write: true\n"),
                     gas = swarm_of("baryons", "ic.write: true\n");
    struct sl_need a = need(&alone), b = need(&both), g = need(&gas);
    near(a.particles, 32768), near(b.particles, 32768), near(g.particles, 0);
    struct sl_config file = swarm_of("dark_matter", "fluid.eos: none\nic.write: true\n");
    struct sl_need w = need(&file);
    assert_true(2 * w.stage_memory[SL_STAGE_sim] < b.stage_memory[SL_STAGE_sim] + 8e7);
    /* the run makes its start itself: no file, and its fields in the memory of the run */
    near(a.ic, 0), near(a.stage_memory[SL_STAGE_ic], 0), near(w.ic, 7 * 8 * 262144.);
    near(b.ic, 13 * 8 * 262144.), near(g.ic, 6 * 8 * 262144.);
    near(a.stage_memory[SL_STAGE_sim] - w.stage_memory[SL_STAGE_sim],
         w.stage_memory[SL_STAGE_ic] - 4e7 + 8 * 6 * 32768.);
    starts_on_device();
    /* with gas too, whose fields lie by blocks for a while; its time is that of the stage */
    struct sl_config made = swarm_of("one_fluid", "");
    struct sl_need m = need(&made);
    near(m.ic, 0), near(m.stage_memory[SL_STAGE_ic], 0), near(m.stage_seconds[SL_STAGE_ic], 0);
    near(m.stage_memory[SL_STAGE_sim] - b.stage_memory[SL_STAGE_sim],
         b.stage_memory[SL_STAGE_ic] - 4e7 + 8 * (13 - 9.2) * 262144.);
    near(m.seconds, b.seconds), near(b.stage_seconds[SL_STAGE_ic], 7e-7 * 262144.);
    assert_true(b.stage_memory[SL_STAGE_sim] > g.stage_memory[SL_STAGE_sim]);
    assert_true(3 * a.stage_seconds[SL_STAGE_sim] < b.stage_seconds[SL_STAGE_sim]);
    near(a.checkpoints, 3 * 48 * 32768.), near(a.steps, 392);
    struct sl_particle_limits l = sl_particle_limits(&alone), c = sl_particle_limits(&both);
    near(l.mass / 2.77536627e11, 0.3 * 1e6 / 32768), near(c.mass / l.mass, 0.85);
    near(l.apart, 3.125), near(l.cell, 1.5625), near(l.shot, 1e6 / 32768);
    near(l.nyquist, acos(-1) / 3.125);
    assert_true(l.grown > 149 && l.grown < 150);
    near(sl_particle_limits(&gas).number, 0);
    sl_particle_advice(&alone, count_notes, "500 Mpc/h or more");
    assert_int_equal(notes, 1);
    notes = 0;
    struct sl_config late = swarm_of("dark_matter", "fluid.eos: none\nparticles.spacing: 1\n");
    late.ic_redshift = 2, late.mesh_box[1] = late.mesh_box[3] = late.mesh_box[5] = 600;
    for (int d = 0; d < 3; d++)
        late.mesh_cells[d] = 512;
    sl_particle_advice(&late, count_notes, "shells may have crossed");
    assert_int_equal(notes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_known),
                                       cmocka_unit_test(a_bench),
                                       cmocka_unit_test(two_campaigns),
                                       cmocka_unit_test(the_last_word_of_a_campaign),
                                       cmocka_unit_test(lines_that_are_none),
                                       cmocka_unit_test(the_end),
                                       cmocka_unit_test(wall_time_on_the_way),
                                       cmocka_unit_test(gravity),
                                       cmocka_unit_test(many_ranks),
                                       cmocka_unit_test(diffusion),
                                       cmocka_unit_test(potentials),
                                       cmocka_unit_test(devices),
                                       cmocka_unit_test(methods),
                                       cmocka_unit_test(kinds),
                                       cmocka_unit_test(stages),
                                       cmocka_unit_test(tree),
                                       cmocka_unit_test(levels),
                                       cmocka_unit_test(coarse_starts),
                                       cmocka_unit_test(pace_of_levels),
                                       cmocka_unit_test(particles_on_device),
                                       cmocka_unit_test(measuring_on_device),
                                       cmocka_unit_test(particles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
