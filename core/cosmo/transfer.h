/* transfer.h - transfer functions and power spectra as Boltzmann codes write them, brought to one
 * form.
 *
 * A file is known by the names of its columns, and where it has none by their number and by what
 * they hold. Values become those of CAMB: delta_i / k^2 for unit curvature, k of the quotient in
 * 1/Mpc, synchronous gauge, positive; velocities as growth rate times that. The total is made from
 * baryons and dark matter, all that clusters here; the total of the file is only compared with it,
 * since that of CLASS's format=camb has photons and neutrinos in it (5 % in power at z = 99). Of
 * massive neutrinos either tells the mass, those of CLASS 3.3.4 (0.06 and 0.3 eV, one or three, z =
 * 49 and 99) to 0.5 %, and 1.3 % where they are hardly matter yet (0.02 eV at z = 99).
 *
 * sl_transfer_read refuses what has no meaning; sl_transfer_examine compares what was read with a
 * cosmology and a redshift and lists what is wrong.
 *
 * Shapes  arrays of n values, k increasing
 * Units   k in h/Mpc, transfer functions in Mpc^2, power in (Mpc/h)^3
 * Errors  SL_EINPUT with the file and what is wrong, SL_EIO, SL_EMEM
 * Owns    its arrays
 * MPI     local: rank 0 reads and sends the bytes (core/config/bcast.h)
 * Where   host
 * Refs    Seljak & Zaldarriaga 1996 (CMBFAST); Lewis, Challinor & Lasenby 2000 (CAMB); Blas,
 *         Lesgourgues & Tram 2011 (CLASS); Ma & Bertschinger 1995, eq. 27 (gauges)
 * Tests   tests/unit/transfer.c, tests/fuzz/transfer.c
 */
#ifndef SL_COSMO_TRANSFER_H
#define SL_COSMO_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cosmo/background.h"

/* X(name, code, sentence) */
#define SL_TRANSFER_LIST(X)                                                                        \
    X(cmbfast5, "CMBFAST", "transfer functions in 5 columns")                                      \
    X(cmbfast6, "CMBFAST", "transfer functions in 6 columns, with massive neutrinos")              \
    X(camb7, "CAMB before 2015", "transfer functions in 7 columns")                                \
    X(camb13, "CAMB", "transfer functions in 13 columns, with velocities")                         \
    X(class_synchronous, "CLASS", "transfer functions, format=class, synchronous gauge")           \
    X(class_newtonian, "CLASS", "transfer functions, format=class, Newtonian gauge")               \
    X(class_camb, "CLASS", "transfer functions, format=camb")                                      \
    X(camb_power, "CAMB", "power spectrum")                                                        \
    X(class_power, "CLASS", "power spectrum")                                                      \
    X(plain_power, "unknown", "power spectrum in 2 columns without names")                         \
    X(ngenic_power, "N-GenIC or 2LPTic", "log10 k and log10 Delta^2")

#define SL_TRANSFER_ENUM(name, code, about) SL_TRANSFER_##name,
enum sl_transfer_layout { SL_TRANSFER_LIST(SL_TRANSFER_ENUM) SL_TRANSFER_LAYOUTS };

struct sl_transfer {
    enum sl_transfer_layout layout;
    int n;
    double *k;
    double *cdm, *baryon, *total; /* NULL in a table of power */
    double *v_cdm, *v_baryon;     /* NULL when the file has no velocities */
    double *power;                /* NULL in a table of transfer functions */
    double *file_total;           /* the file's own, NULL when it has none */
    double *unheavy;              /* the file's total without massive neutrinos, NULL without */
    double *neutrino;             /* massive ones, NULL when it has no such column */
    double heavy;                 /* largest |massive neutrinos / cdm|: 0 without them */
    int masses;                   /* columns of massive neutrinos, of which that is the first */
    double plateau, rate;         /* Newtonian gauge: dark matter at the largest scales, and a H / c
                                     in 1/Mpc, by what it holds there alone; 0: not told */
    double z;                     /* as its header says; -1: it does not */
    bool named;                   /* known by the names of its columns */
    double *block;                /* owned: all of the above */
};

/* Reads a file. c: Omega_b / Omega_m makes the total, H(a) turns a Newtonian gauge. z: the redshift
 * that the file is taken for when its header has none; -1 unknown. */
int sl_transfer_read(const char *path, const struct sl_cosmology *c, double z,
                     struct sl_transfer *out);
int sl_transfer_parse(const char *path, const char *bytes, size_t size,
                      const struct sl_cosmology *c, double z, struct sl_transfer *out);
void sl_transfer_release(struct sl_transfer *t);
/* Leaves out the rows up to the last below k that is not positive: beyond the horizon densities of
 * some gauges cross zero. Rows of smaller scales stay, whatever they hold. */
void sl_transfer_trim(struct sl_transfer *t, double k);

const char *sl_transfer_code(enum sl_transfer_layout layout);
const char *sl_transfer_about(enum sl_transfer_layout layout);

/* ---- what is right and wrong with it ---- */

enum sl_finding_kind { SL_FINDING_NOTE, SL_FINDING_WARN, SL_FINDING_WRONG };
struct sl_findings {
    int n;
    struct {
        enum sl_finding_kind kind;
        char text[400];
    } item[24];
};
void sl_finding(struct sl_findings *f, enum sl_finding_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct sl_transfer_ask {
    const struct sl_cosmology *cosmology;
    double a_s, n_s, k_pivot; /* a_s = 0: the amplitude of a table of power is not judged */
    double z;             /* what the file is taken for, -1: as its header says or as its amplitude
                                 tells */
    double k_low, k_high; /* h/Mpc that will be needed; 0: not known */
    bool extrapolate;     /* beyond the ends is allowed */
    bool one_fluid;       /* baryons and dark matter are meant to be alike: the total is used */
    bool rescaled;        /* the run gives a table of power its amplitude: reported, not refused */
};
struct sl_transfer_look {
    double z;         /* header, asked or found from the amplitude, in this order; -1 unknown */
    double z_implied; /* found from the amplitude, to about 3 %; -1: by none */
    double amplitude; /* over that expected at z */
    double shape;     /* rms of ln T about Eisenstein & Hu, k = 0.01 .. 1 h/Mpc; -1: not covered */
    double total_off; /* largest |file's total / ours - 1|, 0 without */
    double plateau;   /* at the largest scales over that expected at z; 0: not covered */
    double rate;      /* expansion that its gauge stands for over that expected; 0: not told */
    double waves;     /* k of the fit over its k at which the fit has its waves; 0: not judged */
    double stretch;   /* its k over that at which the cosmology has the same shape; 0: not judged */
};
/* Adds what it finds to f. */
void sl_transfer_examine(const struct sl_transfer *t, const struct sl_transfer_ask *ask,
                         struct sl_transfer_look *look, struct sl_findings *f);

/* Transfer function of all matter that Eisenstein & Hu expect, in Mpc^2, at the growth d1 of
 * sl_growth_at. */
double sl_transfer_expected(const struct sl_cosmology *c, double d1, double shape);
/* Power in (Mpc/h)^3 for a transfer function at k in h/Mpc. */
double sl_transfer_power(const struct sl_cosmology *c, double a_s, double n_s, double k_pivot,
                         double k, double transfer);

#endif
