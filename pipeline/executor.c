/* executor.c - see executor.h. */
#include "pipeline/executor.h"

#include "core/sys/status.h"

/* ---- this machine: nothing waits in a queue --------------------------------------------------- */

static int local_control(const struct sl_campaign *campaign, enum sl_control what,
                         const bool *picked, long long throttle, int *n)
{
    (void)campaign, (void)what, (void)picked, (void)throttle;
    *n = 0;
    return SL_OK;
}

static int local_show(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    (void)out, (void)campaign, (void)how;
    return SL_OK;
}

static json_t *local_json(const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    (void)campaign, (void)how;
    return NULL;
}

static int local_say(const struct sl_campaign *campaign, enum sl_queue_ask how, int member,
                     char *text, size_t size)
{
    (void)campaign, (void)how, (void)member;
    if (size) *text = '\0';
    return SL_OK;
}

/* ---- the table -------------------------------------------------------------------------------- */

static const struct sl_executor local = {.name = "local",
                                         .verb = "run",
                                         .control = local_control,
                                         .show = local_show,
                                         .json = local_json,
                                         .say = local_say};
static const struct sl_executor slurm = {.name = "slurm",
                                         .verb = "submit",
                                         .control = sl_slurm_control,
                                         .show = sl_slurm_show,
                                         .json = sl_slurm_json,
                                         .say = sl_slurm_say};

const struct sl_executor *sl_executor_of(const struct sl_campaign *campaign)
{
    return sl_book_used(campaign) ? &slurm : &local;
}
