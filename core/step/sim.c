/* sim.c - makes and frees a run, sets its first state, hashes it; see sim.h. */
#include "core/step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/relax.h"
#include "core/cosmo/expansion.h"
#include "core/problem/problem.h"
#include "core/source/source.h"
#include "core/step/backend.h"
#include "core/step/level.h"
#include "core/step/nest.h"
#include "core/step/rows_characteristic.h"
#include "core/step/start_ct.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

sl_real *sl_field_new(size_t n)
{
    size_t size = n * sizeof(sl_real);
    sl_real *p = sl_alloc_large(size);
    if (p) memset(p, 0, size);
    return p;
}

/* ---- making --------------------------------------------------------------------------------- */

static struct sl_layout layout_of(const struct sl_config *cfg)
{
    struct sl_layout l = {.nvar = 4, .energy = -1, .entropy = -1, .magnetic = -1, .face = -1};
    if (cfg->fluid_eos == SL_EOS_ideal) l.energy = l.nvar++;
    if (cfg->fluid_mhd != SL_MHD_none) {
        l.magnetic = l.nvar;
        l.nvar += cfg->fluid_mhd == SL_MHD_glm ? 4 : 3;
    }
    if (l.energy >= 0 && cfg->fluid_dual_energy) l.entropy = l.nvar++;
    l.scalar0 = l.nvar;
    l.nscalar = (int)cfg->fluid_scalars;
    l.nflow = l.nvar += l.nscalar;
    if (cfg->fluid_mhd == SL_MHD_ct) {
        l.face = l.nvar;
        l.nvar += sl_config_dim(cfg);
    }
    return l;
}

static struct sl_gas gas_of(const struct sl_config *cfg)
{
    struct sl_gas g = {.eos = cfg->fluid_eos,
                       .gamma = (sl_real)cfg->fluid_gamma,
                       .cs = (sl_real)cfg->fluid_sound_speed,
                       .rho_floor = (sl_real)cfg->fluid_density_floor,
                       .p_floor = (sl_real)cfg->fluid_pressure_floor};
    return g;
}

static struct sl_mesh_spec spec_of(const struct sl_config *cfg, int ghost)
{
    struct sl_mesh_spec m = {
        .dim = sl_config_dim(cfg), .ghost = ghost, .staggered = cfg->fluid_mhd == SL_MHD_ct};
    for (int d = 0; d < m.dim; d++) {
        m.cells[d] = (int)cfg->mesh_cells[d];
        m.block[d] = (int)cfg->mesh_block[d];
        m.lo[d] = cfg->mesh_box[2 * d];
        m.hi[d] = cfg->mesh_box[2 * d + 1];
    }
    for (int f = 0; f < 6; f++)
        m.boundary[f] = (enum sl_boundary)cfg->mesh_boundary[f];
    return m;
}

static const struct sl_problem *problem_of(const struct sl_config *cfg)
{
#define SL_PROBLEM_TEXT(name, ic, about) #name,
    static const char *const names[] = {SL_PROBLEM_NAMES(SL_PROBLEM_TEXT)};
    return sl_problem_find(names[cfg->problem]);
}

static void fixed(const void *data, const double lo[3], const double hi[3], double time,
                  sl_real *value)
{
    const struct sl_sim *sim = data;
    double prim[SL_PRIM_MAX] = {0};
    sim->problem->state(sim->problem_data, lo, hi, time, prim);
    if (!(prim[0] > 0)) return; /* a wall */
    sl_sim_cell(sim, prim, value);
    for (int d = 0; d < sim->mesh->dim && sim->layout.face >= 0; d++)
        value[sim->layout.face + d] = (sl_real)sl_start_ct_face(sim, d, lo, hi, time);
}

void sl_sim_set_end(struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->cfg;
    sim->end = sim->expansion ? sl_expansion_tau(sim->expansion, 1 / (1 + cfg->time_end))
                              : cfg->time_end * sim->time_unit;
}

int sl_sim_host(const struct sl_sim *sim)
{
    size_t size = sl_mesh_size(sim->mesh, sim->layout.nvar);
    sl_real **u = (sl_real **)(uintptr_t)&sim->u;
    if (!*u) *u = sl_field_new(size);
    SL_CHECK(*u, SL_EMEM, "no memory for %zu values", size);
    return SL_OK;
}

