/* history.h - the time series of a run: history.tsv, one line of global quantities per output time.
 *
 * Lines: names with units, "time[code] step[1] ...", then "# sluice history 1" and "# key value"
 * for the provenance that is the same in every attempt, then the values, %.17g, separated by tabs.
 * So pandas.read_csv(path, sep="\t", comment="#") and numpy.genfromtxt(path, delimiter="\t",
 * names=True) read it.
 *
 * Shapes  none
 * Units   code units; sums are integrals over the box (unit length along axes that are not there).
 *         An isothermal gas has no thermal energy: that column is 0
 * Errors  SL_EIO, SL_EINPUT, SL_EMPI
 * Owns    the open file
 * MPI     collective over state->mesh->comm; rank 0 writes
 * Where   host
 * Refs    none
 * Tests   tests/unit/history.c, tests/law/restart.sh
 */
#ifndef SL_IO_HISTORY_H
#define SL_IO_HISTORY_H

#include <stdbool.h>

#include "core/io/provenance.h"
#include "core/state/state.h"

/* X(name, unit, sentence): the head of a column says "code" of units that begin with it, or what
 * one is in CGS where the run has physical units (core/config/scale.h). With the format and
 * the value of `const struct sl_state *state` where there is no sum of that name. The columns
 * before all others: */
#define SL_HISTORY_CLOCK_LIST(X)                                                                   \
    X(time, "code time", "time since the start", "%.17g", state->time)                             \
    X(step, "1", "steps of the root grid since the start", "%" PRId64, state->step)                \
    X(dt, "code time", "largest step that this state allows", "%.17g", state->dt)

/* Those that one pass over the cells gives: */
#define SL_HISTORY_LIST(X)                                                                         \
    X(mass, "code mass", "mass of the gas in the box")                                             \
    X(momentum_x, "code momentum", "momentum along x in the box")                                  \
    X(momentum_y, "code momentum", "momentum along y in the box")                                  \
    X(momentum_z, "code momentum", "momentum along z in the box")                                  \
    X(energy_kinetic, "code energy", "kinetic energy in the box, rho v^2 / 2")                     \
    X(energy_thermal, "code energy", "thermal energy in the box; 0 of an isothermal gas")          \
    X(energy_total, "code energy", "kinetic, thermal and magnetic energy in the box")              \
    X(mach_rms, "1", "rms over the volume of speed over sound speed")                              \
    X(velocity_rms, "code velocity", "rms over the volume of the speed")                           \
    X(density_min, "code density", "smallest density of a cell")                                   \
    X(density_max, "code density", "largest density of a cell")                                    \
    X(pressure_min, "code pressure", "smallest thermal pressure of a cell")                        \
    X(pressure_max, "code pressure", "largest thermal pressure of a cell")

/* More columns after these where there is a magnetic field. */
#define SL_HISTORY_MHD_LIST(X)                                                                     \
    X(energy_magnetic, "code energy", "magnetic energy in the box, B^2 / 2")                       \
    X(magnetic_flux_x, "code field code volume", "integral of the field along x over the box")     \
    X(magnetic_flux_y, "code field code volume", "integral of the field along y over the box")     \
    X(magnetic_flux_z, "code field code volume", "integral of the field along z over the box")     \
    X(divergence_max, "code field / code length",                                                  \
      "largest |div B| of a cell: central differences (glm), faces (ct)")                          \
    X(divergence_mean, "code field / code length", "mean over the volume of |div B|")              \
    X(psi_max, "code field code velocity",                                                         \
      "largest |psi| of the cleaning of the divergence; 0 with ct")

/* More columns after these: those of the source terms of the run. Then in
 * an expanding universe. Energies are supercomoving (core/cosmo/expansion.h): proper peculiar ones
 * are these over a^2, and d(energy_total + energy_potential) / d ln a = energy_potential (Layzer
 * 1963, Irvine 1961; gamma = 5/3). */
#define SL_HISTORY_EXPANSION_LIST(X)                                                               \
    X(scale_factor, "1", "scale factor a of the universe, 1 today")                                \
    X(redshift, "1", "1 / a - 1")

/* The last columns; with mesh.levels also cells_level_0, cells_level_1 ...: leaf cells of each
 * level. */
#define SL_HISTORY_LAST_LIST(X)                                                                    \
    X(cells_repaired, "1",                                                                         \
      "cells whose fluxes were replaced by first-order ones, since the start", "%" PRId64,         \
      state->cells_repaired)                                                                       \
    X(cells_floored, "1", "cells raised to a floor of density or pressure, since the start",       \
      "%" PRId64, state->cells_floored)                                                            \
    X(time_unit, "1", "time in time.unit of the recipe", "%.17g", state->time / state->time_unit)

struct sl_totals {
#define SL_HISTORY_MEMBER(name, unit, about) double name;
    SL_HISTORY_LIST(SL_HISTORY_MEMBER)
    SL_HISTORY_MHD_LIST(SL_HISTORY_MEMBER)
    SL_HISTORY_EXPANSION_LIST(SL_HISTORY_MEMBER)
#undef SL_HISTORY_MEMBER
    double source[SL_COMPONENT_COLUMNS]; /* columns of the source terms */
    /* no columns */
    double volume;
    double scalars, scalars_size; /* of all passive scalars together; of their absolute values */
    double field_rms, divergence_cell; /* largest divergence times the longest side of its cell */
};

/* local. The value of a column of the source terms; NaN: the run has no such column. */
double sl_history_source(const struct sl_state *state, const struct sl_totals *t, const char *name);

struct sl_history;

/* Opens path: a new file with its head or, for a run that resumed from a checkpoint, the old one:
 * the lines after state->step are cut off (by rename), so that the file becomes what it would have
 * been without the stop. Where state->sealed knows the file, that says where it is cut, and each
 * line that is added gets it. *out is NULL on other ranks than 0. */
int sl_history_open(const struct sl_state *state, const char *path, bool resumed,
                    const struct sl_provenance *p, struct sl_history **out);
/* Adds the line of the present state, whose totals t are; flush: what was added survives a power
 * cut. */
int sl_history_add(struct sl_history *h, const struct sl_state *state, const struct sl_totals *t);
int sl_history_flush(struct sl_history *h, const struct sl_state *state);
void sl_history_close(struct sl_history *h);

#endif
