/* report_figure.h - the figures of a report: data, drawings, images.
 *
 * Writes report/figures/<name>.csv (the numbers drawn), .gp (the script), .svg and .png, and the
 * images of the members.
 *
 * Shapes  images: cells of a plane, averaged to at most SL_IMAGE_EDGE along each side
 * Units   times in time.unit, wave numbers in 2 pi / L, else code units
 * Errors  SL_EIO, SL_EMEM; a figure that cannot be made says why in `missing`
 * Owns    what is in the structs
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_FIGURE_H
#define SL_PIPELINE_REPORT_FIGURE_H

#include "pipeline/report_data.h"

/* X(name, section, title, sentence under the figure) */
#define SL_FIGURE_LIST(X)                                                                          \
    X(energy, time, "Kinetic energy",                                                              \
      "Kinetic energy over its value at the start. Thin lines are members; the band is one "       \
      "standard error of the mean.")                                                               \
    X(mach, time, "Mach number",                                                                   \
      "Volume-weighted rms Mach number. Thin lines are members; the band is one standard error "   \
      "of "                                                                                        \
      "the mean. With a magnetic field also Alfv\u00e9n's, \u221a(E_K/E_B).")                      \
    X(energies, time, "Energies",                                                                  \
      "Kinetic energy of the snapshots with its solenoidal and compressive parts (those of the "   \
      "modes of \u221a\u03c1 v, or of v where that spectrum was not asked for), magnetic and "     \
      "thermal energy, means over the volume in code units. The parts are those of modes "         \
      "with k > 0.")                                                                               \
    X(decay, time, "Decay law",                                                                    \
      "The kinetic energy again, both axes logarithmic, with the power law that is fitted to the " \
      "last two thirds of the time of each member: its exponent depends on time.end.")             \
    X(thermal, time, "Thermal energy",                                                             \
      "Thermal energy in code units. In a closed box the gas gains what its motion loses.")        \
    X(magnetic, time, "Magnetic energy",                                                           \
      "Energy of the magnetic field over the kinetic energy at the start (as in Wang, Abel & "     \
      "Kaehler 2010, fig. 10): a weak field first grows, then decays with the motion.")            \
    X(balance, time, "Work and dissipation",                                                       \
      "Work that the force has done, what motion and field have lost to heat, and the kinetic "    \
      "energy: means with one standard error. Where work and dissipation rise alike, they "        \
      "balance.")                                                                                  \
    X(levels, time, "Cells of the levels",                                                         \
      "Leaf cells of each level of the mesh, mean of the members; dashed: the cells that a grid "  \
      "of the finest level has in all.")                                                           \
    X(expansion, time, "Energies while the universe expands",                                      \
      "Kinetic, thermal and potential energy in the units of the run, in which T + W gains "       \
      "\u222b W d ln a (Layzer & Irvine; T: motion and heat): both sides are drawn, without "      \
      "their "                                                                                     \
      "sign.")                                                                                     \
    X(growth, time, "Growth of the longest waves",                                                 \
      "\u221a(P/P(start)) of the three lowest shells of the gas over D(a)/D(start) of linear "     \
      "theory: 1 as long as growth is linear.")                                                    \
    X(spectrum, scale, "Velocity spectrum",                                                        \
      "E(k) of the last snapshot with its solenoidal and compressive parts, and its total at the " \
      "start; wave numbers in "                                                                    \
      "2\u03c0/L. The darker ground is k < N/30, where an inertial range may be read; the "        \
      "lighter, "                                                                                  \
      "k < N/8, is free of grid diffusion; beyond it the slope is numerical.")                     \
    X(compensated, scale, "Compensated spectrum",                                                  \
      "The same E(k) times k\u00b2 and k^5/3, each over its mean for k < N/8: a flat stretch is "  \
      "the "                                                                                       \
      "slope of shocks or of Kolmogorov.")                                                         \
    X(energy_spectrum, scale, "Kinetic energy spectrum",                                           \
      "Spectrum of \u221a\u03c1 v of the last snapshot, which sums to the kinetic energy.")        \
    X(magnetic_spectrum, scale, "Magnetic energy spectrum",                                        \
      "Spectrum of the magnetic field of the last snapshot, which sums to the magnetic energy.")   \
    X(density_spectrum, scale, "Density spectrum",                                                 \
      "Power of \u03c1/\u27e8\u03c1\u27e9 \u2212 1 of the last snapshot.")                         \
    X(start_power, scale, "Power of the start",                                                    \
      "Power of gas and dark matter measured on the grid of ic.h5 over that of the input, first "  \
      "member. The band is the scatter of a Gaussian field, \u221a(2/modes) of a shell; fixed "    \
      "amplitudes have none. The darker ground lies beyond half the Nyquist frequency.")           \
    X(matter_power, scale, "Power of matter",                                                      \
      "P(k) of the last snapshot, that of particles over the window of their deposit, with the "   \
      "power of the input (dashed; grown by D\u00b2 where the universe expands).")                 \
    X(power_growth, scale, "Power over linear power",                                              \
      "P(k, z) of the gas over that of the input grown by D\u00b2(z): 1 where growth is linear. "  \
      "The darker ground lies beyond half the Nyquist frequency.")                                 \
    X(correlation, scale, "Correlation function",                                                  \
      "r\u00b2 \u03be(r) of the same fields as they lie on the grid.")                             \
    X(sigma, scale, "Variance in spheres",                                                         \
      "\u03c3(R): rms of \u03c1/\u27e8\u03c1\u27e9 of the last snapshot in spheres of radius R, "  \
      "of the "                                                                                    \
      "waves of the box whose power was measured; dashed: the same of the input.")                 \
    X(shells, scale, "Correlation between scales",                                                 \
      "Correlation matrix of the power of the last snapshot (of matter, or else of the velocity) " \
      "between members: +1 where two shells scatter alike, 0 where they are independent, as in a " \
      "Gaussian field. The first 48 shells.")                                                      \
    X(profile_density, gas, "Density along x",                                                     \
      "Cells along x through the middle of the box at the end, first member, with the exact "      \
      "solution where there is one.")                                                              \
    X(profile_velocity, gas, "Velocity along x", "The velocity along x of the same cells.")        \
    X(profile_pressure, gas, "Pressure along x", "The pressure of the same cells.")                \
    X(pdf, gas, "Density distribution",                                                            \
      "s = ln(\u03c1/\u27e8\u03c1\u27e9) of the last snapshot by volume and by mass, and the "     \
      "log-normal of the measured width; with intermittency as well (Hopkins 2013). Of "           \
      "turbulence "                                                                                \
      "also the log-normal of \u03c3\u00b2 = ln(1 + b\u00b2M\u00b2) at the Mach number at the "    \
      "end, b as "                                                                                 \
      "Federrath et al. (2008, 2010) found for the force, or the start: 1/3 solenoidal, 0.4 "      \
      "natural mixture, 1 compressive, straight between.")                                         \
    X(dispersion, gas, "Density contrast and Mach number",                                         \
      "Each member at its end, with \u03c3\u00b2 = ln(1 + b\u00b2M\u00b2) for b = 1/3 "            \
      "(solenoidal), 0.4 "                                                                         \
      "and 1 (compressive driving).")                                                              \
    X(structure, gas, "Structure functions",                                                       \
      "Mean of |\u03b4v|^p over pairs of points at a distance l in the last snapshot, p from 1 "   \
      "to 6: "                                                                                     \
      "velocity along the separation (full) and across it (dashed).")                              \
    X(structure_exponents, gas, "Exponents of structure functions",                                \
      "Slopes of ln S_p against ln S_3 of the velocity in the last snapshot, along the "           \
      "separation and across it, by extended self-similarity (Benzi et al. 1993) over the "        \
      "lags L/k of the shells to which spectra are fitted, 3 to N/8 or statistics.fit; bars: "     \
      "scatter about the line. Lines: p/3 (Kolmogorov 1941), p/9 + 2 \u2212 2 (2/3)^(p/3) "        \
      "(She & Leveque 1994), p/9 + 1 \u2212 (1/3)^(p/3) (Boldyrev 2002).")                         \
    X(structure_density, gas, "Structure functions of the density",                                \
      "Mean of |\u03b4\u03c1|^p/\u27e8\u03c1\u27e9^p over pairs of points at a distance l along "  \
      "the axes in the "                                                                           \
      "last snapshot, p from 1 to 6.")                                                             \
    X(structure_directions, gas, "Structure functions along axes and diagonals",                   \
      "Order 2 along the axes and diagonals of the grid, of the velocity along the separation "    \
      "(full) and "                                                                                \
      "across it (dashed), or of the density: where curves part, the grid or the box is seen.")    \
    X(joint_speed, gas, "Density and speed",                                                       \
      "Share of the volume at the last snapshot over density and speed, mean of the members, "     \
      "dark to light over four decades.")                                                          \
    X(joint_magnetic, gas, "Density and magnetic field",                                           \
      "Share of the volume at the last snapshot over density and field strength, mean of the "     \
      "members, dark to light over four decades; the lines are B \u221d \u03c1^1/2 and "           \
      "\u03c1^2/3.")                                                                               \
    X(joint_temperature, gas, "Density and temperature",                                           \
      "Share of the volume at the last snapshot over density and pressure / density, mean of the " \
      "members, dark to light over four decades.")                                                 \
    X(clump_masses, gas, "Clump masses",                                                           \
      "Clumps of the last snapshot above a mass, over the mass of the box.")                       \
    X(mass_function, gas, "Mass function",                                                         \
      "Clumps of the last snapshot per comoving volume and ln M, all matter of each taken as its " \
      "gas over the share of gas; bars: \u221aN of all members. Lines: haloes by the linear "      \
      "power "                                                                                     \
      "at that redshift (Press & Schechter 1974; Sheth & Tormen 1999; Tinker et al. 2008 for 200 " \
      "times the mean density). Regions above a threshold are not the same as these haloes.")      \
    X(tree, gas, "Clumps within clumps",                                                           \
      "Regions of the last snapshot of the first member that merge as a threshold falls: upright " \
      "lines are regions, from where they join others to their peak or to where what they hold "   \
      "joins.")                                                                                    \
    X(leaf_masses, gas, "Leaf masses",                                                             \
      "Leaves of this tree, of all members, above a mass, over the mass of the box.")

