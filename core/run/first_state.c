/* first_state.c - see first_state.h. */
#include "core/run/first_state.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "core/run/first_mesh.h"
#include "core/run/start.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/step/source.h"
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
    void (*each)(const char *text, void *user); /* NULL: whether it can be made */
    void *user;
};

/* The start on the root grid, halved so often. */
static int start(MPI_Comm comm, const struct sl_config *cfg, int halved, const struct question *q)
{
    struct sl_config *own = NULL;
    struct sl_sim *sim = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("configuration", 1, sizeof *own, &own)));
    *own = *cfg;
    sl_first_mesh_coarsen(own, halved, false);
    int code = sl_sim_new(comm, own, &sim);
    if (code == SL_OK) code = sl_sim_start_root(sim);
    if (code == SL_OK && q->each) code = sl_sources_remark(sim, q->each, q->user);
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
    const struct question q = {.each = NULL};
    bool quick = sl_first_mesh_bytes(cfg, 0) <= bytes && small_files(cfg, bytes);
    return quick ? start(comm, cfg, 0, &q) : names(comm, cfg);
}

int sl_first_state_remark(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                          void (*each)(const char *text, void *user), void *user)
{
    const struct question q = {each, user};
    bool small = small_files(cfg, bytes);
    for (int halved = 0; small && halved < SL_LEVELS && sl_first_mesh_halves(cfg, halved); halved++)
        if (sl_first_mesh_bytes(cfg, halved) <= bytes) return start(comm, cfg, halved, &q);
    return SL_FAIL(SL_EUNAVAIL, "no start is small enough for a quick look");
}
