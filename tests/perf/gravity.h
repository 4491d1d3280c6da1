/* gravity.h - what the measurements of gravity share: the blast of amr.h whose gas attracts itself,
 * on a uniform mesh in a periodic box or with nothing around it, or on levels that follow it; and
 * the same blast without gravity.
 *
 *   PROGRAM case=periodic|isolated|levels key=value ...    a line of name=value pairs comes out
 *   PROGRAM --cases                                        the cases that `sluice bench` runs
 *
 * Words are those of amr.h but for uniform; mesh.levels and mesh.refine are of case=levels alone,
 * and case=isolated has open sides.
 *
 * potential_s is the shortest of some solutions alone, from the density to accelerations, of levels
 * from nothing to gravity.tolerance, in solve_cycles cycles; kick_s both kicks of a step and their
 * work on the energy (with time.levels: each not measured), solve_s the sum of both. transforms_s
 * is a transform of as many real numbers as the root grid has cells, and the way back, by the
 * library that gravity uses, of one rank. cycle_s is one cycle of multigrid: what a solution to
 * 1e-10 takes more than one to 1e-2, over the cycles more.
 *
 * gravity_share is 1 - a step without gravity over one with it, per update; told_share what a run
 * says of itself (struct sl_source_use). cycles: those of a potential, in the mean of the steps.
 *
 * Shapes  none
 * Units   as printed
 * Errors  a status code
 * Owns    nothing
 * MPI     collective over MPI_COMM_WORLD
 * Where   host
 * Refs    none
 * Tests   tests/cli/bench.sh
 */
#ifndef SL_TESTS_PERF_GRAVITY_H
#define SL_TESTS_PERF_GRAVITY_H

#include "tests/perf/amr.h"
#include "tests/perf/device.h"

#define GRAVITY_BLAST "mesh.refine=[{\"by\":gradient,\"of\":pressure,\"above\":0.1}]"
#define GRAVITY_CASES(program, periodic, isolated, levels)                                         \
    "1 " program " case=periodic " periodic "\n1 " program " case=isolated " isolated              \
    "\n1 " program " case=levels " levels " " GRAVITY_BLAST "\n"

enum gravity_case { GRAVITY_PERIODIC, GRAVITY_ISOLATED, GRAVITY_LEVELS, GRAVITY_NONE };
static const char *const gravity_name[] = {"periodic", "isolated", "levels"};

/* Seconds of a transform of real numbers [n[2]][n[1]][n[0]] and back; 0: not known. */
typedef double gravity_transforms(const struct sl_sim *sim, const int n[3]);

struct gravity_timing {
    struct amr_timing with, without;
    double potential, kick, transforms;
    double cycles, cycle; /* of that potential; seconds of one */
};

/* Of rank 0, as all go on together. */
static inline int gravity_enough(const struct sl_sim *sim, double start, int n)
{
    int enough = n >= 3 && (n >= 50 || amr_now() - start > 1);
    MPI_Bcast(&enough, 1, MPI_INT, 0, sim->state.mesh->comm);
    return enough;
}

/* The shortest of some solutions, with the kicks of a step of dt; 0: without. */
static inline int gravity_solve(struct sl_sim *sim, double dt, double *seconds)
{
    double first = amr_now();
    *seconds = HUGE_VAL;
    for (int n = 0; n == 0 || !gravity_enough(sim, first, n); n++) {
        double start = amr_now();
        if (dt > 0) SL_TRY(sl_sources_open(sim, dt));
        SL_TRY(sl_sources_close(sim, dt));
        *seconds = fmin(*seconds, amr_now() - start);
    }
    MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    return SL_OK;
}

