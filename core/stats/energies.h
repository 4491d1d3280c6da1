/* energies.h - the energies of the snapshots of a run against time, per volume: what moves without
 * and with compression, and the field.
 *
 * They are the sums of spectra, so they hold for periodic boxes, and for the spectra that the
 * recipe asks for: `kinetic` is 1/2 <rho v^2> from the spectrum of sqrt(rho) v, `velocity` 1/2
 * <v^2>, `magnetic` 1/2 <B^2>. The parts are those of the modes with k > 0; with the square of the
 * mean of sqrt(rho) v, or of v, they add up to the whole. Use it beside history.tsv, which has the
 * wholes at more times, but no parts.
 *
 * Shapes  a row per snapshot
 * Units   code units; time_unit is in the unit of the recipe (time.unit), the scale factor where
 *         that is redshift
 * Errors  SL_EMEM
 * Owns    the rows, freed by sl_energies_release
 * MPI     local
 * Where   host
 * Refs    Federrath et al. 2010, section 3.4 (compressive ratios of sqrt(rho) v)
 * Tests   tests/cli/stats.sh
 */
#ifndef SL_STATS_ENERGIES_H
#define SL_STATS_ENERGIES_H

#include "core/stats/measure.h"

struct sl_energies {
    int n;
    struct sl_energies_row {
        double time, time_unit;
        struct sl_parts part[SL_PARTED];
    } * row; /* owned */
};

/* Takes in what was measured on a snapshot; time_unit: the time in time.unit. */
int sl_energies_add(struct sl_energies *e, double time, double time_unit,
                    const struct sl_measured *m);
/* Adds the table `energies`, with columns for what was measured; no table when nothing was. */
int sl_energies_table(const struct sl_energies *e, struct sl_tables *tables);
void sl_energies_release(struct sl_energies *e);

#endif
