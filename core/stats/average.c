/* average.c - see average.h. */
#include "core/stats/average.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sys/status.h"

enum { EVEN_MAX = 4096 };

/* Integral of x by trapezes over its length. */
static double mean_of(int n, const double *t, const double *x)
{
    double sum = 0;
    for (int i = 1; i < n; i++)
        sum += 0.5 * (x[i] + x[i - 1]) * (t[i] - t[i - 1]);
    return sum / (t[n - 1] - t[0]);
}

/* x less its mean at m even steps. */
static void bring_even(int n, const double *t, const double *x, double mean, int m, double *out)
{
    int at = 1;
    for (int i = 0; i < m; i++) {
        double time = t[0] + (t[n - 1] - t[0]) * i / (m - 1);
        while (at < n - 1 && t[at] < time)
            at++;
        double part = (time - t[at - 1]) / (t[at] - t[at - 1]);
        out[i] = (1 - part) * x[at - 1] + part * x[at] - mean;
    }
}

static double covariance_at(int m, const double *x, int lag)
{
    double sum = 0;
    for (int i = 0; i + lag < m; i++)
        sum += x[i] * x[i + lag];
    return sum / m;
}

/* Integral of the autocorrelation in steps; 1/2 for independent values. */
static double correlation_steps(int m, const double *x, double variance)
{
    double tau = 0.5;
    for (int lag = 1; lag < m && lag < SL_AVERAGE_LAGS * tau + 1; lag++)
        tau += covariance_at(m, x, lag) / variance;
    return fmax(tau, 0.5);
}

int sl_average_make(int n, const double *t, const double *x, double from, struct sl_average *out)
{
    int first = 0;
    while (first < n && t[first] < from)
        first++;
    int rows = n - first, m = rows < EVEN_MAX ? rows : EVEN_MAX;
    SL_CHECK(rows >= SL_AVERAGE_ROWS, SL_EINPUT, "too few lines for an average in time: %d", rows);
    t += first;
    x += first;
    double *even = malloc((size_t)m * sizeof *even), span = t[rows - 1] - t[0];
    SL_CHECK(even, SL_EMEM, "out of memory");
    struct sl_average a = {.mean = mean_of(rows, t, x)};
    bring_even(rows, t, x, a.mean, m, even);
    double variance = covariance_at(m, even, 0), steps = m;
    if (variance > 0) steps = correlation_steps(m, even, variance);
    a.tau = steps * span / (m - 1);
    a.samples = fmax(span / (2 * a.tau), 1);
    a.error = sqrt(variance / a.samples);
    free(even);
    *out = a;
    return SL_OK;
}

static int add_column(const struct sl_series *s, int time, const char *name, double from,
                      double *work, struct sl_summary *summary)
{
    double *t = work, *x = work + s->nrow;
    char label[SL_TABLE_NAME];
    struct sl_average a;
    int column = sl_series_find(s, name);
    if (column < 0) return SL_OK;
    for (int r = 0; r < s->nrow; r++) {
        t[r] = sl_series_at(s, r, time);
        x[r] = sl_series_at(s, r, column);
    }
    SL_TRY(sl_average_make(s->nrow, t, x, from, &a));
    snprintf(label, sizeof label, "%s_average", name);
    sl_summary_add(summary, label, a.mean, a.error, name[0] == 'm' ? "1" : "code energy");
    if (name[0] == 'm') sl_summary_add(summary, "independent_samples", a.samples, 0, "1");
    return SL_OK;
}

int sl_average_measure(const struct sl_series *s, double from, struct sl_summary *summary)
{
    static const char *const name[] = {"mach_rms", "energy_kinetic", "energy_magnetic"};
    int time, rows = 0, code = SL_OK;
    SL_TRY(sl_series_column(s, "time_unit", &time));
    for (int r = 0; r < s->nrow; r++)
        rows += sl_series_at(s, r, time) >= from;
    if (rows < SL_AVERAGE_ROWS) return SL_OK;
    double *work = malloc(2 * (size_t)s->nrow * sizeof *work);
    SL_CHECK(work, SL_EMEM, "out of memory");
    for (size_t i = 0; i < sizeof name / sizeof name[0] && code == SL_OK; i++)
        code = add_column(s, time, name[i], from, work, summary);
    free(work);
    return code;
}
