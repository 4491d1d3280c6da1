/* nbody.c - particles in a static box, with nothing else in it.
 *
 * Use it for any start of one's own: particles.file has places, velocities and masses in code
 * units, gravity.four_pi_g the strength of their gravity, in a box that is periodic, or isolated
 * (gravity.boundary). There is no gas (fluid.eos: none), neither in memory nor in the time that a
 * step takes.
 */
#include "core/state/problem.h"

/* clang-format off */
SL_PROBLEM(nbody, 0, "particles of particles.file that attract each other, without gas")
SL_SHOW(nbody, "energies", "density", "haloes haloes_above halo_mass_share")
SL_RULE_UNKNOWN(nbody)
SL_RULE(nbody, fluid_eos, !sl_config_has_gas(cfg), "problem nbody has no gas; nearest: none")
SL_RULE(nbody, particles_file, cfg->particles_file[0], "problem nbody needs the file of its particles")
SL_RULE(nbody, time_unit, !sl_config_expands(cfg), "problem nbody is in a static box; nearest: code")
/* clang-format on */

const struct sl_problem sl_problem_nbody = {.name = "nbody"};
