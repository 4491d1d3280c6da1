/* choices.h - the choices of keys, as far as no other list has them: what stands in a recipe, and a
 * sentence. Who needs a choice alone need not know the keys (core/config/config.h).
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/law/added.sh
 */
#ifndef SL_CONFIG_CHOICES_H
#define SL_CONFIG_CHOICES_H

#include "core/lists/backend_list.h"

enum { SL_TEXT_MAX = 512 };

#define SL_TIME_UNIT_LIST(X)                                                                       \
    X(code, "code units")                                                                          \
    X(crossing, "the problem's own time, e.g. box size / initial rms velocity for turbulence")     \
    X(redshift, "the universe expands: from ic.redshift to time.end, with its gravity")
#define SL_STEPPING_LIST(X)                                                                        \
    X(kdk, "kick, drift, kick: the pull acts at both ends of a step")                              \
    X(fastpm, "drift, kick, drift that keep plane waves and the momentum of the growing mode "     \
              "exact (Feng et al. 2016)")                                                          \
    X(bullfrog,                                                                                    \
      "drift, kick, drift that keep plane waves exact, and velocities right to second order "      \
      "(Rampf, List & Hahn 2025)")
#define SL_SPACING_LIST(X)                                                                         \
    X(auto, "expansion for kdk, growth for the others")                                            \
    X(growth, "in the growth D of small perturbations")                                            \
    X(expansion, "in the logarithm of the scale factor")
#define SL_BEGIN_LIST(X)                                                                           \
    X(start, "at the start, ic.redshift")                                                          \
    X(zero, "at D = 0, when all matter was uniform: particles go back along the straight lines "   \
            "on which 1LPT brought them")
#define SL_TIME_LEVELS_LIST(X)                                                                     \
    X(auto, "whichever of the two takes less work, chosen before each step of the root grid; "     \
            "with self-gravity one")                                                               \
    X(one, "all take the same step, that of the finest")                                           \
    X(each, "each takes two steps where the coarser one takes one")
#define SL_GRAVITY_BOUNDARY_LIST(X)                                                                \
    X(auto, "periodic where all sides of the box are, isolated where none is")                     \
    X(periodic, "the box repeats itself; the mean density does not attract")                       \
    X(isolated, "empty space around a box of three dimensions; the potential is 0 far away")
#define SL_GRAVITY_ISOLATED_LIST(X)                                                                \
    X(auto, "padded up to 256^3 cells of the root grid, screened beyond")                          \
    X(padded, "transforms of twice the cells along each axis: 72 bytes for each cell")             \
    X(screened, "sines, and charges at the sides that screen the gas (James 1977): 24 bytes for "  \
                "each cell")
#define SL_PRECISION_LIST(X)                                                                       \
    X(double, "64 bit")                                                                            \
    X(single, "32 bit")
#define SL_SAMPLE_LIST(X)                                                                          \
    X(line, "the cells along x through the middle of the box")                                     \
    X(radius, "means over shells around output.center")                                            \
    X(plane, "the plane through the middle of the box, across z")
#define SL_CLEAN_LIST(X)                                                                           \
    X(checkpoints, "checkpoints of runs that are done")                                            \
    X(snapshots, "snapshots of runs whose statistics are done")                                    \
    X(ic, "initial fields of runs that are done")
#define SL_SPECTRUM_LIST(X)                                                                        \
    X(velocity, "E(k) of the velocity, with solenoidal and compressive parts")                     \
    X(density, "power of rho / mean - 1")                                                          \
    X(energy, "kinetic energy: E(k) of sqrt(rho) v")                                               \
    X(cascade, "E(k) of rho^(1/3) v, whose flux is that of energy (Kritsuk et al. 2007)")          \
    X(log_density, "power of ln(rho / mean)")                                                      \
    X(magnetic, "magnetic energy: E(k) of the field (needs fluid.mhd)")
#define SL_PDF_LIST(X)                                                                             \
    X(density, "s = ln(rho / mean), by volume and by mass, with a log-normal fit")
#define SL_JOINT_LIST(X)                                                                           \
    X(speed, "|v|")                                                                                \
    X(magnetic, "|B| (needs fluid.mhd)")                                                           \
    X(temperature, "pressure / density (needs an energy equation)")
