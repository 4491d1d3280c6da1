/* plan.c - see plan.h. */
#include "pipeline/plan/plan.h"

#include <math.h>
#include <string.h>

#include "core/config/level_ratio.h"
#include "core/config/show.h"
#include "core/config/stats_memory.h"
#include "core/config/super_step.h"
#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/riemann_list.h"
#include "core/sys/pencils.h"
#include "pipeline/plan/particles.h"

/* Assumed where nothing was measured: PLM, HLLC, RK2 in double precision on one core of today. */
static const double double_rate = 8e6, single_gain = 1.7;
/* Assumed of a device likewise, by field (none, glm, ct): half of what an H200 has with blocks of
 * 16^3, rk2 in double precision; other methods than plm have at least so much of it; and seconds of
 * a step that are none of its cells (tests/perf/gpu.md). Of a cell of a start of dark matter it has
 * not been measured. */
static const double device_rate[] = {1.8e9, 7.8e8, 4.7e8}, device_method = 0.17, device_step = 2e-4,
                    device_start = 2e-9;
/* Of a run with levels: regrids, and what passes between levels (tests/perf/amr, gpu.md). */
static const double level_rate = 0.6;
static const double bytes_per_cell = 150, bytes_per_rank = 4e7;
/* Fastest signal: in box lengths per crossing (peaks of the velocity are some times its rms), and
 * in code units, where problems are commonly scaled to pressures and densities of order one. */
static const double signal_crossing = 4, signal_code = 2.2;
static const double stats_seconds_per_cell = 2e-6, device_stats = 5e-7, stats_bytes = 4e5,
                    start_seconds = 1, command_seconds = 10;

static int fields(const struct sl_config *cfg)
{
    if (!sl_config_has_gas(cfg)) return 0;
    return 5 + (int)cfg->fluid_scalars + (cfg->fluid_dual_energy ? 1 : 0);
}

/* Those of a checkpoint: levels keep the last two potentials. */
static int checkpoint_fields(const struct sl_config *cfg)
{
    bool kept = cfg->mesh_levels > 0 && sl_config_wants(cfg, SL_SOURCE_self_gravity);
    return fields(cfg) + (kept ? 2 : 0);
}

/* Those of a snapshot: what is of heat and temperature goes with units. */
static int snapshot_fields(const struct sl_config *cfg)
{
    bool heat = sl_config_has_units(cfg) && cfg->fluid_eos == SL_EOS_ideal;
    bool weight = sl_config_of_universe(cfg) || cfg->units_weight > 0;
    if (!sl_config_has_gas(cfg)) return 0;
    return fields(cfg) - (cfg->fluid_dual_energy ? 1 : 0) + (heat ? 1 + weight : 0) +
           cfg->output_potential;
}

static double real_size(int precision)
{
    return precision == SL_PRECISION_single ? 4 : 8;
}

static bool on_device(const struct sl_config *cfg)
{
    return sl_config_sim_on_device(cfg) &&
           (cfg->resources_backend == SL_BACKEND_cuda || cfg->resources_gpus > 0);
}

bool sl_plan_on_device(const struct sl_config *cfg)
{
    struct sl_config own;
    sl_config_stage(cfg, SL_STAGE_sim, &own);
    return on_device(&own);
}

double sl_plan_usual(const struct sl_config *cfg)
{
    double rate = sl_plan_on_device(cfg) ? device_rate[cfg->fluid_mhd] : double_rate;
    return rate * (cfg->resources_precision == SL_PRECISION_single ? single_gain : 1);
}

/* Devices of a rank: one, or where the recipe says how many there are, its share of them. */
static double devices(const struct sl_config *cfg)
{
    double nodes = fmax(1, (double)cfg->resources_nodes);
    return cfg->resources_gpus > 0
               ? fmin(1, (double)cfg->resources_gpus * nodes / (double)cfg->resources_ranks)
               : 1;
}

/* What schemes cost on devices, by a column of their lists. */
enum { light, heavy };
#define SCHEME(name, a, device, ...)                     device,
#define SOLVER(name, physics, other, needs, device, ...) device,
static const int of_reconstruct[] = {SL_RECONSTRUCT_LIST(SCHEME)},
                 of_solver[] = {SL_RIEMANN_LIST(SOLVER)},
                 of_integrator[] = {SL_INTEGRATOR_LIST(SCHEME)};
#undef SCHEME
#undef SOLVER

