/* transfer.c - tests core/cosmo/transfer.h: every layout is known with and without its names,
 * values come out in one form, and every wrong file is named.
 *
 * How readers of such tables fail, and what is wrong with tables and starts in the wild; where each
 * is tested, here when no file is named:
 *
 * | what goes wrong elsewhere | here | test |
 * | -------------------------------------------------- | ---------------------------- |
 * ---------------------------- |
 * | 7 columns, 13 columns or # lines are not read, or | all are, by name and number | layouts,
 * one_form |
 * | are read in other places; 13 columns without names | of columns | |
 * | names and numbers of columns disagree; columns | refused | traps, text |
 * | that no code writes; rows that change their length | | |
 * | columns that moved with the version of CLASS | found by name | accepted |
 * | nan, inf, *****, k that falls, negative values | refused | text, traps |
 * | baryons that cross zero | read, no logarithm of them | accepted; power.c, signs |
 * | columns of zeros, of other species, swapped | refused | traps |
 * | k beyond the table: 0, 1, constant or a power law | refused, or Eisenstein & Hu | range;
 * power.c, beyond |
 * | the corner of the grid is not looked at | sqrt(3) k_Nyquist must be in | range;
 * law/cosmology.sh |
 * | k in 1/Mpc | refused | traps |
 * | P in Mpc^3, with (2 pi)^3, k^4 with the wrong h | refused | traps |
 * | logarithms | those of N-GenIC alone | accepted, traps |
 * | non-linear power | refused; a tilt is not | traps, tilted, early_rise |
 * | a table of z_init taken for z = 0, or the reverse; | refused | traps; law/cosmology.sh, |
 * | the wrong one of several; wrong power of D | | cli/inspect.sh |
 * | redshifts in the wrong order | refused | cmbfast.c, refusals |
 * | growth applied to a table that has it | it is not: the factor is named| power.c, power,
 * back_scaled; |
 * | | | law/cosmology.sh |
 * | D without radiation | with; a warning | cosmology.c; radiation |
 * | one transfer function for both species | two; refused, or a warning | traps, one_for_both;
 * power.c |
 * | the total of CLASS's format=camb has radiation | never used | layouts, one_form |
 * | velocities: units, aH forgotten, gauge | refused; one form | traps, one_form |
 * | velocities: sqrt(a), a^2 dx/dt | proper km/s, noted in ic.h5 | law/cosmology.sh |
 * | lengths in Mpc, code units | Mpc/h; other units refused | law/cosmology.sh |
 * | gas at T_cmb (1 + z)^2 | from recombination; refused | thermal.c; law/cosmology.sh |
 * | 3/7 twice | - | cosmology.c; law/cosmology.sh|
 * | sigma8 by coarse quadrature | good to 1e-5 | power.c, quadrature |
 * | GRAFIC's or other binary files | refused | text |
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/growth.h"
#include "core/cosmo/spline.h"
#include "core/cosmo/transfer.h"
#include "core/cosmo/transfer_fit.h"
#include "core/sys/file.h"
#include "tests/cosmo.h"

enum { MOST = 1 << 20 };

static void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.10g instead of %.10g (%.1e off)", what, got, want, got / want - 1);
}

static char *load(const char *name, size_t *n)
{
    char path[600], *bytes;
    assert_int_equal(sl_file_read(test_data(name, path), MOST, &bytes, n), SL_OK);
    return bytes;
}

/* A copy without comment lines. */
static char *bare(const char *name, size_t *n)
{
    size_t size;
    char *bytes = load(name, &size), *out = bytes;
    for (char *p = bytes; *p;) {
        size_t length = strcspn(p, "\n");
        length += p[length] == '\n';
        if (*p != '#') {
            memmove(out, p, length);
            out += length;
        }
        p += length;
    }
    *out = '\0';
    *n = (size_t)(out - bytes);
    return bytes;
}

static struct sl_transfer_ask ask_of(const struct sl_cosmology *c, double z)
{
    struct sl_transfer_ask ask = {.cosmology = c,
                                  .a_s = 2.1e-9,
                                  .n_s = 0.96,
                                  .k_pivot = 0.05,
                                  .z = z,
                                  .k_low = 0.06,
                                  .k_high = 30};
    return ask;
}

/* Everything of this kind that was found, joined; "" for none. */
static char *findings(enum sl_finding_kind kind, const char *bytes, size_t n,
                      const struct sl_transfer_ask *ask, struct sl_transfer *keep,
                      struct sl_transfer_look *look)
{
    static char text[8192];
    struct sl_transfer t;
    struct sl_findings f = {0};
    text[0] = '\0';
    int code = sl_transfer_parse("t.dat", bytes, n, ask->cosmology, ask->z, &t);
    if (code != SL_OK) {
        assert_int_equal(code, SL_EINPUT);
        snprintf(text, sizeof text, "%s", sl_error_text());
        return text;
    }
    sl_transfer_examine(&t, ask, look, &f);
    for (int i = 0; i < f.n; i++)
        if (f.item[i].kind == kind)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", f.item[i].text);
    if (keep)
        *keep = t;
    else
        sl_transfer_release(&t);
    return text;
}

/* What is wrong; "" for a good file. */
static char *verdict(const char *bytes, size_t n, const struct sl_transfer_ask *ask,
                     struct sl_transfer *keep, struct sl_transfer_look *look)
{
    return findings(SL_FINDING_WRONG, bytes, n, ask, keep, look);
}

static const struct {
    const char *file;
    enum sl_transfer_layout named, bare; /* bare: SL_TRANSFER_LAYOUTS: refused without names */
} tables[] = {
    {"camb13_transfer", SL_TRANSFER_camb13, SL_TRANSFER_camb13},
    {"camb7_transfer", SL_TRANSFER_camb7, SL_TRANSFER_camb7},
    {"cmbfast5_layout", SL_TRANSFER_cmbfast5, SL_TRANSFER_cmbfast5},
    {"class_tk_sync", SL_TRANSFER_class_synchronous, SL_TRANSFER_LAYOUTS},
    {"class_tk_newt", SL_TRANSFER_class_newtonian, SL_TRANSFER_LAYOUTS},
    {"class_tk_cambformat", SL_TRANSFER_class_camb, SL_TRANSFER_camb7},
    {"camb_matterpower", SL_TRANSFER_camb_power, SL_TRANSFER_plain_power},
    {"class_pk", SL_TRANSFER_class_power, SL_TRANSFER_plain_power},
};

