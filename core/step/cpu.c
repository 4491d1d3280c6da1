/* cpu.c - the backend of the processor: sweeps over the blocks of the rank; see backend.h. */
#include <stdlib.h>

#include "core/config/config.h"
#include "core/lists/integrator_list.h"
#include "core/step/backend.h"
#include "core/step/diffuse.h"
#include "core/step/flag.h"
#include "core/step/repair_rounds.h"
#include "core/step/work.h"
#include "core/sweep/split.h"
#include "core/sys/status.h"
#include "core/transfer/edge_register.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"
#include "core/transfer/register.h"

static int found(void)
{
    return 1;
}

static int sweeps_new(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    SL_TRY(sl_sweep_new(sim->state.mesh, &w->scheme, &w->plain, &w->sweep));
    if (sim->state.cfg->fluid_integrator == SL_INTEGRATOR_ctu)
        return sl_sweep_ctu_new(sim->state.mesh, &w->scheme, &w->sweep_ctu);
    if (sim->state.layout.face >= 0)
        return sl_sweep_ct_new(sim->state.mesh, &w->scheme, &w->plain, &w->sweep_ct);
    w->in_place = 1;
    return sim->state.cfg->fluid_integrator == SL_INTEGRATOR_tvd
               ? sl_split_new(sim->state.mesh, &w->scheme, &w->split)
               : SL_OK;
}

static int mass_new(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    w->mass[0] = sl_field_new(sl_step_mass_values(sim));
    if (sl_step_parts(sim) > 1) w->mass[1] = sl_field_new(sl_step_mass_values(sim));
    w->kicked = sl_field_new(sl_step_kicked_values(sim));
    SL_CHECK(w->mass[0] && w->kicked && (w->mass[1] || sl_step_parts(sim) == 1), SL_EMEM,
             "no memory for the mass that crosses faces");
    return SL_OK;
}

static int open_cpu(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    if (sim->state.layout.nvar == 0) return SL_OK;
    size_t size = sl_mesh_size(sim->state.mesh, sim->state.layout.nvar);
    SL_TRY(sweeps_new(sim));
    w->next = sl_field_new(size);
    SL_CHECK(w->next, SL_EMEM, "no memory for a second copy of %zu values", size);
    w->now = sim->state.u;
    return w->keeps_mass ? mass_new(sim) : SL_OK;
}

static void close_cpu(struct sl_sim *sim)
{
    sl_sweep_free(sim->work->sweep);
    sl_sweep_ct_free(sim->work->sweep_ct);
    sl_sweep_ctu_free(sim->work->sweep_ctu);
    sl_split_free(sim->work->split);
    sl_register_free(sim->work->fluxes);
    sl_edges_free(sim->work->edges);
    sl_diffuse_free(sim->work->diffuse);
    free(sim->work->next);
    free(sim->work->third);
    free(sim->work->flags);
    free(sim->work->mass[0]);
    free(sim->work->mass[1]);
    free(sim->work->kicked);
    sl_level_buffers_free(sim->work->buffers);
}

static size_t block_at(const struct sl_sim *sim, int block)
{
    return sl_mesh_at(sim->state.mesh, sim->state.layout.nvar, block, 0, 0, 0, 0);
}

struct sl_signal sl_step_block(struct sl_sim *sim, const struct sl_stage *stage, int block,
                               const sl_real *flags, const struct sl_beyond *beyond,
                               const sl_real *in, sl_real *out)
{
    const struct sl_step *w = sim->work;
    const double *dx = sim->state.mesh->blocks[block].dx;
    size_t at = block_at(sim, block);
    struct sl_stage here = *stage;
    size_t mass =
        sl_mass_flux_at(sim->state.mesh->dim, sim->state.mesh->n, (size_t)block, 0, 0, 0, 0);
    here.walls = sl_mesh_walls(sim->state.mesh, block);
    if (here.mass) here.mass += mass;
    if (here.mass_before) here.mass_before += mass;
    if (w->sweep_ctu) return sl_sweep_ctu_block(w->sweep_ctu, &here, dx, flags, in + at, out + at);
    if (w->sweep_ct) {
        struct sl_edge_keep keep = sl_edges_keep(w->edges, stage, block);
        return sl_sweep_ct_block(w->sweep_ct, &here, dx, &keep, flags, sim->state.u + at, in + at,
                                 out + at);
    }
    if (w->split) return sl_split_block(w->split, &here, dx, in + at, out + at);
    return sl_sweep_block(w->sweep, &here, dx, beyond, sim->state.u + at, in + at, out + at);
}

