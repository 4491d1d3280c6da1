/* nodes.h - nodes that fail: what the journal tells of them, and which are left out for a while.
 *
 * A node counts as the cause when it is down, does not answer, or has started anew since the
 * attempt began, or when the check before a run fails on it. What is left out, and for how long, is
 * the site's policy (exclude_after, exclude_hours, exclude_max).
 *
 * Shapes  none
 * Units   seconds since 1970
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/slurm_nodes.c, tests/slurm/nodes.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_NODES_H
#define SL_PIPELINE_CAMPAIGN_NODES_H

#include <jansson.h>

#include "pipeline/campaign/journal.h"
#include "pipeline/launch/site.h"

enum { SL_NODE_NAME = 72, SL_NODES_MAX = 64 };

struct sl_bad_nodes {
    struct {
        char name[SL_NODE_NAME];
        int failures; /* none longer than a day after the one before */
        double last;  /* when the first attempt reported the last of them */
    } node[SL_NODES_MAX];
    int n;
};

/* Counts the end of an attempt that names nodes, if they are its cause. begin: time at which that
 * attempt began, which its seconds do not tell: those of a lost attempt are what it is known to
 * have worked. */
void sl_nodes_count_end(struct sl_bad_nodes *bad, const struct sl_fact *end, double begin);
/* Forgets the failures of a node, of all nodes with name "". */
void sl_nodes_readmit(struct sl_bad_nodes *bad, const char *name);
/* Names that are left out now, with commas between them; "" for none. Returns their number. */
int sl_nodes_exclude(const struct sl_bad_nodes *bad, const struct sl_site *site, double now,
                     char *text, size_t size);
/* The same for people, with the count of failures and the hours that are left. */
void sl_nodes_sentence(const struct sl_bad_nodes *bad, const struct sl_site *site, double now,
                       char *text, size_t size);

/* The same for programs: [{node, failures, left_s}]; NULL without memory; the caller's
 * (json_decref). */
json_t *sl_nodes_json(const struct sl_bad_nodes *bad, const struct sl_site *site, double now);

#endif