static void test_layouts(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    for (size_t i = 0; i < 2 * sizeof tables / sizeof tables[0]; i++) {
        char name[64];
        size_t n;
        struct sl_transfer t;
        struct sl_transfer_look look;
        double z = i % 2 ? 99 : 0;
        struct sl_transfer_ask ask = ask_of(&c, z);
        snprintf(name, sizeof name, "%s_z%g.dat", tables[i / 2].file, z);
        char *bytes = load(name, &n);
        assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
        assert_int_equal(t.layout, tables[i / 2].named);
        near("redshift by amplitude", 1 + look.z_implied, 1 + z, 0.04);
        assert_true(look.shape < 0.03);
        sl_transfer_release(&t);
        ask.z = -1; /* not given: the header or the amplitude tells it */
        assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
        near("redshift", 1 + look.z, 1 + z, 0.04);
        sl_transfer_release(&t);
        free(bytes);
        bytes = bare(name, &n);
        ask.z = z;
        char *wrong = verdict(bytes, n, &ask, NULL, &look);
        if (tables[i / 2].bare == SL_TRANSFER_LAYOUTS)
            assert_non_null(strstr(wrong, "lines that begin with #"));
        else if (tables[i / 2].named == SL_TRANSFER_class_camb && z > 0)
            assert_non_null(strstr(wrong, "photons and neutrinos in it, without its # lines"));
        else
            assert_string_equal(wrong, "");
        free(bytes);
    }
}

/* What a file of this layout gives at k, by a spline in the logarithms. */
static double value(const struct sl_transfer *t, const double *v, double k)
{
    struct sl_spline s;
    double *x = malloc(2 * (size_t)t->n * sizeof *x), *y = x + t->n;
    assert_non_null(x);
    for (int i = 0; i < t->n; i++)
        x[i] = log(t->k[i]), y[i] = log(v[i]);
    assert_int_equal(sl_spline_init(t->n, x, y, &s), SL_OK);
    double out = exp(sl_spline_at(&s, log(k)));
    sl_spline_release(&s);
    free(x);
    return out;
}

/* Whatever the code, layout and gauge: the same numbers as CAMB's 13 columns. */
static void test_one_form(void **state)
{
    static const char *const files[] = {"camb7_transfer_z99.dat", "cmbfast5_layout_z99.dat",
                                        "class_tk_sync_z99.dat", "class_tk_newt_z99.dat",
                                        "class_tk_cambformat_z99.dat"};
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    char path[600];
    struct sl_transfer camb, t;
    assert_int_equal(sl_transfer_read(test_data("camb13_transfer_z99.dat", path), &c, 99, &camb),
                     SL_OK);
    near("T_c(0.1)", value(&camb, camb.cdm, 0.1), 3.41459e4, 1e-5);
    near("T_b(0.1)", value(&camb, camb.baryon, 0.1), 2.18401e4, 1e-5);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_int_equal(sl_transfer_read(test_data(files[i], path), &c, 99, &t), SL_OK);
        for (double k = 1e-3; k < 11; k *= 10) {
            double tolerance = k < 5e-3 ? 2e-3 : 1e-3; /* two codes, two gauges */
            near(files[i], value(&t, t.cdm, k), value(&camb, camb.cdm, k), tolerance);
            near(files[i], value(&t, t.baryon, k), value(&camb, camb.baryon, k), tolerance);
            near(files[i], value(&t, t.total, k), value(&camb, camb.total, k), tolerance);
            if (!t.v_cdm || k < 5e-3) continue;
            near("velocity of dark matter", value(&t, t.v_cdm, k), value(&camb, camb.v_cdm, k),
                 2e-3);
            near("velocity of baryons", value(&t, t.v_baryon, k), value(&camb, camb.v_baryon, k),
                 2e-3);
        }
        assert_true(!t.v_cdm == (i < 2 || i == 4));
        sl_transfer_release(&t);
    }
    sl_transfer_release(&camb);
}

/* Rewrites columns: out = f(row) for each row of numbers; header: put before. */
static char *rewrite(const char *name, const char *header, void (*f)(int n, double *v),
                     int *columns, size_t *size)
{
    size_t n, used;
    char *bytes = bare(name, &n), *out = malloc(4 * MOST);
    assert_non_null(out);
    used = (size_t)snprintf(out, MOST, "%s", header);
    for (char *p = bytes; *p; p += strcspn(p, "\n") + 1) {
        double v[24];
        int count = 0;
        char *at = p, *end;
        for (; *at && *at != '\n' && count < 24; at = end, count++) {
            v[count] = strtod(at, &end);
            if (end == at) break;
            end += strspn(end, " ");
        }
        f(count, v);
        for (int i = 0; i < (*columns ? *columns : count); i++)
            used += (size_t)snprintf(out + used, MOST, " %.9e", v[i]);
        out[used++] = '\n';
    }
    out[used] = '\0';
    free(bytes);
    *size = used;
    return out;
}

