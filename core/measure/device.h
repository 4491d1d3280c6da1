/* device.h - devices that make the sums of statistics: of modes of spectra, of differences of
 * structure functions, of particles in cells; and find friends of friends.
 *
 * core knows only the processor. A device is linked in from outside and found because the symbol
 * that opens it is there. Those who measure fields ask the slab for it: spectrum.c, structure.c,
 * deposit.c, those who look for haloes the shares of particles: fof.c.
 * Sums come out in the same order for any number of ranks; those of a device differ from the
 * processor's by rounding.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   those of the fields
 * Errors  SL_EMEM: there is no room on a device, SL_EUNAVAIL: it fails; then the processor does it.
 *         SL_EMPI
 * Owns    the device and its memory; fields are borrowed
 * MPI     collective over the communicator that it was opened for, which is the slabs'
 * Where   host calls; fields and sums in host memory, or fields, lists of deposit and its contrast
 *         in memory that the device has lent
 * Refs    none
 * Tests   tests/unit/stats_device.c, tests/gpu/stats.c
 */
#ifndef SL_MEASURE_DEVICE_H
#define SL_MEASURE_DEVICE_H

#include <mpi.h>

#include "core/grid/slab.h"
#include "core/measure/lent.h"
#include "core/measure/mode.h"
#include "core/measure/separation.h"
#include "core/measure/touch.h"

struct sl_config;

struct sl_stats_device {
    /* Columns of all modes of own rows: sums[ny][nshell + 2][SL_SPECTRUM_COLUMNS]. NULL: it cannot
     * transform. */
    int (*modes)(struct sl_stats_device *d, const struct sl_slab *slab, const struct sl_modes *m,
                 const double *const f[], double *sums);
    /* The fields whose differences are asked for until others are; ncomp 1: a scalar, else as many
     * as there are axes. Planes of other ranks come to the device by themselves, now or when they
     * are wanted. */
    int (*hold)(struct sl_stats_device *d, const struct sl_slab *slab, int ncomp,
                const double *const f[]);
    /* Powers of differences along nseparation ways with the same step along z:
     * sums[nz][SL_STRUCTURE_COLUMNS]. */
    int (*differences)(struct sl_stats_device *d, int nseparation,
                       const struct sl_separation *separation, double *sums);
    /* local. The least index in the group of each of n particles, x[n][3]: friends of friends, as
     * core/halo/fof.h has them. */
    int (*friends)(struct sl_stats_device *d, size_t n, const uint32_t *x, double length,
                   const double side[3], uint32_t *root);
    /* local. Density over its mean, less 1, of particles in the own planes of a slab; mean:
     * particles in a cell; order and the bits of *found as in core/measure/touch.h. The processor's
     * bits. NULL: it cannot. */
    int (*deposit)(struct sl_stats_device *d, const struct sl_slab *slab, int order,
                   const struct sl_touch_list *list, double mean, double *contrast,
                   unsigned *found);
    const struct sl_lent *lent; /* borrowed; what it does for a lone rank (lent.h); NULL: nothing */
    /* local. Gives back the memory on the device, also that which is lent, and what is pinned of
     * the host's, until something is asked of it again; it holds no fields then. */
    void (*rest)(struct sl_stats_device *d);
    void (*close)(struct sl_stats_device *d);
    int warned; /* that the processor did what it could not */
    bool tight; /* that may then take more memory of the host than there is, which is told */
};

/* A CUDA device for each rank; ranks of a node take its devices in turn. NULL in *out where a rank
 * finds none. gpu/stats.c, where built. */
int sl_stats_cuda_open(MPI_Comm comm, struct sl_stats_device **out) __attribute__((weak));

/* What resources.backend asks for; NULL in *out: the processor, also where a device cannot be
 * opened, and where cuda is asked for and there is none, which is logged. auto leaves small grids
 * to the processor, which is done with them before a device has started. */
int sl_stats_device_choose(MPI_Comm comm, const struct sl_config *cfg,
                           struct sl_stats_device **out);

/* local. Whether the processor does what the device of a rank could not: code, the same on all
 * ranks, is SL_EMEM or SL_EUNAVAIL. Rank 0 tells it the first time. */
int sl_stats_device_failed(struct sl_stats_device *d, int rank, int code, const char *what);

#endif
