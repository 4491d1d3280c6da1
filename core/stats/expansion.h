/* expansion.h - what the history and the snapshots of an expanding universe say against its scale
 * factor: the balance of energies, and how its longest waves grow.
 *
 * In the code units of such a run (core/cosmo/expansion.h), with T the energy of motion, heat U and
 * a magnetic field M, and W the potential energy, d(T + W) / d ln a = W + M + (5 - 3 gamma) U: the
 * equation of Layzer and Irvine, of which W alone is left without a field and with gamma = 5/3. The
 * table `expansion` tells all of them, what T + W has gained since the start but for the integral
 * of M + (5 - 3 gamma) U, and the integral of W d ln a that it should be, W, M and U taken as
 * powers of a between lines of the history.
 *
 * The table `growth` tells for each snapshot D(a) / D(start) and sqrt(P / P(start)) of the lowest
 * shells of all matter, else of the gas, else of the particles: of the first that was measured.
 *
 * Shapes  a row per line of the history; a row per snapshot
 * Units   code units
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Layzer 1963; Irvine 1961; Peebles 1980, section 24
 * Tests   tests/unit/expansion_tables.c
 */
#ifndef SL_STATS_EXPANSION_H
#define SL_STATS_EXPANSION_H

#include "core/measure/linear.h"
#include "core/measure/table.h"
#include "core/stats/series.h"

/* Whether the history is that of an expanding universe with gravity. */
bool sl_expansion_is_recorded(const struct sl_series *series);

/* E-folds of the scale factor between two lines of the history beyond which W is no power of a. */
#define SL_EXPANSION_STEP 0.7

/* Adds the table `expansion`, and layzer_irvine: the largest difference of both sides over the
 * largest potential energy, or over what the expansion gave where that is more; none of a history
 * whose lines are further apart than SL_EXPANSION_STEP. */
int sl_expansion_energies(const struct sl_series *series, double gamma, struct sl_tables *tables,
                          struct sl_summary *summary);

enum { SL_GROWTH_SHELLS = 3 };

/* Adds the table `growth` from the tables matter_total_NNNN (.._gas, .._particles) that tell a
 * scale factor; nothing with fewer than two of them. */
int sl_expansion_growth(const struct sl_linear *linear, struct sl_tables *tables);

#endif
