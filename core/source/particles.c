/* particles.c - dark matter: particles that feel gravity alone, and that pull gas and each other.
 *
 * Places are fractions of the box in 32 bits, mass is laid on the mesh of gravity in whole numbers
 * and the force is gathered with the same kernel (core/cell/particle.h): the same bits for any
 * order of the particles and any ranks, and no momentum but by rounding. A step is a kick, a drift,
 * a kick, beside that of the gas: the drift is exact in the time of a run, also in an expanding
 * universe (core/cosmo/expansion.h), kicks have the exact integral of the scale factor. In a box
 * with nothing around it a particle is gone once its cloud reaches beyond a side; the log says it
 * once.
 *
 * Where a number of steps is given (time.steps), time.stepping may go by the growth instead
 * (core/cosmo/stepping.h): a drift, a kick in the midst of the step, a drift. The potential is then
 * solved once in a step, and again where the history asks for that of a time between steps.
 *
 * Else a step is no longer than that no particle goes further than particles.step of a cell;
 * gravity and the expansion limit it besides (self_gravity.c).
 *
 * The history holds the momentum and the kinetic energy of the particles, what is missing in the
 * balance of energies, the way of the fastest in a step, and how many are gone. The balance is that
 * of Layzer and Irvine: T + U + W - its value at the start - the integral of W d ln a, over the
 * largest |W| so far; U is the energy of the gas, W that of the potential of all matter, in the
 * variables of the run. In a static box the integral is 0, and energy is conserved.
 *
 * Shapes  as in core/particles/store.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    the particles of the run
 * MPI     collective over mesh->comm, as source.h says
 * Where   where the state is
 * Refs    Hockney & Eastwood 1981, sections 5-3 and 5-6; Layzer 1963; Irvine 1961; Feng et al.
 *         2016; Rampf, List & Hahn 2025
 * Tests   tests/law/particles.c, tests/law/stepping.c, tests/law/few_steps.sh,
 *         tests/gpu/particles.c
 */
#include "core/step/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/cosmo/expansion.h"
#include "core/cosmo/stepping.h"
#include "core/particles/backend.h"
#include "core/step/sim.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(particles, "particles.file, nbody.profile, ic.species, pancake.dark_matter or bertschinger without gas", cfg->particles_file[0] || (cfg->problem == SL_PROBLEM_nbody && cfg->nbody_profile != SL_NBODY_PROFILE_file) || cfg->pancake_dark_matter > 0 || (cfg->problem == SL_PROBLEM_bertschinger && !sl_config_has_gas(cfg)) || (cfg->problem == SL_PROBLEM_cosmology && (sl_config_expands(cfg) || !sl_config_has_gas(cfg)) && cfg->ic_species != SL_IC_SPECIES_baryons))
SL_SOURCE_WORDS(particles, "Dark matter is particles on the mesh of gravity (Hockney & Eastwood 1981), with the kernel {particles.kernel}.")
SL_SOURCE_COST(particles, 1, 0, INFINITY)
SL_SOURCE_WITH(particles, all & ~levels)
SL_TEXT_KEY(particles_file, "particles.file", "", path, "HDF5 file of the particles of a start: position_x, velocity_x and so on, mass, each a list of numbers in code units; optionally id. Problem cosmology has those of ic.h5, pancake and bertschinger their own, nbody those of nbody.profile")
SL_ENUM_KEY(particles_kernel, "particles.kernel", "cic", SL_KERNEL_LIST, "how the mass of a particle is spread over cells, and the force on it gathered")
SL_REAL_KEY(particles_step, "particles.step", "0.5", 1e-6, 1, none, "part of a cell that a particle crosses in a step at most, along each axis")
SL_INT_KEY(particles_spacing, "particles.spacing", "2", 1, 2, none, "cells of the mesh between particles of a cosmological start along each axis: 2, one for eight cells, has a force that is right for waves of few particles, 1 has more of them")
SL_RULE_SOURCE(!sl_config_has_gas(cfg), problem, cfg->problem == SL_PROBLEM_nbody || cfg->problem == SL_PROBLEM_cosmology || cfg->problem == SL_PROBLEM_pancake || cfg->problem == SL_PROBLEM_bertschinger, "problem %s is one of gas, and fluid.eos: none has none; nearest: nbody", sl_choice_name("problem", cfg->problem))
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_particles), mesh_cells, cfg->mesh_cells_n == 3, "particles move in three dimensions; nearest: [%lld, %lld, %lld]", (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0])
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_particles), mesh_boundary, periodic(cfg) || sl_config_isolated(cfg), "particles move in a box that is periodic, or isolated (gravity.boundary); nearest: periodic")
/* clang-format on */