/* X(name, unit, weight of means, sentence) */
#define SL_PROFILE_LIST(X)                                                                         \
    X(density, "code density", volume, "the density")                                              \
    X(pressure, "code pressure", volume, "the pressure of the gas")                                \
    X(temperature, "code velocity^2", mass, "pressure / density (needs an energy equation)")       \
    X(entropy, "code pressure / code density^gamma", mass,                                         \
      "pressure / density^gamma (needs an energy equation)")                                       \
    X(speed, "code velocity", mass, "|v|")                                                         \
    X(radial_velocity, "code velocity", mass, "the velocity away from the centre")                 \
    X(magnetic, "code field", volume, "|B| (needs fluid.mhd)")                                     \
    X(scalar, "1", mass, "the first passive scalar (needs fluid.scalars)")                         \
    X(potential, "code velocity^2", volume,                                                        \
      "the potential of self-gravity (needs output.potential)")
#define SL_CENTER_LIST(X)                                                                          \
    X(densest, "the densest point")                                                                \
    X(mass, "the centre of mass of the gas in the box")                                            \
    X(point, "output.center")
/* X(name, unit, sentence) */
#define SL_MAP_LIST(X)                                                                             \
    X(auto, "", "those that the problem shows, and the potential where snapshots hold it")         \
    X(density, "code density", "the density")                                                      \
    X(pressure, "code pressure", "the pressure of the gas")                                        \
    X(temperature, "code velocity^2", "pressure / density")                                        \
    X(speed, "code velocity", "|v|")                                                               \
    X(velocity_x, "code velocity", "the velocity along x")                                         \
    X(velocity_y, "code velocity", "the velocity along y")                                         \
    X(velocity_z, "code velocity", "the velocity along z")                                         \
    X(vorticity, "1 / code time", "curl v along z in two dimensions, |curl v| in three")           \
    X(divergence, "1 / code time", "div v: below zero where the gas is compressed")                \
    X(magnetic, "code field", "|B| (needs fluid.mhd)")                                             \
    X(magnetic_x, "code field", "the field along x")                                               \
    X(magnetic_y, "code field", "the field along y")                                               \
    X(magnetic_z, "code field", "the field along z")                                               \
    X(current, "code field / code length", "curl B along z in two dimensions, |curl B| in three")  \
    X(scalar, "1", "the first passive scalar (needs fluid.scalars)")                               \
    X(potential, "code velocity^2", "the potential of self-gravity (needs output.potential)")
#define SL_AXIS_LIST(X)                                                                            \
    X(x, "along x")                                                                                \
    X(y, "along y")                                                                                \
    X(z, "along z")
#define SL_INCREMENT_LIST(X)                                                                       \
    X(velocity, "longitudinal and transverse increments along the axes")                           \
    X(density, "increments of rho / mean along the axes")
#define SL_STRUCTURE_LIST(X)                                                                       \
    SL_INCREMENT_LIST(X)                                                                           \
    X(diagonals, "the same along the diagonals (1,1,0) and (1,1,1) of the grid")
#define SL_MATTER_LIST(X)                                                                          \
    X(gas, "the density of each snapshot")                                                         \
    X(particles, "dark matter: of each snapshot, or of ic.h5 with the first")                      \
    X(cross, "gas and particles together")                                                         \
    X(total, "all matter: gas and particles, each by its share of the mass, and gas, particles "   \
             "and cross, of which it is made")                                                     \
    X(correlation, "xi(r) of the chosen matter")                                                   \
    X(bispectrum, "of the chosen matter, equilateral and squeezed triangles; with total those "    \
                  "of gas and of particles, each alone")                                           \
    X(counts, "of the chosen matter in cells of 1, 2, 4 .. grid cells a side: S3, S4; with total " \
              "those of gas and of particles, each alone")                                         \
    X(multipoles, "monopole, quadrupole and hexadecapole of moving dark matter in redshift space")
#define SL_DEPOSIT_LIST(X)                                                                         \
    X(ngp, "all to the nearest cell")                                                              \
    X(cic, "as a cloud of the size of a cell")                                                     \
    X(tsc, "as a triangular cloud of two cells")                                                   \
    X(pcs, "as a piecewise cubic cloud of four cells")
