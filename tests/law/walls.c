/* walls.c - laws of walls: the part of a periodic box between planes of mirror symmetry is the same
 * with walls in place of the rest, for gas (reflecting) and for both walls of a magnetic field
 * (conducting, symmetric); a uniform field that a wall admits stays as it is; one that it does not
 * admit, of which one along a symmetric wall accelerates gas at rest, is refused.
 *
 * ranks: 1
 */
#include "core/run/start.h"
#include "tests/law.h"

/* ---- a state with planes of symmetry at 0 and 1/2 along each axis ---------------------------- */

struct mirrors {
    bool symmetric[3]; /* the walls along an axis, else conducting */
    int dim;
};
static struct mirrors mirrors;

static double twopi(void)
{
    return 2 * acos(-1);
}

/* Odd or even about the walls; the same bits at mirrored places. which: 0 for sine. */
static double wave(double x, int which)
{
    double sign = 1;
    x -= floor(x);
    if (x > 0.5) x = 1 - x, sign = which ? 1 : -1;
    if (x == 0.5 && !which) return 0;
    return sign * (which ? cos(twopi() * x) : sin(twopi() * x));
}

/* Along x and y as the potential along z has it; `turned`: its derivative along that axis. */
static double potential_z(const double x[3], int turned)
{
    double value = 0.05;
    for (int d = 0; d < mirrors.dim && d < 2; d++)
        value *= wave(x[d], d == turned ? !mirrors.symmetric[d] : mirrors.symmetric[d]);
    if (turned >= 0) value *= mirrors.symmetric[turned] ? -twopi() : twopi();
    if (mirrors.dim > 2) value *= wave(x[2], !mirrors.symmetric[2]);
    return value;
}

static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    double x[3];
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        x[d] = 0.5 * (lo[d] + hi[d]);
    return axis == 2 && mirrors.dim > 1 ? potential_z(x, -1) : 0;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double x[3], even = 1;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        x[d] = 0.5 * (lo[d] + hi[d]);
    for (int d = 0; d < mirrors.dim; d++)
        even *= wave(x[d], 1);
    prim[0] = 1 + 0.3 * even;
    prim[1] = 0.7 * wave(x[0], 0);
    prim[2] = mirrors.dim > 1 ? -0.5 * wave(x[1], 0) : 0.3 * even;
    prim[3] = mirrors.dim > 2 ? 0.4 * wave(x[2], 0) : 0.2 * even;
    prim[4] = 0.6 - 0.2 * even;
    prim[SL_PRIM_B] = mirrors.dim > 1 ? potential_z(x, 1) : mirrors.symmetric[0] ? 0.3 : 0;
    prim[SL_PRIM_B + 1] =
        mirrors.dim > 1 ? -potential_z(x, 0) : 0.4 * wave(x[0], !mirrors.symmetric[0]);
    prim[SL_PRIM_B + 2] = mirrors.dim > 2 ? 0 : 0.3;
    for (int d = 0; d < mirrors.dim && mirrors.dim < 3; d++)
        prim[SL_PRIM_B + 2] *= wave(x[d], !mirrors.symmetric[d]);
}

/* As fluid_new_with, and the vector potential. */
static struct fluid *start(const char *recipe)
{
    struct fluid *f;
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, state, NULL, &f), SL_OK);
    if (f->sim->state.layout.face < 0) return f;
    f->problem.potential = mirrors.dim > 1 ? potential : NULL;
    if (sl_sim_start(f->sim) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    return f;
}

/* ---- half the box is the whole box ----------------------------------------------------------- */

static struct law_values after(const char *recipe)
{
    struct law_pose pose = {{0, 1, 2}, 0, state};
    struct fluid *f = start(recipe);
    law_advance(f, 4);
    struct law_values out = law_values_of(f->sim, &pose);
    fluid_free(f);
    return out;
}