static double method(const struct sl_config *cfg)
{
    if (!sl_config_has_gas(cfg)) return 1; /* it has no solver */
    bool plain = of_reconstruct[cfg->fluid_reconstruct] == light &&
                 of_solver[cfg->fluid_riemann] == light &&
                 of_integrator[cfg->fluid_integrator] == light && !cfg->fluid_characteristic &&
                 cfg->fluid_scalars == 0;
    return plain ? 1 : device_method;
}

double sl_plan_rate(const struct sl_config *cfg)
{
    double usual = sl_plan_usual(cfg) * (cfg->mesh_levels > 0 ? level_rate : 1);
    struct sl_config own;
    sl_config_stage(cfg, SL_STAGE_sim, &own);
    return on_device(&own) ? usual * devices(&own) * method(cfg) : usual;
}

/* Of statistics and of writing what they read. */
static double picture_seconds(const struct sl_config *cfg)
{
    bool device = on_device(cfg) && sl_config_stats_on_device(cfg);
    return device ? device_stats : stats_seconds_per_cell;
}

static double smallest_cell(const struct sl_config *cfg)
{
    double dx = INFINITY;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        dx = fmin(dx,
                  (cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d]) / (double)cfg->mesh_cells[d]);
    return dx;
}

/* ---- source terms ---- */

struct cost {
    double factor; /* time of a step over that of the gas alone */
    double bytes;  /* that a rank holds beside the gas */
    double step;   /* the longest, in code units */
};

/* As the row SL_SOURCE_COST of its file says (core/step/source.h) for a rank of so many cells.
 * passes: over all cells at each step of the finest level, in updates of the run. */
static struct cost cost_of(const struct sl_config *cfg, double cells, double passes,
                           enum sl_source_id source)
{
    int root[3] = {1, 1, 1}, ranks = (int)cfg->resources_ranks;
    double real = real_size(cfg->resources_precision);
    double dt = cfg->fluid_cfl * smallest_cell(cfg) / signal_code;
    bool device = on_device(cfg);
    for (int d = 0; d < sl_config_dim(cfg); d++)
        root[d] = (int)cfg->mesh_cells[d];
    switch (source) {
#define SL_SOURCE_COST(name, factor, bytes, step)                                                  \
    case SL_SOURCE_##name:                                                                         \
        return (struct cost){factor, bytes, step};
#include "source_costs.def" /* generated */
#undef SL_SOURCE_COST
    case SL_SOURCE_COUNT:
        break;
    }
    return (struct cost){1, 0, INFINITY};
}

/* Of all that the recipe asks for. */
static struct cost source_costs(const struct sl_config *cfg, double cells, double passes)
{
    struct cost all = {1, 0, INFINITY};
    for (int i = 0; i < SL_SOURCE_COUNT; i++) {
        if (!sl_config_wants(cfg, (enum sl_source_id)i)) continue;
        struct cost one = cost_of(cfg, cells, passes, (enum sl_source_id)i);
        all.factor *= one.factor;
        all.bytes += one.bytes;
        all.step = fmin(all.step, one.step);
    }
    return all;
}

/* ---- steps and files ---- */

/* Only waves that the box holds move matter: so much of the rms in a box of any size is left in a
 * cube. */
static double fraction_of_box(double side, double gamma)
{
    double x = side * gamma;
    return pow(x / (x + 5), 0.85);
}

/* A box that is long along the axis holds waves of a cube of that side with more weight each, up to
 * the longest that move anything. */
