/* refine_list.h - the criteria of mesh.refine, their parameters and quantities.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Loehner 1987; Truelove et al. 1997
 * Tests   tests/unit/refine.c, tests/law/added.sh
 */
#ifndef SL_LISTS_REFINE_LIST_H
#define SL_LISTS_REFINE_LIST_H

/* Parameters of rules, beside `level` which all have:
 * X(name, member, numbers: most of them or 0 for a choice, min, max, unit, sentence) */
#define SL_REFINE_PARAMETER_LIST(X)                                                                \
    X(of, of, 0, 0, 0, none, "the quantity that is looked at")                                     \
    X(above, above, 1, -1e30, 1e30, none, "where the number is larger, the mesh is refined")       \
    X(below, below, 1, -1e30, 1e30, none,                                                          \
      "a block is merged once its numbers are smaller than this everywhere")                       \
    X(filter, filter, 1, 0, 1, none, "fraction of `of` below which its ripples do not count")      \
    X(cells, cells, 1, 1, 1000, none, "cells that a Jeans length has at least")                    \
    X(mean, mean, 1, 1e-30, 1e30, none, "density of the cell of the root grid to compare with")    \
    X(lo, lo, 3, -1e30, 1e30, length, "lower corner")                                              \
    X(hi, hi, 3, -1e30, 1e30, length, "upper corner")                                              \
    X(center, lo, 3, -1e30, 1e30, length, "centre of the sphere")                                  \
    X(radius, radius, 1, 1e-30, 1e30, length, "its radius")                                        \
    X(level, level, 1, 1, 12, none,                                                                \
      "the rule refines up to this level; as mesh.levels unless given")

enum {
#define SL_REFINE_BIT(name, ...) SL_REFINE_BIT_##name,
    SL_REFINE_PARAMETER_LIST(SL_REFINE_BIT)
#undef SL_REFINE_BIT
#define SL_REFINE_TAKES(name, ...) SL_REFINE_TAKES_##name = 1 << SL_REFINE_BIT_##name,
        SL_REFINE_PARAMETER_LIST(SL_REFINE_TAKES)
#undef SL_REFINE_TAKES
            SL_REFINE_BOUNDS = SL_REFINE_TAKES_above | SL_REFINE_TAKES_below
};

/* X(name, parameters, above: its default or 0 for none, below: its default over above, grows,
 * sentence); grows: 1 where the number is as large as a cell in what is smooth, else 0;
 * each but regions has its sl_refine_number_<name> in refine.h. These are of a quantity and its
 * neighbours: */
#define SL_REFINE_CROSS_LIST(X)                                                                    \
    X(loehner, SL_REFINE_TAKES_of | SL_REFINE_BOUNDS | SL_REFINE_TAKES_filter, 0.8, 0.25, 0,       \
      "second derivative of a quantity over its first ones, 0 to 1 (Loehner 1987)")                \
    X(gradient, SL_REFINE_TAKES_of | SL_REFINE_BOUNDS, 0.5, 0.25, 1,                               \
      "change of a quantity across a cell, over the quantity")                                     \
    X(jump, SL_REFINE_TAKES_of | SL_REFINE_BOUNDS, 0, 0.25, 1, "change of a quantity across a cell")
/* Of derivatives of the velocity; over the sound speed. */
#define SL_REFINE_FLOW_LIST(X)                                                                     \
    X(vorticity, SL_REFINE_BOUNDS, 0.5, 0.25, 1,                                                   \
      "|curl v| times the size of a cell, over the sound speed")                                   \
    X(shear, SL_REFINE_BOUNDS, 0.5, 0.25, 1,                                                       \
      "rate of shear (without expansion) times the size of a cell, over the sound speed")          \
    X(compression, SL_REFINE_BOUNDS, 0.5, 0.25, 1,                                                 \
      "-div v times the size of a cell, over the sound speed: shocks")
