/* submit.h - hands what is left of a campaign to Slurm as dependent arrays, after which
 * nothing has to stay alive.
 *
 * Members of the same request form generations (slurm/book.h); each generation is one array per
 * stage, chained by aftercorr, and one job of the campaign follows the first array of each by
 * afterany; while others are in the queue it puts a successor behind them (sl_slurm_defer), so that
 * it can take out what would wait for ever. Submitting again submits only what is neither done nor
 * in the queue; two at once take turns.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EAGAIN when limits leave a rest to submit later, SL_EUNAVAIL when Slurm does not
 *         answer, SL_EINPUT when it refuses a request, SL_EINTR when a person cancelled the
 *         campaign meanwhile, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host that may call sbatch
 * Refs    none
 * Tests   tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_SLURM_SUBMIT_H
#define SL_PIPELINE_SLURM_SUBMIT_H

#include "pipeline/campaign/state.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/site.h"
#include "pipeline/slurm/queue.h"

/* A task of the queue. */
struct sl_slurm_slot {
    int g, slot;
    enum sl_stage stage;
};

struct sl_slurm_want {
    long long throttle; /* members at once; 0: what the site says */
    /* borrowed: these members, wherever the queue has them; NULL: all that need it */
    const bool *these;
    /* borrowed: whose later stages leave the queue before that, NULL: none; in the same turn, so
     * that nobody finds a task without what follows it */
    const struct sl_slurm_slot *leaves;
    double patience; /* seconds to wait for another `sluice submit` */
};

int sl_slurm_submit(const struct sl_campaign *campaign, const struct sl_slurm_want *want,
                    struct sl_tally *tally);

/* Calls each() with the words of every sbatch that a submit would make now; dependencies on jobs
 * that do not exist yet stand as <STAGE-gN>. Asks Slurm nothing. */
int sl_slurm_lines(const struct sl_campaign *campaign, const struct sl_slurm_want *want,
                   int (*each)(const struct sl_args *args, void *user), void *user);

/* The same for a recipe that is no campaign yet, as if it were made in dir (may be NULL). */
int sl_slurm_lines_of(struct sl_recipe *recipe, const char *dir, const struct sl_slurm_want *want,
                      int (*each)(const struct sl_args *args, void *user), void *user);

/* Takes out of the queue what waits for something that has failed and so never starts, and
 * releases what Slurm holds because it could not start it: by the last answer of Slurm while
 * that is fresh, so that the many tasks of a campaign that end do not ask each. */
int sl_slurm_clear(const struct sl_book *book);

/* Takes the tasks of a slot out of the queue, for the stages from `first` on. */
int sl_slurm_drop(const struct sl_book *book, int g, int slot, enum sl_stage first);
/* The job of the campaign, once more, after all arrays that are in the queue; *waits tells whether
 * there were any (if not, nothing is submitted). */
int sl_slurm_defer(const struct sl_campaign *campaign, bool *waits);
/* The job of the campaign, once more, from one that has not finished its stages. */
int sl_slurm_follow(const struct sl_campaign *campaign);

/* Calls a command with ids appended ("12", "12_3") a hundred at a time. */
int sl_slurm_ids(const char *program, const char *verb, char *const *ids, int n);

#endif
