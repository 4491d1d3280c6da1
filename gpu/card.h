/* card.h - what the host part of statistics on a device (stats.c) asks of the device part (card.cu).
 *
 * Work is queued in order on one stream; a call that gives a value to the host waits for it.
 *
 * Shapes  modes of own rows [ny][n2][nkx], complex; fields [nz][n1][n0]
 * Units   those of the fields
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    struct sl_card owns its memory on the device and pinned memory of the host
 * MPI     none
 * Where   host calls; what is said to be on the device is
 * Refs    none
 * Tests   tests/gpu/stats.c
 */
#ifndef SL_GPU_CARD_H
#define SL_GPU_CARD_H

#include <stddef.h>

#include "core/stats/mode.h"
#include "core/stats/way.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sl_card;

const char *sl_card_new(int id, struct sl_card **out);
void sl_card_free(struct sl_card *c);
/* Makes its device that of the calls to come, of libraries as well: a program may have several. */
const char *sl_card_take(struct sl_card *c);
void *sl_card_stream(struct sl_card *c);
const char *sl_card_wait(struct sl_card *c);

/* Room for so many bytes on the device: what there was before is lost where it has to grow. */
const char *sl_card_room(struct sl_card *c, size_t bytes, char **out);
/* Two pinned buffers of so many bytes each. */
const char *sl_card_pinned(struct sl_card *c, size_t bytes, char *out[2]);

const char *sl_card_put(struct sl_card *c, void *device, const void *host, size_t bytes);
/* Planes of so many bytes that come to lie `pitch` bytes apart. */
const char *sl_card_put_planes(struct sl_card *c, void *device, size_t pitch, const void *host,
                               size_t bytes, int planes);
const char *sl_card_copy(struct sl_card *c, void *to, const void *from, size_t bytes);
/* Waits. */
const char *sl_card_get(struct sl_card *c, void *host, const void *device, size_t bytes);
const char *sl_card_clear(struct sl_card *c, void *device, size_t bytes);

/* Lines of nkx modes next to each other go where they lie `pitch` modes apart. */
const char *sl_card_place(struct sl_card *c, const void *from, void *to, int lines, int nkx,
                          size_t pitch);

/* Adds the columns of the modes of rows y0 .. y0 + ny - 1 to sums[ny][nshell + 2][SL_SPECTRUM_COLUMNS]: each row along z, then x,
 * the processor's order. */
const char *sl_card_shells(struct sl_card *c, const struct sl_modes *m, int y0, int ny,
                           const void *const row[3], double *sums);

/* Powers of differences between the cells of nz planes and those a way on: in far[], plane by plane, or, where far_own, among
 * n[2] planes that are all there. ncomp 1: of a scalar. */
struct sl_card_way {
    int ncomp, nz, n[3], far_own;
    struct sl_way way; /* 0 <= step < n */
    const double *near[3], *far[3];
};
/* Doubles per plane that sl_card_differences needs in `scratch`. */
size_t sl_card_scratch(const int n[3]);
/* Adds to sums[nz][SL_STRUCTURE_COLUMNS]. */
const char *sl_card_differences(struct sl_card *c, const struct sl_card_way *way, double *scratch,
                                double *sums);

#ifdef __cplusplus
}
#endif

#endif
