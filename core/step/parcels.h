/* parcels.h - messages between the ranks of two levels: one to each rank and from each, with room
 * that is kept from call to call.
 *
 * Shapes  struct sl_nest_side; a message has `each` numbers for every `unit` of its values
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    struct sl_parcels its room
 * MPI     collective over comm: the sender and the receiver of each message
 * Where   host
 * Refs    none
 * Tests   tests/law/nest.c
 */
#ifndef SL_STEP_PARCELS_H
#define SL_STEP_PARCELS_H

#include <mpi.h>

#include "core/cell/fn.h"
#include "core/mesh/nest.h"

struct sl_parcels; /* the room */

/* One exchange. room: where the pointer to the room is kept; it grows when it must. */
struct sl_post {
    MPI_Comm comm;
    int tag;
    const struct sl_nest_side *out, *in;
    size_t each, unit;
    struct sl_parcels **room;
    sl_real *sent, *got; /* set by open: what goes out is written to sent, what came is in got */
};

enum {
    SL_TAG_PROLONG = 7111,
    SL_TAG_COVER,
    SL_TAG_REFLUX,
    SL_TAG_MOVE,
    SL_TAG_RIM,
    SL_TAG_EDGE,
    SL_TAG_FACE
};

/* In this order: open gets room and asks for what comes; send, once sent is written; wait. */
int sl_post_open(struct sl_post *post);
int sl_post_send(struct sl_post *post);
int sl_post_wait(struct sl_post *post);
void sl_parcels_free(struct sl_parcels *parcels);

/* local. Wall time in seconds less what this rank has waited for the messages of a room, NULL: none
 * so far. */
double sl_parcels_clock(const struct sl_parcels *parcels);

#endif
