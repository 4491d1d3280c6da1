/* numbers.h - the numbers that the last snapshot of a run adds to its summary, with the words that
 * the report has for them.
 *
 * A line here is a member of struct sl_measured (core/measure/fields.h), a row of stats/summary.csv
 * and of that of the ensemble; what gives it its value is in core/measure/.
 *
 * Shapes  none
 * Units   each number says its own
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Hopkins 2013
 * Tests   tests/cli/stats.sh, tests/cli/report.sh
 */
#ifndef SL_CONFIG_NUMBERS_H
#define SL_CONFIG_NUMBERS_H

/* X(name, unit, head of a column, words) */
#define SL_NUMBER_LIST(X)                                                                          \
    X(density_sigma, "1", "σ of ln ρ", "width σ of ln ρ at the end")                               \
    X(density_intermittency, "1", "T of ln ρ", "intermittency T of ln ρ at the end")               \
    X(solenoidal_share, "1", "Solenoidal", "solenoidal fraction of the velocity power")            \
    X(clumps, "1", "Clumps", "clumps at the end")                                                  \
    X(clump_mass_share, "1", "In clumps", "fraction of the mass in clumps")                        \
    X(leaves, "1", "Leaves", "leaves of the tree of regions at the end")                           \
    X(leaf_mass_share, "1", "In leaves", "fraction of the mass in leaves of the tree")             \
    X(haloes, "1", "Haloes", "haloes of dark matter")                                              \
    X(haloes_above, "1", "Above", "haloes of statistics.halo_mass or more")                        \
    X(halo_mass_share, "1", "In haloes", "fraction of the mass in haloes")                         \
    X(sigma8, "1", "σ8", "rms of matter in spheres of 8 Mpc/h at the end")

#endif