/* Of anything in a cell and its neighbours. */
#define SL_REFINE_CELL_LIST(X)                                                                     \
    X(value, SL_REFINE_TAKES_of | SL_REFINE_BOUNDS, 0, 1, 0, "a quantity itself")                  \
    X(low, SL_REFINE_TAKES_of | SL_REFINE_BOUNDS, 0, 1, 0,                                         \
      "likewise, but refined where it is smaller than `below`, merged where larger than `above`")  \
    X(current, SL_REFINE_BOUNDS, 0.5, 0.25, 1,                                                     \
      "|curl B| times the size of a cell, over sqrt(2 p + B^2)")                                   \
    X(jeans, SL_REFINE_TAKES_cells, 1, 0.4, 1, "Jeans length of fewer cells than `cells`")         \
    X(mass, SL_REFINE_BOUNDS | SL_REFINE_TAKES_mean, 8, 0.0625, 0,                                 \
      "mass of a cell over that of a cell of the root grid of density `mean`")
/* Of the place of a block; each has its sl_refine_reaches_<name>. */
#define SL_REFINE_SHAPE_LIST(X)                                                                    \
    X(box, SL_REFINE_TAKES_lo | SL_REFINE_TAKES_hi, 0.5, 1, 0, "blocks that reach into a box")     \
    X(sphere, SL_REFINE_TAKES_center | SL_REFINE_TAKES_radius, 0.5, 1, 0,                          \
      "blocks that reach into a sphere")
/* Of a block. */
#define SL_REFINE_REGION_LIST(X)                                                                   \
    SL_REFINE_SHAPE_LIST(X)                                                                        \
    X(problem, 0, 0.5, -1, 0, "blocks that the problem itself refines")
#define SL_REFINE_LIST(X)                                                                          \
    SL_REFINE_CROSS_LIST(X)                                                                        \
    SL_REFINE_FLOW_LIST(X)                                                                         \
    SL_REFINE_CELL_LIST(X)                                                                         \
    SL_REFINE_REGION_LIST(X)

enum sl_refine_by {
#define SL_REFINE_ENUM(name, ...) SL_REFINE_##name,
    SL_REFINE_LIST(SL_REFINE_ENUM)
#undef SL_REFINE_ENUM
};

/* Bits of the criteria of a list. */
enum {
#define SL_REFINE_OR(name, ...) | 1 << SL_REFINE_##name
    SL_REFINE_CROSSES = 0 SL_REFINE_CROSS_LIST(SL_REFINE_OR),
    SL_REFINE_FLOWS = 0 SL_REFINE_FLOW_LIST(SL_REFINE_OR),
    SL_REFINE_SHAPES = 0 SL_REFINE_SHAPE_LIST(SL_REFINE_OR),
    SL_REFINE_REGIONS = 0 SL_REFINE_REGION_LIST(SL_REFINE_OR)
#undef SL_REFINE_OR
};

/* X(name, sentence) */
#define SL_REFINE_OF_LIST(X)                                                                       \
    X(density, "density")                                                                          \
    X(pressure, "pressure")                                                                        \
    X(temperature, "pressure over density")                                                        \
    X(entropy, "pressure over density^gamma")                                                      \
    X(speed, "size of the velocity")                                                               \
    X(mach, "speed over the sound speed")                                                          \
    X(velocity_x, "velocity along x")                                                              \
    X(velocity_y, "velocity along y")                                                              \
    X(velocity_z, "velocity along z")                                                              \
    X(heat, "thermal energy per mass")                                                             \
    X(magnetic, "size of the magnetic field")                                                      \
    X(magnetic_x, "magnetic field along x")                                                        \
    X(magnetic_y, "magnetic field along y")                                                        \
    X(magnetic_z, "magnetic field along z")                                                        \
    X(beta, "pressure over the magnetic one, B^2 / 2")                                             \
    X(alfven_mach, "speed over the Alfven speed")                                                  \
    X(scalar1, "first passive scalar, as a fraction of the density")                               \
    X(scalar2, "second")                                                                           \
    X(scalar3, "third")                                                                            \
    X(scalar4, "fourth")                                                                           \
    X(scalar5, "fifth")                                                                            \
    X(scalar6, "sixth")                                                                            \
    X(scalar7, "seventh")                                                                          \
    X(scalar8, "eighth")

enum sl_refine_of_what {
#define SL_REFINE_OF_ENUM(name, about) SL_REFINE_OF_##name,
    SL_REFINE_OF_LIST(SL_REFINE_OF_ENUM)
#undef SL_REFINE_OF_ENUM
};

#endif
