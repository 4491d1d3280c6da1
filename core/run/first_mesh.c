/* first_mesh.c - see first_mesh.h. */
#include "core/run/first_mesh.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/lists/refine_list.h"
#include "core/run/start.h"
#include "core/state/problem.h"
#include "core/step/refine.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Bytes that a cell of the root grid takes at least: two copies with ghost cells. */
static const double cell_bytes = 150;
/* That a start with gas takes beside them where the run makes it itself. */
static const double start_bytes = 104;

bool sl_first_mesh_halves(const struct sl_config *cfg, int halved)
{
    for (int d = 0; d < sl_config_dim(cfg); d++)
        if (cfg->mesh_cells[d] / cfg->mesh_block[d] % ((int64_t)1 << halved) != 0 ||
            (sl_config_makes_start(cfg) && (cfg->mesh_cells[d] >> halved) % 2 != 0))
            return false;
    return true;
}

double sl_first_mesh_bytes(const struct sl_config *cfg, int halved)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)(cfg->mesh_cells[d] >> halved);
    bool makes = sl_config_makes_start(cfg) && sl_config_has_gas(cfg);
    double fine = (double)((int64_t)1 << sl_config_dim(cfg) * cfg->ic_level);
    return cells * (cell_bytes + (makes ? start_bytes * fine : 0));
}

/* Rules are asked of the root grid, too: where blocks are refined because of one, it may find its
 * cells in order. */
static int asked(struct sl_sim *sim, int64_t *most)
{
    int64_t finer[SL_REFINE_RULES], here[SL_REFINE_RULES];
    SL_TRY(sl_step_push(sim));
    SL_TRY(sl_refine_count(sim, finer, here));
    for (int i = 0; i < sim->state.cfg->mesh_refine_n; i++)
        if (here[i] > most[i]) most[i] = here[i];
    return SL_OK;
}

/* On a root grid that was halved. */
static int filled_find(const struct sl_sim *sim, int halved, int *filled)
{
    const struct sl_problem *p = sim->state.problem;
    struct sl_mesh mesh = *sim->state.mesh;
    struct sl_state level = sim->state;
    if (sl_config_makes_start(level.cfg)) halved = 0; /* of the root that was halved itself */
    level.mesh = &mesh;
    *filled = SL_LEVELS;
    for (mesh.level = 0; p->fills && mesh.level < SL_LEVELS; mesh.level++) {
        bool fills = false;
        SL_TRY(sl_agree(mesh.comm, p->fills(sim->state.problem_data, &level, &fills)));
        if (fills) continue;
        *filled = mesh.level - 1 - halved;
        return SL_OK;
    }
    return SL_OK;
}

static int start(struct sl_sim *sim, double bytes, int64_t *leaves, struct sl_first_mesh *out)
{
    sim->room = bytes;
    out->block_cells = sim->state.mesh->n[0] * sim->state.mesh->n[1] * sim->state.mesh->n[2];
    SL_TRY(sl_sim_start_root(sim));
    SL_TRY(asked(sim, out->asked));
    SL_TRY(sl_sim_start(sim));
    for (int l = 0; l < sim->state.hierarchy->nlevel; l++)
        leaves[l] = sim->state.hierarchy->count[l];
    return asked(sim, out->asked);
}

/* Whether the number of a criterion is as large as a cell in what is smooth. */
static bool grows(int by)
{
    static const bool list[] = {
#define GROWS(name, takes, above, below, grows, about) grows,
        SL_REFINE_LIST(GROWS)
#undef GROWS
    };
    return list[by];
}

void sl_first_mesh_coarsen(struct sl_config *cfg, int halved, bool smooth)
{
    cfg->resources_backend = SL_BACKEND_cpu;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cfg->mesh_cells[d] >>= halved;
    /* a file stays as fine as it is, a start that a run makes is as fine as the run */
    if (!sl_config_makes_start(cfg)) cfg->ic_level += halved;
    for (int i = 0; i < cfg->mesh_refine_n && smooth; i++) {
        struct sl_refine_rule *r = &cfg->mesh_refine[i];
        double times = grows(r->by) ? (double)(1 << halved) : 1;
        r->above *= times, r->below *= times;
    }
}

/* *fits: whether the mesh did not outgrow the memory. */
static int start_halved(MPI_Comm comm, const struct sl_config *cfg, int halved, double bytes,
                        enum sl_first_start which, bool *fits, struct sl_first_mesh *out)
{
    struct sl_config *coarse = NULL;
    struct sl_sim *sim = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("configuration", 1, sizeof *coarse, &coarse)));
    *coarse = *cfg;
    sl_first_mesh_coarsen(coarse, halved, which != SL_FIRST_AS_IT_IS);
    int code = sl_sim_new(comm, coarse, &sim);
    if (code == SL_OK) sim->state.looked_at = true;
    if (code == SL_OK) code = start(sim, bytes, out->leaves[which], out);
    if (code == SL_OK) code = filled_find(sim, halved, &out->filled);
    *fits = !(sim && sim->state.regrid_due);
    if (!*fits && code == SL_EMEM) code = SL_OK;
    sl_sim_free(sim);
    free(coarse);
    return code;
}

int sl_first_mesh_find(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                       struct sl_first_mesh *out)
{
    for (int halved = 0; halved < SL_LEVELS && sl_first_mesh_halves(cfg, halved); halved++) {
        bool fits = false;
        if (sl_first_mesh_bytes(cfg, halved) > bytes) continue;
        *out = (struct sl_first_mesh){.halved = halved};
        SL_TRY(start_halved(comm, cfg, halved, bytes, SL_FIRST_AS_IT_IS, &fits, out));
        if (!fits) continue;
        if (halved == 0) return SL_OK;
        SL_TRY(start_halved(comm, cfg, halved, bytes, SL_FIRST_SMOOTH, &fits, out));
        if (!sl_first_mesh_halves(cfg, halved + 1)) return SL_OK;
        return start_halved(comm, cfg, halved + 1, bytes, SL_FIRST_COARSER, &fits, out);
    }
    return SL_FAIL(SL_EUNAVAIL, "no root grid of whole blocks is small enough for a quick look");
}

static void print_list(FILE *out, const char *name, int n, const int64_t *value)
{
    fprintf(out, ", \"%s\": [", name);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%" PRId64, i ? ", " : "", value[i]);
    fputs("]", out);
}

void sl_first_mesh_print(FILE *out, const struct sl_config *cfg, const struct sl_first_mesh *mesh)
{
    int levels = (int)cfg->mesh_levels + 1;
    fprintf(out, "{\"v\": 1, \"halved\": %d, \"block_cells\": %d", mesh->halved, mesh->block_cells);
    if (mesh->filled < SL_LEVELS) fprintf(out, ", \"filled\": %d", mesh->filled);
    print_list(out, "leaves", levels, mesh->leaves[SL_FIRST_AS_IT_IS]);
    print_list(out, "smooth", levels, mesh->leaves[SL_FIRST_SMOOTH]);
    print_list(out, "coarser", levels, mesh->leaves[SL_FIRST_COARSER]);
    print_list(out, "asked", cfg->mesh_refine_n, mesh->asked);
    fputs("}\n", out);
}