static void k_in_mpc(int n, double *v)
{
    (void)n;
    v[0] *= 0.7;
}
static void all_in_mpc(int n, double *v)
{
    (void)n;
    v[0] *= 0.7;
    v[1] /= 0.343;
}
static void without_k2(int n, double *v)
{
    for (int i = 1; i < n; i++)
        v[i] *= v[0] * v[0];
}
static void swap(int n, double *v)
{
    double cdm = v[1];
    (void)n;
    v[1] = v[3], v[3] = cdm;
}
static void other_total(int n, double *v)
{
    (void)n;
    v[6] = 0.84 * v[1] + 0.16 * v[2];
}
static void older_normalisation(int n, double *v)
{
    for (int i = 1; i < n; i++)
        v[i] *= 37;
}
static void no_twopi(int n, double *v)
{
    (void)n;
    v[1] /= 248.05021344239853;
}
static void with_twopi(int n, double *v)
{
    (void)n;
    v[1] *= 248.05021344239853;
}
static void ngenic(int n, double *v)
{
    (void)n;
    v[1] = log10(v[0] * v[0] * v[0] * v[1] / 19.739208802178716);
    v[0] = log10(v[0]);
}
static void ngenic_unscaled(int n, double *v) /* 4 pi k^3 P without 1 / (2 pi)^3 */
{
    ngenic(n, v);
    v[1] += 2.394539575;
}
static void heavy(int n, double *v)
{
    (void)n;
    v[5] = 0.1 * v[1];
}
static void no_unit_h(int n, double *v) /* velocities times h */
{
    (void)n;
    v[10] *= 0.7, v[11] *= 0.7;
}
static void negative(int n, double *v)
{
    for (int i = 1; i < n; i++)
        v[i] = -v[i];
}
static void as_it_is(int n, double *v)
{
    (void)n, (void)v;
}
static void no_baryons(int n, double *v)
{
    (void)n;
    v[2] = 0;
}
static void no_cdm(int n, double *v)
{
    (void)n;
    v[1] = 0;
}
static void negative_baryons(int n, double *v)
{
    (void)n;
    v[2] = -v[2];
}
static void swap_species(int n, double *v)
{
    double cdm = v[1];
    (void)n;
    v[1] = v[2], v[2] = cdm;
}
static void one_for_both(int n, double *v)
{
    (void)n;
    v[2] = v[1];
}
static void in_mpc3(int n, double *v)
{
    (void)n;
    v[1] /= 0.343;
}
static void h3_again(int n, double *v)
{
    (void)n;
    v[1] *= 0.343;
}
static void h4(int n, double *v)
{
    (void)n;
    v[1] /= 0.2401;
}
static void grown_once(int n, double *v) /* by D in place of D^2, at z = 99 */
{
    (void)n;
    v[1] /= 0.013076;
}
static void collapse(int n, double *v)
{
    (void)n;
    v[1] *= 1 + pow(v[0] / 0.4, 2) / (1 + v[0]);
}
static void log10_power(int n, double *v)
{
    for (int i = 0; i < n && i < 3; i++)
        v[i] = log10(v[i]);
}
static void ln_power(int n, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] = log(v[i]);
}
static void enzo_power(int n,
                       double *v) /* k in 1/Mpc, total, dark matter, baryons, with 1 / (2 pi)^3 */
{
    all_in_mpc(n, v), no_twopi(n, v);
    v[2] = v[3] = v[1];
}
static void without_ah(int n, double *v) /* velocities of CLASS, times aH / c in 1/Mpc */
{
    (void)n;
    v[10] *= 1.3e-3, v[11] *= 1.3e-3;
}
static double last_k = 1e9;
static void falling_k(int n, double *v)
{
    (void)n;
    v[0] = last_k *= 0.9;
}
static void crossing(int n, double *v)
{
    (void)n;
    if (v[0] > 50) v[2] *= 0.5 - v[0] / 100;
}
/* The columns of CLASS before 3.3: without d_m, H_T_Nb_prime and k2gamma_Nb. */
static void older_class(int n, double *v)
{
    (void)n;
    memmove(v + 5, v + 6, 7 * sizeof *v);
    memmove(v + 12, v + 15, 4 * sizeof *v);
}
static void drop_second(int n, double *v)
{
    memmove(v + 1, v + 2, (size_t)(n - 2) * sizeof *v);
}