#define SL_TARGET_LIST(X)                                                                          \
    X(none, "run all members")                                                                     \
    X(mach_rms, "rms Mach number at the end")                                                      \
    X(kinetic_energy, "kinetic energy at the end over that at the start")                          \
    X(density_sigma, "standard deviation of ln(rho / mean) at the end")                            \
    X(decay_exponent, "exponent of the decay of kinetic energy")                                   \
    X(haloes, "number of haloes of dark matter in the last snapshot (statistics.haloes)")          \
    X(haloes_above, "number of those of statistics.halo_mass or more")                             \
    X(sigma8, "rms of matter in spheres of 8 Mpc/h in the last snapshot (statistics.matter)")
#define SL_NOTIFY_LIST(X)                                                                          \
    X(failed, "a member counts as failed, or the ensemble: the first of a campaign and after "     \
              "each sluice retry")                                                                 \
    X(end, "nothing is left to run; the report is made where a member is done")
#define SL_STOP_LIST(X)                                                                            \
    X(two_stage, "as many members as the scatter of the first ensemble.min requires (Stein 1945)") \
    X(sequence,                                                                                    \
      "a confidence sequence, which holds at every look, after sluice extend, too: 5 to 10 times " \
      "as many, and at least 5")

#define SL_NORMALISE_LIST(X)                                                                       \
    X(a_s, "by the primordial amplitude cosmology.a_s")                                            \
    X(sigma8, "by cosmology.sigma8, today")                                                        \
    X(table, "as a table of P(k) has it")
#define SL_IC_TRANSFER_LIST(X)                                                                     \
    X(table, "ic.table, as CMBFAST, CAMB or CLASS write it")                                       \
    X(eisenstein_hu, "Eisenstein & Hu 1998, with acoustic waves")                                  \
    X(eisenstein_hu_smooth, "the same without them")                                               \
    X(bbks, "Bardeen et al. 1986, with the shape parameter of Sugiyama 1995")
#define SL_IC_MODE_LIST(X)                                                                         \
    X(at_start, "the table is that of ic.redshift")                                                \
    X(back_scaled,                                                                                 \
      "the table is that of another redshift, most often 0, and is scaled by the growth")
#define SL_IC_SPECIES_LIST(X)                                                                      \
    X(auto, "distinct with transfer functions of ic.redshift, one_fluid with all else")            \
    X(distinct, "baryons and dark matter each by its own transfer function and velocity")          \
    X(one_fluid, "both by those of all matter")                                                    \
    X(baryons, "all matter is gas")                                                                \
    X(dark_matter, "all matter is particles; a run of them has fluid.eos: none")
#define SL_IC_WRITE_LIST(X)                                                                        \
    X(auto,                                                                                        \
      "where the run does not make its start itself: a start alone (no time.unit: redshift)")      \
    X(true, "to ic.h5, in a stage of its own, which the run begins from")                          \
    X(false, "the run makes its start itself, on its ranks, to the same bits")

/* One enum per list: SL_TIME_UNIT_code ... Those of core/cell have theirs beside
 * the lists (core/lists/riemann_list.h ...), which who asks for them includes.
 */