/* From nothing, to a tolerance. */
static inline int gravity_cycles(struct fluid *f, double tolerance, double *seconds, double *cycles)
{
    double usual = f->cfg.gravity_tolerance;
    int64_t before[2] = {f->sim->cycles, f->sim->potentials};
    f->cfg.gravity_tolerance = tolerance;
    int code = gravity_solve(f->sim, 0, seconds);
    f->cfg.gravity_tolerance = usual;
    *cycles = (double)(f->sim->cycles - before[0]) / (double)(f->sim->potentials - before[1]);
    return code;
}

static inline int gravity_cycle(struct fluid *f, struct gravity_timing *t)
{
    double seconds[2], cycles[2];
    SL_TRY(gravity_cycles(f, 1e-2, &seconds[0], &cycles[0]));
    SL_TRY(gravity_cycles(f, 1e-10, &seconds[1], &cycles[1]));
    t->cycle = cycles[1] > cycles[0] ? (seconds[1] - seconds[0]) / (cycles[1] - cycles[0]) : 0;
    return SL_OK;
}

/* Kicks so short that the gas stays what it is take as long as others. */
static inline int gravity_measure(struct fluid *f, const struct amr_ask *ask,
                                  gravity_transforms *transforms, struct gravity_timing *t)
{
    const struct sl_config *c = &f->cfg;
    double both = 0, dt = 1e-9 * f->sim->state.dt;
    SL_TRY(amr_measure(f->sim, ask, &t->with));
    SL_TRY(gravity_cycles(f, c->gravity_tolerance, &t->potential, &t->cycles));
    if (c->mesh_levels == 0 || c->time_levels != SL_TIME_LEVELS_each) {
        SL_TRY(gravity_solve(f->sim, dt, &both));
        t->kick = fmax(0, both - t->potential);
    }
    if (c->mesh_levels > 0) SL_TRY(gravity_cycle(f, t));
    const struct sl_mesh *m = f->sim->state.mesh;
    int cells[3];
    for (int d = 0; d < 3; d++)
        cells[d] = d < m->dim ? m->spec.cells[d] : 1;
    t->transforms = transforms(f->sim, cells);
    return SL_OK;
}

static inline double gravity_per_update(const struct amr_timing *t)
{
    return t->wall / (double)t->updates;
}

/* On rank 0, without the end of the line: the case. */
static inline void gravity_print_case(const struct sl_sim *sim, enum gravity_case which)
{
    const struct sl_mesh *m = sim->state.mesh;
    amr_print_case(sim, "gravity");
    printf(" case=%s", gravity_name[which]);
    amr_print_leaves(sim, "leaf_cells", m->n[0] * m->n[1] * m->n[2]);
}

static inline void gravity_print(const struct sl_sim *sim, const struct gravity_timing *t,
                                 enum gravity_case which)
{
    const struct sl_mesh *m = sim->state.mesh;
    double cells = (double)sim->state.hierarchy->nleaf_global * m->n[0] * m->n[1] * m->n[2];
    gravity_print_case(sim, which);
    printf(" steps=%d updates_per_s=%.4g without_updates_per_s=%.4g gravity_share=%.3g "
           "told_share=%.3g potential_s=%.4g kick_s=%.4g solve_s=%.4g solve_cells_per_s=%.4g",
           t->with.steps, 1 / gravity_per_update(&t->with), 1 / gravity_per_update(&t->without),
           1 - gravity_per_update(&t->without) / gravity_per_update(&t->with),
           t->with.gravity / t->with.wall, t->potential, t->kick, t->potential + t->kick,
           cells / (t->potential + t->kick));
    if (t->transforms > 0)
        printf(" transforms_s=%.4g ratio=%.3g", t->transforms, t->potential / t->transforms);
    if (which == GRAVITY_LEVELS)
        printf(" solve_cycles=%g cycle_s=%.4g cycles=%.3g", t->cycles, t->cycle,
               (double)t->with.cycles / (double)t->with.potentials);
    putchar(' ');
    device_print_pairs();
    puts("");
}

/* ---- words ---- */