double sl_plan_displacement(const struct sl_config *cfg)
{
    bool sigma8 = cfg->cosmology_normalise == SL_NORMALISE_sigma8;
    double today = sigma8 ? cfg->cosmology_sigma8 * (5.04 + 2.52 / cfg->cosmology_omega_m)
                          : sqrt(cfg->cosmology_a_s / 2.1e-9) * (3.36 + 11.424 * cfg->cosmology_h);
    double side[3], slender = 1, gamma = cfg->cosmology_omega_m * cfg->cosmology_h;
    for (int d = 0; d < 3; d++)
        side[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
    for (int d = 0; d < 2; d++)
        slender *= fmax(1, fmin(side[2], 200 / gamma) / side[d]);
    return today / (1 + cfg->ic_redshift) * sqrt(slender) * fraction_of_box(side[2], gamma);
}

/* E-folds of the scale factor. */
static double growth(const struct sl_config *cfg)
{
    return log((1 + cfg->ic_redshift) / (1 + cfg->time_end));
}

/* Each step lets the scale factor grow; late ones are bound by gas and shocks that cross about four
 * times the rms displacement of all matter (measured). */
static double steps_of_universe(const struct sl_config *cfg, double dx)
{
    double n = ceil(growth(cfg) / cfg->time_max_expansion);
    if (!sl_config_adaptive(cfg)) return (double)cfg->time_steps;
    if (cfg->problem != SL_PROBLEM_cosmology) return n;
    double moved = sl_plan_displacement(cfg) * (exp(growth(cfg)) - 1);
    if (!sl_config_has_gas(cfg)) return fmax(n, ceil(4 * moved / (dx * cfg->particles_step)));
    return n + ceil(4 * moved / (dx * cfg->fluid_cfl));
}

static double steps(const struct sl_config *cfg)
{
    double most = 0, dx = smallest_cell(cfg);
    for (int d = 0; d < sl_config_dim(cfg); d++)
        most = fmax(most, (double)cfg->mesh_cells[d]);
    if (sl_config_expands(cfg))
        return fmin(steps_of_universe(cfg, dx), (double)cfg->time_max_steps);
    bool crossing = cfg->time_unit == SL_TIME_UNIT_crossing;
    double per_unit = crossing ? signal_crossing * most : signal_code / dx;
    double part = sl_config_has_gas(cfg) ? cfg->fluid_cfl : cfg->particles_step;
    double n = ceil(cfg->time_end * per_unit / part);
    if (!crossing) n = fmax(n, ceil(cfg->time_end / source_costs(cfg, 0, 1).step));
    return fmin(n, (double)cfg->time_max_steps);
}

static double snapshots(const struct sl_config *cfg)
{
    double span = sl_config_expands(cfg) ? growth(cfg) : cfg->time_end;
    double between = cfg->output_snapshot > 0 ? ceil(span / cfg->output_snapshot) - 1 : 0;
    if (cfg->output_redshift_n > 0) between = 0;
    for (int i = 0; i < cfg->output_redshift_n; i++)
        between += cfg->output_redshift[i] > cfg->time_end;
    return 1 + cfg->output_start + fmax(0, between);
}

/* Bytes per cell that sluice-ic writes, and doubles that it holds in memory at most. */
static void ic_sizes(const struct sl_config *cfg, double *written, double *held)
{
    bool cosmology = cfg->problem == SL_PROBLEM_cosmology;
    bool gas = cfg->ic_species != SL_IC_SPECIES_dark_matter;
    bool dark = cfg->ic_species != SL_IC_SPECIES_baryons;
    double fields = (gas ? 6 : 0) + (dark ? 1 : 0) + (dark && cfg->ic_particles ? 6 : 0);
    *written = cosmology ? fields * real_size(cfg->ic_precision) : 3 * 8;
    *held = !cosmology ? 6 : cfg->ic_order > 1 ? 9.2 : 5; /* measured */
}

/* Bytes of whole planes of the grid of the second order, at most 1.6 times finer, that a rank of
 * sluice-ic holds: six derivatives, four fields of one plane, and in single precision four of the
 * planes that displacements span, up to eight times their rms (SL_POWER_REACH); beside other ranks,
 * three fields of modes in so many of their planes. */
static double ic_planes(const struct sl_config *cfg)
{
    if (cfg->problem != SL_PROBLEM_cosmology || cfg->ic_order < 2) return 0;
    double cell = (cfg->mesh_box[5] - cfg->mesh_box[4]) / (double)sl_config_start_cells(cfg, 2);
    double fine = 1.6;
    double halo = ceil(8 * sl_plan_displacement(cfg) / cell * fine) + 4;
    double plane = (double)sl_config_start_cells(cfg, 0) * (double)sl_config_start_cells(cfg, 1);
    double far = cfg->resources_ranks > 1 ? 3 * 8 * 2 * halo : 0;
    return plane * (fine * fine * (10 * 8 + 4 * 4 * (2 * halo + 9)) + far);
}

/* Seconds of its ranks, per cell (measured). */
static double ic_seconds(const struct sl_config *cfg, double cells)
{
    double each = cfg->problem != SL_PROBLEM_cosmology ? 0 : cfg->ic_order > 1 ? 7e-7 : 2e-7;
    return each * cells / (double)cfg->resources_ranks;
}

static double ic_memory(const struct sl_config *cfg, double held, double cells)
{
    return 8 * held * cells / (double)cfg->resources_ranks + ic_planes(cfg);
}

static double root_cells(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)cfg->mesh_cells[d];
    return cells;
}

