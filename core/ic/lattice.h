/* lattice.h - a start of dark matter as a device makes it, without fields on the host: particles at
 * the corners of the cells of a cube, or of each second one, displaced to first or second order.
 *
 * The modes are those of cosmology_fields.h; a device draws them whenever it needs them, so that it
 * holds none. Only cubes of as many cells along each axis: there the amplitude of a mode is a
 * number of a table, by the sum of the squares of n, which a device reads where it does not know
 * how power is made of a transfer function.
 *
 * Shapes  amplitude[1 + 3 (cells / 2)^2]
 * Units   comoving Mpc/h; velocities proper peculiar km/s, in a run to_code of that
 * Errors  SL_EMEM
 * Owns    the amplitudes
 * MPI     local
 * Where   places and what they are made of: host and device; all else host
 * Refs    Zel'dovich 1970; Bouchet et al. 1995
 * Tests   tests/gpu/lattice.c
 */
#ifndef SL_IC_LATTICE_H
#define SL_IC_LATTICE_H

#include "core/ic/density_modes.h"

struct sl_power;

/* Places along an axis, wrapped into [lo, lo + length); what rounds to its end is at its beginning,
 * `first`. */
struct sl_lattice_axis {
    double lo, length, first;
    int n;         /* cells */
    bool single;   /* places are rounded so */
    double offset; /* of a particle from the corner of its cell, in cells */
};

/* Of the particle of a cell, which has moved so far. */
SL_FN double sl_lattice_place(const struct sl_lattice_axis *w, int cell, double moved)
{
    double x = (cell + w->offset) / w->n + moved / w->length;
    x -= floor(x);
    x = w->lo + w->length * (x < 1 ? x : 0);
    double y = w->single ? (double)(float)x : x;
    return y >= w->lo + w->length || y < w->lo ? w->first : x;
}

/* As a file of that precision has it. */
SL_FN double sl_lattice_rounded(bool single, double x)
{
    return single ? (double)(float)x : x;
}

/* Columns of a shell of modes: of them number, |k|, |f_n|^2 and what that is on average. */
enum { SL_SHELL_MODES, SL_SHELL_K, SL_SHELL_REALISED, SL_SHELL_LINEAR, SL_SHELL_COLUMNS };

/* What amplitudes are of: all matter, whose products are of second order; displacements, with the
 * density; velocities. */
enum { SL_LATTICE_MATTER, SL_LATTICE_PLACE, SL_LATTICE_SPEED, SL_LATTICE_FIELDS };
struct sl_lattice {
    struct sl_density_modes modes;
    struct sl_lattice_axis axis[3];
    int cells, spacing; /* along each axis; of particles, in cells */
    int order;
    double second[SL_LATTICE_FIELDS];     /* weight of S (lpt.h) in the field */
    double *amplitude[SL_LATTICE_FIELDS]; /* owned; of a mode of the box: sqrt(P / volume) */
    double to_kms, to_code;               /* Mpc/h to km/s; these to units of the run */
    int nshell, y0, ny; /* shells of the density, and of which rows along y they are wanted */
};

/* Sets second and amplitude for out->cells and the axes, of power at the start. */
int sl_lattice_init(const struct sl_power *power, struct sl_lattice *out);
void sl_lattice_release(struct sl_lattice *l);
/* Cells along an axis of the grid on which products are free of aliasing. */
int sl_lattice_fine(const struct sl_lattice *l);

#endif
