/* fluid.h - runs of the fluid for tests: a recipe as text and a state as a function of place.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  those of core/step/sim.h
 * Owns    what fluid_new makes is freed by fluid_free
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   the tests that use it
 */
#ifndef SL_TESTS_FLUID_H
#define SL_TESTS_FLUID_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lists/boundary_list.h"
#include "core/lists/mhd_list.h"
#include "core/run/start.h"
#include "core/state/problem.h"
#include "core/step/sim.h"
#include "core/sys/status.h"

/* rho, u, v, w, p, scalars at a place. */
typedef void fluid_state(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim);

struct fluid {
    struct sl_config cfg;
    struct sl_problem problem;
    struct sl_sim *sim;
    fluid_state *upright; /* what fluid_upright changes */
};

/* A state whose field does not lie along symmetric walls: a component along one has a factor that
 * varies across it alone and is 0 in it. So there is no divergence where each component varies
 * along the axes of the others only. */
static inline void fluid_upright(const void *data, const double lo[3], const double hi[3], double t,
                                 double *prim)
{
    const struct fluid *f = data;
    const double *box = f->cfg.mesh_box;
    f->upright(NULL, lo, hi, t, prim);
    for (int d = 0; d < f->cfg.mesh_cells_n && f->cfg.fluid_mhd != SL_MHD_none; d++) {
        const int *faces = f->cfg.mesh_boundary + 2 * d;
        if (faces[0] != SL_BOUNDARY_symmetric && faces[1] != SL_BOUNDARY_symmetric) continue;
        double place = (0.5 * (lo[d] + hi[d]) - box[2 * d]) / (box[2 * d + 1] - box[2 * d]);
        for (int i = 0; i < 3; i++)
            if (i != d) prim[SL_PRIM_B + i] *= sin(acos(-1) * place);
    }
}

/* recipe: lines of keys; what every run needs is put before them. data: what the state gets,
 * borrowed. upright: the state, which gets nothing then, or NULL: that of the problem. */
static inline int fluid_new_as(MPI_Comm comm, const char *recipe, struct sl_problem problem,
                               void *data, fluid_state *upright, struct fluid **out)
{
    struct fluid *f = calloc(1, sizeof *f);
    char text[4096];
    snprintf(text, sizeof text, "campaign: test\n%stime.end: 1\n%s%s",
             strstr(recipe, "problem:") ? "" : "problem: sod\n", recipe,
             strstr(recipe, "boundary") ? "" : "\nmesh.boundary: periodic\n");
    int code = f ? sl_config_parse("test", text, strlen(text), NULL, 0, &f->cfg) : SL_EMEM;
    if (code == SL_OK) code = sl_sim_new(comm, &f->cfg, &f->sim);
    if (code == SL_OK) {
        if (f->sim->state.problem->close) f->sim->state.problem->close(f->sim->state.problem_data);
        f->problem = problem;
        f->sim->state.problem = &f->problem;
        f->sim->state.problem_data = upright ? f : data;
        f->upright = upright;
        code = sl_sim_start(f->sim);
    }
    if (code != SL_OK) {
        fprintf(stderr, "%s\n", sl_error_text());
        if (f) sl_sim_free(f->sim);
        free(f);
        return code;
    }
    *out = f;
    return SL_OK;
}

static inline int fluid_new_of(MPI_Comm comm, const char *recipe, struct sl_problem problem,
                               void *data, struct fluid **out)
{
    return fluid_new_as(comm, recipe, problem, data, NULL, out);
}

static inline int fluid_new_with(MPI_Comm comm, const char *recipe, fluid_state *state, void *data,
                                 struct fluid **out)
{
    return fluid_new_of(comm, recipe, (struct sl_problem){.name = "test", .state = state}, data,
                        out);
}

/* The state without data, its field upright at symmetric walls. */
static inline int fluid_new(MPI_Comm comm, const char *recipe, fluid_state *state,
                            struct fluid **out)
{
    return fluid_new_as(comm, recipe, (struct sl_problem){.name = "test", .state = fluid_upright},
                        NULL, state, out);
}

static inline void fluid_free(struct fluid *f)
{
    sl_sim_free(f->sim);
    free(f);
}

#endif
