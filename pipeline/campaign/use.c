/* use.c - see use.h. */
#include "pipeline/campaign/use.h"

#include <stdio.h>

#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/stage.h"
#include "pipeline/campaign/table.h"

double sl_use_time(const struct sl_use *use)
{
    return use->walltime > 0 ? use->seconds / use->walltime : -1;
}

double sl_use_memory(const struct sl_use *use)
{
    return use->asked > 0 ? use->memory / use->asked : -1;
}

void sl_use_say(const struct sl_campaign_state *st, char *text, size_t size)
{
    char most[32];
    const char *before = "of the wall time requested ";
    int n = 0;
    *text = '\0';
    if (sl_executor_of(st->campaign) == &sl_executor_local) return;
    for (int s = 0; s < SL_MEMBER_STAGES && n < (int)size; s++) {
        double fraction = sl_use_time(&st->use[s]);
        if (fraction < 0) continue;
        n += snprintf(text + n, size - (size_t)n, "%s%s took %.3g %%", before, sl_stage_name(s),
                      100 * fraction);
        before = ", ";
    }
    before = "; of the memory ";
    for (int s = 0; s < SL_MEMBER_STAGES && n < (int)size; s++) {
        double fraction = sl_use_memory(&st->use[s]);
        if (fraction < 0) continue;
        sl_table_bytes(st->use[s].most, most);
        n += snprintf(text + n, size - (size_t)n, "%s%s %.3g %% (%s a rank)", before,
                      sl_stage_name(s), 100 * fraction, most);
        before = ", ";
    }
}

static json_t *known(double fraction)
{
    return fraction >= 0 ? json_real(fraction) : json_null();
}

json_t *sl_use_json(const struct sl_campaign_state *st)
{
    json_t *all = json_object();
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        const struct sl_use *u = &st->use[s];
        if (u->attempts == 0) continue;
        json_object_set_new(all, sl_stage_name(s),
                            json_pack("{s:i, s:o, s:o, s:f}", "attempts", u->attempts, "time",
                                      known(sl_use_time(u)), "memory", known(sl_use_memory(u)),
                                      "most_bytes", u->most));
    }
    return all;
}