#define SL_FIGURE_ENUM(name, section, title, about) SL_FIGURE_##name,
enum sl_figure_id { SL_FIGURE_LIST(SL_FIGURE_ENUM) SL_FIGURES };
enum sl_figure_section { SL_SECTION_time, SL_SECTION_scale, SL_SECTION_gas };

struct sl_figure {
    const char *name, *title, *about;
    enum sl_figure_section section;
};
extern const struct sl_figure sl_figures[SL_FIGURES];

enum { SL_IMAGE_EDGE = 128, SL_IMAGE_MEMBERS = 24, SL_IMAGE_TIMES = 3, SL_IMAGE_KINDS = 2 };
extern const char *const sl_image_kinds[SL_IMAGE_KINDS]; /* "slice", "projection" */

struct sl_images {
    int times, snapshot[SL_IMAGE_TIMES]; /* numbers of the snapshots shown */
    double
        time[SL_IMAGE_TIMES]; /* in time.unit, a redshift where the universe expands; NAN unknown */
    double lo[SL_IMAGE_KINDS], hi[SL_IMAGE_KINDS]; /* log10 of the colour scale */
    int made; /* images written: figures/<kind>_<member number>_<snapshot>.png */
};

enum { SL_GROUPS_DRAWN = 6 };

struct sl_drawings {
    char missing[SL_GROUPS_DRAWN][SL_FIGURES][256]; /* why a figure is not there, "" when it is */
    struct sl_images images;
    bool gnuplot; /* it could be started */
};

/* Name of the files of a figure: "energy" of the first group, "energy_2" of the second. */
void sl_figure_name(char name[64], int id, int group);

/* Whether runs of this campaign can have a figure at all. */
bool sl_figure_applies(const struct sl_report *r, int id);

/* Makes the figures of the first SL_GROUPS_DRAWN groups; report/figures of the campaign must exist.
 */
int sl_figures_make(const struct sl_report *r, struct sl_drawings *out);
/* Makes the images of the members (report_image.c). */
int sl_images_make(const struct sl_report *r, struct sl_images *out);

#endif
