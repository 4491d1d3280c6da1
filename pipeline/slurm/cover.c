/* cover.c - see slurm/cover.h. */
#include "pipeline/slurm/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

/* Arrays of a generation that are, or will be, there without the queue telling. */
static unsigned promised(const struct sl_generation *gen, double since)
{
    unsigned stages = 0;
    for (int k = 0; k < SL_MEMBER_STAGES && isfinite(since); k++) {
        const struct sl_submission *sub = &gen->stage[k];
        if (!(gen->stages & 1u << k)) continue;
        if (sub->how != SL_HANDED_DONE || sub->when >= since) stages |= 1u << k;
    }
    return stages;
}

static void cover_slots(const struct sl_generation *gen, const struct sl_queue_item *item,
                        unsigned more, struct sl_cover *cover)
{
    int end = sl_book_end(gen, item->last);
    for (int i = item->first * gen->pack; i < end; i++) {
        struct sl_cover *c = &cover[gen->member[i]];
        c->stages |= 1u << item->stage | more;
        c->job[item->stage] = item->job;
        c->settles |= strcmp(item->state, "COMPLETING") == 0;
        for (int k = 0; k < SL_MEMBER_STAGES; k++)
            if (more & 1u << k && gen->stage[k].how == SL_HANDED_DONE)
                c->job[k] = gen->stage[k].job;
    }
}

void sl_cover(const struct sl_book *book, const struct sl_queue *q, double since,
              struct sl_cover *cover)
{
    memset(cover, 0, (size_t)book->campaign->n * sizeof *cover);
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        if ((int)item->stage >= SL_MEMBER_STAGES || item->g >= book->n || sl_queue_blocked(item))
            continue;
        const struct sl_generation *gen = &book->generation[item->g];
        cover_slots(gen, item, promised(gen, since), cover);
    }
}

unsigned sl_cover_needed(const struct sl_campaign_state *st, int member)
{
    unsigned stages = 0;
    int next = sl_campaign_state_next(st, member);
    if (sl_campaign_state_ends(sl_campaign_state_member(st, member))) return 0;
    for (int i = next < 0 ? SL_MEMBER_STAGES : next; i < SL_MEMBER_STAGES; i++)
        if (sl_member_has(&st->campaign->member[member], i)) stages |= 1u << i;
    return stages;
}

int sl_cover_gap(const struct sl_cover *c, unsigned needed)
{
    unsigned lacking = needed & ~c->stages;
    return lacking && !c->settles ? __builtin_ctz(lacking) : -1;
}

int sl_cover_adrift(const struct sl_campaign_state *st, const struct sl_book *book,
                    const struct sl_queue *q, int *n)
{
    struct sl_cover *cover = calloc((size_t)st->n + 1, sizeof *cover);
    SL_CHECK(cover, SL_EMEM, "no memory for %d members", st->n);
    sl_cover(book, q, INFINITY, cover);
    *n = 0;
    for (int i = 0; i < st->n; i++)
        *n += sl_cover_gap(&cover[i], sl_cover_needed(st, i)) >= 0;
    free(cover);
    return SL_OK;
}
