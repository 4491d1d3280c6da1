/* level_exchange.h - messages between the ranks of two levels: one to each rank and from each, with
 * buffers that are kept from call to call.
 *
 * Shapes  struct sl_nest_side; a message has `each` numbers for every `unit` of its values
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    struct sl_level_buffers its memory
 * MPI     collective over comm: the sender and the receiver of each message
 * Where   host
 * Refs    none
 * Tests   tests/law/nest.c
 */
#ifndef SL_TRANSFER_LEVEL_EXCHANGE_H
#define SL_TRANSFER_LEVEL_EXCHANGE_H

#include <mpi.h>

#include "core/cell/fn.h"
#include "core/mesh/nest.h"

struct sl_level_buffers;

/* One exchange. buffers: where their pointer is kept; they are made and grow when they must. */
struct sl_level_exchange {
    MPI_Comm comm;
    int tag;
    const struct sl_nest_side *out, *in;
    size_t each, unit;
    struct sl_level_buffers **buffers;
    sl_real *sent, *got; /* set by open: what goes out is written to sent, what came is in got */
};

enum {
    SL_TAG_PROLONG = 7111,
    SL_TAG_COVER,
    SL_TAG_REFLUX,
    SL_TAG_MOVE,
    SL_TAG_RIM,
    SL_TAG_EDGE,
    SL_TAG_FACE,
    SL_TAG_RING
};

/* In this order: open makes buffers and asks for what comes; send, once sent is written; wait. */
int sl_level_exchange_open(struct sl_level_exchange *exchange);
int sl_level_exchange_send(struct sl_level_exchange *exchange);
int sl_level_exchange_wait(struct sl_level_exchange *exchange);
void sl_level_buffers_free(struct sl_level_buffers *buffers);

/* local. Wall time in seconds less what this rank has waited for the messages of these buffers,
 * NULL: none so far. */
double sl_level_exchange_clock(const struct sl_level_buffers *buffers);

#endif