/* Each trap: a file, what is done to it, what it is taken for, what the message must say. */
static const struct trap {
    const char *file, *header;
    void (*f)(int n, double *v);
    int columns;
    double z;
    const char *says;
} traps[] = {
    {"camb13_transfer_z99.dat", "", k_in_mpc, 0, 99, "seems to be in 1/Mpc"},
    {"cmbfast5_layout_z0.dat", "", k_in_mpc, 0, 0, "seems to be in 1/Mpc"},
    {"camb_matterpower_z0.dat", "", k_in_mpc, 0, 0, "seems to be in 1/Mpc"},
    {"camb_matterpower_z0.dat", "", all_in_mpc, 0, 0, "seems to be in 1/Mpc"},
    {"class_tk_sync_z99.dat", "#  redshift z=0 \n#    1:k (h/Mpc)  2:d_g  3:d_b  4:d_cdm\n",
     as_it_is, 4, 0, "amplitude is that of z = 9"},
    {"camb13_transfer_z99.dat", "", as_it_is, 0, 0, "amplitude is that of z = 9"},
    {"camb13_transfer_z0.dat", "", as_it_is, 0, 99, "amplitude is that of z = 0"},
    {"camb_matterpower_z99.dat", "", as_it_is, 0, 0, "amplitude is that of z = 9"},
    {"cmbfast5_layout_z99.dat", "", as_it_is, 0, 49, "taken for z = 49"},
    {"class_pk_z0.dat", "# redshift z=3\n", as_it_is, 0, 0, "its header says z = 3"},
    {"camb13_transfer_z99.dat", "", without_k2, 0, 99, "flat"},
    {"camb7_transfer_z99.dat", "", swap, 0, 99, "must agree"},
    {"camb7_transfer_z99.dat", "", other_total, 0, 99, "made for other parameters"},
    {"camb7_transfer_z0.dat", "", older_normalisation, 0, 0, "another normalisation"},
    {"camb_matterpower_z0.dat", "", no_twopi, 0, 0, "(2 pi)^3 too low"},
    {"camb_matterpower_z0.dat", "", with_twopi, 0, 0, "(2 pi)^3 too high"},
    {"camb_matterpower_z0.dat", "", ngenic_unscaled, 0, 0, "(2 pi)^3 too high"},
    {"camb13_transfer_z99.dat", "", no_unit_h, 0, 99, "growth rate"},
    {"camb7_transfer_z99.dat", "", negative, 0, 99, "must be positive"},
    {"class_tk_sync_z99.dat", "", as_it_is, 7, 99, "must be positive"},
    {"camb7_transfer_z99.dat", "", no_baryons, 0, 99, "column of baryons holds nothing but zeros"},
    {"cmbfast5_layout_z0.dat", "", no_cdm, 0, 0, "column of dark matter holds nothing but zeros"},
    {"camb13_transfer_z99.dat", "", negative_baryons, 0, 99, "must agree"},
    {"cmbfast5_layout_z99.dat", "", swap_species, 0, 99, "swapped"},
    {"camb7_transfer_z99.dat", "", swap_species, 0, 99, "swapped"},
    {"cmbfast5_layout_z99.dat", "", one_for_both, 0, 99, "one transfer function for both"},
    {"camb_matterpower_z0.dat", "", in_mpc3, 0, 0, "in Mpc^3, not in (Mpc/h)^3"},
    {"class_pk_z99.dat", "", in_mpc3, 0, 99, "in Mpc^3, not in (Mpc/h)^3"},
    {"camb_matterpower_z99.dat", "", h3_again, 0, 99, "multiplied by h^3 once more"},
    {"camb_matterpower_z0.dat", "", h4, 0, 0, "1 / h^4 too high"},
    {"camb_matterpower_z99.dat", "", grown_once, 0, 99, "taken for z = 99"},
    {"class_pk_z0.dat", "", collapse, 0, 0, "non-linear power"},
    {"camb_matterpower_z0.dat", "", log10_power, 0, 0, "not this kind of table"},
    {"camb_matterpower_z0.dat", "", ln_power, 0, 0, "not this kind of table"},
    {"cmbfast5_layout_z0.dat", "", log10_power, 0, 0, "is not positive"},
    {"camb_matterpower_z0.dat", "", enzo_power, 4, 0, "(Enzo, MUSIC, monofonIC)"},
    {"class_tk_newt_z99.dat",
     "# 1:k (h/Mpc) 2:d_g 3:d_b 4:d_cdm 5:d_ur 6:d_m 7:d_tot 8:phi 9:psi "
     "10:t_g 11:t_b 12:t_cdm\n",
     without_ah, 12, 99, "growth rate"},
    {"cmbfast5_layout_z0.dat", "", falling_k, 0, 0, "does not increase"},
    {"camb13_transfer_z99.dat", "", as_it_is, 4, 99, "4 columns without names"},
    {"camb13_transfer_z99.dat", "", as_it_is, 9, 99, "9 columns without names"},
    {"camb13_transfer_z99.dat", "", as_it_is, 11, 99, "11 columns without names"},
    {"camb13_transfer_z99.dat", "# k/h CDM baryon photon nu mass_nu total\n", as_it_is, 13, 99,
     "its header names 7 columns, its lines have 13"},
    {"camb13_transfer_z99.dat", "# 1:k (h/Mpc) 2:d_b 3:d_g\n", as_it_is, 3, 99,
     "no table that is known"},
    {"camb13_transfer_z99.dat", "", drop_second, 7, 99,
     ""}, /* k, b, gamma .. : caught by what it holds */
    {"class_tk_sync_z99.dat",
     "#    1:k (h/Mpc)  2:d_g  3:d_b  4:d_cdm 5:d_ur 6:d_m 7:d_tot 8:h_prime 9:eta_prime 10:t_b\n",
     as_it_is, 10, -1, "keep CLASS's own lines"},
};

static void test_traps(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++) {
        const struct trap *t = &traps[i];
        int columns = t->columns;
        size_t n;
        struct sl_transfer_look look;
        struct sl_transfer_ask ask = ask_of(&c, t->z);
        char *bytes = rewrite(t->file, t->header, t->f, &columns, &n);
        char *wrong = verdict(bytes, n, &ask, NULL, &look);
        if (!*wrong || !strstr(wrong, t->says))
            fail_msg("trap %d (%s): '%s' does not say '%s'", (int)i, t->file, wrong, t->says);
        free(bytes);
    }
}

static void test_accepted(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&c, 0);
    struct sl_transfer_look look;
    struct sl_transfer t, plain;
    size_t n;
    int all = 0;
    char path[600], *bytes = rewrite("camb_matterpower_z0.dat", "", ngenic, &all, &n);
    assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
    assert_int_equal(t.layout, SL_TRANSFER_ngenic_power);
    assert_int_equal(sl_transfer_read(test_data("camb_matterpower_z0.dat", path), &c, 0, &plain),
                     SL_OK);
    for (int i = 0; i < t.n; i++)
        near("P", t.power[i], plain.power[i], 1e-7);
    sl_transfer_release(&t);
    sl_transfer_release(&plain);
    free(bytes);
}

/* A table of CMBFAST with massive neutrinos, without a total that could tell their mass. */
static void test_neutrinos(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255), with = c;
    struct sl_transfer_ask ask = ask_of(&c, 0);
    struct sl_transfer_look look;
    struct sl_transfer t;
    size_t n;
    char *bytes = rewrite("camb7_transfer_z0.dat", "", heavy, &(int){6}, &n);
    const char *wrong = verdict(bytes, n, &ask, NULL, &look);
    if (!strstr(wrong, "massive neutrinos (up to 0.1 of dark matter) are in it") ||
        !strstr(wrong, "nearest: cosmology.m_nu: the mass that it was made with"))
        fail_msg("%s", wrong);
    with.m_nu = 0.06, with.massive = 1;
    assert_int_equal(sl_cosmology_init(&with), SL_OK);
    ask.cosmology = &with;
    assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
    assert_int_equal(t.layout, SL_TRANSFER_cmbfast6);
    near("massive neutrinos", t.heavy, 0.1, 1e-9);
    sl_transfer_release(&t);
    const char *warned = findings(SL_FINDING_WARN, bytes, n, &ask, NULL, &look);
    if (!strstr(warned, "it does not tell the mass of its neutrinos")) fail_msg("%s", warned);
    free(bytes);
}

/* That of the tables of CLASS with three neutrinos of 0.1 eV, or with another sum of masses. */
static struct sl_cosmology heavy_cosmology(double mass)
{
    struct sl_cosmology c = test_cosmology(2.7255);
    c.n_eff = 3.044, c.m_nu = mass, c.massive = 3;
    c.omega_m -= mass > 0 ? sl_cosmology_neutrinos(&c) : 0;
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    return c;
}

