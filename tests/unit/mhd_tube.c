/* mhd_tube.c - the tabled solutions of shock tubes of MHD (core/exact/mhd_tube.def) obey the
 * conditions of Rankine and Hugoniot at each jump, the equations within fans, and have no pressure
 * jump at the contact. ranks: 1 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ryu_jones_1a, torrilhon, ryu_jones_4d, N = 7 };

static const struct node {
    int tube;
    double place, w[N];
} nodes[] = {
#define SL_MHD_TUBE_NODE(tube, place, ...) {tube, place, {__VA_ARGS__}},
#include "core/exact/mhd_tube.def"
};
static const double along[] = {1.4104739588693909, 1, 0.7}, heat = 1.5;

static void conserve(const struct node *a, double u[N], double flux[N])
{
    const double *w = a->w, b = along[a->tube], across2 = w[5] * w[5] + w[6] * w[6];
    double energy = w[4] * heat + 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]) +
                    0.5 * (across2 + b * b);
    double total = w[4] + 0.5 * (across2 + b * b);
    double work = b * w[1] + w[5] * w[2] + w[6] * w[3];
    const double all[2][N] = {{w[0], w[0] * w[1], w[0] * w[2], w[0] * w[3], energy, w[5], w[6]},
                              {w[0] * w[1], w[0] * w[1] * w[1] + total - b * b,
                               w[0] * w[1] * w[2] - b * w[5], w[0] * w[1] * w[3] - b * w[6],
                               (energy + total) * w[1] - b * work, w[1] * w[5] - b * w[2],
                               w[1] * w[6] - b * w[3]}};
    for (int i = 0; i < N; i++)
        u[i] = all[0][i], flux[i] = all[1][i];
}

/* What a jump, or a small part of a fan, changes: the flux by its speed times the state. */
static void waves_obey(void **state)
{
    int jumps = 0, fans = 0;
    (void)state;
    for (size_t i = 1; i < sizeof nodes / sizeof *nodes; i++) {
        const struct node *a = &nodes[i - 1], *b = &nodes[i];
        double u[2][N], f[2][N], speed = 0.5 * (a->place + b->place), off = 0, most = 0;
        if (a->tube != b->tube) continue;
        conserve(a, u[0], f[0]);
        conserve(b, u[1], f[1]);
        for (int k = 0; k < N; k++) {
            off = fmax(off, fabs(f[1][k] - f[0][k] - speed * (u[1][k] - u[0][k])));
            most = fmax(most, fabs(f[1][k] - f[0][k]) + fabs(u[1][k] - u[0][k]));
        }
        if (off > (a->place == b->place ? 1e-8 : 2e-3) * most)
            fail_msg("tube %d at %g: off by %g of %g", a->tube, speed, off, most);
        jumps += a->place == b->place;
        fans += a->place < b->place && most > 0;
        assert_true(a->place <= b->place);
    }
    /* 1a: three shocks and the contact; Torrilhon: two shocks, two rotations, the fast shock, the
     * contact; 4d: contact, shock, rotation */
    assert_int_equal(jumps, 4 + 6 + 3);
    assert_int_equal(fans, 4 + 32 + 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_obey)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
