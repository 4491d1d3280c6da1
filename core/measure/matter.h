/* matter.h - the power of matter P(k) of one snapshot in the units of the box, beside that of the
 * input, as tables.
 *
 * Tables made for snapshot 7, as statistics.matter asks: matter_gas_0007, matter_particles_0007,
 * matter_cross_0007, matter_total_0007 and correlation_gas_0007 (.._particles, .._cross, .._total);
 * sigma_gas_0007 (.._particles, .._total): rms in spheres, of the waves of P(k). P(k) = V <|d_k|^2>
 * over the modes of a shell, d = rho / mean - 1; shells as in spectrum.h, without the last, of
 * which a cubic grid holds a part only. The error is that of a Gaussian field, P sqrt(2 / modes), k
 * and -k counted as two. Of particles: raw as they lie on the grid, power over the window of
 * statistics.deposit, interlaced where statistics.interlace asks for it; shot is what as many
 * Poisson points would add to power. It is not taken away: particles that start from a lattice have
 * none until they have forgotten it.
 *
 * Total is all matter, f gas + (1 - f) particles, f the mean density of the gas over that of all
 * matter (noted as gas_share): f^2 of the gas + 2 f (1 - f) of cross + (1 - f)^2 of the particles,
 * in raw, power and correlation alike. So each mode of the particles is over its window, and those
 * of the gas over none; shot is (1 - f)^2 of that of the particles.
 *
 * In a universe: the power of the input over the same modes, grown linearly, and where the universe
 * expands that times what halofit.h expects of all matter. Of total the input is that of the sum of
 * both amplitudes, as waves of gas and particles start with the same phases; growth and halofit are
 * of all matter, so that total is what they should be compared with.
 *
 * Shapes  fields as in measure.h
 * Units   lengths of the box: Mpc/h for problem cosmology
 * Errors  SL_EINPUT for an ic.h5 that is missing or damaged; SL_EGUARD, SL_EMEM
 * Owns    tables are added to the caller's
 * MPI     collective; every rank gets all tables, the same bits for any number of ranks
 * Where   host
 * Refs    Feldman, Kaiser & Peacock 1994 (errors); see spectrum.h, deposit.h
 * Tests   tests/problem/numpy_matter.sh
 */
#ifndef SL_MEASURE_MATTER_H
#define SL_MEASURE_MATTER_H

#include "core/measure/fields.h"

struct sl_config;

/* The density of the particles of fields->particles on the grid of the slab, by
 * statistics.deposit: how many there are times their mean mass. Where a device of a lone
 * rank has the particles and can do what the recipe asks, it is lent->contrast, which is the
 * caller's to give back, and rho is not set; else that is NULL. */
int sl_matter_density(const struct sl_config *cfg, const struct sl_fields *fields, double *rho,
                      struct sl_lent_density *lent);

/* mean: of the density; of gas beside particles its share of all matter, whose mean is the unit.
 * work: as large as the own planes of a field, lost. parseval: made larger where the sums of a
 * spectrum differ by more. */
int sl_matter_measure(const struct sl_config *cfg, const struct sl_fields *fields, double mean,
                      double *const work[3], struct sl_tables *tables, double *parseval);

#endif