/* They tell their mass, whatever the total has in it. */
static void test_class_neutrinos(void **state)
{
    static const char *const files[] = {"class_nu_cambformat_z49.dat", "class_nu_sync_z49.dat"};
    (void)state;
    struct sl_cosmology c = heavy_cosmology(0.3), more = heavy_cosmology(0.306),
                        none = heavy_cosmology(0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct sl_transfer_ask ask = ask_of(&c, 49);
        struct sl_transfer_look look;
        size_t n;
        ask.k_high = 20;
        char *bytes = load(files[i], &n);
        assert_string_equal(verdict(bytes, n, &ask, NULL, &look), "");
        const char *said = findings(SL_FINDING_WARN, bytes, n, &ask, NULL, &look);
        if (strstr(said, "neutrinos")) fail_msg("%s: %s", files[i], said);
        ask.cosmology = &more;
        said = verdict(bytes, n, &ask, NULL, &look);
        if (!strstr(said, "neutrinos of 0.29") && !strstr(said, "neutrinos of 0.30"))
            fail_msg("%s: %s", files[i], said);
        ask.cosmology = &none;
        said = verdict(bytes, n, &ask, NULL, &look);
        if (!strstr(said, "nearest: cosmology.m_nu: 0.3,") &&
            !strstr(said, "nearest: cosmology.m_nu: 0.299,"))
            fail_msg("%s: %s", files[i], said);
        free(bytes);
    }
}

/* A file of another redshift is not one of another mass; several masses are told. */
static void test_class_other_neutrinos(void **state)
{
    struct sl_cosmology c = heavy_cosmology(0.3);
    struct sl_transfer_ask ask = ask_of(&c, 99);
    struct sl_transfer_look look;
    size_t n;
    char *bytes = load("class_nu_sync_z49.dat", &n);
    (void)state;
    ask.k_high = 20;
    const char *said = verdict(bytes, n, &ask, NULL, &look);
    if (strstr(said, "neutrinos") || !strstr(said, "its header says z = 49")) fail_msg("%s", said);
    char *massless = strstr(bytes, "5:d_ur     ");
    assert_non_null(massless);
    memcpy(massless, "5:d_ncdm[1]", 11);
    ask.z = 49;
    said = findings(SL_FINDING_WARN, bytes, n, &ask, NULL, &look);
    if (!strstr(said, "neutrinos of several masses are in it, and 3 share")) fail_msg("%s", said);
    free(bytes);
}

/* The start is CLASS's P(k) of dark matter and baryons, and so is its growth to today where
 * neutrinos do not cluster. */
static void test_class_cold_power(void **state)
{
    char path[600];
    struct sl_cosmology c = heavy_cosmology(0.3);
    struct sl_transfer t, start, today;
    (void)state;
    assert_int_equal(sl_transfer_read(test_data("class_nu_cambformat_z49.dat", path), &c, 49, &t),
                     SL_OK);
    assert_int_equal(sl_transfer_read(test_data("class_nu_pk_cb_z49.dat", path), &c, 49, &start),
                     SL_OK);
    assert_int_equal(sl_transfer_read(test_data("class_nu_pk_cb_z0.dat", path), &c, 0, &today),
                     SL_OK);
    double d = sl_growth_at(&c, 1).d1 / sl_growth_at(&c, 0.02).d1;
    for (int i = 0; i < t.n; i++) {
        double p = sl_transfer_power(&c, 2.1e-9, 0.96, 0.05, t.k[i], t.total[i]);
        near("P of dark matter and baryons", p, start.power[i], t.k[i] > 0.01 ? 1e-4 : 1e-3);
        double left = d * sqrt(p / today.power[i]) - 1;
        if (t.k[i] > 0.2) near("amplitude today", 1 + left, 1, 6e-4);
        if (t.k[i] > 0.028 && t.k[i] < 0.032) near("what is left out", left, -0.0088, 0.1);
    }
    sl_transfer_release(&t);
    sl_transfer_release(&start);
    sl_transfer_release(&today);
}

/* What is done to power, at a row of k. */
static struct change {
    double factor, tilt, running;
} change;
static void changed(int n, double *v)
{
    double x = log(v[0] / 0.05);
    (void)n;
    v[1] *= change.factor * exp(change.tilt * x + 0.5 * change.running * x * x);
}

/* All that is said of a table of power after a change, as wrong or as a warning. */
static const char *power_findings(enum sl_finding_kind kind, const char *file, struct change by,
                                  const struct sl_transfer_ask *ask)
{
    struct sl_transfer_look look;
    size_t n;
    change = by;
    char *bytes = rewrite(file, "", changed, &(int){2}, &n);
    const char *text = findings(kind, bytes, n, ask, NULL, &look);
    free(bytes);
    return text;
}

/* A factor that may be one of units and a redshift both: the redshift is named, and first. */
static void test_redshift_or_units(void **state)
{
    static const struct {
        const char *file;
        double is, taken;
        const char *redshift, *units;
    } rows[] = {{"camb_matterpower_z99.dat", 48, 99, "that of z = 48", "1 / h^4 too high"},
                {"camb_matterpower_z0.dat", 0, 1.1, "that of z = 0", "in Mpc^3"},
                {"camb_matterpower_z0.dat", 1.1, 0, "that of z = 1.1", "h^3 once more"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sl_cosmology c = test_cosmology(2.7255);
        struct sl_transfer_ask ask = ask_of(&c, rows[i].taken);
        double of = strstr(rows[i].file, "z99") ? 99 : 0;
        double grown =
            sl_growth_at(&c, 1 / (1 + rows[i].is)).d1 / sl_growth_at(&c, 1 / (1 + of)).d1;
        struct change by = {.factor = grown * grown};
        const char *text = power_findings(SL_FINDING_WRONG, rows[i].file, by, &ask);
        const char *first = strstr(text, rows[i].redshift), *then = strstr(text, rows[i].units);
        if (!first || !then || then < first) fail_msg("%d: '%s'", (int)i, text);
    }
}

/* sigma8 makes the amplitude of power: no coincidence of it is a reason to refuse. */
static void test_rescaled(void **state)
{
    static const double factors[] = {2.95, 1 / 0.343, 0.343, 1 / 0.2401, 20, 248.05, 1 / 248.05};
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&c, 0);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        struct change by = {.factor = factors[i]};
        ask.rescaled = false;
        assert_string_not_equal(
            power_findings(SL_FINDING_WRONG, "camb_matterpower_z0.dat", by, &ask), "");
        ask.rescaled = true;
        assert_string_equal(power_findings(SL_FINDING_WRONG, "camb_matterpower_z0.dat", by, &ask),
                            "");
        assert_non_null(strstr(power_findings(SL_FINDING_WARN, "camb_matterpower_z0.dat", by, &ask),
                               "the run sets the amplitude itself"));
    }
}