static inline enum gravity_case gravity_case_of(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (int k = 0; k < GRAVITY_NONE && strncmp(argv[i], "case=", 5) == 0; k++)
            if (strcmp(argv[i] + 5, gravity_name[k]) == 0) return (enum gravity_case)k;
    return GRAVITY_NONE;
}

/* What is no line of this recipe. */
static inline int gravity_leaves_out(const char *word, enum gravity_case which, int with)
{
    return strncmp(word, "case=", 5) == 0 || (which != GRAVITY_LEVELS && amr_is_of_levels(word)) ||
           (!with && strncmp(word, "gravity.", 8) == 0);
}

static inline int gravity_recipe(const char *first, int argc, char **argv, enum gravity_case which,
                                 int with, struct amr_ask *ask, char *recipe, size_t size)
{
    size_t used = (size_t)snprintf(recipe, size, "%s", first);
    for (int i = 1; i < argc && used < size; i++) {
        char *eq = strchr(argv[i], '=');
        SL_CHECK(eq, SL_EUSAGE, "%s: key=value is expected", argv[i]);
        SL_CHECK(which == GRAVITY_LEVELS || strncmp(argv[i], "mesh.boundary=", 14) != 0, SL_EUSAGE,
                 "%s: case=periodic and case=isolated say that; nearest: case=levels", argv[i]);
        if (gravity_leaves_out(argv[i], which, with) || amr_asks(argv[i], eq + 1, ask)) continue;
        used += (size_t)snprintf(recipe + used, size - used, "%.*s: %s\n", (int)(eq - argv[i]),
                                 argv[i], eq + 1);
    }
    if (with && !strstr(recipe, "gravity.four_pi_g") && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "gravity.four_pi_g: 1\n");
    if (!strstr(recipe, "mesh.boundary") && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "mesh.boundary: %s\n",
                                 which == GRAVITY_ISOLATED ? "outflow" : "periodic");
    if (which == GRAVITY_LEVELS && !with && !strstr(recipe, "time.levels") && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "time.levels: one\n");
    SL_CHECK(used < size, SL_EUSAGE, "too many words");
    return SL_OK;
}

/* ---- a case ---- */

static inline int gravity_without(const char *recipe, const struct amr_ask *ask,
                                  struct gravity_timing *t)
{
    struct fluid *f;
    const struct amr_ask same = {.steps = t->with.steps, .seconds = ask->seconds};
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, eddies_mach > 0 ? eddies_state : amr_blast, &f));
    int code = eddies_develop(f->sim);
    if (code == SL_OK) code = amr_measure(f->sim, &same, &t->without);
    fluid_free(f);
    return code;
}

static inline int gravity_run(const char *first, gravity_transforms *transforms, int argc,
                              char **argv)
{
    char recipe[2][3072];
    struct amr_ask ask = {.seconds = 3};
    struct gravity_timing t = {.potential = 0};
    struct fluid *f;
    enum gravity_case which = gravity_case_of(argc, argv);
    SL_CHECK(which != GRAVITY_NONE, SL_EUSAGE, "case=periodic, case=isolated or case=levels");
    for (int with = 0; with < 2; with++)
        SL_TRY(gravity_recipe(first, argc, argv, which, with, &ask, recipe[with],
                              sizeof recipe[with]));
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe[1], eddies_mach > 0 ? eddies_state : amr_blast, &f));
    int code = eddies_develop(f->sim);
    if (code == SL_OK) code = gravity_measure(f, &ask, transforms, &t);
    if (code == SL_OK) code = gravity_without(recipe[0], &ask, &t);
    if (code == SL_OK && f->sim->state.mesh->rank == 0) gravity_print(f->sim, &t, which);
    fluid_free(f);
    return code;
}

static inline int gravity_main(const char *cases, const char *first, gravity_transforms *transforms,
                               int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = gravity_run(first, transforms, argc, argv);
    if (code != SL_OK) fprintf(stderr, "gravity: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}

#endif