struct swarm {
    struct sl_particles *p; /* owned */
    double begun;           /* 1: the balance of energies has begun */
    double a, w;            /* when it was last looked at: scale factor, potential energy */
    double start;           /* sum of energies at its beginning */
};

static void release(void *data)
{
    struct swarm *s = data;
    if (s) sl_particles_free(s->p);
    free(s);
}

static int make(struct sl_sim *sim, void **data)
{
    const struct sl_config *cfg = sim->state.cfg;
    struct swarm *s = NULL;
    SL_TRY(sl_agree(sim->state.mesh->comm, sl_alloc("dark matter", 1, sizeof *s, &s)));
    int code =
        sl_particles_new(sim->state.mesh, cfg->particles_kernel, sl_config_isolated(cfg), &s->p);
    if (code == SL_OK) {
        s->p->leap.on = sl_stepping_grows(cfg->time_stepping);
        sim->state.particles = s->p;
        *data = s;
        if (sl_sim_on_device(sim)) code = sl_particles_cuda.make(sim);
    } else {
        release(s);
    }
    return code;
}

/* ---- energies -------------------------------------------------------------------------------- */

static double scale_factor(const struct sl_sim *sim)
{
    const struct sl_expansion *e = sim->state.expansion;
    return e ? sl_expansion_a(e, sim->state.time) : 1;
}

/* Of the gas. */
static int gas_energy(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->state.mesh;
    double *sum = NULL, least[SL_LEASTS], volume = 1;
    *out = 0;
    if (sim->state.layout.nvar == 0) return SL_OK;
    int code = sl_alloc("sums of blocks", (size_t)m->nblock * (SL_TOTALS + 1), sizeof *sum, &sum);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) code = sl_agree(m->comm, sl_sim_totals(sim, sum, least));
    for (int d = 0; d < 3; d++)
        volume *= (m->spec.hi[d] - m->spec.lo[d]) / m->spec.cells[d];
    for (int b = 0; b < m->nblock && code == SL_OK; b++)
        sum[m->nblock * SL_TOTALS + b] = sum[b * SL_TOTALS + SL_TOTAL_ENERGY] * volume;
    if (code == SL_OK) code = sl_mesh_sum(m, 1, sum + m->nblock * SL_TOTALS, out);
    free(sum);
    return code;
}

static int energy_of(const struct sl_sim *sim, const struct swarm *s,
                     const struct sl_particle_sums *sums, double *out)
{
    double gas;
    SL_TRY(gas_energy(sim, &gas));
    *out = sums->kinetic + gas + s->p->potential;
    return SL_OK;
}

/* Takes the potential energy of the present time into the integral; again changes nothing. A leap
 * does so by itself, where it finds the potential. */
static void follow(const struct sl_sim *sim, struct swarm *s)
{
    double a = scale_factor(sim), w = s->p->potential;
    if (s->p->leap.on) return;
    s->p->integral += 0.5 * (w + s->w) * log(a / s->a);
    s->p->most = fmax(s->p->most, fabs(w));
    s->a = a, s->w = w;
}

static int start(struct sl_sim *sim, void *data)
{
    struct swarm *s = data;
    struct sl_particle_sums sums;
    SL_TRY(sl_particles_look(s->p));
    SL_TRY(sl_particles_sum(s->p, &sums));
    s->a = scale_factor(sim), s->w = s->p->potential;
    s->p->integral = 0, s->p->most = fabs(s->w), s->begun = 1;
    return energy_of(sim, s, &sums, &s->start);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Gravity, which opens before, has the potential of this time. */
static int open_step(struct sl_sim *sim, void *data, double dt)
{
    (void)dt;
    follow(sim, data);
    return SL_OK;
}

/* The step that has just been taken, of a stepping that goes by the growth; returns how far to go
 * before the force is found. */
static double begin_leap(const struct sl_sim *sim, struct sl_particle_leap *leap)
{
    const struct sl_expansion *e = sim->state.expansion;
    const struct sl_config *cfg = sim->state.cfg;
    double from = sl_expansion_a(e, sim->began), to = sl_expansion_a(e, sim->state.time);
    bool zero = cfg->time_begin == SL_BEGIN_zero && !(sim->began > 0);
    struct sl_push push = sl_stepping_push(cfg->time_stepping, &e->u.c, from, to, zero,
                                           sl_expansion_four_pi_g(e, sim->state.time));
    leap->keep = push.keep, leap->gain = push.gain, leap->after = push.after;
    leap->work = push.middle / to * log(to / from);
    return push.before;
}

/* Before gravity closes: its potential is that of the new places. */
static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct swarm *s = data;
    bool none = s->p->gone == 0;
    SL_TRY(sl_particles_drift(s->p, s->p->leap.on ? begin_leap(sim, &s->p->leap) : dt));
    if (none && s->p->gone > 0 && sim->state.mesh->rank == 0)
        sl_log(SL_LOG_WARN,
               "step %" PRId64 ": %" PRId64
               " particles have left the box and are gone; the history "
               "counts them",
               sim->state.step, s->p->gone);
    return SL_OK;
}

