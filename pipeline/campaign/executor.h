/* executor.h - what brings a campaign forward: this machine, or Slurm; one row of functions each,
 * so that verbs ask the campaign's executor and not which one it is. Another one is a file that
 * defines its row, and its name in SL_EXECUTOR_LIST.
 *
 * A campaign of which something was ever handed to Slurm is Slurm's; any other is this machine's,
 * where nothing waits in a queue: there is nothing to hold or to show, which is no error.
 *
 * Shapes  marks: picked[0 .. campaign->n-1]
 * Units   seconds
 * Errors  SL_EUNAVAIL when a queue does not answer or refuses; of go those of local/local.h and
 *         slurm/submit.h
 * Owns    constants
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/executor.c, tests/cli/campaign.sh, tests/slurm/control.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_EXECUTOR_H
#define SL_PIPELINE_CAMPAIGN_EXECUTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/state.h"

/* X(name): a campaign is the first one's that has something of it; the last has any. */
#define SL_EXECUTOR_LIST(X)                                                                        \
    X(slurm)                                                                                       \
    X(local)

/* Failures made on purpose, to rehearse a campaign. */
struct sl_inject {
    double kill;     /* probability that an attempt loses a process to SIGKILL */
    double walltime; /* limit of every attempt in seconds, 0: resources.walltime of the member */
    uint64_t seed;   /* 0: chosen and printed */
};

/* What a person may choose; an executor reads what concerns it. */
struct sl_order {
    int cores; /* of this machine; 0: what it has */
    bool oversubscribe;
    struct sl_inject inject;
    double progress;    /* seconds between lines of progress where there is no terminal; 0: none */
    long long throttle; /* members at once in a queue; 0: what the site says */
};

/* What was handed to a queue. */
struct sl_tally {
    int members, arrays, calls; /* handed over now */
    int waiting;                /* in the queue before */
    int left;                   /* not handed over because of limits */
    char limit[300];            /* what the limit was */
};

enum sl_control { SL_CONTROL_CANCEL, SL_CONTROL_HOLD, SL_CONTROL_RELEASE, SL_CONTROL_THROTTLE };

enum sl_queue_ask {
    SL_QUEUE_NOW,    /* asks */
    SL_QUEUE_CACHED, /* asks when the last answer is older than 30 s */
    SL_QUEUE_OFFLINE /* never asks: the last answer, however old */
};

struct sl_executor {
    const char *name;
    const char *verb; /* that starts it, and goes on with the campaign */
    /* Was anything of the campaign given to it? */
    bool (*has)(const struct sl_campaign *campaign);
    /* Refuses a recipe whose members it can never run as they are, before a campaign is made of
     * it. */
    int (*fits)(struct sl_recipe *recipe, const struct sl_order *order);
    /* Tasks of the campaign that wait or run in its queue, asked now. */
    int (*queued)(const struct sl_campaign *campaign, int *n);
    /* Brings the campaign forward: to its end, or into a queue, which the tally tells. */
    int (*go)(struct sl_campaign *campaign, const struct sl_order *order, struct sl_tally *tally);
    /* The process that has to live while the campaign goes forward; look->held is false where there
     * is none. No record comes with it. */
    int (*look)(const struct sl_campaign *campaign, struct sl_claim_look *look);
    /* Does this to all of the campaign, or, when picked is not NULL, to these members (not for
     * throttle); *n receives how many jobs or tasks of a queue it was done to. */
    int (*control)(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                   long long throttle, int *n);
    /* What its queue holds, in a line or some; as an object, NULL for nothing to tell; and where a
     * member is, "" when it is not there. */
    int (*show)(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how);
    json_t *(*json)(const struct sl_campaign *campaign, enum sl_queue_ask how);
    int (*say)(const struct sl_campaign *campaign, enum sl_queue_ask how, int member, char *text,
               size_t size);
    /* Members that need something for which its queue, as far as it is known, holds nothing. */
    int (*adrift)(const struct sl_campaign_state *state, enum sl_queue_ask how, int *n);
};

#define SL_EXECUTOR_ROW(name) extern const struct sl_executor sl_executor_##name;
SL_EXECUTOR_LIST(SL_EXECUTOR_ROW)
#undef SL_EXECUTOR_ROW

/* The campaign's, by what was handed over. */
const struct sl_executor *sl_executor_of(const struct sl_campaign *campaign);
/* The one that a verb means for it: its own, or the first of that verb. */
const struct sl_executor *sl_executor_for(const struct sl_campaign *campaign, const char *verb);
/* The first of a verb, for what is no campaign yet. */
const struct sl_executor *sl_executor_first(const char *verb);
/* The one whose process is at work on it now, whatever was handed over; *who NULL: none is. */
int sl_executor_at_work(const struct sl_campaign *campaign, const struct sl_executor **who,
                        struct sl_claim_look *look);

#endif
