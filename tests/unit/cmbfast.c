/* cmbfast.c - tests core/cosmo/cmbfast.h and what core/cosmo/universe.h makes of it: both forms of
 * CMBFAST's input, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cosmo/boltzmann_ini.h"
#include "core/cosmo/universe.h"
#include "core/sys/status.h"

static const char keys[] =
    "# a comment\ninitfl = 1\nict = 2\nakmaxt = 5.0\nntf = 2\nz(1) = 99.0\n"
    "ftf(1) = early.d\nz(2)=0.0\nftf(2) = late.d\nquin=0\nwdyn=-1\nomegab = 0.05\n"
    "omegac = 0.3\nomegav = 0.6\nomegan = 0.0\nh0 = 65.0\ntcmb = 2.726\nyhe = 0.24\n"
    "annur = 3.04\nnn = 1\nan(1) = 0.95\nalphans(1)= 0.0\n";
static const char transfers[] =
    "1\n7 5\n2 99 0\nearly.dat\nlate.dat\n1\n-0.9\n0.05  0.3  0.65  0.0  \n"
    "65 2.726  0.24  3.04 0 10.75\n0\n0\n1\n";
static const char both[] =
    "2\n1500 3000\n7 5\n1 0\nlate.dat\n0\n0.05, 0.3, 0.65, 0.0\n"
    "65 2.726d0 0.24 3.04 0 10.75\n1\n2\n15 1\n0\n1 0.97 0\n0\ncl.lcdm\n1\njl.dat\n";

static struct sl_cmbfast parsed(const char *text)
{
    struct sl_cmbfast c;
    if (sl_cmbfast_parse("p", text, strlen(text), &c) != SL_OK) fail_msg("%s", sl_error_text());
    return c;
}

static void test_forms(void **state)
{
    (void)state;
    struct sl_cmbfast k = parsed(keys), t = parsed(transfers), b = parsed(both);
    assert_true(!k.answers && t.answers && b.answers);
    assert_true(k.omega_v == 0.6 && k.h0 == 65 && k.n_s == 0.95 && k.k_max == 5 && k.w == -1);
    assert_int_equal(k.ntf, 2);
    assert_true(k.z[0] == 99 && k.z[1] == 0);
    assert_string_equal(k.file[1], "late.d");
    assert_true(t.w == -0.9 && t.n_s == 0 && t.k_max == 7 && t.omega_c == 0.3 && t.t_cmb == 2.726);
    assert_string_equal(t.file[0], "early.dat");
    assert_true(b.n_s == 0.97 && b.w == -1 && b.omega_b == 0.05 && b.n_nu == 3.04);
}

static void test_universe(void **state)
{
    (void)state;
    struct sl_universe u = {.n_s = 0.96};
    struct sl_cmbfast k = parsed(keys), t = parsed(transfers);
    assert_int_equal(sl_universe_take(&k, &u), SL_OK);
    assert_true(u.c.h == 0.65 && fabs(u.c.omega_m - 0.35) < 1e-15 &&
                fabs(u.c.omega_k - 0.05) < 1e-15);
    assert_true(u.n_s == 0.95 && u.helium == 0.24);
    assert_true(fabs(u.c.omega_de + u.c.omega_r - 0.6) < 1e-14); /* radiation is taken from it */
    u.n_s = 0.96;
    assert_int_equal(sl_universe_take(&t, &u), SL_OK);
    assert_true(u.c.omega_k == 0 && u.c.w0 == -0.9 && u.n_s == 0.96);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"omegab = 0.05\nomegac=0.3\nomegav=0.65\n", "must all be given"},
        {"omegab = 0.05\nomegac=0.3\nomegav=0.65\nh0=0.65\n", "h instead of 100 h"},
        {"omegab = 0.05\nomegc=0.3\n",
         "p:2:1: 'omegc' is no key of CMBFAST; did you mean 'omegac'?"},
        {"omegab = 0.05\nomegac 0.3\n", "p:2:1: 'key = value' expected"},
        {"omegab = x\n", "1 number expected"},
        {"omegab = 0.05\nomegac=0.3\nomegav=0.65\nh0=65\nomegan=0.1\n", "nearest: cosmology.m_nu"},
        {"quin=2\n", "table of w(a)"},
        {"z(21) = 3\n", "more outputs"},
        {"ntf = 2\nz(1)=0\nz(2)=99\nomegab = 0.05\nomegac=0.3\nomegav=0.65\nh0=65\n",
         "must decrease"},
        {"3\n", "begins with 0, 1 or 2"},
        {"1\n7 5\n3 99 0\n", "as many redshifts"},
        {"1\n7 5\n1 0\nt.dat\n2\neos.dat\n", "table of w(a)"},
        {"1\n7 5\n1 0\nt.dat\n0\n0.05 0.3 0.65\n", "4 numbers expected"},
        {"1\n7 5\n1 0\nt.dat\n0\n0.05 0.3 0.65 0\n", "the file ends where h0"},
        {"", "the file ends"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sl_cmbfast c;
        int code = sl_cmbfast_parse("p", bad[i].text, strlen(bad[i].text), &c);
        if (code != SL_EINPUT || !strstr(sl_error_text(), bad[i].says))
            fail_msg("'%s': %d '%s'", bad[i].text, code, sl_error_text());
    }
}

