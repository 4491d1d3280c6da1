/* level_exchange.h - what passes between the blocks of two levels, job by job: the rank that holds
 * the source makes the values of a job, and what belongs to another rank travels in one message to
 * each rank and from each, in buffers that are kept from call to call.
 *
 * The order of a call: ask for what comes, make what goes out and send it, do the jobs of this
 * rank, wait, take what came. Every transfer is this call with bodies of its own: of the state, of
 * fluxes, of faces, of a potential.
 *
 * Shapes  struct sl_nest_side; a message has `each` numbers for every `unit` of the values there
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    struct sl_level_buffers its memory
 * MPI     collective over comm: the sender and the receiver of each message
 * Where   host
 * Refs    none
 * Tests   tests/law/nest.c, tests/law/levels_ct.c, tests/law/composite.c
 */
#ifndef SL_TRANSFER_LEVEL_EXCHANGE_H
#define SL_TRANSFER_LEVEL_EXCHANGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cell/fn.h"
#include "core/mesh/nest.h"

struct sl_level_buffers;

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

/* A list of jobs, of any of the structs of nest.h: those on this rank, then out, then in. */
struct sl_level_jobs {
    const void *job;
    size_t size, start; /* bytes of one, and where its `start` lies in it */
    const int *count;   /* [3] */
    const struct sl_nest_side *out, *in;
};

/* The list of a nest that is called `name` there. */
#define SL_LEVEL_JOBS(nest, name)                                                                  \
    {                                                                                              \
        (nest)->name, sizeof *(nest)->name, offsetof(struct sl_##name##_job, start),               \
            (nest)->n##name, &(nest)->name##_out, &(nest)->name##_in                               \
    }

/* One exchange. */
struct sl_level_exchange {
    int tag;
    struct sl_level_jobs jobs;
    const void *of; /* for the bodies */
    /* Makes the values of a job, packed at `to`; NULL: in their place on this rank. */
    void (*make)(const void *of, const void *job, sl_real *to);
    /* Puts them into their place; NULL: the caller does, and the jobs of this rank with it. */
    void (*take)(const void *of, const void *job, const sl_real *from);
    sl_real *spare; /* jobs of this rank are made here, one at a time, and taken; NULL: in place */
    size_t each, unit; /* numbers for so many of a job's values; 0: 1 */
    bool back;         /* the way back: jobs of `in` are made here, those of `out` come */
};

/* *buffers: kept by the caller, NULL before the first call. */
int sl_level_exchange_run(const struct sl_level_exchange *exchange, MPI_Comm comm,
                          struct sl_level_buffers **buffers);

/* local. What came in the last call. */
const sl_real *sl_level_exchange_got(const struct sl_level_buffers *buffers);

void sl_level_buffers_free(struct sl_level_buffers *buffers);

/* local. Wall time in seconds less what this rank has waited for the messages of these buffers,
 * NULL: none so far. */
double sl_level_exchange_clock(const struct sl_level_buffers *buffers);

#endif