/* Linear power of another tilt, or with a running one, is not taken for collapse; the tilt is that
 * of the cosmology, or it is told. */
static void test_tilted(void **state)
{
    static const struct change by[] = {{1, 0.11, 0},    {1, 0.14, 0},    {1, -0.14, 0},
                                       {1, 0.14, 0.02}, {1, 0.09, 0.03}, {1, 0, 0.05}};
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    for (size_t i = 0; i < 2 * sizeof by / sizeof by[0]; i++) {
        const char *file = i % 2 ? "class_pk_z99.dat" : "class_pk_z0.dat";
        struct sl_transfer_ask ask = ask_of(&c, i % 2 ? 99 : 0);
        const char *text = power_findings(SL_FINDING_WRONG, file, by[i / 2], &ask);
        if (*text && !strstr(text, "of another n_s")) fail_msg("%d: refused: '%s'", (int)i, text);
        text = power_findings(SL_FINDING_WARN, file, by[i / 2], &ask);
        if (strstr(text, "non-linear")) fail_msg("%d: '%s'", (int)i, text);
        ask.n_s += by[i / 2].tilt;
        text = power_findings(SL_FINDING_WRONG, file, by[i / 2], &ask);
        if (*text) fail_msg("%d: refused with its tilt: '%s'", (int)i, text);
    }
}

/* The same rise is collapse today, and not before z = 5. */
static void test_early_rise(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_look look;
    for (int z = 0; z < 100; z += 99) {
        struct sl_transfer_ask ask = ask_of(&c, z);
        size_t n;
        char *bytes =
            rewrite(z ? "class_pk_z99.dat" : "class_pk_z0.dat", "", collapse, &(int){2}, &n);
        char *wrong = verdict(bytes, n, &ask, NULL, &look);
        assert_true(!strstr(wrong, "non-linear") == (z > 0));
        free(bytes);
    }
}

static const struct sl_cosmology *without_baryons;
static void dark_alone(int n, double *v)
{
    struct sl_eisenstein_hu fit;
    (void)n;
    sl_eisenstein_hu_init(without_baryons, &fit);
    v[1] = v[6] = sl_transfer_expected(without_baryons, sl_growth_at(without_baryons, 1).d1,
                                       sl_eisenstein_hu_full(&fit, v[0]));
    v[2] = 0;
}

/* A column of zeros is no fault where there are next to no baryons and the total is all that is
 * used. */
static void test_without_baryons(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_look look;
    struct sl_transfer_ask ask = ask_of(&c, 0);
    size_t n;
    c.omega_b = 1e-6;
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    without_baryons = &c;
    char *bytes = rewrite("camb7_transfer_z0.dat", "", dark_alone, &(int){7}, &n);
    assert_non_null(strstr(verdict(bytes, n, &ask, NULL, &look), "nothing but zeros"));
    ask.one_fluid = true;
    assert_string_equal(verdict(bytes, n, &ask, NULL, &look), "");
    c.omega_b = 0.045;
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    assert_non_null(strstr(verdict(bytes, n, &ask, NULL, &look), "nothing but zeros"));
    free(bytes);
}

/* Columns that older versions of CLASS do not write, and baryons that cross zero, change nothing
 * else. */
static void test_moved_columns(void **state)
{
    static const char names[] = "#    1:k (h/Mpc)  2:d_g  3:d_b  4:d_cdm  5:d_ur  6:d_tot  7:phi  "
                                "8:psi  9:h  10:h_prime  11:eta  "
                                "12:eta_prime  13:t_g  14:t_b  15:t_ur  16:t_tot\n";
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&c, 99);
    struct sl_transfer_look look;
    struct sl_transfer t, new;
    size_t n;
    char path[600], *bytes = rewrite("class_tk_sync_z99.dat", names, older_class, &(int){16}, &n);
    assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
    assert_int_equal(sl_transfer_read(test_data("class_tk_sync_z99.dat", path), &c, 99, &new),
                     SL_OK);
    assert_int_equal(t.layout, SL_TRANSFER_class_synchronous);
    for (int i = 0; i < t.n; i++) {
        near("dark matter", t.cdm[i], new.cdm[i], 1e-8);
        near("its velocity", t.v_cdm[i], new.v_cdm[i], 1e-6);
        near("velocity of baryons", t.v_baryon[i], new.v_baryon[i], 1e-6);
    }
    sl_transfer_release(&t);
    sl_transfer_release(&new);
    free(bytes);
    bytes = rewrite("cmbfast5_layout_z99.dat", "", crossing, &(int){5}, &n);
    assert_string_equal(verdict(bytes, n, &ask, &t, &look), "");
    assert_true(t.baryon[t.n - 1] < 0);
    sl_transfer_release(&t);
    free(bytes);
}

/* H(a) without radiation, as Boltzmann codes never have it. */
static void test_radiation(void **state)
{
    (void)state;
    struct sl_cosmology without = test_cosmology(0), with = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&without, 99);
    struct sl_transfer_look look;
    size_t n;
    char *bytes = load("camb13_transfer_z99.dat", &n);
    char *text = findings(SL_FINDING_WARN, bytes, n, &ask, NULL, &look);
    assert_non_null(strstr(text, "cosmology.t_cmb is 0"));
    assert_non_null(strstr(text, "is 1.9 % more"));
    ask.cosmology = &with;
    assert_string_equal(findings(SL_FINDING_WARN, bytes, n, &ask, NULL, &look), "");
    free(bytes);
}

