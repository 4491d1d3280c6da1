/* prolong_face.c - the faces of children (core/cell/prolong_face.h): no divergence where the coarse
 * cell has none, also with the faces of finer neighbours; the mean of a face is the coarse value;
 * what is uniform stays so and what is linear is met; neighbours draw the same; a mirror and a turn
 * change no bit.
 *
 * ranks: 1
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/cell/centre.h"
#include "core/cell/prolong_face.h"

enum { N = 6, CELLS = N * N * N, CASES = 300 };
static const double tiny = sizeof(sl_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
static uint64_t state = 1;

static double between(double a, double b)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * ((double)(state >> 11) * 0x1p-53);
}

/* Faces of N cells along each axis. */
struct patch {
    struct sl_prolong_face p;
    sl_real b[2][3][CELLS]; /* two states */
};

static ptrdiff_t place(const int x[3])
{
    return (x[2] * N + x[1]) * N + x[0];
}

static void patch_new(struct patch *h, int dim, sl_real share)
{
    static int made;
    memset(h, 0, sizeof *h);
    h->p = (struct sl_prolong_face){dim,       {1, N, N * N}, CELLS,
                                    {1, 1, 1}, share,         (sl_real)(1 + made++ % 2)};
    for (int d = 0; d < 3; d++)
        h->p.dx[d] = (sl_real)pow(2, floor(between(-2, 3)));
}

static int inside(const struct patch *h, const int x[3])
{
    return x[0] < N - 1 && x[1] < N - 1 && x[2] < N - 1 && h->p.dim > 0;
}

/* The curl of random values at edges. */
static void patch_random(struct patch *h)
{
    static sl_real edge[3][CELLS];
    int x[3];
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < 3; d++)
            for (int c = 0; c < CELLS; c++)
                edge[d][c] = (sl_real)between(-1, 1);
        for (int c = 0; c < CELLS; c++) {
            x[0] = c % N, x[1] = c / N % N, x[2] = c / N / N;
            for (int d = 0; d < h->p.dim && inside(h, x); d++) {
                int a = (d + 1) % 3, b = (d + 2) % 3;
                double sum = 0.25;
                if (a < h->p.dim)
                    sum += (double)(edge[b][c + h->p.step[a]] - edge[b][c]) / (double)h->p.dx[a];
                if (b < h->p.dim)
                    sum -= (double)(edge[a][c + h->p.step[b]] - edge[a][c]) / (double)h->p.dx[b];
                h->b[s][d][c] = (sl_real)sum;
            }
        }
    }
}

static struct sl_child_faces faces_of(const struct patch *h, int i, int j, int k)
{
    struct sl_child_faces f;
    ptrdiff_t at = place((const int[3]){i, j, h->p.dim > 2 ? k : 0});
    sl_prolong_faces(&h->p, h->b[0][0] + at, h->b[1][0] + at, &f);
    return f;
}

/* Largest divergence of a child; the size of what it is made of goes to *size. */
static double divergence(const struct patch *h, const struct sl_child_faces *f, double *size)
{
    double most = 0;
    for (int c = 0; c < 8; c++) {
        const int child[3] = {c & 1, c >> 1 & 1, c >> 2};
        double div = 0;
        for (int d = 0; d < h->p.dim; d++) {
            double low = (double)sl_child_face(f, d, child, 0) / (double)h->p.dx[d];
            double high = (double)sl_child_face(f, d, child, 1) / (double)h->p.dx[d];
            div += high - low;
            *size = fmax(*size, fmax(fabs(low), fabs(high)));
        }
        most = fmax(most, fabs(div));
    }
    return most;
}

static void divergence_free(void **unused)
{
    (void)unused;
    static const double shares[] = {0, 0.3, 1};
    for (int dim = 1; dim <= 3; dim++)
        for (int i = 0; i < CASES; i++) {
            struct patch h;
            patch_new(&h, dim, (sl_real)shares[i % 3]);
            patch_random(&h);
            struct sl_child_faces f = faces_of(&h, 2, 2, 2);
            double size = 0, div = divergence(&h, &f, &size);
            if (!(div <= 16 * tiny * size)) fail_msg("%d dimensions: %g of %g", dim, div, size);
        }
}