/* ---- levels ---- */

/* The steps that a run chooses where a finer cell allows half the step of a coarser one. Returns
 * the step of the root grid over the one that it may take by itself. */
static double choose_steps(const struct sl_config *cfg, struct sl_need *need)
{
    struct sl_ratio_load level[SL_LEVELS];
    for (int l = 0; l <= need->levels; l++)
        level[l] = (struct sl_ratio_load){need->level_cells[l], ldexp(1, -l)};
    struct sl_ratio c = sl_ratio_choose(cfg, need->levels + 1, level);
    for (int l = 0; l <= need->levels; l++)
        need->level_steps[l] = c.steps[l];
    return fmin(1, c.dt);
}

/* Cells, updates and steps. */
static void fill_levels(const struct sl_config *cfg, const struct sl_filling *f,
                        struct sl_need *need)
{
    int dim = sl_config_dim(cfg), levels = (int)cfg->mesh_levels;
    need->levels = levels;
    need->cells = need->updates = 0;
    for (int l = 0; l <= levels; l++) {
        double fraction =
            sl_filling_fraction(f, levels, l, false) - sl_filling_fraction(f, levels, l + 1, false);
        need->level_cells[l] = ldexp(root_cells(cfg), dim * l) * fmax(0, fraction);
        need->cells += need->level_cells[l];
    }
    need->steps = ceil(steps(cfg) / choose_steps(cfg, need));
    need->steps = fmin(need->steps, (double)cfg->time_max_steps);
    for (int l = 0; l <= levels; l++)
        need->updates += need->level_steps[l] * need->level_cells[l];
}

/* Cells that are held, with the covered blocks below leaves and, while the state moves in a regrid,
 * twice. */
static double cells_held(const struct sl_config *cfg, const struct sl_filling *f)
{
    int dim = sl_config_dim(cfg), levels = (int)cfg->mesh_levels;
    double cells = 0;
    for (int l = 0; l <= levels; l++)
        cells += ldexp(root_cells(cfg), dim * l) * sl_filling_fraction(f, levels, l, true);
    return levels > 0 ? 2 * cells : cells;
}

static double start_cells(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)sl_config_start_cells(cfg, d);
    return cells;
}

static void plan_ic(const struct sl_config *cfg, struct sl_need *need)
{
    double written, held, cells = start_cells(cfg);
    if (!sl_config_needs_ic(cfg)) return;
    ic_sizes(cfg, &written, &held);
    need->ic = written * cells;
    need->stage_memory[SL_STAGE_ic] = bytes_per_rank + ic_memory(cfg, held, cells);
    need->stage_seconds[SL_STAGE_ic] = ic_seconds(cfg, cells);
}

/* Bytes of a rank that makes its share of the start itself: particles alone with lists of six
 * numbers for each; gas, where fewer fields are held by then, with five numbers for each cell and
 * two that move them, before there are lists; finer than the root grid, five more of them are kept
 * until its levels are filled. Beside a device, amplitudes of modes and sums over shells of the
 * rows of a rank. */
static double own_start(const struct sl_config *cfg)
{
    double written, held, spacing = (double)cfg->particles_spacing;
    double side = (double)cfg->mesh_cells[0], ranks = (double)cfg->resources_ranks;
    if (!sl_config_makes_start(cfg)) return 0;
    if (sl_particles_start_on_device(cfg)) return (18 + 16 / ranks) * side * side;
    ic_sizes(cfg, &written, &held);
    double lists = 6 / (spacing * spacing * spacing), gas = cfg->ic_order > 1   ? 13
                                                            : cfg->ic_level > 0 ? 12
                                                                                : 10;
    return ic_memory(cfg, sl_config_has_gas(cfg) ? gas : held + lists, start_cells(cfg));
}

static double own_start_seconds(const struct sl_config *cfg)
{
    if (!sl_config_makes_start(cfg)) return 0;
    return sl_particles_start_on_device(cfg) ? device_start * start_cells(cfg)
                                             : ic_seconds(cfg, start_cells(cfg));
}

/* Seconds of the ranks that measure. */
static double measure_seconds(const struct sl_config *cfg)
{
    return snapshots(cfg) * sl_stats_cells(cfg) * picture_seconds(cfg) /
           (double)cfg->resources_ranks;
}

