/* calls_cases.h - what the calls of MPI are counted of (calls.h): a step of each kind, a regrid,
 * and each output of a run, on a mesh that grows with the ranks: each has a cube of 2 x 2 x 2
 * blocks of 8^3 cells. Gas twice as dense lies in one of these blocks, at rest, so that a rule of
 * refinement asks for that one.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units; a rank's cube has unit sides
 * Errors  those of the calls that are counted
 * Owns    nothing
 * MPI     collective over MPI_COMM_WORLD; a power of two of ranks, so that the cubes fill the box
 * Where   host
 * Refs    none
 * Tests   tests/law/calls.c
 */
#ifndef SL_TESTS_CALLS_CASES_H
#define SL_TESTS_CALLS_CASES_H

#include <math.h>

#include "core/io/checkpoint.h"
#include "core/io/snapshot.h"
#include "core/run/totals.h"
#include "core/sys/file.h"
#include "tests/calls.h"
#include "tests/fluid.h"
#include "tests/scratch.h"

enum {
    CALLS_STEPS = 4,
    CALLS_SIDE = 16
}; /* steps that are counted; cells of a rank along an axis */

#define CALLS_LEVELS                                                                               \
    "mesh.levels: 1\nmesh.buffer: 0\nmesh.regrid: 1000\nmesh.derefine_after: 1\n"                  \
    "mesh.refine: [{by: value, of: density, above: 1.5}]\ntime.levels: each\n"

#define CALLS_POTENTIAL "potential: {kind: plane, strength: 0.01}\n"

/* X(name, keys of the recipe, how often, function that does it, what it is) */
#define CALLS_CASES(X)                                                                             \
    X(plain, "", CALLS_STEPS, calls_steps, "step")                                                 \
    X(field, "fluid.mhd: ct\n", CALLS_STEPS, calls_steps, "step with a magnetic field")            \
    X(gravity, "gravity.four_pi_g: 1\n", CALLS_STEPS, calls_steps, "step with self-gravity")       \
    X(driving, "driving.acceleration: 0.1\n", CALLS_STEPS, calls_steps, "step with driving")       \
    X(cooling, "cooling.rate: 0.01\n", CALLS_STEPS, calls_steps, "step with cooling")              \
    X(potential, CALLS_POTENTIAL, CALLS_STEPS, calls_steps, "step with an external potential")     \
    X(diffusion, "diffusion.viscosity: 1e-4\n", CALLS_STEPS, calls_steps, "step with viscosity")   \
    X(levels, CALLS_LEVELS, CALLS_STEPS, calls_steps, "step with two levels")                      \
    X(rules, CALLS_LEVELS, 1, calls_rules, "regrid that changes nothing")                          \
    X(regrid, CALLS_LEVELS, 1, calls_regrid, "regrid of two levels")                               \
    X(history, "", 1, calls_history, "line of the history")                                        \
    X(checkpoint, "", 1, calls_checkpoint, "checkpoint")                                           \
    X(snapshot, "", 1, calls_snapshot, "snapshot")

/* Of x, as cubes lie along it. */
static inline bool calls_upper_half(double x)
{
    return x - floor(x) > 0.5;
}

static inline void calls_state(const void *data, const double lo[3], const double hi[3], double t,
                               double *prim)
{
    (void)data, (void)t;
    bool dense = true;
    for (int d = 0; d < 3; d++)
        dense = dense && !calls_upper_half(0.5 * (lo[d] + hi[d]));
    prim[0] = dense ? 2 : 1;
    prim[4] = 1;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.1;
}

/* Cubes of the ranks along each axis. */
static inline void calls_cubes(int size, int cubes[3])
{
    for (int d = 0; d < 3; d++)
        cubes[d] = 1;
    for (int n = 1, d = 0; n < size; n *= 2, d = (d + 1) % 3)
        cubes[d] *= 2;
}

static inline int calls_run_new(const char *keys, struct fluid **out)
{
    char recipe[1024];
    int n[3];
    calls_cubes(calls_size(MPI_COMM_WORLD), n);
    snprintf(recipe, sizeof recipe,
             "mesh: {cells: [%d, %d, %d], block: [%d], box: [[0, %d], [0, %d], [0, %d]]}\n%s",
             CALLS_SIDE * n[0], CALLS_SIDE * n[1], CALLS_SIDE * n[2], CALLS_SIDE / 2, n[0], n[1],
             n[2], keys);
    return fluid_new(MPI_COMM_WORLD, recipe, calls_state, out);
}

/* ---- what is counted ------------------------------------------------------------------------- */

