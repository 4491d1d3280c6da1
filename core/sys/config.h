/* config.h - the values of all keys for one run, made from the table of keys (keys.def and the rows
 * of the problems).
 *
 * Shapes  struct sl_config is plain data of fixed size: it may be copied and sent as bytes
 * Units   base of each key's unit: seconds, bytes, code length; bare numbers otherwise
 * Errors  SL_EINPUT with file:line:column, the text, what is wrong and the nearest valid choice
 * Owns    nothing
 * MPI     local: rank 0 reads and sends the struct (sl_config_bcast in core/sys/bcast.h)
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/cli/recipe.sh
 */
#ifndef SL_SYS_CONFIG_H
#define SL_SYS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/refine_rule.h"
#include "core/sys/backend_list.h"
/* generated: SL_PROBLEM_NAMES(X), X(name, needs ic, sentence); SL_SOURCE_NAMES(X), X(name, keys,
 * whether cfg asks for it) */
#include "problem_names.h"

enum sl_source_id {
#define SL_SOURCE_ID(name, ...) SL_SOURCE_##name,
    SL_SOURCE_NAMES(SL_SOURCE_ID)
#undef SL_SOURCE_ID
        SL_SOURCE_COUNT
};

enum { SL_TEXT_MAX = 512 };

#define SL_TIME_UNIT_LIST(X)                                                                       \
    X(code, "code units")                                                                          \
    X(crossing, "the problem's own time, e.g. box size / initial rms velocity for turbulence")     \
    X(redshift, "the universe expands: from ic.redshift to time.end, with its gravity")
#define SL_TIME_LEVELS_LIST(X)                                                                     \
    X(auto, "whichever of the two takes less work, chosen before each step of the root grid")      \
    X(one, "all take the same step, that of the finest")                                           \
    X(each, "each takes two steps where the coarser one takes one")
#define SL_GRAVITY_BOUNDARY_LIST(X)                                                                \
    X(auto, "periodic where all sides of the box are, isolated where none is")                     \
    X(periodic, "the box repeats itself; the mean density does not attract")                       \
    X(isolated, "empty space around a box of three dimensions; the potential is 0 far away")
#define SL_PRECISION_LIST(X)                                                                       \
    X(double, "64 bit")                                                                            \
    X(single, "32 bit")
#define SL_SAMPLE_LIST(X)                                                                          \
    X(line, "the cells along x through the middle of the box")                                     \
    X(radius, "means over shells around output.center")                                            \
    X(plane, "the plane through the middle of the box, across z")
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
/* X(name, unit, sentence) */
#define SL_MAP_LIST(X)                                                                             \
    X(auto, "", "those that the problem shows")                                                    \
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
    X(scalar, "1", "the first passive scalar (needs fluid.scalars)")
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
    X(correlation, "xi(r) of the chosen matter")                                                   \
    X(bispectrum, "of the chosen matter, equilateral and squeezed triangles")                      \
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
    X(decay_exponent, "exponent of the decay of kinetic energy")
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

/* One enum per list: SL_TIME_UNIT_code ... Those of core/cell have theirs beside
 * the lists (core/cell/riemann_list.h ...), which who asks for them includes.
 */
#define SL_TIME_UNIT_ENUM(name, about) SL_TIME_UNIT_##name,
enum sl_time_unit { SL_TIME_UNIT_LIST(SL_TIME_UNIT_ENUM) };
#define SL_TIME_LEVELS_ENUM(name, about) SL_TIME_LEVELS_##name,
enum sl_time_levels { SL_TIME_LEVELS_LIST(SL_TIME_LEVELS_ENUM) };
#define SL_GRAVITY_BOUNDARY_ENUM(name, about) SL_GRAVITY_BOUNDARY_##name,
enum sl_gravity_boundary { SL_GRAVITY_BOUNDARY_LIST(SL_GRAVITY_BOUNDARY_ENUM) };
#define SL_PRECISION_ENUM(name, about) SL_PRECISION_##name,
enum sl_precision { SL_PRECISION_LIST(SL_PRECISION_ENUM) };
#define SL_SAMPLE_ENUM(name, about) SL_SAMPLE_##name,
enum sl_sample { SL_SAMPLE_LIST(SL_SAMPLE_ENUM) };
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
#define SL_PROBLEM_ENUM(name, ic, about) SL_PROBLEM_##name,
enum sl_problem_name { SL_PROBLEM_NAMES(SL_PROBLEM_ENUM) };

struct sl_config {
#define SL_REAL_KEY(member, path, text, min, max, unit, about) double member;
#define SL_INT_KEY(member, path, text, min, max, unit, about)  int64_t member;
#define SL_BOOL_KEY(member, path, text, about)                 bool member;
#define SL_ENUM_KEY(member, path, text, list, about)           int member;
#define SL_FLAGS_KEY(member, path, text, list, about)          unsigned member;
#define SL_TEXT_KEY(member, path, text, kind, about)           char member[SL_TEXT_MAX];
#define SL_REALS_KEY(member, path, text, count, min, max, unit, about)                             \
    double member[count];                                                                          \
    int member##_n;
#define SL_INTS_KEY(member, path, text, count, min, max, unit, about)                              \
    int64_t member[count];                                                                         \
    int member##_n;
#define SL_ENUMS_KEY(member, path, text, count, list, about)                                       \
    int member[count];                                                                             \
    int member##_n;
#define SL_RULES_KEY(member, path, text, count, list, about)                                       \
    struct sl_refine_rule member[count];                                                           \
    int member##_n;
#include "core/sys/keys.def"
#include "problem_keys.def" /* generated */
#undef SL_REAL_KEY
#undef SL_INT_KEY
#undef SL_BOOL_KEY
#undef SL_ENUM_KEY
#undef SL_FLAGS_KEY
#undef SL_TEXT_KEY
#undef SL_REALS_KEY
#undef SL_INTS_KEY
#undef SL_ENUMS_KEY
#undef SL_RULES_KEY
};