/* A finer neighbour has put other values of the same mean in the place of those of one side. */
static void beside_finer(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < CASES; i++) {
            struct patch h;
            patch_new(&h, dim, 0);
            patch_random(&h);
            struct sl_child_faces f = faces_of(&h, 2, 2, 2);
            int d = i % dim, plane = i / dim % 2 * 2, a = d == 0, b = d == 2 ? 1 : 2;
            sl_real by_a = a < dim ? (sl_real)between(-1, 1) : 0, twist = (sl_real)between(-1, 1);
            sl_real by_b = b < dim ? (sl_real)between(-1, 1) : 0;
            for (int c = 0; c < 4; c++)
                f.at[d][plane][c / 2][c % 2] += (c % 2 ? by_a : -by_a) + (c / 2 ? by_b : -by_b) +
                                                (dim < 3            ? 0
                                                 : c == 0 || c == 3 ? twist
                                                                    : -twist);
            sl_child_faces_inside(dim, h.p.dx, &f);
            double size = 0, div = divergence(&h, &f, &size);
            if (!(div <= 16 * tiny * size)) fail_msg("%d dimensions: %g of %g", dim, div, size);
        }
}

static void mean_kept(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++)
        for (int i = 0; i < CASES; i++) {
            struct patch h;
            patch_new(&h, dim, 1);
            patch_random(&h);
            struct sl_child_faces f = faces_of(&h, 2, 2, 2);
            struct sl_child_faces next = faces_of(&h, 3, 2, 2);
            assert_memory_equal(f.at[0][2], next.at[0][0], sizeof f.at[0][0]);
            for (int d = 0; d < dim; d++) {
                const sl_real(*at)[2] = f.at[d][0];
                double mean = 0.25 * (double)((at[0][0] + at[0][1]) + (at[1][0] + at[1][1]));
                double want = (double)h.b[1][d][place((const int[3]){2, 2, dim > 2 ? 2 : 0})];
                if (!(fabs(mean - want) <= 4 * tiny * (fabs(want) + 1))) fail_msg("axis %d", d);
            }
        }
}

/* B = A x + c with the trace of A zero. */
static void linear(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct patch h;
        double m[3][3], c[3], x[3];
        int uniform = i % 2;
        patch_new(&h, 3, 0);
        for (int d = 0; d < 9; d++)
            m[d / 3][d % 3] = uniform ? 0 : between(-1, 1);
        m[2][2] = -m[0][0] - m[1][1];
        for (int d = 0; d < 3; d++)
            c[d] = between(-1, 1);
        for (int d = 0; d < 3; d++)
            for (int at = 0; at < CELLS; at++) {
                const int q[3] = {at % N, at / N % N, at / N / N};
                for (int a = 0; a < 3; a++)
                    x[a] = (q[a] + (a == d ? 0 : 0.5)) * (double)h.p.dx[a];
                h.b[0][d][at] = (sl_real)(c[d] + m[d][0] * x[0] + m[d][1] * x[1] + m[d][2] * x[2]);
            }
        struct sl_child_faces f = faces_of(&h, 2, 2, 2);
        for (int d = 0; d < 3; d++)
            for (int at = 0; at < 12; at++) {
                int k[3], a = d == 0, b = d == 2 ? 1 : 2, plane = at / 4;
                k[a] = at % 2, k[b] = at / 2 % 2;
                x[d] = (2 + 0.5 * plane) * (double)h.p.dx[d];
                x[a] = (2.25 + 0.5 * k[a]) * (double)h.p.dx[a];
                x[b] = (2.25 + 0.5 * k[b]) * (double)h.p.dx[b];
                double want = c[d] + m[d][0] * x[0] + m[d][1] * x[1] + m[d][2] * x[2];
                double got = (double)f.at[d][plane][k[b]][k[a]];
                if (!(fabs(got - want) <= (uniform ? 1 : 200) * tiny))
                    fail_msg("axis %d: %.17g, not %.17g", d, got, want);
            }
    }
}

/* Where the axes of a patch go in another, and which of them are mirrored. */
struct pose {
    int axis[3], mirrored[3];
};

