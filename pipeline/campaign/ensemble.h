/* ensemble.h - the members that count for the ensemble, and the question whether they suffice.
 *
 * Shapes  slots/ensemble.list: one line members/ID for each member whose end-record of stats exists
 *         and that differs from another one of them in its seed only
 * Units   none
 * Errors  SL_EIO, SL_EMEM; SL_EUNAVAIL, SL_EINPUT of the program that answers
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/cli/mpi_dir.sh, tests/law/left.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_ENSEMBLE_H
#define SL_PIPELINE_CAMPAIGN_ENSEMBLE_H

#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/launch/launch.h"

/* Is the list longer than empty? */
bool sl_ensemble_possible(const struct sl_campaign *campaign);
/* in[i]: is member i on it? */
int sl_ensemble_members(const struct sl_campaign *campaign, bool *in);
/* Writes the list. */
int sl_ensemble_list(const struct sl_campaign *campaign);
/* Checksum of the list as it would be written now. */
int64_t sl_ensemble_mark(const struct sl_campaign *campaign);
/* The ensemble was made from the members that count now. */
bool sl_ensemble_current(const struct sl_campaign *campaign);
/* Arguments of sluice-stats that reduce the list; the working directory is the campaign's. */
void sl_ensemble_args(struct sl_args *args);

/* What tells the group of a member from others: its label without the seed and
 * ic.paired. */
enum { SL_GROUP_MAX = 256 };
void sl_ensemble_group(const char *label, char group[SL_GROUP_MAX]);

/* Members that must be done before there is an ensemble. */
int sl_ensemble_need(const struct sl_config *cfg, int members);

struct sl_ensemble_answer {
    bool reached;
    double relative_error;
    int members;
    char lacks
        [400]; /* that members do not have the quantity, and which they have; "": they have it */
};
/* A question to sluice-stats at work: whether ensemble.target is reached. */
struct sl_ensemble_question {
    pid_t pid; /* 0: none */
    int from;  /* its output */
    bool closed;
    bool here;           /* all of it is on this host */
    struct sl_left left; /* mpirun, where it is */
    size_t used;
    char text[8192];
    char token[SL_TOKEN_MAX];
};
/* Asks; launch NULL: by mpirun. Its processes carry the token of the caller's claim: who takes over
 * that claim finds them. */
int sl_ensemble_ask(const struct sl_campaign *campaign, const struct sl_launch *launch,
                    const char *token, struct sl_ensemble_question *question);
/* Takes what there is of the answer, all of it when `wait`. *there: it is whole, or will never come
 * (the status says why), and the question is over. */
int sl_ensemble_listen(struct sl_ensemble_question *question, bool wait, bool *there,
                       struct sl_ensemble_answer *answer);
/* Ends a question without an answer; nothing when there is none. */
void sl_ensemble_drop(struct sl_ensemble_question *question);

#endif