/* Said of a spectrum, refused of transfer functions, and neither when it is meant. */
static void test_one_for_both(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&c, 99);
    struct sl_transfer_look look;
    size_t n, m;
    char *power = load("camb_matterpower_z99.dat", &n),
         *same = rewrite("cmbfast5_layout_z99.dat", "", one_for_both, &(int){5}, &m);
    assert_non_null(strstr(findings(SL_FINDING_WARN, power, n, &ask, NULL, &look), "one spectrum"));
    ask.one_fluid = true;
    assert_string_equal(findings(SL_FINDING_WARN, power, n, &ask, NULL, &look), "");
    assert_string_equal(verdict(same, m, &ask, NULL, &look), "");
    free(power);
    free(same);
}

/* A table made for another universe, or of another redshift, by a tenth and less. */
static void test_other_universe(void **state)
{
    static const struct {
        const char *file;
        double z, h, omega_m, omega_b;
        const char *says;
    } rows[] = {
        {"camb13_transfer_z0.dat", 0, 0.72, 0.3, 0.045, "made for Omega_m h^2 about 0.147 and not"},
        {"camb13_transfer_z99.dat", 99, 0.67, 0.3, 0.045, "made for Omega_m h^2 about 0.14"},
        {"class_tk_sync_z99.dat", 99, 0.7, 0.32, 0.048, "turn-over and acoustic waves are at 0.9"},
        {"cmbfast5_layout_z0.dat", 0, 0.7, 0.28, 0.042, "turn-over and acoustic waves are at 1.0"},
        {"camb13_transfer_z0.dat", 0, 0.7, 0.3, 0.043, "Omega_b / Omega_m = 0.15, and that of"},
        {"camb13_transfer_z99.dat", 99, 0.7, 0.3, 0.047, "made for other parameters"},
        {"camb_matterpower_z99.dat", 99, 0.7, 0.34, 0.045, "its turn-over and acoustic waves"},
        {"class_pk_z0.dat", 0, 0.77, 0.3, 0.045, "its turn-over and acoustic waves"},
        {"camb_matterpower_z99.dat", 99, 0.68, 0.3, 0.045, "its turn-over and acoustic waves"},
        {"camb_matterpower_z0.dat", 0, 0.68, 0.3, 0.045, "its turn-over and acoustic waves"},
        {"class_pk_z99.dat", 99, 0.67, 0.3, 0.045, "its turn-over and acoustic waves"},
        {"class_pk_z0.dat", 0, 0.67, 0.3, 0.045, "its turn-over and acoustic waves"},
        {"class_tk_newt_z99.dat", 99, 0.75, 0.3, 0.045, "turned from the Newtonian gauge by the"},
        {"class_tk_newt_z99.dat", 99, 0.7, 0.27, 0.0405, "turned from the Newtonian gauge by the"},
        {"camb_matterpower_z99.dat", 99, 0.67, 0.3125, 0.0469, "its acoustic waves are at 0.9"},
        {"class_pk_z0.dat", 0, 0.73, 0.29, 0.0435, "its acoustic waves are at 1.02"},
        {"camb7_transfer_z99.dat", 99, 0.72, 0.285, 0.04275, "its acoustic waves are at 1.02"},
        {"camb13_transfer_z99.dat", 99, 0.68, 0.317, 0.0475, "its acoustic waves are at 0.9"},
        {"class_tk_newt_z99.dat", 99, 0.674, 0.315, 0.0491, "the horizon go with an expansion"},
        {"class_tk_newt_z99.dat", 99, 0.689, 0.3, 0.045, "beyond the horizon go with an expansion"},
        {"class_tk_newt_z0.dat", 0, 0.69, 0.3, 0.045, "H / h^2 = 142.9 km/s/Mpc at z = 0"},
        {"class_tk_newt_z0.dat", 0, 0.7, 0.285, 0.04275, "made for Omega_m about 0.29"},
        {"class_tk_newt_z99.dat", 99, 0.7, 0.3, 0.047, "made for other parameters"},
        {"class_tk_sync_z99.dat", 99, 0.72, 0.3, 0.045, "its velocities stand for"},
        {"class_tk_sync_z99.dat", 99, 0.7, 0.285, 0.04275, "made for Omega_m about 0.2977"},
        {"camb_matterpower_z99.dat", 85, 0.7, 0.3, 0.045, "it is taken for z = 85"},
        {"class_pk_z99.dat", 115, 0.7, 0.3, 0.045, "it is taken for z = 115"},
        {"camb_matterpower_z0.dat", 0.3, 0.7, 0.3, 0.045, "it is taken for z = 0.3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sl_cosmology c = test_cosmology(2.7255);
        struct sl_transfer_look look;
        size_t n;
        c.h = rows[i].h, c.omega_m = rows[i].omega_m, c.omega_b = rows[i].omega_b;
        assert_int_equal(sl_cosmology_init(&c), SL_OK);
        struct sl_transfer_ask ask = ask_of(&c, rows[i].z);
        char *bytes = load(rows[i].file, &n);
        if (strncmp(rows[i].file, "class", 5) == 0) ask.z = rows[i].z;
        char *wrong = verdict(bytes, n, &ask, NULL, &look);
        if (!strstr(wrong, rows[i].says)) fail_msg("%zu: '%s', not '%s'", i, wrong, rows[i].says);
        free(bytes);
    }
}

/* Every layout is told from the universes that recipes are written for, with radiation in their
 * expansion or without; its own one it is not. */
static void test_every_layout(void **state)
{
    static const double h[] = {0.6, 0.65, 0.674, 0.75}, omega_m[] = {0.27, 0.315, 0.36};
    enum { UNIVERSES = 12, FILES = sizeof tables / sizeof tables[0] };
    (void)state;
    for (int i = 0; i < 2 * 2 * FILES; i++) {
        char name[64];
        size_t n;
        struct sl_transfer_look look;
        double z = i % 2 ? 99 : 0, t_cmb = i / 2 % 2 ? 2.7255 : 0;
        struct sl_cosmology c = test_cosmology(t_cmb);
        struct sl_transfer_ask ask = ask_of(&c, z);
        snprintf(name, sizeof name, "%s_z%g.dat", tables[i / 4].file, z);
        char *bytes = load(name, &n);
        assert_string_equal(verdict(bytes, n, &ask, NULL, &look), "");
        for (int j = 0; j < UNIVERSES; j++) {
            c.h = h[j % 4], c.omega_m = omega_m[j / 4], c.omega_b = 0.15 * c.omega_m;
            assert_int_equal(sl_cosmology_init(&c), SL_OK);
            if (!*verdict(bytes, n, &ask, NULL, &look))
                fail_msg("%s, t_cmb %g: h %g, Omega_m %g", name, t_cmb, c.h, c.omega_m);
        }
        free(bytes);
    }
}

/* Beyond the horizon the densities of some gauges cross zero: such rows are left out where no wave
 * of the box is that long. */
static void test_trim(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer t;
    size_t n;
    char *bytes = load("camb7_transfer_z99.dat", &n);
    assert_int_equal(sl_transfer_parse("t.dat", bytes, n, &c, 99, &t), SL_OK);
    int all = t.n;
    double fourth = t.k[3];
    sl_transfer_trim(&t, 0.01);
    assert_int_equal(t.n, all);
    t.total[2] = -1;
    sl_transfer_trim(&t, t.k[1]);
    assert_int_equal(t.n, all);
    sl_transfer_trim(&t, 0.01);
    assert_true(t.n == all - 3 && t.k[0] == fourth && t.file_total[0] > 0);
    sl_transfer_release(&t);
    free(bytes);
}

static void test_range(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer_ask ask = ask_of(&c, 0);
    struct sl_transfer_look look;
    size_t n;
    char *bytes = load("camb13_transfer_z0.dat", &n);
    ask.k_high = 300;
    assert_non_null(strstr(verdict(bytes, n, &ask, NULL, &look), "it ends at k = 204.7 h/Mpc"));
    ask.extrapolate = true;
    assert_string_equal(verdict(bytes, n, &ask, NULL, &look), "");
    ask.k_low = 1e-6, ask.extrapolate = false;
    assert_non_null(strstr(verdict(bytes, n, &ask, NULL, &look), "it begins at k"));
    free(bytes);
}

/* What a text file of numbers may not hold. */
static void test_text(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "no numbers"},
        {"# only words\n\n", "no numbers"},
        {"1 2 3 4 5\n2 3 4 5 x\n", "t.dat:2: x is not a number"},
        {"1 2 3 4 5\n2 3 4 5\n", "t.dat:2: 4 columns, the lines before have 5"},
        {"1 2 3 4 nan\n", "t.dat:1: nan is not a number"},
        {"1 2 3 4 inf\n", "is not a number"},
        {"1 2 3 4 1e999\n", "too large"},
        {"1 2 3 4 ********\n", "does not fit its format"},
        {"1 2 3 4 0.133588-100\n", "leaves the E out"},
        {"1 2 3 4 0x1p3\n", "is not a number"},
        {"\x89HDF\r\n\x1a\n whatever", "HDF5"},
        {"1 2 3 4 5\n1 2 3 4 5\n", "does not increase"},
        {"-1 2 3 4 5\n1 2 3 4 5\n", "is not positive"},
        {"1 2 3 4 5\n2 2 3 4 5\n", "too few"},
    };
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    struct sl_transfer t;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int code = sl_transfer_parse("t.dat", bad[i].text, strlen(bad[i].text), &c, 0, &t);
        if (code != SL_EINPUT || !strstr(sl_error_text(), bad[i].says))
            fail_msg("'%s': %d '%s'", bad[i].text, code, sl_error_text());
    }
    assert_int_equal(sl_transfer_parse("t.dat", "1 2\0 3", 6, &c, 0, &t), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "not a text file"));
    const int32_t grafic[] = {44, 64, 64, 64, 0x3fe38e39, 0, 0, 0, 0x3c23d70a, 0, 0, 0, 44};
    assert_int_equal(sl_transfer_parse("t.dat", (const char *)grafic, sizeof grafic, &c, 0, &t),
                     SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "not a text file"));
    /* D exponents, carriage returns, tabs, no newline at the end */
    size_t n;
    char *bytes = bare("camb7_transfer_z0.dat", &n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = bytes[i] == 'E' ? 'D' : bytes[i] == '\n' ? '\n' : bytes[i];
    bytes[strcspn(bytes, "\n") - 1] = '\r';
    assert_int_equal(sl_transfer_parse("t.dat", bytes, n - 1, &c, 0, &t), SL_OK);
    near("cdm", t.cdm[0], 0.190386e8, 1e-12);
    sl_transfer_release(&t);
    free(bytes);
}

