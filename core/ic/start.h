/* start.h - a cosmological start, ic.h5, in the files of another code.
 *
 * Gas lies on the grid, dark matter is particles. Codes with a mesh get both as they are. Codes
 * whose gas is particles get one of them per cell, with the mass of the cell, on a grid; where
 * there is dark matter too the grid of the gas lies half a cell beside that from which the dark
 * matter starts, since pairs of particles in one place would stay pairs: fields are moved there by
 * their phases, which changes no power but at the Nyquist frequency. Or, `displaced`, they have
 * equal masses and are displaced from this grid as the matter is, with its velocity there, as MUSIC
 * makes them; the displacement is that of the dark matter, so both must have the same spectrum.
 *
 * The dark matter of a snapshot goes into the same files, for halo finders and to go on with in
 * another code; gas of a snapshot stays on its mesh.
 *
 * Shapes  fields [nz][ny][nx]
 * Units   read: those of ic.h5 (cosmology_file.h); written: those of the code (start_list.h)
 * Errors  SL_EINPUT for a file that is none or a box that the code cannot take; SL_EIO, SL_EMEM;
 *         nothing is left behind
 * Owns    what a function says
 * MPI     local: one rank reads and writes, a field at a time
 * Where   host
 * Refs    Springel 2005, Gadget-2 user guide; SWIFT onboarding guide; Bertschinger 2001 (grafic2);
 *         Bryan et al. 2014 (Enzo)
 * Tests   tests/law/starts.sh
 */
#ifndef SL_IC_START_H
#define SL_IC_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/grid/slab.h"
#include "core/io/hdf.h"
#include "core/lists/start_list.h"

struct sl_start {
    const char *path; /* borrowed */
    struct sl_slab slab;
    double lo[3], length[3]; /* comoving Mpc/h */
    double h, omega_m, omega_b, omega_de, omega_r, a, redshift;
    double share;       /* of the gas in all matter; 0: there is none */
    double temperature; /* mean, of the gas, K */
    bool gas, dark;     /* fields of gas; particles of dark matter */
    bool displaced;     /* gas as displaced particles of equal mass, not on a grid */
    bool single;        /* numbers of the file */
    /* of a snapshot: its particles of dark matter, and nothing else; 0: a start, one per cell */
    size_t particles;
    double particle_mass; /* Msun/h */
    char file[40];        /* name of what is written, without .hdf5 */
};

/* Columns of the particles of a snapshot (core/io/flash.c). */
enum { SL_START_PLACE = 0, SL_START_SPEED = 3, SL_START_MASS = 6, SL_START_ID = 7 };

/* Makes directory `to` with the start for the code `format`, complete or not at all. path: of
 * ic.h5, or of a snapshot with particles, of which the dark matter alone is written. */
int sl_start_export(const char *format, const char *path, const char *to, bool displaced);

/* What the files of formats are made of. */
typedef int sl_start_write(const struct sl_start *s, const char *dir);
#define SL_START_WRITE(name, about) sl_start_write sl_start_##name##_write;
SL_START_LIST(SL_START_WRITE)

size_t sl_start_cells(const struct sl_start *s);
/* A field of ic.h5; half: half a cell further down along each axis. */
int sl_start_read(const struct sl_start *s, const char *name, bool half, double *out);
/* The same of an axis of a vector: stem "velocity", "particles/position". */
int sl_start_read_axis(const struct sl_start *s, const char *stem, int axis, bool half,
                       double *out);
/* Of a field whose values are those of the grid: half a cell further down along each axis. */
int sl_start_move_half(const struct sl_start *s, double *field);
/* Place of the dark matter along an axis, comoving Mpc/h; and its speed, proper peculiar km/s. */
int sl_start_dark_place(const struct sl_start *s, int axis, double *out);
int sl_start_dark_speed(const struct sl_start *s, int axis, double *out);
/* Particles of dark matter. */
size_t sl_start_dark_number(const struct sl_start *s);

/* SL_EINPUT for a box that is a universe of its own (core/cosmo/separate.h), as the attributes of
 * `at` tell: other codes take h and Omega for such. */
int sl_start_check_own(const struct sl_start *s, hid_t at);

/* ---- snapshot_start.c ---- */
/* What a snapshot tells; whether a file is one. */
bool sl_start_is_snapshot(hid_t file);
int sl_start_of_snapshot(struct sl_start *s, hid_t file);
/* A column of its particles: comoving Mpc/h, proper peculiar km/s, Msun/h, numbers. */
int sl_start_column(const struct sl_start *s, int column, double *out);
/* SL_EINPUT for a snapshot: the code takes starts alone. */
int sl_start_is_start(const struct sl_start *s, const char *code);

/* Comoving density of matter in Msun/h per (Mpc/h)^3; mass of a cell at mean density, Msun/h. */
double sl_start_matter(const struct sl_start *s);
double sl_start_cell_mass(const struct sl_start *s);
/* Proper peculiar km/s of the velocity of the gas in ic.h5. */
double sl_start_gas_velocity(const struct sl_start *s);
/* SL_EINPUT unless cells are cubes, and with `box` the box one too. */
int sl_start_cubes(const struct sl_start *s, bool box, const char *code);

/* SL_EINPUT where gas is to be displaced: the code takes it on its grid. */
int sl_start_on_grid(const struct sl_start *s, const char *code);
/* What the particles of gas are, for a comment of parameters.txt. */
const char *sl_start_gas_words(const struct sl_start *s);

/* path: of what is written in dir. */
int sl_start_file(const struct sl_start *s, char path[SL_PATH_MAX], const char *dir);
/* parameters.txt, lines for the parameter file of the code; NULL when it cannot be written. */
FILE *sl_start_parameters(const char *dir);
int sl_start_close(FILE *f, const char *dir);

/* A file of particles as Gadget and SWIFT have them. */
struct sl_start_units {
    double length, mass, velocity; /* of one Mpc/h, Msun/h, proper peculiar km/s */
    double energy;                 /* of one (km/s)^2 */
    double smoothing;              /* smoothing length in cells; 0: none is given */
    bool masses;                   /* of each particle of dark matter too, not in MassTable alone */
    const char *lengths, *weights, *speeds; /* units of these, as datasets tell them */
};
int sl_start_particles(const struct sl_start *s, const char *path, const struct sl_start_units *u,
                       int (*more)(const struct sl_start *s, hid_t file));

#endif