static const char *wall_of(const char *mhd, int axis)
{
    return strcmp(mhd, "none") == 0  ? "reflecting"
           : mirrors.symmetric[axis] ? "symmetric"
                                     : "conducting";
}

/* The same cells, one box with the mirror image of all, the other with walls. */
static void half_is_whole(const char *mhd, const char *scheme, double allowed)
{
    static const char *const whole[] = {"", "[32]", "[32, 32]", "[16, 16, 16]"};
    static const char *const half[] = {"", "[16]", "[16, 16]", "[8, 8, 8]"};
    char recipe[1024];
    snprintf(recipe, sizeof recipe, "fluid.mhd: %s\nmesh.cells: %s\nmesh.block: 8\n%s", mhd,
             whole[mirrors.dim], scheme);
    struct law_values all = after(recipe);
    char box[64] = "", walls[64] = "";
    for (int d = 0; d < mirrors.dim; d++) {
        snprintf(box + strlen(box), sizeof box - strlen(box), "%s[0, 1/2]", d ? ", " : "");
        snprintf(walls + strlen(walls), sizeof walls - strlen(walls), "%s%s", d ? ", " : "",
                 wall_of(mhd, d));
    }
    snprintf(recipe, sizeof recipe,
             "fluid.mhd: %s\nmesh.cells: %s\nmesh.block: 4\nmesh.box: [%s]\n"
             "mesh.boundary: [%s]\n%s",
             mhd, half[mirrors.dim], box, walls, scheme);
    struct law_values part = after(recipe);
    double most = 0;
    int x[3];
    for (int v = 0; v < part.nvar; v++)
        for (x[2] = 0; x[2] < part.n[2]; x[2]++)
            for (x[1] = 0; x[1] < part.n[1]; x[1]++)
                for (x[0] = 0; x[0] < part.n[0]; x[0]++) {
                    double gap = fabs(*law_value(&all, v, x) - *law_value(&part, v, x));
                    most = fmax(most, isfinite(gap) ? gap : HUGE_VAL);
                }
    free(all.at);
    free(part.at);
    if (!(most <= allowed)) fail_msg("the half box differs by %g:\n%s", most, recipe);
}

/* All choices of walls along the axes. */
static void each_wall(int dim, const char *mhd, const char *scheme, double allowed)
{
    bool field = strcmp(mhd, "none") != 0;
    for (int choice = 0; choice < (field ? 1 << dim : 1); choice++) {
        mirrors = (struct mirrors){{choice & 1, choice & 2, choice & 4}, dim};
        half_is_whole(mhd, scheme, allowed);
    }
}

#define ROUNDING (32 * law_rounding())

static void gas(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++) {
        each_wall(dim, "none", "", ROUNDING);
        each_wall(dim, "none", "fluid.integrator: tvd\n", ROUNDING);
        if (dim == 3) continue;
        each_wall(dim, "none", "fluid.reconstruct: ppm\nfluid.integrator: rk3\n", ROUNDING);
        each_wall(dim, "none", "fluid.integrator: ctu\n", ROUNDING);
    }
}

/* roe: behind a symmetric wall the mean field along the wall is 0 to rounding. */
static void field(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"glm", "ct"};
    for (int i = 0; i < 2; i++)
        for (int dim = 1; dim <= 3; dim++) {
            each_wall(dim, kinds[i], "fluid.riemann: hlld\n", ROUNDING);
            each_wall(dim, kinds[i], "fluid.riemann: roe\n", ROUNDING);
            if (dim == 3) continue;
            each_wall(dim, kinds[i],
                      "fluid.riemann: hlld\nfluid.integrator: vl2\nfluid.reconstruct: ppm\n",
                      ROUNDING);
            each_wall(dim, kinds[i],
                      "fluid.riemann: hlle\nfluid.integrator: rk3\nfluid.reconstruct: wenoz\n"
                      "fluid.characteristic: true\nfluid.eos: isothermal\n",
                      ROUNDING);
        }
    for (int dim = 1; dim < 3; dim++)
        each_wall(dim, "ct", "fluid.riemann: hlld\nfluid.integrator: ctu\n", ROUNDING);
}

