/* state.h - the fluid state of one cell and where its variables lie in a pack.
 *
 * Shapes  one cell; a pack holds u[block][var][k][j][i] with var as in struct sl_layout
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell.c
 */
#ifndef SL_CELL_STATE_H
#define SL_CELL_STATE_H

#include "core/cell/fn.h"

/* Conserved variables that every fluid has, in this order; energy follows (ideal gas only), then
 * the magnetic field and psi (MHD only), then entropy (dual energy only), then the passive scalars
 * (as densities), then the field at cell faces (constrained transport only). The total energy holds
 * that of the field. */
enum { SL_RHO, SL_MX, SL_MY, SL_MZ, SL_MAX_VAR = 23 };

struct sl_layout {
    int nvar;     /* variables of a cell */
    int energy;   /* total energy density, or -1: isothermal */
    int entropy;  /* rho * p / rho^gamma, or -1: no dual energy */
    int scalar0;  /* first passive scalar */
    int nscalar;  /* number of passive scalars */
    int magnetic; /* B_x, then B_y, B_z and psi (divergence cleaning), or -1: no field */
    /* B_x at the lower x face of the cell, likewise B_y, B_z along the axes of the mesh, as
     * magnetic + 0, 1, 2 are the averages of the two faces; -1: no constrained transport */
    int face;
    int nflow; /* variables that flow from cell to cell: all before the field at faces */
};

struct sl_gas {
    int eos;           /* enum sl_eos */
    sl_real gamma;     /* ratio of specific heats (ideal) */
    sl_real cs;        /* sound speed (isothermal) */
    sl_real rho_floor; /* smallest density that a repair leaves behind */
    sl_real p_floor;   /* smallest pressure that a repair leaves behind */
    sl_real ch;        /* speed at which errors of div B leave (MHD); set for each step */
    /* largest fall of a velocity along the face, over the cells on both sides and their neighbours
     * along it, 0 where there is none; set for each face (lhllc, lhlld) */
    sl_real compression;
    int shocks; /* enum sl_shock: whether solvers mix transverse momentum in shocks */
};

/* In a sweep u is the velocity along the sweep, v and w are the two across. For an isothermal gas p
 * = rho cs^2 and en is not used. */
struct sl_prim {
    sl_real rho, u, v, w, p;
};
struct sl_cons {
    sl_real rho, mx, my, mz, en;
};

#endif
