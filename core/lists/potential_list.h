/* potential_list.h - the list of external potentials, and the parameters of one.
 *
 * Shapes  none
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Plummer 1911; Navarro, Frenk & White 1997; Hernquist 1990; Binney & Tremaine 2008,
 *         section 2.3.2 (logarithmic)
 * Tests   tests/law/potential.c
 */
#ifndef SL_LISTS_POTENTIAL_LIST_H
#define SL_LISTS_POTENTIAL_LIST_H

#define SL_POTENTIAL_LIST(X)                                                                       \
    X(none, "there is none")                                                                       \
    X(point, "-k / sqrt(r^2 + s^2), k = G M: a point mass, softened, or a Plummer sphere of "      \
             "scale radius s")                                                                     \
    X(plane, "k sqrt(z^2 + s^2): a sheet across potential.axis, k the acceleration far from it")   \
    X(harmonic, "k r^2 / 2: the inside of a uniform sphere; gas swings with frequency sqrt(k)")    \
    X(nfw, "-k ln(1 + r / s) / r, k = 4 pi G rho_s s^3: a halo of Navarro, Frenk and White of "    \
           "scale radius s")                                                                       \
    X(hernquist, "-k / (r + s), k = G M: a galaxy or a bulge of Hernquist's profile")              \
    X(logarithmic, "k ln(r^2 + s^2) / 2: far from the centre gas circles with the speed sqrt(k)")  \
    X(table, "k phi(r), phi of potential.table: any one that is round")

enum sl_potential_kind {
#define SL_POTENTIAL_ENUM(name, about) SL_POTENTIAL_##name,
    SL_POTENTIAL_LIST(SL_POTENTIAL_ENUM)
#undef SL_POTENTIAL_ENUM
};

/* A row of the table of a potential. */
enum { SL_POTENTIAL_R, SL_POTENTIAL_PHI_R, SL_POTENTIAL_SLOPE, SL_POTENTIAL_ROW };

struct sl_potential {
    int kind, dim, axis;
    int n;                       /* rows of its table */
    double strength, softening;  /* k and s */
    double center[3], period[3]; /* 0: not periodic */
    double time;                 /* for which a kick acts */
};

#endif
