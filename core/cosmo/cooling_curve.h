/* cooling_curve.h - the table that cooling.table names, brought to code units.
 *
 * Rows of T and Lambda, T rising, in between power laws, above the last row that of the last
 * interval. What the literature has is read as published: lines before the first row of numbers
 * and lines that begin with # ! % ; or / are comments, Fortran's D exponents are read, columns
 * beyond the two that are used are left out, and T and Lambda may be their log10. Which units they
 * have is said by cooling.units or by the numbers: a Lambda below 1e-15 throughout is in
 * erg cm^3/s, one between -60 and -15 is log10 of that; its T is in K, and log10 of K where it
 * does not exceed 12.
 *
 * In code units T is p / rho and rho^2 Lambda the energy lost per volume and time: of K
 * k / (weight m_H v^2), v units.velocity, and of erg cm^3/s f D L / (m_H^2 v^3), D and L
 * units.density and units.length, f the product of the two number densities that cooling.per
 * names, over (rho / m_H)^2.
 *
 * Shapes  row[n][SL_CURVE_ROW]
 * Units   code units
 * Errors  SL_EINPUT with the file, its line or the key; SL_EMEM
 * Owns    row
 * MPI     local: rank 0 reads and sends the rows
 * Where   host
 * Refs    Sutherland & Dopita 1993; Gnat & Sternberg 2007; Schure et al. 2009
 * Tests   tests/law/cooling.c, tests/cli/inputs.sh
 */
#ifndef SL_COSMO_COOLING_CURVE_H
#define SL_COSMO_COOLING_CURVE_H

#include <stddef.h>

#include "core/cosmo/transfer.h"

struct sl_config;

/* SL_CURVE_ROW: T, Lambda, and the slope, which is left to its user: core/cell/cooling.h */
enum { SL_CURVE_ROWS = 10000, SL_CURVE_ROW = 3 };

struct sl_cooling_curve {
    int n;
    double *row;   /* owned */
    double kelvin; /* T of code unit 1; 0: the file is in code units */
};

/* The first thing that is wrong is the error; what a user should know besides is added to f. */
int sl_cooling_curve_parse(const struct sl_config *cfg, const char *path, const char *bytes,
                           size_t size, struct sl_findings *f, struct sl_cooling_curve *out);
void sl_cooling_curve_release(struct sl_cooling_curve *c);

#endif