static void test_spline(void **state)
{
    (void)state;
    double x[21], y[21];
    struct sl_spline s;
    for (int i = 0; i < 21; i++)
        x[i] = i * 0.3 + 0.01 * (i % 3), y[i] = sin(x[i]);
    assert_int_equal(sl_spline_init(21, x, y, &s), SL_OK);
    for (double at = 0; at < 6; at += 0.07)
        assert_true(fabs(sl_spline_at(&s, at) - sin(at)) < 1e-4 + 2e-3 * (at > 5));
    double end = sl_spline_at(&s, x[20]), slope = (end - sl_spline_at(&s, x[20] - 1e-6)) / 1e-6;
    assert_true(fabs(sl_spline_at(&s, x[20] + 2) - end - 2 * slope) < 1e-5);
    assert_true(fabs(sl_spline_at(&s, x[0] - 1) + 1) < 2e-2);
    sl_spline_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_one_form),
                                       cmocka_unit_test(test_traps),
                                       cmocka_unit_test(test_accepted),
                                       cmocka_unit_test(test_neutrinos),
                                       cmocka_unit_test(test_class_neutrinos),
                                       cmocka_unit_test(test_class_other_neutrinos),
                                       cmocka_unit_test(test_class_cold_power),
                                       cmocka_unit_test(test_moved_columns),
                                       cmocka_unit_test(test_radiation),
                                       cmocka_unit_test(test_one_for_both),
                                       cmocka_unit_test(test_range),
                                       cmocka_unit_test(test_other_universe),
                                       cmocka_unit_test(test_every_layout),
                                       cmocka_unit_test(test_trim),
                                       cmocka_unit_test(test_redshift_or_units),
                                       cmocka_unit_test(test_rescaled),
                                       cmocka_unit_test(test_tilted),
                                       cmocka_unit_test(test_early_rise),
                                       cmocka_unit_test(test_without_baryons),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_spline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
