/* totals.c - see totals.h. */
#include "core/run/totals.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/expansion.h"
#include "core/state/field.h"
#include "core/state/leaves.h"
#include "core/step/source.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { VOLUME = SL_TOTALS, NSUM };
enum { LEAST_MINUS_CELL = SL_LEASTS, NLEAST }; /* divergence times the length of a cell */

/* Terms of the integrals over the box, and of its volume: a line per leaf of a level. */
static void terms(const struct sl_sim *level, const double *sum, double *line)
{
    const struct sl_mesh *m = level->state.mesh;
    for (int b = 0; b < m->nleaf; b++) {
        double volume = 1;
        for (int a = 0; a < m->dim; a++)
            volume *= m->blocks[b].dx[a];
        for (int q = 0; q < SL_TOTALS; q++)
            line[b * NSUM + q] = sum[b * SL_TOTALS + q] * volume;
        line[b * NSUM + VOLUME] = volume * (double)sl_field_cells(m);
    }
}

/* Of a cell along its longest axis; a rank without blocks is not asked. */
static double length_of(const struct sl_mesh *m)
{
    double length = 0;
    for (int a = 0; a < m->dim; a++)
        length = fmax(length, m->blocks[0].dx[a]);
    return length;
}

/* collective. The terms of a level; extremes take in its leaves. */
static int measure_level(const struct sl_sim *level, double *line, double least[NLEAST])
{
    const struct sl_mesh *m = level->state.mesh;
    double *sum = NULL, own[NLEAST];
    int code = sl_alloc("sums of blocks", (size_t)m->nblock * SL_TOTALS, sizeof *sum, &sum);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) code = sl_agree(m->comm, sl_sim_totals(level, sum, own));
    if (code == SL_OK) terms(level, sum, line);
    own[LEAST_MINUS_CELL] =
        code == SL_OK && m->nleaf > 0 ? own[SL_LEAST_MINUS_DIV] * length_of(m) : 0;
    for (int e = 0; e < NLEAST && code == SL_OK; e++)
        least[e] = fmin(least[e], own[e]);
    free(sum);
    return code;
}

/* collective. */
static int reduce(const struct sl_sim *sim, double all[NSUM], double least[NLEAST])
{
    const struct sl_mesh *m = sim->state.mesh;
    int leaves = sl_leaves_count(&sim->state), before = 0;
    double *line = NULL;
    int code = sl_alloc("sums of leaves", (size_t)leaves * NSUM, sizeof *line, &line);
    code = sl_agree(m->comm, code);
    for (int e = 0; e < NLEAST; e++)
        least[e] = HUGE_VAL;
    for (const struct sl_sim *s = sim; s && code == SL_OK; s = s->finer) {
        code = measure_level(s, line + (size_t)before * NSUM, least);
        before += s->state.mesh->nleaf;
    }
    if (code == SL_OK) code = sl_sum_columns(m->comm, leaves, NSUM, line, all);
    free(line);
    if (sim->state.layout.face >= 0) least[SL_LEAST_MINUS_PSI] = 0;
    MPI_Allreduce(MPI_IN_PLACE, least, NLEAST, MPI_DOUBLE, MPI_MIN, m->comm);
    return code;
}

static int gas_totals(const struct sl_sim *sim, struct sl_totals *out)
{
    double all[NSUM], least[NLEAST];
    SL_TRY(reduce(sim, all, least));
    *out = (struct sl_totals){
        .volume = all[VOLUME],
        .scalars = all[SL_TOTAL_SCALARS],
        .scalars_size = all[SL_TOTAL_SCALARS_SIZE],
        .mass = all[SL_TOTAL_MASS],
        .momentum_x = all[SL_TOTAL_MX],
        .momentum_y = all[SL_TOTAL_MY],
        .momentum_z = all[SL_TOTAL_MZ],
        .energy_kinetic = all[SL_TOTAL_KINETIC],
        .energy_thermal =
            sim->state.layout.energy < 0
                ? 0
                : all[SL_TOTAL_ENERGY] - all[SL_TOTAL_KINETIC] - all[SL_TOTAL_MAGNETIC],
        .energy_total = all[SL_TOTAL_ENERGY],
        .mach_rms = sqrt(all[SL_TOTAL_MACH2] / all[VOLUME]),
        .velocity_rms = sqrt(all[SL_TOTAL_SPEED2] / all[VOLUME]),
        .density_min = least[SL_LEAST_RHO],
        .density_max = -least[SL_LEAST_MINUS_RHO],
        .pressure_min = least[SL_LEAST_P],
        .pressure_max = -least[SL_LEAST_MINUS_P],
    };
    double whole =
        out->mass + out->energy_total + out->mach_rms + out->density_max; /* all ranks' */
    SL_CHECK(isfinite(whole), SL_EDIVERGED,
             "step %" PRId64 ": mass %g, energy %g, rms Mach number %g, largest density %g",
             sim->state.step, out->mass, out->energy_total, out->mach_rms, out->density_max);
    if (sim->state.layout.magnetic < 0) return SL_OK;
    out->energy_magnetic = all[SL_TOTAL_MAGNETIC];
    out->magnetic_flux_x = all[SL_TOTAL_BX];
    out->magnetic_flux_y = all[SL_TOTAL_BY];
    out->magnetic_flux_z = all[SL_TOTAL_BZ];
    out->field_rms = sqrt(2 * all[SL_TOTAL_MAGNETIC] / all[VOLUME]);
    out->divergence_cell = -least[LEAST_MINUS_CELL];
    out->divergence_max = -least[SL_LEAST_MINUS_DIV];
    out->divergence_mean = all[SL_TOTAL_DIV] / all[VOLUME];
    out->psi_max = fabs(least[SL_LEAST_MINUS_PSI]);
    return SL_OK;
}

/* One particle that went bad is in the sums of all. */
static int check_particles(const struct sl_sim *sim, const struct sl_totals *t)
{
    const int n = (int)(sizeof t->source / sizeof *t->source);
    for (int i = 0; i < n; i++)
        SL_CHECK(isfinite(t->source[i]), SL_EDIVERGED,
                 "step %" PRId64 ": sums over all particles are no finite numbers (%g)",
                 sim->state.step, t->source[i]);
    return SL_OK;
}

int sl_run_totals(const struct sl_sim *sim, struct sl_totals *out)
{
    memset(out, 0, sizeof *out);
    if (sim->state.layout.nvar > 0) SL_TRY(gas_totals(sim, out));
    SL_TRY(sl_sources_measure(sim, out->source));
    if (sim->state.particles) SL_TRY(check_particles(sim, out));
    if (sim->state.expansion) {
        out->scale_factor = sl_expansion_a(sim->state.expansion, sim->state.time);
        out->redshift = 1 / out->scale_factor - 1;
    }
    return SL_OK;
}
