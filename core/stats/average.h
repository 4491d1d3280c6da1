/* average.h - time averages of a run in a steady state, with errors that know that neighbouring
 * lines of a history say nearly the same.
 *
 * The mean over the window is the integral by trapezes over its length T. Its error is s sqrt(2 tau
 * / T): tau is the integral of the autocorrelation, summed until the lag is SL_AVERAGE_LAGS times
 * the tau of the sum so far (Sokal's window), on the series brought to even steps. T / (2 tau) is
 * the number of independent samples; with fewer than about ten of them the error is itself a guess.
 *
 * Shapes  t[n], x[n], t ascending
 * Units   those of x; times in those of t
 * Errors  SL_EINPUT for a window with fewer than SL_AVERAGE_ROWS lines; SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Sokal 1997 (window); Madras & Sokal 1988
 * Tests   tests/unit/average.c
 */
#ifndef SL_STATS_AVERAGE_H
#define SL_STATS_AVERAGE_H

#include "core/measure/table.h"
#include "core/stats/series.h"

enum { SL_AVERAGE_ROWS = 8, SL_AVERAGE_LAGS = 5 };

struct sl_average {
    double mean, error, tau, samples;
};
/* Over the lines with t >= from. */
int sl_average_make(int n, const double *t, const double *x, double from, struct sl_average *out);

/* Adds <column>_average for the rms Mach number and the energies of a history, over its lines from
 * `from` (time.unit of the recipe) on, and independent_samples of the Mach number. Adds nothing
 * when the history ends too early. */
int sl_average_measure(const struct sl_series *series, double from, struct sl_summary *summary);

#endif