/* ---- rest ------------------------------------------------------------------------------------ */

static double lying[3]; /* a uniform field */

static void rest(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 1;
    prim[4] = 0.3;
    memcpy(prim + SL_PRIM_B, lying, sizeof lying);
}

#define BOX "mesh.cells: [16, 16]\nmesh.block: [8]\nfluid.riemann: hlld\n"

static void stays(const char *recipe)
{
    struct fluid *f;
    struct law_pose pose = {{0, 1, 2}, 0, rest};
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, rest, NULL, &f), SL_OK);
    struct law_values before = law_values_of(f->sim, &pose);
    law_advance(f, 40);
    struct law_values now = law_values_of(f->sim, &pose);
    int size = now.nvar * now.n[0] * now.n[1] * now.n[2];
    for (int i = 0; i < size; i++)
        if (!(fabs(now.at[i] - before.at[i]) < 8 * law_rounding()))
            fail_msg("a uniform field at rest changed by %g:\n%s", now.at[i] - before.at[i],
                     recipe);
    free(now.at);
    free(before.at);
    fluid_free(f);
}

/* Along a conducting wall at any angle; at right angles to a symmetric one. */
static void at_rest(void **unused)
{
    (void)unused;
    static const char *const schemes[] = {
        "fluid.mhd: glm\n", "fluid.mhd: ct\n", "fluid.mhd: ct\nfluid.integrator: ctu\n",
        "fluid.mhd: glm\nfluid.integrator: rk3\nfluid.reconstruct: wenoz\n"};
    char recipe[512];
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (int angle = 0; angle < 4; angle++) {
            lying[0] = 0, lying[1] = 0.7 * cos(angle), lying[2] = 0.7 * sin(angle);
            snprintf(recipe, sizeof recipe, BOX "mesh.boundary: [conducting, periodic]\n%s",
                     schemes[s]);
            stays(recipe);
            lying[0] = 0.7 * (angle - 1.5), lying[1] = lying[2] = 0;
            snprintf(recipe, sizeof recipe, BOX "mesh.boundary: [symmetric, conducting]\n%s",
                     schemes[s]);
            stays(recipe);
        }
}

static void refused(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"glm", "ct"};
    struct fluid *f;
    char recipe[512];
    for (int i = 0; i < 2; i++) {
        lying[0] = 0.05, lying[1] = 0.7, lying[2] = 0.2;
        snprintf(recipe, sizeof recipe,
                 BOX "mesh.boundary: [outflow, conducting, periodic, periodic]\nfluid.mhd: %s\n",
                 kinds[i]);
        assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, rest, NULL, &f), SL_EINPUT);
        assert_non_null(strstr(sl_error_text(), "crosses a conducting wall"));
        snprintf(recipe, sizeof recipe,
                 BOX "mesh.boundary: [reflecting, periodic]\nfluid.mhd: %s\n", kinds[i]);
        assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, rest, NULL, &f), SL_EINPUT);
        assert_non_null(strstr(sl_error_text(), "conducting (no normal field) or symmetric"));
        snprintf(recipe, sizeof recipe,
                 BOX "mesh.boundary: [outflow, outflow, symmetric, outflow]\nfluid.mhd: %s\n",
                 kinds[i]);
        for (int along = 0; along < 3; along += 2) {
            lying[0] = along == 0 ? 0.02 : 0, lying[2] = along == 2 ? 0.02 : 0;
            assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, rest, NULL, &f), SL_EINPUT);
            assert_non_null(strstr(sl_error_text(), "lies along a symmetric wall"));
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas),
        cmocka_unit_test(field),
        cmocka_unit_test(at_rest),
        cmocka_unit_test(refused),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
