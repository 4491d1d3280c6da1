/* flash.h - the tables of a snapshot: the FLASH tree and our own group; the view of
 * ParaView is in vtkhdf.h.
 *
 * Shapes  below
 * Units   as in the file: code units times the scales
 * Errors  SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local: rank 0 alone, serial HDF5
 * Where   host
 * Refs    FLASH user's guide section "output formats"; VTKHDF file format
 * Tests   tests/unit/snapshot.c, tests/cli/readers.sh
 */
#ifndef SL_IO_FLASH_H
#define SL_IO_FLASH_H

#include <hdf5.h>
#include <stdbool.h>

#include "core/io/provenance.h"
#include "core/mesh/hierarchy.h"
#include "core/state/field.h"

struct sl_expansion;
struct sl_universe;

/* Where a block lies. */
struct sl_flash_block {
    int64_t at[3];
    double lo[3], hi[3]; /* code units; 0 .. 1 along axes that are not there */
    int level, leaf;     /* leaf: no finer blocks cover it */
};

/* The rows of a level: its leaves along the curve, then the blocks that finer ones cover. */
struct sl_flash_level {
    int64_t first, nleaf, ncovered;
};

struct sl_flash {
    const struct sl_state *state;     /* borrowed, for what all ranks know */
    const struct sl_provenance *p;    /* borrowed */
    uint64_t hash;                    /* of the state */
    double length, density, velocity; /* CGS of one code unit; 1 when the run has none */
    bool cgs;
    const struct sl_expansion *universe; /* borrowed; NULL: none */
    double scale_factor; /* of the universe; lengths, densities, velocities are comoving then */
    double weight;       /* mean mass of a particle in masses of the hydrogen atom; 0: not known */
    bool single;         /* fields are float */
    int nfield;
    int64_t nblock;
    int64_t nparticle;   /* 0: there are none */
    const int *in_block; /* borrowed, on rank 0; by row: how many of them */
    int nlevel;
    struct sl_flash_level level[SL_LEVELS];
    const struct sl_flash_block *block; /* borrowed, on rank 0; by row */
};

/* Names of those that only an expanding universe has. */
extern const char *const sl_flash_expansion[2];
/* Of the file with one level, and of one whose /sluice group tells levels. */
enum { SL_FLASH_FORMAT = 1, SL_FLASH_FORMAT_LEVELS = 2 };
/* Names of the single numbers of the /sluice group, as attributes, in the order they are kept. */
enum { SL_FLASH_INTS = 6, SL_FLASH_REALS = 8 };
extern const char *const sl_flash_int[SL_FLASH_INTS], *const sl_flash_real[SL_FLASH_REALS];

/* Columns of the table of particles. */
enum { SL_FLASH_PARTICLE = 9 };

/* What a universe that is not of the plain kind tells at its scale factor a: a box that is one of
 * its own (core/cosmo/separate.h) in attributes mean_overdensity, scale_factor_around and
 * redshift_around, one with massive neutrinos in m_nu_ev and omega_nu, which is part of omega_m. */
int sl_flash_put_universe(hid_t at, const struct sl_universe *u, double a);

/* What a stored value of field f is in units of the code. */
double sl_flash_scale(const struct sl_flash *s, int f);

/* Type of the stored values. */
hid_t sl_flash_type(const struct sl_flash *s);

/* Makes the file with all but the values of the fields and their checksums, whose places in the
 * file go to where[nfield] (datasets of the fields), *crc (a table [nfield][nblock] of 32-bit
 * numbers) and *particles (a table [nparticle][SL_FLASH_PARTICLE] of doubles, where there are
 * any). */
int sl_flash_make(const struct sl_flash *s, const char *path, int64_t *where, int64_t *crc,
                  int64_t *particles);

#endif
