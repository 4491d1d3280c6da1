/* first_state.c - see first_state.h. */
#include "core/run/first_state.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "core/run/first_mesh.h"
#include "core/run/start.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static double file_bytes(const char *path)
{
    struct stat st;
    return *path && stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static int whole(MPI_Comm comm, const struct sl_config *cfg)
{
    struct sl_config *own = NULL;
    struct sl_sim *sim = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("configuration", 1, sizeof *own, &own)));
    *own = *cfg;
    own->resources_backend = SL_BACKEND_cpu;
    int code = sl_sim_new(comm, own, &sim);
    if (code == SL_OK) code = sl_sim_start_root(sim);
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

int sl_first_state_check(MPI_Comm comm, const struct sl_config *cfg, double bytes)
{
    bool quick =
        sl_first_mesh_bytes(cfg, 0) <= bytes &&
        file_bytes(cfg->array_file) + file_bytes(cfg->run_input) + file_bytes(cfg->ic_file) <=
            bytes;
    return (quick ? whole : names)(comm, cfg);
}
