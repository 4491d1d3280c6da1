/* cmd_why.c - sluice why: what stands in the way of members, from the end back to the cause.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/select.h"
#include "pipeline/show/trouble.h"
#include "pipeline/show/why.h"

enum { SHOWN = 5, LINKS = 8 };

static bool in_trouble(const struct sl_campaign_state *st, int i)
{
    enum sl_work_state k = sl_campaign_state_member(st, i);
    return k != SL_WORK_done && k != SL_WORK_surplus && k != SL_WORK_running &&
           k != SL_WORK_waiting;
}

static void print_escaped(const char *before, const char *text)
{
    size_t capacity = 4 * strlen(text) + 1;
    char *safe = malloc(capacity);
    if (!safe) return;
    sl_text_escape(text, false, safe, capacity);
    printf("%s%s\n", before, safe);
    free(safe);
}

static void print_tail(char *tail)
{
    char *save = tail;
    for (char *line; (line = strsep(&save, "\n"));)
        if (save || *line) print_escaped("    | ", line);
}

static void print_text(struct sl_why *w)
{
    print_escaped("", w->sentence);
    for (int i = 0; i < w->links && i < LINKS; i++)
        print_escaped("  <- ", w->link[i]);
    if (w->links > LINKS) printf("  <- ... %d earlier\n", w->links - LINKS);
    if (w->tail) {
        printf("  %s ends with\n", w->log);
        print_tail(w->tail);
    }
    if (*w->queue) printf("  queue: %s\n", w->queue);
    if (*w->mend) printf("  to go on: %s\n", w->mend);
}

static json_t *to_json(const char *id, enum sl_work_state state, const struct sl_why *w)
{
    json_t *chain = json_array();
    for (int k = 0; k < w->links; k++)
        json_array_append_new(chain, sl_json_text(w->link[k]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:s}", "id", id, "state",
                     sl_campaign_state_name(state), "sentence", w->sentence, "queue", w->queue,
                     "chain", chain, "log", w->log, "tail", sl_json_text(w->tail ? w->tail : ""),
                     "mend", w->mend);
}

static int explain(const struct sl_campaign_state *st, int i, json_t *list)
{
    struct sl_why w;
    SL_TRY(sl_why(st, i, &w));
    if (list)
        json_array_append_new(
            list, to_json(st->campaign->member[i].id, sl_campaign_state_member(st, i), &w));
    else
        print_text(&w);
    sl_why_release(&w);
    return SL_OK;
}

/* Stages of the campaign that failed or were stopped; *n counts what was explained. */
static int explain_whole(const struct sl_campaign_state *st, json_t *list, int *n)
{
    for (int k = SL_MEMBER_STAGES; k < SL_STAGE_COUNT; k++) {
        struct sl_whole whole;
        struct sl_why w;
        sl_whole_look(st, (enum sl_stage)k, &whole);
        if (!sl_whole_is_bad(&whole) && whole.state != SL_WORK_stopped) continue;
        SL_TRY(sl_why_whole(st, (enum sl_stage)k, &whole, &w));
        if ((*n)++ && !list) putchar('\n');
        if (list)
            json_array_append_new(list, to_json(sl_stage_name(k), whole.state, &w));
        else
            print_text(&w);
        sl_why_release(&w);
    }
    return SL_OK;
}

/* told: something is wrong with all of it. */
static int explain_all(const struct sl_selection *s, bool told, json_t *list, json_t *whole)
{
    int n = 0, more = 0;
    for (int i = 0; i < s->state.n; i++) {
        if (!(s->words ? s->picked[i] : in_trouble(&s->state, i))) continue;
        if (!list && !s->words && n == SHOWN) {
            more++;
            continue;
        }
        if (n++ && !list) putchar('\n');
        SL_TRY(explain(&s->state, i, list));
    }
    if (more) printf("\n%d more: `sluice status failed` lists them\n", more);
    if (!s->words) SL_TRY(explain_whole(&s->state, whole, &n));
    if (n == 0 && !list)
        puts(told ? "no member is in trouble by itself" : "no member is in trouble");
    return SL_OK;
}

static void print_note(const char *text, void *user)
{
    (void)user;
    printf("note: %s\n", text);
}

/* What is wrong with all of it comes first, what is to be known of its tables last. */
static int explain_campaign(const struct sl_selection *s)
{
    char dir[SL_PATH_MAX];
    bool all = sl_trouble_print(stdout, &s->state, SL_QUEUE_CACHED) > 0;
    if (all) putchar('\n');
    SL_TRY(explain_all(s, all, NULL, NULL));
    if (s->campaign.n > 0 && sl_campaign_home(dir, &s->campaign, 0) == SL_OK)
        sl_advice_member(dir, print_note, NULL);
    return SL_OK;
}

static int print_json(const struct sl_selection *s)
{
    json_t *list = json_array(), *whole = json_array();
    int code = explain_all(s, false, list, whole);
    if (code == SL_OK)
        code = sl_json_print(json_pack(
            "{s:i, s:s, s:o, s:O, s:O}", "v", 1, "campaign", s->campaign.name, "trouble",
            sl_trouble_json(&s->state, SL_QUEUE_CACHED), "members", list, "whole", whole));
    json_decref(list);
    json_decref(whole);
    return code;
}

static int run(int argc, char **argv)
{
    bool json = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "why [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    int code = json ? print_json(&s) : explain_campaign(&s);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_why = {
    .name = "why",
    .group = SL_VERB_watch,
    .usage = "[CAMPAIGN] [MEMBER...] [--json]",
    .about = "why members are not done: the causes, the last lines of the log, and the command "
             "that helps",
    .help = "  MEMBER   3, 3-9, seed=42, a state such as failed; default: all in trouble, and an\n"
            "           ensemble or a report that failed\n"
            "  --json   {v, campaign, trouble: [{id: recipe, target or queue, sentence, mend}], "
            "members: [{id,\n"
            "           state, sentence, queue, chain: [TEXT], log, tail, mend: command}], whole: "
            "[the\n"
            "           same; id: ensemble or report]}",
    .run = run};
