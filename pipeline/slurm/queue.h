/* queue.h - what Slurm's queue holds of a campaign, by one squeue for all its names.
 *
 * An answer is present, absent or not to be had: `known` is false when Slurm could not be asked,
 * and then nothing may be concluded. The last answer is kept in slots/queue.txt.
 *
 * Shapes  item[0 .. n-1], one per task or range of tasks
 * Units   seconds
 * Errors  SL_EIO, SL_EMEM; that Slurm does not answer is no error
 * Owns    what sl_queue_release frees
 * MPI     local
 * Where   host
 * Refs    squeue(1)
 * Tests   tests/slurm/control.sh, tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_SLURM_QUEUE_H
#define SL_PIPELINE_SLURM_QUEUE_H

#include "pipeline/campaign/executor.h"
#include "pipeline/slurm/book.h"

struct sl_queue_item {
    long long job; /* of the array */
    int g, first, last;
    enum sl_stage stage;
    char state[24], reason[64], node[64], token[SL_JOB_TOKEN_MAX];
};

struct sl_queue {
    struct sl_queue_item *item;
    int n, capacity;
    bool known;
    double age;        /* of the answer */
    char trouble[256]; /* why it is not known */
};

int sl_queue_open(const struct sl_book *book, enum sl_queue_ask how, struct sl_queue *queue);
/* The same, asked now; SL_EUNAVAIL when there is no answer. To be released in any case. */
int sl_queue_now(const struct sl_book *book, struct sl_queue *queue);
void sl_queue_release(struct sl_queue *queue);

/* Reads the text of squeue into items; lines that are not of this book are passed over. */
int sl_queue_parse(const struct sl_book *book, char *text, struct sl_queue *queue);

/* The task of a slot, NULL when it is not in the queue. */
const struct sl_queue_item *sl_queue_find(const struct sl_queue *queue, int g, enum sl_stage stage,
                                          int slot);
/* It waits for something that has failed and will never start. */
bool sl_queue_blocked(const struct sl_queue_item *item);
/* Slurm could not start it, put it back and holds it: a node or munge failed at that moment. */
bool sl_queue_stranded(const struct sl_queue_item *item);
bool sl_queue_running(const struct sl_queue_item *item);
/* One sentence for a reason of Slurm; the reason itself when there is none. */
const char *sl_queue_sentence(const char *reason);

#endif