/* Sweeps that work in place read cells across y and z in the neighbouring block (struct sl_beyond).
 * Repairs, flux registers and finer levels read ghost cells, which are filled where one of them may
 * follow. */
static struct sl_ghost_arg ghost_of(const struct sl_sim *sim, const sl_real *in, const sl_real *out)
{
    const struct sl_step *w = sim->work;
    struct sl_ghost_arg arg = w->ghost;
    arg.direct =
        arg.faces_only && w->checked == 0 && w->in_place && !w->split && !w->fluxes && !sim->finer;
    arg.out_of_place = in != out;
    return arg;
}

/* A covered block does not limit the step: the finer ones that cover it do. */
static struct sl_signal join(const struct sl_sim *sim, int block, struct sl_signal all,
                             struct sl_signal s)
{
    if (block >= sim->state.mesh->nleaf) s.rate_max = s.rate_sum = 0;
    return sl_signal_join(all, s);
}

/* Seconds of work on the blocks of a level. */
static void spend(struct sl_sim *sim, double seconds)
{
    sl_costs_add(&sim->root->costs, sim->state.mesh->level, seconds);
}

static void sweep_blocks(struct sl_sim *sim, const struct sl_stage *stage,
                         const struct sl_ghost_arg *ghost, int remote, sl_real *in, sl_real *out,
                         struct sl_signal *all)
{
    const struct sl_register_stage of = {
        sim->state.mesh, &sim->work->scheme, stage, in, NULL, sim->work->split != NULL};
    struct sl_beyond beyond;
    double start = MPI_Wtime();
    for (int b = 0; b < sim->state.mesh->nblock; b++) {
        if (sim->state.mesh->blocks[b].remote != remote) continue;
        sl_ghost_block(sim->state.mesh, ghost, in, b, &beyond);
        sl_register_block(sim->work->fluxes, &of, b);
        *all = join(sim, b, *all,
                    sl_step_block(sim, stage, b, NULL, ghost->direct ? &beyond : NULL, in, out));
    }
    spend(sim, MPI_Wtime() - start);
}

static void registers_begin(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in)
{
    struct sl_step *w = sim->work;
    bool first = in == w->now;
    sl_register_begin(w->fluxes, stage, first);
    if (w->edges && sl_stage_counts(stage)) sl_stage_sums_begin(&w->edges->sums, stage, first);
}

/* Blocks that need nothing from other ranks go first, while the messages travel. */
static int advance(struct sl_sim *sim, const struct sl_stage *stage, sl_real *in, sl_real *out,
                   struct sl_signal *all)
{
    const struct sl_ghost_arg ghost = ghost_of(sim, in, out);
    registers_begin(sim, stage, in);
    SL_TRY(sl_ghost_begin(sim->state.mesh, &ghost, in));
    sweep_blocks(sim, stage, &ghost, 0, in, out, all);
    SL_TRY(sl_ghost_end(sim->state.mesh, &ghost, in));
    sweep_blocks(sim, stage, &ghost, 1, in, out, all);
    return SL_OK;
}

static int signal_of(struct sl_sim *sim, sl_real *u, struct sl_signal *all)
{
    for (int b = 0; b < sim->state.mesh->nblock; b++)
        *all = join(
            sim, b, *all,
            sl_sweep_signal(sim->work->sweep, sim->state.mesh->blocks[b].dx, u + block_at(sim, b)));
    return SL_OK;
}

/* ---- between levels -------------------------------------------------------------------------- */

static int register_set(struct sl_sim *sim, struct sl_flux_register_side *fine, int nfine,
                        struct sl_flux_register_side *coarse, int ncoarse)
{
    const struct sl_mesh *m = sim->state.mesh;
    int integrator = sim->state.cfg->fluid_integrator;
    struct sl_step *w = sim->work;
    struct sl_register *fluxes;
    SL_TRY(sl_register_check(m, integrator, fine, nfine));
    SL_TRY(sl_register_check(m, integrator, coarse, ncoarse));
    SL_TRY(sl_register_new(m, &w->scheme, fine, nfine, coarse, ncoarse, &fluxes));
    sl_register_free(w->fluxes);
    w->fluxes = fluxes;
    return SL_OK;
}

