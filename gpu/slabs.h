/* slabs.h - a periodic box that the devices of several ranks transform together: each has some of
 * its planes, and after a turn some rows of its modes.
 *
 * Densities come from the windows of all ranks, boxes around their own blocks, to the planes, and
 * the potential goes back to the windows, each with the layers around it that its rank reads. The
 * modes of planes are turned twice, so that each column along z lies on one device. Planes and rows
 * are shared out by gpu/share.h. What crosses goes by the messages of gpu/cuda.h.
 *
 * Shapes  windows, sheets and planes as of struct sl_device_slabs (gpu/device.h)
 * Units   none
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI, the same on all ranks
 * Owns    struct sl_cuda_slabs owns its lists; buffers are those of all messages
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls; numbers in device memory
 * Refs    none
 * Tests   tests/gpu/gravity.c, tests/gpu/particles.c
 */
#ifndef SL_GPU_SLABS_H
#define SL_GPU_SLABS_H

#include <stdbool.h>

#include "gpu/cuda.h"

struct sl_cuda_slabs {
    struct sl_device_slabs what;                          /* lists owned */
    struct sl_cuda_messages there, back, turn, turn_back; /* owned */
};

/* local. Whether devices share the box of a run: it is periodic and of three axes, and there are
 * several ranks. */
bool sl_cuda_slabs_serve(const struct sl_sim *sim);
/* local. The first cell of the box around own blocks of a level, and its cells; 0: no block. */
void sl_cuda_slabs_around(const struct sl_mesh *m, int lo[3], int wide[3]);

/* Windows have `layers` of cells around own blocks; cells of the root grid. What was made before is
 * released. */
int sl_cuda_slabs_make(const struct sl_sim *sim, int layers, const int cells[3],
                       struct sl_cuda_slabs *s);
void sl_cuda_slabs_release(struct sl_cuda_slabs *s); /* local */

/* Ranks agree before anything is sent; code: of what this one did before, on which they have not
 * agreed yet. */
/* Densities of all windows are added to those of planes. */
int sl_cuda_slabs_gather(const struct sl_sim *sim, const struct sl_cuda_slabs *s,
                         enum sl_device_matter what, int code);
/* Modes from planes to rows, and back; code becomes that of what came, of this rank alone. */
int sl_cuda_slabs_turn(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int *code);
int sl_cuda_slabs_turn_back(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int *code);
/* The potential of planes to all windows, those of the gas and of particles, as there are. */
int sl_cuda_slabs_spread(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int code);

#endif