#define SL_TIME_UNIT_ENUM(name, about) SL_TIME_UNIT_##name,
enum sl_time_unit { SL_TIME_UNIT_LIST(SL_TIME_UNIT_ENUM) };
#define SL_TIME_LEVELS_ENUM(name, about) SL_TIME_LEVELS_##name,
enum sl_time_levels { SL_TIME_LEVELS_LIST(SL_TIME_LEVELS_ENUM) };
#define SL_STEPPING_ENUM(name, about) SL_STEPPING_##name,
enum sl_stepping { SL_STEPPING_LIST(SL_STEPPING_ENUM) };
#define SL_SPACING_ENUM(name, about) SL_SPACING_##name,
enum sl_spacing { SL_SPACING_LIST(SL_SPACING_ENUM) };
#define SL_BEGIN_ENUM(name, about) SL_BEGIN_##name,
enum sl_begin { SL_BEGIN_LIST(SL_BEGIN_ENUM) };
#define SL_GRAVITY_BOUNDARY_ENUM(name, about) SL_GRAVITY_BOUNDARY_##name,
enum sl_gravity_boundary { SL_GRAVITY_BOUNDARY_LIST(SL_GRAVITY_BOUNDARY_ENUM) };
#define SL_GRAVITY_ISOLATED_ENUM(name, about) SL_GRAVITY_ISOLATED_##name,
enum sl_gravity_isolated { SL_GRAVITY_ISOLATED_LIST(SL_GRAVITY_ISOLATED_ENUM) };
#define SL_PRECISION_ENUM(name, about) SL_PRECISION_##name,
enum sl_precision { SL_PRECISION_LIST(SL_PRECISION_ENUM) };
#define SL_SAMPLE_ENUM(name, about) SL_SAMPLE_##name,
enum sl_sample { SL_SAMPLE_LIST(SL_SAMPLE_ENUM) };
#define SL_CLEAN_ENUM(name, about) SL_CLEAN_##name,
enum sl_clean { SL_CLEAN_LIST(SL_CLEAN_ENUM) SL_CLEAN_COUNT };
#define SL_SPECTRUM_ENUM(name, about) SL_SPECTRUM_##name,
enum sl_spectrum { SL_SPECTRUM_LIST(SL_SPECTRUM_ENUM) SL_SPECTRA };
#define SL_MAP_ENUM(name, unit, about) SL_MAP_##name,
enum sl_map { SL_MAP_LIST(SL_MAP_ENUM) SL_MAPS };
#define SL_AXIS_ENUM(name, about) SL_AXIS_##name,
enum sl_axis { SL_AXIS_LIST(SL_AXIS_ENUM) };
#define SL_STRUCTURE_ENUM(name, about) SL_STRUCTURE_##name,
enum sl_structure_of { SL_STRUCTURE_LIST(SL_STRUCTURE_ENUM) };
#define SL_PDF_ENUM(name, about) SL_PDF_##name,
enum sl_pdf_of { SL_PDF_LIST(SL_PDF_ENUM) };
#define SL_JOINT_ENUM(name, about) SL_JOINT_##name,
enum sl_joint_of { SL_JOINT_LIST(SL_JOINT_ENUM) };
#define SL_PROFILE_ENUM(name, unit, by, about) SL_PROFILE_##name,
enum sl_profile_of { SL_PROFILE_LIST(SL_PROFILE_ENUM) };
#define SL_CENTER_ENUM(name, about) SL_CENTER_##name,
enum sl_center { SL_CENTER_LIST(SL_CENTER_ENUM) };
#define SL_MATTER_ENUM(name, about) SL_MATTER_##name,
enum sl_matter { SL_MATTER_LIST(SL_MATTER_ENUM) };
#define SL_DEPOSIT_ENUM(name, about) SL_DEPOSIT_##name,
enum sl_deposit { SL_DEPOSIT_LIST(SL_DEPOSIT_ENUM) };
#define SL_TARGET_ENUM(name, about) SL_TARGET_##name,
enum sl_target { SL_TARGET_LIST(SL_TARGET_ENUM) };
#define SL_NOTIFY_ENUM(name, about) SL_NOTIFY_##name,
enum sl_notify { SL_NOTIFY_LIST(SL_NOTIFY_ENUM) SL_NOTIFY_EVENTS };
#define SL_STOP_ENUM(name, about) SL_STOP_##name,
enum sl_stop_rule { SL_STOP_LIST(SL_STOP_ENUM) };
#define SL_NORMALISE_ENUM(name, about) SL_NORMALISE_##name,
enum sl_normalise { SL_NORMALISE_LIST(SL_NORMALISE_ENUM) };
#define SL_IC_TRANSFER_ENUM(name, about) SL_IC_TRANSFER_##name,
enum sl_ic_transfer { SL_IC_TRANSFER_LIST(SL_IC_TRANSFER_ENUM) };
#define SL_IC_MODE_ENUM(name, about) SL_IC_MODE_##name,
enum sl_ic_mode { SL_IC_MODE_LIST(SL_IC_MODE_ENUM) };
#define SL_IC_SPECIES_ENUM(name, about) SL_IC_SPECIES_##name,
enum sl_ic_species { SL_IC_SPECIES_LIST(SL_IC_SPECIES_ENUM) };
#define SL_IC_WRITE_ENUM(name, about) SL_IC_WRITE_##name,
enum sl_ic_write { SL_IC_WRITE_LIST(SL_IC_WRITE_ENUM) };

#endif
