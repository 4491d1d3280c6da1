/* boltzmann_ini.h - parameter files of CAMB (params.ini) and CLASS (.ini), which lie beside their
 * tables, as a cosmology.
 *
 * Of their lines `key = value` those that make the universe are taken and all others left out:
 * of CAMB hubble, ombh2, omch2, omnuh2, omk, or with use_physical = F omega_baryon, omega_cdm,
 * omega_neutrino, omega_lambda; temp_cmb, helium_fraction, massless_neutrinos, massive_neutrinos,
 * w, wa, scalar_amp, scalar_spectral_index, pivot_scalar; of CLASS h or H0, omega_b or Omega_b,
 * omega_cdm or Omega_cdm, m_ncdm, deg_ncdm, omega_ncdm or Omega_ncdm, Omega_k, T_cmb, YHe, N_ur,
 * w0_fld, wa_fld, A_s or ln10^{10}A_s, n_s, k_pivot. What is not given has the default of the code.
 *
 * Massive neutrinos are told by Omega_nu and by their number, 1 to 3: those of several masses count
 * as ones of equal mass with the same sum, which changes H(a) by some 1e-5.
 *
 * Shapes  none
 * Units   as cmbfast.h
 * Errors  SL_EINPUT with file:line and what is wrong
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Lewis, Challinor & Lasenby 2000; Blas, Lesgourgues & Tram 2011
 * Tests   tests/unit/cmbfast.c
 */
#ifndef SL_COSMO_BOLTZMANN_INI_H
#define SL_COSMO_BOLTZMANN_INI_H

#include "core/cosmo/cmbfast.h"

/* The code whose keys it has, "CAMB" or "CLASS", NULL: neither; and whether there is one. */
const char *sl_boltzmann_ini_code(const char *bytes, size_t size);
bool sl_boltzmann_ini_is(const char *bytes, size_t size);
/* path is for messages. */
int sl_boltzmann_ini_parse(const char *path, const char *bytes, size_t size,
                           struct sl_cmbfast *out);

#endif