/* Bytes of a rank that measures; there: in the run, where a device has the particles. */
static double measure_memory(const struct sl_config *cfg, bool there)
{
    return sl_stats_memory(cfg, sl_particle_cost(cfg).number, (double)cfg->resources_ranks, there);
}

static double snapshot_bytes(const struct sl_config *cfg, const struct sl_need *need,
                             double particles)
{
    if (cfg->statistics_in_run) return stats_bytes;
    return need->cells * snapshot_fields(cfg) * real_size(cfg->output_precision) + particles;
}

static void plan_sim(const struct sl_config *cfg, const struct sl_filling *filling,
                     struct sl_need *need)
{
    double ranks = (double)cfg->resources_ranks, real = real_size(cfg->resources_precision);
    double cells = sl_config_has_gas(cfg) ? cells_held(cfg, filling) / ranks : 0, seconds = 0;
    double passes = need->level_steps[need->levels] * need->cells / need->updates;
    struct cost sources = source_costs(cfg, cells, passes);
    const struct sl_particle_cost swarm = sl_particle_cost(cfg);
    if (cells > 0)
        seconds = sources.factor * need->updates * need->steps / (sl_plan_rate(cfg) * ranks);
    if (sl_plan_on_device(cfg)) seconds += need->steps * device_step;
    seconds += need->steps * swarm.seconds / ranks;
    need->particles = swarm.number;
    need->particle_bytes = swarm.each, need->device_particle_bytes = swarm.device_each;
    need->device_memory = swarm.device;
    need->stage_seconds[SL_STAGE_sim] = seconds + start_seconds + own_start_seconds(cfg);
    need->stage_memory[SL_STAGE_sim] = bytes_per_rank + cells * bytes_per_cell * real / 8 +
                                       sources.bytes + swarm.rank + own_start(cfg);
    need->snapshots = snapshots(cfg) * snapshot_bytes(cfg, need, swarm.snapshot);
    if (cfg->statistics_in_run) {
        need->stage_seconds[SL_STAGE_sim] += measure_seconds(cfg);
        need->stage_memory[SL_STAGE_sim] +=
            measure_memory(cfg, sl_plan_on_device(cfg) && cfg->resources_ranks == 1);
    }
    need->checkpoints = (double)(cfg->output_keep + 1) *
                        (need->cells * checkpoint_fields(cfg) * real + swarm.checkpoint);
}

static void plan_stats(const struct sl_config *cfg, struct sl_need *need)
{
    bool measures = !cfg->statistics_in_run;
    need->stage_seconds[SL_STAGE_stats] = start_seconds + (measures ? measure_seconds(cfg) : 0);
    need->stage_memory[SL_STAGE_stats] =
        bytes_per_rank + (measures ? measure_memory(cfg, false) : 0);
    need->stats = snapshots(cfg) * stats_bytes;
}

/* Commands that nobody knows: each works on a snapshot in memory and on as much beside it. */
static void plan_own(const struct sl_config *cfg, struct sl_need *need)
{
    double ranks = (double)cfg->resources_ranks;
    double commands = (*cfg->stages_snapshot ? snapshots(cfg) : 0) + (*cfg->stages_member ? 1 : 0);
    if (!sl_stage_is_of(SL_STAGE_own, cfg)) return;
    need->stage_seconds[SL_STAGE_own] = command_seconds * commands;
    need->stage_memory[SL_STAGE_own] =
        bytes_per_rank + 2 * need->cells * snapshot_fields(cfg) * sizeof(double) / ranks;
}

void sl_plan_member(const struct sl_config *cfg, const struct sl_filling *filling,
                    struct sl_need *need)
{
    struct sl_filling assumed = {.levels = 0};
    struct sl_config own[SL_MEMBER_STAGES];
    if (!filling) sl_filling_assume(&assumed), filling = &assumed;
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        sl_config_stage(cfg, s, &own[s]);
    *need = (struct sl_need){.levels = 0};
    fill_levels(&own[SL_STAGE_sim], filling, need);
    plan_ic(&own[SL_STAGE_ic], need);
    plan_sim(&own[SL_STAGE_sim], filling, need);
    plan_stats(&own[SL_STAGE_stats], need);
    plan_own(&own[SL_STAGE_own], need);
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        double ranks = (double)own[s].resources_ranks;
        need->seconds += need->stage_seconds[s];
        need->rank_memory = fmax(need->rank_memory, need->stage_memory[s]);
        need->memory = fmax(need->memory, need->stage_memory[s] * ranks);
    }
}

