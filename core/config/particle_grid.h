/* particle_grid.h - how fine the particles of a universe are: numbers that `sluice check` prints
 * and a report has in its table.
 *
 * Shapes  none
 * Units   comoving Mpc/h, Msun/h, wave numbers in h/Mpc, power in (Mpc/h)^3
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/plan.c, tests/cli/report_applies.sh
 */
#ifndef SL_CONFIG_PARTICLE_GRID_H
#define SL_CONFIG_PARTICLE_GRID_H

struct sl_config;

struct sl_particle_grid {
    double number, mass; /* mass: of one; NAN: cosmology.file has the densities */
    double side;         /* longest of the box */
    double apart, cell;  /* the mean distance; a cell of the mesh of forces, which softens them */
    double nyquist;      /* wave number of the particles */
    double shot;         /* power of as many Poisson points */
};

/* Number 0: no particles move in a universe. omega_nu: of massive neutrinos, which are not in the
 * particles (sl_universe_neutrinos). */
struct sl_particle_grid sl_particle_grid(const struct sl_config *cfg, double omega_nu);

#endif
