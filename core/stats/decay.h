/* decay.h - what history.tsv says about a run: how energy decays, what is conserved.
 *
 * Shapes  none
 * Units   code units; time_unit is in the unit of the recipe (time.unit)
 * Errors  SL_EINPUT for a history without the columns that are needed
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Mac Low, Klessen, Burkert & Smith 1998
 * Tests   tests/unit/series.c
 */
#ifndef SL_STATS_DECAY_H
#define SL_STATS_DECAY_H

#include "core/measure/table.h"
#include "core/stats/series.h"

/* The decay exponent is fitted from the half-life of the kinetic energy to so many half-lives, or
 * to the end of the run where that comes before, unless statistics.decay says otherwise: a run that
 * goes on for longer has the same exponent. */
#define SL_DECAY_TO 4.0
/* There is no exponent of a run that ends before so many half-lives, nor where the energy lies so
 * far about the law, as rms of its logarithm: compressive starts turn motion into pressure and
 * back.
 * What statistics.decay asks for is fitted as it is. */
#define SL_DECAY_LEAST   2.0
#define SL_DECAY_SCATTER 0.1

/* Adds the table `decay` and the quantities mach_rms_start, mach_rms_end, mass_drift,
 * energy_drift, cells_repaired, cells_floored, magnetic_energy, magnetic_energy_left (over that of
 * the start, where the box does not expand), alfven_mach (root of the kinetic over the magnetic
 * energy) and divergence_max at the end where there is a field, driving_energy
 * where there is a force, and, when there is kinetic energy at the start and the box does not
 * expand, kinetic_energy, half_life and decay_exponent, as far as the run reaches them. fitted:
 * from when to when in time.unit (statistics.decay), 0 for what SL_DECAY_TO says, but the end of
 * the run behind a beginning that is given; the table notes it. */
int sl_decay_measure(const struct sl_series *series, const double fitted[2],
                     struct sl_tables *tables, struct sl_summary *summary);

#endif