/* To the end of the next step, where the recipe says how many there are; 0 after the last. */
static double left_of(const struct sl_sim *sim)
{
    return fmax(0, sl_state_step_end(&sim->state) - sim->state.time);
}

static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct swarm *s = data;
    double left = left_of(sim);
    if (sim->state.schedule) return left > 0 ? left : dt;
    return s->p->speed * dt > sim->state.cfg->particles_step
               ? sim->state.cfg->particles_step / s->p->speed
               : dt;
}

/* ---- history and checkpoints ----------------------------------------------------------------- */

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    struct swarm *s = data;
    struct sl_particle_sums sums;
    double energy;
    SL_TRY(sl_particles_sum(s->p, &sums));
    SL_TRY(sl_particles_look(s->p));
    SL_TRY(energy_of(sim, s, &sums, &energy));
    follow(sim, s);
    for (int d = 0; d < 3; d++)
        out[d] = sums.momentum[d];
    out[3] = sums.kinetic;
    double most = fmax(s->p->most, fabs(s->p->potential));
    out[4] = most > 0 ? (energy - s->start - s->p->integral) / most : 0;
    out[5] = s->p->speed * fmin(sim->state.dt, left_of(sim));
    out[6] = (double)s->p->gone;
    return SL_OK;
}

enum { BALANCE = 6, COUNTS = 3, NUMBERS = BALANCE + COUNTS + SL_PARTICLE_KINDS };

static size_t size(const void *data)
{
    (void)data;
    return NUMBERS;
}

static void save(const void *data, double *state)
{
    const struct swarm *s = data;
    const double number[BALANCE + COUNTS] = {
        s->begun,         s->a,       s->w,       s->p->integral,
        s->start,         s->p->most, s->p->unit, (double)s->p->gone,
        (double)s->p->all};
    for (int i = 0; i < BALANCE + COUNTS; i++)
        state[i] = number[i];
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        state[BALANCE + COUNTS + k] = s->p->mass[k];
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct swarm *s = data;
    (void)sim;
    s->begun = state[0];
    s->a = state[1], s->w = state[2], s->p->integral = state[3];
    s->start = state[4], s->p->most = state[5];
    s->p->unit = state[6];
    s->p->gone = (int64_t)state[7];
    s->p->all = (int64_t)state[8];
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        s->p->mass[k] = state[BALANCE + COUNTS + k];
}

static double memory(const void *of)
{
    return sl_particles_bytes(of);
}

static void part(void *data, struct sl_block_part *out)
{
    struct swarm *s = data;
    *out = (struct sl_block_part){.name = "particles",
                                  .of = s->p,
                                  .bytes = sl_particles_block_bytes,
                                  .save = sl_particles_block_save,
                                  .load = sl_particles_block_load,
                                  .hash = sl_particles_block_hash,
                                  .memory = memory};
}

const struct sl_source sl_source_particles = {
    .place = 1, /* gravity opens before, and closes after them */
    .make = make,
    .free = release,
    .start = start,
    .open = open_step,
    .close = close_step,
    .limit = limit,
    .column =
        {{"particle_momentum_x", "code momentum", "momentum of the particles along x"},
         {"particle_momentum_y", "code momentum", "momentum of the particles along y"},
         {"particle_momentum_z", "code momentum", "momentum of the particles along z"},
         {"particle_energy_kinetic", "code energy", "kinetic energy of the particles"},
         {"energy_balance", "1",
          "change of the sum of all energies, less the integral of the potential one over ln "
          "a, over the largest potential one (Layzer & Irvine)"},
         {"particle_step", "1",
          "way of the fastest particle in the next step, in cells, along an axis; 0 after the "
          "last of time.steps"},
         {"particles_gone", "1", "particles that have left the box"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load,
    .part = part};