/* Parameter files of CAMB, in both of its forms, and of CLASS; Omega_m has massive neutrinos in it,
 * and n_eff counts them. */
static void test_ini(void **state)
{
    static const struct {
        const char *text;
        double h, omega_m, omega_b, omega_k, n_eff, n_s, a_s;
    } rows[] = {
        {"output_root = x\nhubble = 67.1\nuse_physical = F\nomega_baryon = 0.049\nomega_cdm = "
         "0.2685\nomega_lambda = 0.6825\nomega_neutrino = 0\nmassless_neutrinos = 2.046\n"
         "massive_neutrinos = 1\nscalar_amp(1) = 2.215d-9\nscalar_spectral_index(1) = 0.966\n",
         0.671, 0.3175, 0.049, 0, 3.046, 0.966, 2.215e-9},
        {"# params.ini\nombh2 = 0.02205\nomch2=0.1225 # dark matter\nomnuh2 = 0.00049\nomk = 0.01\n"
         "hubble = 70\nmassless_neutrinos = 2.046\nmassive_neutrinos = 1\nscalar_amp = 2e-9\n",
         0.7, 0.296, 0.045, 0.01, 3.046, 0.5, 2e-9},
        {"omega_b = 0.02205\nomega_cdm = 0.1225\nh = 0.7\nYHe = BBN\nln10^{10}A_s = 3.0445224377\n"
         "n_s = 0.96\nN_ncdm = 1\nm_ncdm = 0.06, 0.03\nN_ur = 2.0308\n",
         0.7, 0.295 + 0.09 / 93.14 / 0.49, 0.045, 0, 2.0308 + 2 * 1.0132, 0.96, 2.1e-9},
        {"H0 = 70\nOmega_b = 0.045\nOmega_cdm = 0.255\nA_s = 2.1e-9\n", 0.7, 0.3, 0.045, 0, 3.044,
         0.5, 2.1e-9},
        {"h = 0.7\nOmega_b = 0.045\nOmega_m = 0.3\nm_ncdm = 0.06\nN_ur = 2.0308\nA_s = 2.1e-9\n",
         0.7, 0.3, 0.045, 0, 3.044, 0.5, 2.1e-9},
        {"h = 0.7\nOmega_b = 0.045\nOmega_m = 0.3\nm_ncdm = 0.1\ndeg_ncdm = 3\nN_ur = 0.00441\n"
         "A_s = 2.1e-9\n",
         0.7, 0.3, 0.045, 0, 3.04401, 0.5, 2.1e-9},
        {"H0 = 70\nomega_b = 0.02205\nomega_m = 0.147\nA_s = 2.1e-9\n", 0.7, 0.3, 0.045, 0, 3.044,
         0.5, 2.1e-9},
    };
    static const char *const bad[][2] = {
        {"ombh2 = 0.022\nomch2 = 0.12\n", "the Hubble constant must be given: hubble"},
        {"omega_b = 0.022\nh = 0.7\n", "baryons and dark matter must both be given"},
        {"hubble = 70\nombh2 = 0.022\nomch2 = twelve\n", "p:3:1: omch2: a number expected"},
        {"hubble = 70\nombh2 = 0.02\nhubble = 71\n", "p:3:1: hubble: 71, and line 1 says 70"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_cmbfast c;
        struct sl_universe u = {.n_s = 0.5};
        size_t n = strlen(rows[i].text);
        assert_true(sl_boltzmann_ini_is(rows[i].text, n));
        if (sl_boltzmann_ini_parse("p", rows[i].text, n, &c) != SL_OK)
            fail_msg("%s", sl_error_text());
        assert_int_equal(sl_universe_take(&c, &u), SL_OK);
        const double got[] = {u.c.h,       sl_cosmology_all(&u.c),
                              u.c.omega_b, u.c.omega_k,
                              u.c.n_eff,   u.n_s,
                              u.a_s},
                     *want = &rows[i].h;
        for (int k = 0; k < 7; k++)
            if (!(fabs(got[k] - want[k]) <= 1e-8 * fabs(want[k]) + (k == 3 ? 1e-7 : 0)))
                fail_msg("%zu, %d: %.10g, not %.10g", i, k, got[k], want[k]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sl_cmbfast c;
        assert_int_equal(sl_boltzmann_ini_parse("p", bad[i][0], strlen(bad[i][0]), &c), SL_EINPUT);
        if (!strstr(sl_error_text(), bad[i][1])) fail_msg("%s: %s", bad[i][1], sl_error_text());
    }
    assert_true(!sl_boltzmann_ini_is(keys, strlen(keys)) &&
                !sl_boltzmann_ini_is(both, strlen(both)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_universe),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_ini)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