static void turned(void **unused)
{
    (void)unused;
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                     {2, 0, 1}, {0, 2, 1}, {2, 1, 0}};
    for (int i = 0; i < CASES; i++) {
        static struct patch h, g;
        struct pose w;
        patch_new(&h, 3, (sl_real)0.3);
        patch_random(&h);
        g = h;
        for (int d = 0; d < 3; d++)
            w.axis[d] = orders[i % 6][d], w.mirrored[d] = i >> d & 1;
        for (int d = 0; d < 3; d++)
            g.p.dx[w.axis[d]] = h.p.dx[d];
        for (int s = 0; s < 2; s++)
            for (int d = 0; d < 3; d++)
                for (int at = 0; at < CELLS; at++) {
                    const int x[3] = {at % N, at / N % N, at / N / N};
                    int y[3];
                    for (int a = 0; a < 3; a++)
                        y[w.axis[a]] = w.mirrored[a] ? 4 + (a == d) - x[a] : x[a];
                    if (y[0] < 0 || y[1] < 0 || y[2] < 0) continue;
                    if (y[0] >= N || y[1] >= N || y[2] >= N) continue;
                    g.b[s][w.axis[d]][place(y)] = w.mirrored[d] ? -h.b[s][d][at] : h.b[s][d][at];
                }
        struct sl_child_faces f = faces_of(&h, 2, 2, 2), t = faces_of(&g, 2, 2, 2);
        for (int c = 0; c < 8; c++) {
            int child[3] = {c & 1, c >> 1 & 1, c >> 2}, to[3];
            for (int a = 0; a < 3; a++)
                to[w.axis[a]] = w.mirrored[a] ? 1 - child[a] : child[a];
            for (int d = 0; d < 3; d++)
                for (int up = 0; up < 2; up++) {
                    sl_real one = sl_child_face(&f, d, child, up);
                    sl_real other = sl_child_face(&t, w.axis[d], to, w.mirrored[d] ? 1 - up : up);
                    if (other != (w.mirrored[d] ? -one : one))
                        fail_msg("pose %d: %.17g, not %.17g", i, (double)other, (double)one);
                }
        }
    }
}

/* The field in a cell is the mean of its faces; its energy stays, or where most of the heat would
 * be lost, the heat. */
static void centred(void **unused)
{
    (void)unused;
    enum { VAR = 3 }; /* the cell, and the next one along x and y */
    const struct sl_layout l = {
        .nvar = 10, .energy = 4, .entropy = -1, .magnetic = 5, .face = 8, .nflow = 8};
    const ptrdiff_t step[3] = {1, 2, 0};
    int kept[2] = {0, 0};
    for (int i = 0; i < CASES; i++) {
        sl_real u[10 * VAR], before[10 * VAR];
        for (int v = 0; v < 10 * VAR; v++)
            u[v] = (sl_real)between(v < VAR ? 0.5 : -1, 1);
        u[4 * VAR] = 0;
        double field = (double)sl_magnetic_energy(&l, u, VAR);
        u[4 * VAR] = (sl_real)field +
                     (sl_real)(between(0.1, 1) - (double)sl_centre_heat(&l, VAR, u) - field);
        memcpy(before, u, sizeof u);
        double heat = (double)sl_centre_heat(&l, VAR, u);
        sl_centre(&l, 2, step, VAR, u);
        double left = (double)sl_centre_heat(&l, VAR, u);
        for (int d = 0; d < 2; d++)
            if (u[(5 + d) * VAR] != (sl_real)0.5 * (u[(8 + d) * VAR] + u[(8 + d) * VAR + step[d]]))
                fail_msg("axis %d", d);
        int same = u[4 * VAR] == before[4 * VAR];
        if (same ? left < 0.5 * heat : fabs(left - heat) > 16 * tiny)
            fail_msg("heat %g, then %g", heat, left);
        kept[same]++;
        u[4 * VAR] = before[4 * VAR], u[5 * VAR] = before[5 * VAR], u[6 * VAR] = before[6 * VAR];
        assert_memory_equal(u, before, sizeof u);
    }
    assert_true(kept[0] > 20 && kept[1] > 20);
}

/* A cell holds the mean of its two faces. */
static void mean_of_faces(void **unused)
{
    (void)unused;
    assert_true(sl_face_mean(1, 4) == (sl_real)2.5 && sl_face_mean(4, 1) == (sl_real)2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_free), cmocka_unit_test(beside_finer),
        cmocka_unit_test(mean_kept),       cmocka_unit_test(mean_of_faces),
        cmocka_unit_test(linear),          cmocka_unit_test(turned),
        cmocka_unit_test(centred)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