/* Every key at its default; keys without a default are empty (0, "", count 0). */
void sl_config_default(struct sl_config *cfg);

/* Reads a resolved run.yaml (nested or dotted keys, no sweep) over the defaults, then the n
 * overrides "key=value", checks every value and the rules that tie keys together (sl_config_check).
 */
int sl_config_read(const char *path, char *const *overrides, int n, struct sl_config *cfg);

/* The same from bytes; name stands for the path in messages. */
int sl_config_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_config *cfg);

/* Rules that tie keys together: dimensions of lists, blocks that divide cells, periodic pairs,
 * ghost cells, what the problem needs. Fills in what is derived: mesh_block for 0, lists shorter
 * than the dimension, all six boundaries. */
int sl_config_check(struct sl_config *cfg);

/* The stages of a member in their order, whose resources a recipe may tell apart. */
enum sl_config_stage {
    SL_CONFIG_ic,
    SL_CONFIG_sim,
    SL_CONFIG_stats,
    SL_CONFIG_own,
    SL_CONFIG_STAGES
};

/* The values as that stage has them: what resources.ic.*, resources.sim.*, resources.stats.* or
 * resources.own.* give stands in place of resources.*. Stages beyond are those of the campaign,
 * which share one job of one rank and what resources.ensemble.* give. own may be cfg. */
void sl_config_stage(const struct sl_config *cfg, int stage, struct sl_config *own);

/* Number of dimensions: the length of mesh.cells. */
int sl_config_dim(const struct sl_config *cfg);

/* Trees of the forest that holds the blocks (core/sys/depth.h); root gets the blocks of level 0
 * along each axis. 0: the config is wrong about them. */
double sl_config_trees(const struct sl_config *cfg, int root[3]);

/* Whether there is gas: fluid.eos is not none. */
bool sl_config_has_gas(const struct sl_config *cfg);
/* Whether the universe expands: time.unit is redshift. */
bool sl_config_expands(const struct sl_config *cfg);
/* Whether nothing is around the gas that attracts itself: what gravity.boundary comes to. */
bool sl_config_isolated(const struct sl_config *cfg);
/* Whether its gas is that of a universe: one that expands, or the start of one. */
bool sl_config_of_universe(const struct sl_config *cfg);
/* Whether a code unit is known in CGS. */
bool sl_config_has_units(const struct sl_config *cfg);

/* Whether a recipe asks for a source, as the row SL_SOURCE of its file says. */
bool sl_config_wants(const struct sl_config *cfg, enum sl_source_id source);
/* The keys that ask for it, as the row names them. */
const char *sl_config_source_keys(enum sl_source_id source);
/* Keys of the first source of a recipe other than `but` and `also` (names or NULL); NULL: there is
 * none. */
const char *sl_config_asked(const struct sl_config *cfg, const char *but, const char *also);

/* Whether the magnetic field of a Riemann problem changes the flow: all do but one along the normal
 * alone, with velocities across that do not jump. */
bool sl_config_riemann_magnetic(const struct sl_config *cfg);

/* Whether the force of driving.* has a mode of an amplitude other than 0. */
bool sl_config_force_has_mode(const struct sl_config *cfg);
/* Whether the region of rule i of mesh.refine, of a shape of SL_REFINE_SHAPE_LIST, reaches into
 * mesh.box. */
bool sl_config_region_in_box(const struct sl_config *cfg, int i);

/* The external potential (core/cell/potential_list.h), none where potential.kind is none. */
struct sl_potential sl_config_potential(const struct sl_config *cfg);

/* Whether a run takes a device where it finds one: resources.backend is cuda, or auto and no
 * gravity of gas is to be computed. */
bool sl_config_sim_on_device(const struct sl_config *cfg);

/* Whether statistics take a device where they find one: spectra or structure functions are asked
 * for, and resources.backend is cuda, or auto and the grid has 2^20 cells or more: to start a
 * device takes as long as to measure so many on a core. */
bool sl_config_stats_on_device(const struct sl_config *cfg);

/* Writes all keys as "path: value" lines (exact: numbers with 17 digits) into a buffer made with
 * malloc. */
int sl_config_print(const struct sl_config *cfg, char **text);

/* The same for the keys that may not change at a restart (sl_key_may_change in core/sys/keys.h). */
int sl_config_print_fixed(const struct sl_config *cfg, char **text);

/* The same for the keys that results depend on (sl_key_is_means): what files of results tell of
 * their recipe, so that their bytes do not depend on failures and on what was changed for the sake
 * of a queue. */
int sl_config_print_results(const struct sl_config *cfg, char **text);

/* Name of value `value` in the list of an enum key, e.g. sl_choice_name("fluid.riemann",
 * cfg->fluid_riemann). */
const char *sl_choice_name(const char *path, int value);

#endif
