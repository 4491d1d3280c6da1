/* sensitivity.c - see sensitivity.h. */
#include "pipeline/report/sensitivity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PARTS = 10, DEGREE_MAX = 6, POINTS_PER_DEGREE = 12 };

struct point {
    double x, y;
    int number;     /* in the order given */
    double t, p[2]; /* rank from -1 to 1; two polynomials at this point */
};

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->number - q->number;
}

/* Points of one x share the mean of their ranks. */
static void rank(struct point *p, int n)
{
    for (int i = 0, end; i < n; i = end) {
        for (end = i; end < n && p[end].x == p[i].x; end++)
            ;
        for (int k = i; k < end; k++)
            p[k].t = (double)(i + end) / n - 1;
    }
}

static double mean_of(const struct point *p, int n, double *square)
{
    double mean = 0;
    for (int i = 0; i < n; i++)
        mean += p[i].y / n;
    *square = 0;
    for (int i = 0; i < n; i++)
        *square += (p[i].y - mean) * (p[i].y - mean);
    return mean;
}

/* Goes on from the polynomials of degrees j - 1 and j to j and j + 1, orthogonal on the points. */
static void next_polynomial(struct point *p, int n, double *norm)
{
    double shift = 0, before = *norm, now = 0;
    for (int i = 0; i < n; i++) {
        now += p[i].p[1] * p[i].p[1];
        shift += p[i].t * p[i].p[1] * p[i].p[1];
    }
    *norm = now;
    for (int i = 0; i < n; i++) {
        double next =
            (p[i].t - shift / now) * p[i].p[1] - (before > 0 ? now / before : 0) * p[i].p[0];
        p[i].p[0] = p[i].p[1];
        p[i].p[1] = next;
    }
}

/* Of sorted points; *chance: what was taken off. */
static double index_of(struct point *p, int n, double *chance)
{
    const double nothing = 1e-12;
    double square, mean = mean_of(p, n, &square), norm = 0, part = 0;
    int most = n / POINTS_PER_DEGREE > DEGREE_MAX ? DEGREE_MAX : n / POINTS_PER_DEGREE, degree = 0;
    rank(p, n);
    for (int i = 0; i < n; i++)
        p[i].p[0] = 0, p[i].p[1] = 1;
    for (int j = 1; j <= (most < 2 ? 2 : most); j++) {
        double along = 0, size = 0;
        next_polynomial(p, n, &norm);
        for (int i = 0; i < n; i++) {
            along += (p[i].y - mean) * p[i].p[1];
            size += p[i].p[1] * p[i].p[1];
        }
        if (size < nothing * n) break; /* x has j values */
        part += along * along / size / square;
        degree = j;
    }
    *chance = (1 - part) * degree / (n - degree - 1);
    return degree && square > 0 ? part - *chance : NAN;
}

/* Those that are not of the part, still sorted. */
static int leave(const struct point *all, int n, int part, struct point *to)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (all[i].number % PARTS != part) to[left++] = all[i];
    return left;
}

static bool is_level(const struct point *p, int n)
{
    double square, mean = mean_of(p, n, &square);
    return !(sqrt(square / n) > 1e-12 * fabs(mean));
}

static double jackknife(const struct point *p, int n, struct point *room)
{
    double index[PARTS], mean = 0, square = 0, chance;
    for (int g = 0; g < PARTS; g++) {
        int left = leave(p, n, g, room);
        mean += (index[g] = index_of(room, left, &chance)) / PARTS;
    }
    for (int g = 0; g < PARTS; g++)
        square += (index[g] - mean) * (index[g] - mean);
    return sqrt(square * (PARTS - 1) / PARTS);
}

void sl_sensitivity(const double *x, const double *y, int n, double *index, double *error)
{
    struct point *p = n < SL_SENSITIVITY_LEAST ? NULL : malloc(2 * (size_t)n * sizeof *p);
    double chance;
    *index = *error = NAN;
    for (int i = 0; i < n && p; i++)
        p[i] = (struct point){.x = x[i], .y = y[i], .number = i};
    if (p && !is_level(p, n)) {
        qsort(p, (size_t)n, sizeof *p, by_x);
        *error = jackknife(p, n, p + n);
        *index = index_of(p, n, &chance);
        *error = hypot(*error, chance);
    }
    free(p);
}
