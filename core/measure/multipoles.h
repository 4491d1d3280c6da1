/* multipoles.h - monopole, quadrupole and hexadecapole of the power of dark matter in redshift
 * space, beside linear theory.
 *
 * Particles lie where their redshift puts them, x + u / (a H) along the line of sight, u their
 * peculiar velocity. The box is looked at along each of its axes in turn, from far away, and the
 * table multipoles_particles_NNNN has the mean of the three: k, modes, monopole, quadrupole and
 * hexadecapole of P(k, mu), each mode over the window of statistics.deposit; theory_0, theory_2,
 * theory_4: those of the input, grown since the start, times (1 + f mu^2)^2 (Kaiser 1987), f = d ln
 * D / d ln a. Shot noise is in the monopole, as in matter.h.
 *
 * Shapes  fields as in measure.h
 * Units   k in h/Mpc, power in (Mpc/h)^3
 * Errors  as matter.h
 * Owns    a table is added to the caller's
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Kaiser 1987; Cole, Fisher & Weinberg 1994, eq. 2.9 (multipoles)
 * Tests   tests/problem/numpy_multipoles.sh
 */
#ifndef SL_MEASURE_MULTIPOLES_H
#define SL_MEASURE_MULTIPOLES_H

#include "core/measure/fields.h"

struct sl_config;

/* Of a snapshot with particles of an expanding universe, after the table matter_particles_NNNN.
 * work: two fields, which are lost. */
int sl_multipoles_measure(const struct sl_config *cfg, const struct sl_fields *fields,
                          double *const work[2], struct sl_tables *tables, double *parseval);

#endif
