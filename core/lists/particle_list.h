/* particle_list.h - how the mass of a particle is spread over cells, and the force on it gathered.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Hockney & Eastwood 1981, section 5-3
 * Tests   tests/law/particles.c
 */
#ifndef SL_LISTS_PARTICLE_LIST_H
#define SL_LISTS_PARTICLE_LIST_H

/* X(name, cells along an axis, sentence) */
#define SL_KERNEL_LIST(X)                                                                          \
    X(ngp, 1, "all of it to the nearest cell: forces jump at faces of cells")                      \
    X(cic, 2, "cloud in cell: to two cells along each axis, linear")                               \
    X(tsc, 3, "triangular cloud: to three cells along each axis, quadratic")                       \
    X(pcs, 4, "piecewise cubic spline: to four cells along each axis")

#define SL_KERNEL_ENUM(name, cells, about) SL_KERNEL_##name,
enum sl_kernel { SL_KERNEL_LIST(SL_KERNEL_ENUM) SL_KERNELS };
#undef SL_KERNEL_ENUM

enum {
    SL_KERNEL_MOST = 4, /* cells along an axis */
    SL_KERNEL_REACH = 3 /* to either side, the slope of the potential included */
};

#endif
