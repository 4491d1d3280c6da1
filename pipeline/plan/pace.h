/* pace.h - how fast runs are here: what was measured, as a factor on the estimate of plan.h.
 *
 * The factor of a finished member is the time of all its attempts over the estimate; over many
 * members its logarithm has a mean and a spread, from which the quantiles of a forecast follow.
 * Beside the site file (launch/site.h) lies pace.tsv with a line per campaign that made its report,
 * and per figure that `sluice bench` measured; where no site was described, nothing is written.
 *
 *   campaign KEY TIME PROBLEM KIND MEMBERS LOG SPREAD WAIT     bench TIME KIND RATE
 *
 * Shapes  none
 * Units   seconds; cell updates per second and rank; natural logarithms
 * Errors  SL_EIO, SL_EMEM; lines of the file that are none are passed over
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/plan.c, tests/slurm/plan.sh
 */
#ifndef SL_PIPELINE_PLAN_PACE_H
#define SL_PIPELINE_PLAN_PACE_H

#include "pipeline/campaign/state.h"

enum sl_pace_source {
    SL_PACE_ASSUMED, /* nothing was measured */
    SL_PACE_BENCH,
    SL_PACE_SITE,    /* other campaigns here */
    SL_PACE_CAMPAIGN /* members of this one */
};

struct sl_pace {
    enum sl_pace_source source;
    int n;         /* members that were measured */
    double log;    /* mean logarithm of measured over estimated time */
    double spread; /* standard deviation of the next one, with what is not known of the mean */
    double wait;   /* longest wait in the queue that was seen, -1 unknown */
};

/* What two runs must share for one to tell about the other: backend, precision, field. Of devices
 * it begins with gpu: lines with cuda are factors on what processors were assumed to do. */
enum { SL_PACE_KIND = 48 };
void sl_pace_kind(const struct sl_config *cfg, char kind[SL_PACE_KIND]);

/* The best that is known of a campaign (NULL: there is none yet) whose first member is cfg. */
int sl_pace_find(const struct sl_campaign_state *state, const struct sl_config *cfg,
                 struct sl_pace *pace);

/* Adds what was measured to the file, once per state of the campaign. */
int sl_pace_write(const struct sl_campaign *campaign);
/* The figure of a measurement of the default scheme on one rank, of the kind auto or gpu, with the
 * field none, glm or ct. */
int sl_pace_bench(const char *backend, const char *precision, const char *field, double rate);

/* Takes the text of the file into pace, when it is better than what is there; for tests. */
void sl_pace_parse(char *text, const char *problem, const char *kind, double assumed,
                   struct sl_pace *pace);
/* The factor that is reached in half of all cases, and in nine of ten. */
double sl_pace_half(const struct sl_pace *pace);
double sl_pace_most(const struct sl_pace *pace);
/* "12 members of this campaign". */
void sl_pace_say(const struct sl_pace *pace, char *text, size_t size);

#endif
