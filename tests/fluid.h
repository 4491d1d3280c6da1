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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
};

/* recipe: lines of keys; what every run needs is put before them. data: what the state gets,
 * borrowed. */
static inline int fluid_new_of(MPI_Comm comm, const char *recipe, struct sl_problem problem,
                               void *data, struct fluid **out)
{
    struct fluid *f = calloc(1, sizeof *f);
    char text[4096];
    snprintf(text, sizeof text, "campaign: test\nproblem: sod\ntime.end: 1\n%s%s", recipe,
             strstr(recipe, "boundary") ? "" : "\nmesh.boundary: periodic\n");
    int code = f ? sl_config_parse("test", text, strlen(text), NULL, 0, &f->cfg) : SL_EMEM;
    if (code == SL_OK) code = sl_sim_new(comm, &f->cfg, &f->sim);
    if (code == SL_OK) {
        if (f->sim->state.problem->close) f->sim->state.problem->close(f->sim->state.problem_data);
        f->problem = problem;
        f->sim->state.problem = &f->problem;
        f->sim->state.problem_data = data;
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

static inline int fluid_new_with(MPI_Comm comm, const char *recipe, fluid_state *state, void *data,
                                 struct fluid **out)
{
    return fluid_new_of(comm, recipe, (struct sl_problem){.name = "test", .state = state}, data,
                        out);
}

static inline int fluid_new(MPI_Comm comm, const char *recipe, fluid_state *state,
                            struct fluid **out)
{
    return fluid_new_with(comm, recipe, state, NULL, out);
}

static inline void fluid_free(struct fluid *f)
{
    sl_sim_free(f->sim);
    free(f);
}

#endif