int sl_sim_fields_new(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    w->ghost = (struct sl_ghost_arg){.nvar = sim->layout.nvar, .vector = SL_MX, .data = sim};
    if (sim->layout.magnetic >= 0) w->ghost.field = sim->layout.magnetic;
    if (sim->cfg->fluid_mhd == SL_MHD_glm) w->ghost.psi = sim->layout.magnetic + 3;
    if (sim->layout.face >= 0) w->ghost.face = sim->layout.face;
    w->ghost.fixed = sim->problem->state ? fixed : NULL;
    w->ghost.faces_only = sim->layout.face < 0 && !w->scheme.needs_compression &&
                          sim->cfg->fluid_integrator != SL_INTEGRATOR_ctu;
    w->fresh = 1;
    w->floored_at[0] = NAN;
    return sim->root != sim && w->backend->pull ? SL_OK : sl_sim_host(sim);
}

static int work_new(struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->cfg;
    SL_TRY(sl_sim_fields_new(sim));
    sim->time_unit = cfg->time_unit == SL_TIME_UNIT_crossing && sim->problem->crossing
                         ? sim->problem->crossing(sim->problem_data)
                         : 1;
    sl_sim_set_end(sim);
    return SL_OK;
}

static int scheme_of(const struct sl_config *cfg, struct sl_sim *sim)
{
    struct sl_scheme *s = &sim->work->scheme;
    s->gas = sim->gas = gas_of(cfg);
    s->layout = sim->layout = layout_of(cfg);
    s->theta = (sl_real)cfg->fluid_theta;
    s->dual_eta = (sl_real)cfg->fluid_dual_eta;
    for (int d = 0; d < 3; d++) {
        s->gravity[d] = (sl_real)cfg->gravity_acceleration[d];
        s->has_gravity |= s->gravity[d] != 0;
    }
    sim->work->plain = *s;
    s->flatten = cfg->fluid_flatten;
    sl_scheme_find(s, cfg->fluid_reconstruct, cfg->fluid_limiter, cfg->fluid_riemann);
    sl_scheme_find(&sim->work->plain, SL_RECONSTRUCT_constant, cfg->fluid_limiter,
                   cfg->fluid_riemann);
    if (cfg->fluid_characteristic)
        s->waves = sl_rows_characteristic(cfg->fluid_reconstruct, cfg->fluid_limiter,
                                          s->layout.magnetic >= 0);
    if (cfg->fluid_integrator == SL_INTEGRATOR_ctu)
        s->ghosts = sl_ctu_ghosts(s->ghosts, s->layout.face >= 0);
    if (cfg->fluid_integrator == SL_INTEGRATOR_tvd) s->ghosts = SL_RELAX_GHOSTS;
    sim->problem = problem_of(cfg);
    SL_CHECK(sim->problem, SL_EINPUT, "no such problem");
    if (sim->problem->open) SL_TRY(sim->problem->open(cfg, &sim->problem_data));
    return SL_OK;
}

static int mesh_new(MPI_Comm comm, struct sl_sim *sim)
{
    struct sl_mesh_spec spec = spec_of(sim->cfg, sim->work->scheme.ghosts);
    if (sim->cfg->mesh_levels == 0) return sl_mesh_new(comm, &spec, &sim->mesh);
    SL_TRY(sl_hierarchy_new(comm, &spec, &sim->hierarchy));
    sim->mesh = sim->hierarchy->level[0];
    return SL_OK;
}

int sl_sim_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_sim **out)
{
    struct sl_sim *sim = calloc(1, sizeof *sim);
    struct sl_step *work = calloc(1, sizeof *work);
    int code = sim && work ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a run");
    if (code == SL_OK) {
        sim->root = sim;
        sim->cfg = cfg;
        sim->work = work;
        code = scheme_of(cfg, sim);
    }
    code = sl_agree(comm, code);
    if (code == SL_OK) code = sl_expansion_new(comm, cfg, &sim->expansion);
    if (code == SL_OK) code = sl_backend_choose(comm, cfg, work);
    if (code == SL_OK) code = mesh_new(comm, sim);
    if (code == SL_OK) code = sl_agree(comm, work_new(sim));
    if (code == SL_OK) code = sl_agree(comm, work->backend->open(sim));
    if (code == SL_OK) code = sl_sources_new(sim, &sim->sources);
    if (code == SL_OK) {
        *out = sim;
        return SL_OK;
    }
    if (!sim) free(work);
    sl_sim_free(sim);
    return code;
}

void sl_sim_free(struct sl_sim *sim)
{
    if (!sim) return;
    sl_levels_free(sim->finer);
    if (sim->work && sim->work->backend) sim->work->backend->close(sim);
    if (sim->problem && sim->problem->close) sim->problem->close(sim->problem_data);
    sl_sources_free(sim->sources);
    sl_expansion_free(sim->expansion);
    if (sim->hierarchy)
        sl_hierarchy_free(sim->hierarchy);
    else
        sl_mesh_free(sim->mesh);
    free(sim->unflagged);
    free(sim->u);
    free(sim->work);
    free(sim);
}

