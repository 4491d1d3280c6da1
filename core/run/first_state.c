/* first_state.c - see first_state.h. */
#include "core/run/first_state.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/run/first_mesh.h"
#include "core/run/start.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/step/source.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static double file_bytes(const char *path)
{
    struct stat st;
    return *path && stat(path, &st) == 0 ? (double)st.st_size : 0;
}

/* What is asked of a start on the root grid. */
struct question {
    int (*ask)(struct sl_sim *sim, const struct question *q); /* NULL: whether it can be made */
    void (*each)(const char *text, void *user);
    void *user;
    struct sl_first_collapse *collapse;
};

static int ask_remarks(struct sl_sim *sim, const struct question *q)
{
    return sl_sources_remark(sim, q->each, q->user);
}

static int ask_collapse(struct sl_sim *sim, const struct question *q)
{
    const struct sl_source_args none = {.of = NULL};
    double density, jeans, g = sim->state.cfg->gravity_four_pi_g;
    const double pi = acos(-1);
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_collapse_density, &none, &density));
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_collapse_jeans, &none, &jeans));
    q->collapse->density = density;
    q->collapse->time = pi * sqrt(3 / (8 * g * density));
    q->collapse->jeans = 2 * pi / sqrt(g * jeans);
    q->collapse->end = sim->state.end;
    q->collapse->unit = sim->state.time_unit;
    return SL_OK;
}

/* The start on the root grid, halved so often. */
static int start(MPI_Comm comm, const struct sl_config *cfg, int halved, const struct question *q)
{
    struct sl_config *own = NULL;
    struct sl_sim *sim = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("configuration", 1, sizeof *own, &own)));
    *own = *cfg;
    sl_first_mesh_coarsen(own, halved, false);
    int code = sl_sim_new(comm, own, &sim);
    if (code == SL_OK) sim->state.looked_at = true;
    if (code == SL_OK) code = sl_sim_start_root(sim);
    if (code == SL_OK && q->ask) code = q->ask(sim, q);
    sl_sim_free(sim);
    free(own);
    return code;
}

static int names(MPI_Comm comm, const struct sl_config *cfg)
{
    const struct sl_problem *p = sl_problem_find(sl_choice_name("problem", cfg->problem));
    struct sl_mesh mesh = {.comm = comm, .dim = sl_config_dim(cfg), .spec = sl_state_grid(cfg, 0)};
    struct sl_state state = {.cfg = cfg,
                             .problem = p,
                             .mesh = &mesh,
                             .layout = sl_state_layout(cfg),
                             .gas = sl_state_gas(cfg)};
    SL_TRY(sl_agree(comm, p->open(cfg, &state.problem_data)));
    int code = p->fill(state.problem_data, &state);
    if (code == SL_OK && p->faces && state.layout.face >= 0)
        code = sl_agree(comm, p->faces(state.problem_data, &state));
    p->close(state.problem_data);
    return code;
}

static bool small_files(const struct sl_config *cfg, double bytes)
{
    return file_bytes(cfg->array_file) + file_bytes(cfg->run_input) + file_bytes(cfg->ic_file) <=
           bytes;
}

int sl_first_state_check(MPI_Comm comm, const struct sl_config *cfg, double bytes)
{
    const struct question q = {.ask = NULL};
    bool quick = sl_first_mesh_bytes(cfg, 0) <= bytes && small_files(cfg, bytes);
    return quick ? start(comm, cfg, 0, &q) : names(comm, cfg);
}

/* On the root grid or, where that would take more than bytes, on one that is halved as often as
 * needed. */
static int ask_small(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                     const struct question *q)
{
    bool small = small_files(cfg, bytes);
    for (int halved = 0; small && halved < SL_LEVELS && sl_first_mesh_halves(cfg, halved); halved++)
        if (sl_first_mesh_bytes(cfg, halved) <= bytes) return start(comm, cfg, halved, q);
    return SL_FAIL(SL_EUNAVAIL, "no start is small enough for a quick look");
}

int sl_first_state_remark(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                          void (*each)(const char *text, void *user), void *user)
{
    const struct question q = {.ask = ask_remarks, .each = each, .user = user};
    return ask_small(comm, cfg, bytes, &q);
}

int sl_first_state_collapse(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                            struct sl_first_collapse *out)
{
    const struct question q = {.ask = ask_collapse, .collapse = out};
    return ask_small(comm, cfg, bytes, &q);
}