double sl_plan_memory(const struct sl_config *cfg, enum sl_stage stage)
{
    struct sl_need need;
    sl_plan_member(cfg, NULL, &need);
    return (int)stage < SL_MEMBER_STAGES ? need.stage_memory[stage] : 0;
}

double sl_plan_disk(const struct sl_need *need)
{
    return need->snapshots + need->checkpoints + need->ic + need->stats;
}

/* Attempts that a run of so many seconds takes: each has its wall time but for the warning. */
static double attempts(double seconds, double walltime)
{
    return fmax(1, ceil(seconds / (0.9 * walltime)));
}

static double nodes(const struct sl_config *cfg, int cores)
{
    if (cfg->resources_nodes > 0) return (double)cfg->resources_nodes;
    return (double)cfg->resources_ranks / cores; /* others may share the node */
}

static void take_levels(struct sl_need *most, const struct sl_need *n)
{
    if (n->cells < most->cells) return;
    most->levels = n->levels;
    most->updates = n->updates;
    memcpy(most->level_cells, n->level_cells, sizeof n->level_cells);
    memcpy(most->level_steps, n->level_steps, sizeof n->level_steps);
}

/* Each stage is a job of its own. */
static void add_stages(struct sl_plan *plan, const struct sl_config *cfg, const struct sl_need *n,
                       int cores, bool done)
{
    struct sl_config own;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        double seconds = n->stage_seconds[s];
        if (!(n->stage_memory[s] > 0)) continue;
        sl_config_stage(cfg, s, &own);
        double asked = attempts(seconds, own.resources_walltime) * own.resources_walltime;
        if (own.resources_ranks > plan->ranks) plan->ranks = (int)own.resources_ranks;
        plan->nodes = (int)fmax(plan->nodes, ceil(nodes(&own, cores)));
        plan->walltime = fmax(plan->walltime, own.resources_walltime);
        if (done) continue;
        plan->core_seconds += seconds * (double)own.resources_ranks;
        plan->node_seconds += seconds * nodes(&own, cores);
        plan->asked_seconds += asked * nodes(&own, cores);
    }
}

/* Of the job for the stages of the campaign. */
static double last_walltime(const struct sl_config *cfg)
{
    struct sl_config own;
    sl_config_stage(cfg, SL_STAGE_ensemble, &own);
    return own.resources_walltime;
}

void sl_plan_add(struct sl_plan *plan, const struct sl_config *cfg,
                 const struct sl_filling *filling, double factor, int cores, bool done)
{
    struct sl_need n, *m = &plan->largest;
    sl_plan_member(cfg, filling, &n);
    n.seconds *= factor;
    plan->last = fmax(plan->last, last_walltime(cfg));
    for (int i = 0; i < SL_MEMBER_STAGES; i++)
        n.stage_seconds[i] *= factor;
    plan->members++;
    plan->disk += sl_plan_disk(&n);
    take_levels(m, &n);
    m->cells = fmax(m->cells, n.cells);
    m->steps = fmax(m->steps, n.steps);
    m->particles = fmax(m->particles, n.particles);
    m->particle_bytes = fmax(m->particle_bytes, n.particle_bytes);
    m->device_particle_bytes = fmax(m->device_particle_bytes, n.device_particle_bytes);
    m->device_memory = fmax(m->device_memory, n.device_memory);
    m->seconds = fmax(m->seconds, n.seconds);
    m->memory = fmax(m->memory, n.memory);
    m->rank_memory = fmax(m->rank_memory, n.rank_memory);
    m->snapshots = fmax(m->snapshots, n.snapshots);
    m->checkpoints = fmax(m->checkpoints, n.checkpoints);
    m->ic = fmax(m->ic, n.ic);
    m->stats = fmax(m->stats, n.stats);
    add_stages(plan, cfg, &n, cores, done);
    if (done) return;
    plan->left++;
    plan->seconds += n.seconds;
    plan->longest = fmax(plan->longest, n.seconds);
}

/* Members run in waves of those that have room; while one waits to go on, others take its place. */
double sl_plan_end(const struct sl_plan *plan, const struct sl_outlook *outlook, double factor)
{
    if (plan->left == 0) return 0;
    double left = (double)plan->left, each = plan->seconds / left;
    double longest = factor * plan->longest, waves = ceil(left / outlook->at_once);
    double again = attempts(longest, plan->walltime) - 1;
    return outlook->wait + fmax(factor * each * waves, longest) + again * outlook->requeue;
}
