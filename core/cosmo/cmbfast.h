/* cmbfast.h - parameter files of CMBFAST 4.5 as a cosmology: the `key = value` form, and the
 * answers to its questions that are given on standard input.
 *
 * Densities are fractions of the critical density without radiation: what omegab + omegac + omegav
 * leave to 1 is curvature.
 *
 * Shapes  none
 * Units   h0 in km/s/Mpc, k in h/Mpc
 * Errors  SL_EINPUT with file:line and what is wrong
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Seljak & Zaldarriaga 1996
 * Tests   tests/unit/cmbfast.c, tests/fuzz/transfer.c
 */
#ifndef SL_COSMO_CMBFAST_H
#define SL_COSMO_CMBFAST_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_CMBFAST_OUTPUTS = 20 };

struct sl_cmbfast {
    double omega_b, omega_c, omega_v;
    double omega_nu; /* massive neutrinos, beside omega_c; of CMBFAST 0 */
    int massive;     /* neutrinos that share their mass */
    double h0, t_cmb, y_he, w, wa;
    double n_nu;         /* of all neutrinos, massive ones in it */
    double n_s;          /* 0: not given, by a run for transfer functions alone */
    double a_s, k_pivot; /* a_s 0: not given; CMBFAST never does */
    double k_max;
    int ntf; /* tables that the run writes, 0 when it makes none */
    double z[SL_CMBFAST_OUTPUTS];
    char file[SL_CMBFAST_OUTPUTS][128];
    int answers; /* 1: answers, 0: key = value */
};

/* path is for messages. */
int sl_cmbfast_parse(const char *path, const char *bytes, size_t size, struct sl_cmbfast *out);

#endif