/* After two steps that make what is made once. dir: for files. */
typedef int calls_act(struct fluid *f, const char *dir);

static inline int calls_steps(struct fluid *f, const char *dir)
{
    (void)dir;
    for (int i = 0; i < CALLS_STEPS; i++)
        SL_TRY(sl_sim_step(f->sim, 100));
    return SL_OK;
}

static inline int calls_rules(struct fluid *f, const char *dir)
{
    (void)dir;
    return sl_sim_regrid(f->sim, true);
}

/* The dense gas lies in the block beside the one where it was. */
static inline void calls_shift(struct sl_state *state)
{
    for (struct sl_state *s = state; s; s = s->finer) {
        const struct sl_mesh *m = s->mesh;
        for (int b = 0; b < m->nblock; b++)
            for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
                for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                    for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                        double lo[3], hi[3], prim[SL_PRIM_MAX];
                        sl_mesh_cell(m, b, k, j, i, lo, hi);
                        lo[0] += 0.5, hi[0] += 0.5;
                        calls_state(NULL, lo, hi, 0, prim);
                        s->u[sl_mesh_at(m, s->layout.nvar, b, SL_RHO, k, j, i)] = (sl_real)prim[0];
                    }
    }
}

static inline int calls_regrid(struct fluid *f, const char *dir)
{
    (void)dir;
    calls_shift(&f->sim->state);
    return sl_sim_regrid(f->sim, true);
}

static inline int calls_history(struct fluid *f, const char *dir)
{
    char path[SL_PATH_MAX];
    struct sl_provenance p;
    struct sl_history *h;
    struct sl_totals t;
    SL_TRY(sl_path_join(path, dir, "history.tsv"));
    SL_TRY(sl_provenance_make(MPI_COMM_WORLD, &f->cfg, &p));
    SL_TRY(sl_history_open(&f->sim->state, path, false, &p, &h));
    calls_clear();
    int code = sl_run_totals(f->sim, &t);
    if (code == SL_OK) code = sl_history_add(h, &f->sim->state, &t);
    sl_history_close(h);
    return code;
}

/* The second of a run, which knows its nodes. */
static inline int calls_checkpoint(struct fluid *f, const char *dir)
{
    struct sl_checkpoint_nodes *nodes = NULL;
    int code = SL_OK;
    for (int i = 0; i < 2 && code == SL_OK; i++) {
        struct sl_output *out;
        calls_clear();
        code = sl_checkpoint_begin(&f->sim->state, dir, 2, false, &nodes, &out);
        if (code == SL_OK) code = sl_output_end(&out);
    }
    sl_checkpoint_nodes_free(nodes);
    return code;
}

static inline int calls_snapshot(struct fluid *f, const char *dir)
{
    struct sl_provenance p;
    SL_TRY(sl_provenance_make(MPI_COMM_WORLD, &f->cfg, &p));
    calls_clear();
    return sl_snapshot_write(&f->sim->state, dir, 0, &p);
}

/* ---- counting -------------------------------------------------------------------------------- */

struct calls_case {
    const char *name, *keys;
    int times;
    calls_act *act;
    const char *about;
};

enum calls_number {
#define CALLS_NUMBER(name, keys, times, act, about) CALLS_CASE_##name,
    CALLS_CASES(CALLS_NUMBER)
#undef CALLS_NUMBER
        CALLS_CASE_COUNT
};

static const struct calls_case calls_cases[] = {
#define CALLS_CASE(name, keys, times, act, about) {#name, keys, times, act, about},
    CALLS_CASES(CALLS_CASE)
#undef CALLS_CASE
};

/* Of one time: what this rank did. f: afterwards, freed by fluid_free. */
static inline int calls_count(enum calls_number which, const char *dir, struct calls *out,
                              struct fluid **f)
{
    const struct calls_case *c = &calls_cases[which];
    SL_TRY(calls_run_new(c->keys, f));
    int code = SL_OK;
    for (int i = 0; i < 2 && code == SL_OK; i++)
        code = sl_sim_step((*f)->sim, 100);
    calls_clear();
    if (code == SL_OK) code = c->act(*f, dir);
    *out = calls_now;
    for (int k = 0; k < CALLS_KINDS; k++) {
        out->of[k].calls /= c->times;
        out->of[k].sent /= c->times;
        out->of[k].received /= c->times;
    }
    return code;
}

/* A directory that all ranks know, into path[256]; the first one removes it. */
static inline void calls_scratch(char *path)
{
    if (calls_rank(MPI_COMM_WORLD) == 0) scratch_make(path, "calls");
    PMPI_Bcast(path, 256, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