/* ---- the first state ------------------------------------------------------------------------ */

/* The same bits for any order of the axes. */
static double square(const double v[3])
{
    double a = v[0] * v[0], b = v[1] * v[1], c = v[2] * v[2];
    double low = fmin(a, b), high = fmax(a, b);
    return (fmin(low, c) + fmax(low, fmin(high, c))) + fmax(high, c);
}

void sl_sim_cell(const struct sl_sim *sim, const double *prim, sl_real *value)
{
    const struct sl_layout *l = &sim->layout;
    double rho = prim[0], heat = 1 / ((double)sim->gas.gamma - 1), speed2 = square(prim + 1);
    double field2 = l->magnetic < 0 ? 0 : square(prim + SL_PRIM_B);
    value[SL_RHO] = (sl_real)rho;
    for (int d = 0; d < 3; d++) {
        value[SL_MX + d] = (sl_real)(rho * prim[1 + d]);
    }
    for (int d = 0; d < 3 && l->magnetic >= 0; d++) {
        value[l->magnetic + d] = (sl_real)prim[SL_PRIM_B + d];
    }
    if (l->magnetic >= 0 && l->face < 0) value[l->magnetic + 3] = 0;
    if (l->energy >= 0)
        value[l->energy] = (sl_real)((prim[4] * heat + 0.5 * rho * speed2) + 0.5 * field2);
    if (l->entropy >= 0)
        value[l->entropy] = sl_pressure_to_entropy(&sim->gas, (sl_real)rho, (sl_real)prim[4]);
    for (int i = 0; i < l->nscalar; i++)
        value[l->scalar0 + i] = (sl_real)(rho * prim[SL_PRIM_SCALAR + i]);
}

int sl_sim_ghosts(const struct sl_sim *sim)
{
    sim->work->ghost.time = sim->time;
    if (sim->coarser) SL_TRY(sl_nest_prolong_host(sim->coarser, (struct sl_sim *)(uintptr_t)sim));
    return sl_ghost_fill(sim->mesh, &sim->work->ghost, sim->u);
}

/* ---- hash ----------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea & Flood 2014): the finaliser mixes all bits. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash_row(const struct sl_sim *sim, const sl_real *u, uint64_t first, uint64_t var)
{
    uint64_t sum = 0;
    for (int i = 0; i < sim->mesh->n[0]; i++)
        sum += mix(mix((first + (uint64_t)i) * SL_MAX_VAR + var) ^ bits_of((double)u[i]));
    return sum;
}

/* Number of the first cell of a row. On the root level it fits in 60 bits; above it level and
 * coordinates are mixed one after the other, whatever their size. */
static uint64_t row_number(const struct sl_block *b, uint64_t x, uint64_t y, uint64_t z)
{
    if (b->level == 0) return (z << 20 | y) << 20 | x;
    return mix(mix(mix((uint64_t)b->level) ^ z) ^ y) + x;
}

static uint64_t hash_block(const struct sl_sim *sim, int b)
{
    const struct sl_mesh *m = sim->mesh;
    const struct sl_block *at = &m->blocks[b];
    uint64_t sum = 0;
    for (int v = 0; v < sim->layout.nvar; v++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                uint64_t z = (uint64_t)(at->at[2] * m->n[2] + k);
                uint64_t y = (uint64_t)(at->at[1] * m->n[1] + j);
                uint64_t x = (uint64_t)(at->at[0] * m->n[0]);
                uint64_t first = row_number(at, x, y, z);
                size_t from =
                    sl_mesh_at(m, sim->layout.nvar, b, v, k + m->g[2], j + m->g[1], m->g[0]);
                sum += hash_row(sim, sim->u + from, first, (uint64_t)v);
            }
    return sum;
}

uint64_t sl_sim_hash_share(const struct sl_sim *sim)
{
    uint64_t sum = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++)
            sum += hash_block(s, b);
    return sum;
}

int sl_sim_hash_join(const struct sl_sim *sim, uint64_t sum, uint64_t *hash)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, sim->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot sum the hashes of the ranks");
    *hash = mix(sum ^ mix(bits_of(sim->time))) ^ mix((uint64_t)sim->step);
    return SL_OK;
}

int sl_sim_hash(const struct sl_sim *sim, uint64_t *hash)
{
    SL_TRY(sl_sim_pull(sim));
    return sl_sim_hash_join(sim, sl_sim_hash_share(sim), hash);
}
