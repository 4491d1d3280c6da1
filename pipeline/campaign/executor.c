/* executor.c - see executor.h. */
#include "pipeline/campaign/executor.h"

#include <string.h>

#include "core/sys/status.h"

static const struct sl_executor *const list[] = {
#define LIST_ROW(name) &sl_executor_##name,
    SL_EXECUTOR_LIST(LIST_ROW)
#undef LIST_ROW
};
enum { EXECUTORS = sizeof list / sizeof *list };

const struct sl_executor *sl_executor_of(const struct sl_campaign *campaign)
{
    int i = 0;
    while (i < EXECUTORS - 1 && !list[i]->has(campaign))
        i++;
    return list[i];
}

const struct sl_executor *sl_executor_for(const struct sl_campaign *campaign, const char *verb)
{
    const struct sl_executor *own = sl_executor_of(campaign);
    return strcmp(own->verb, verb) == 0 ? own : sl_executor_first(verb);
}

const struct sl_executor *sl_executor_first(const char *verb)
{
    for (int i = 0; i < EXECUTORS; i++)
        if (strcmp(list[i]->verb, verb) == 0) return list[i];
    SL_BUG("no executor for the verb %s", verb);
}

int sl_executor_at_work(const struct sl_campaign *campaign, const struct sl_executor **who,
                        struct sl_claim_look *look)
{
    *who = NULL;
    for (int i = 0; i < EXECUTORS && !*who; i++) {
        SL_TRY(list[i]->look(campaign, look));
        if (look->held) *who = list[i];
    }
    return SL_OK;
}