static int edges_set(struct sl_sim *sim, const int *fine, int nfine, const int *coarse, int ncoarse)
{
    struct sl_step *w = sim->work;
    struct sl_edges *edges;
    SL_TRY(sl_edges_new(sim->state.mesh, w->sweep_ct, fine, nfine, coarse, ncoarse, &edges));
    sl_edges_free(w->edges);
    w->edges = edges;
    return SL_OK;
}

static int register_clear(struct sl_sim *sim)
{
    sl_register_clear(sim->work->fluxes);
    if (sim->work->edges) sl_stage_sums_clear(&sim->work->edges->sums);
    return SL_OK;
}

static int register_accept(struct sl_sim *sim)
{
    sl_register_accept(sim->work->fluxes);
    if (sim->work->edges) sl_stage_sums_accept(&sim->work->edges->sums);
    return SL_OK;
}

/* Each is work of the blocks from which it is made, but refluxing, which is that of the cells it
 * corrects. */
static int prolong(struct sl_sim *coarse, struct sl_sim *fine, sl_real share, sl_real *u)
{
    struct sl_transfer_level c = sl_step_transfer_level(coarse), f = sl_step_transfer_level(fine);
    double start = sl_level_exchange_clock(*f.buffers);
    SL_TRY(sl_nest_prolong(&c, &f, share, u));
    spend(coarse, sl_level_exchange_clock(*f.buffers) - start);
    return SL_OK;
}

static int cover(struct sl_sim *coarse, struct sl_sim *fine)
{
    struct sl_transfer_level c = sl_step_transfer_level(coarse), f = sl_step_transfer_level(fine);
    double start = sl_level_exchange_clock(*f.buffers);
    SL_TRY(sl_nest_cover(&c, &f));
    spend(fine, sl_level_exchange_clock(*f.buffers) - start);
    return SL_OK;
}

static int reflux(struct sl_sim *coarse, struct sl_sim *fine, struct sl_corrected *count)
{
    struct sl_transfer_level c = sl_step_transfer_level(coarse), f = sl_step_transfer_level(fine);
    double start = sl_level_exchange_clock(*f.buffers);
    SL_TRY(sl_nest_reflux(&c, &f, count));
    spend(coarse, sl_level_exchange_clock(*f.buffers) - start);
    return SL_OK;
}

static int ghosts(struct sl_sim *sim, enum sl_ghosts which)
{
    struct sl_ghost_arg arg = sim->work->ghost;
    if (which == SL_GHOSTS_ALL || (which == SL_GHOSTS_NEXT && sim->state.layout.face >= 0))
        arg.faces_only = 0;
    arg.time = sim->state.time;
    return sl_ghost_fill(sim->state.mesh, &arg, sim->work->now);
}

static int levels_of(const struct sl_sim *root, struct sl_transfer_level level[SL_LEVELS])
{
    int n = 0;
    for (; root; root = root->finer)
        level[n++] = sl_step_transfer_level(root);
    return n;
}

static int move(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves)
{
    struct sl_transfer_level from[SL_LEVELS], to[SL_LEVELS];
    int nfrom = levels_of(old, from), nto = levels_of(now, to);
    return sl_nest_move(from, nfrom, to, nto, moves);
}

const struct sl_backend sl_backend_cpu = {.name = "cpu",
                                          .found = found,
                                          .open = open_cpu,
                                          .close = close_cpu,
                                          .advance = advance,
                                          .signal = signal_of,
                                          .register_set = register_set,
                                          .edges_set = edges_set,
                                          .register_clear = register_clear,
                                          .register_accept = register_accept,
                                          .prolong = prolong,
                                          .cover = cover,
                                          .reflux = reflux,
                                          .ghosts = ghosts,
                                          .move = move,
                                          .flag = sl_flag_blocks,
                                          .repair_ready = sl_repair_ready,
                                          .repair = sl_repair,
                                          .diffuse = sl_diffuse_blocks};
