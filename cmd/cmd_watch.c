/* cmd_watch.c - sluice watch: the status, again and again, until nothing is left to do.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"
#include "pipeline/launch/cores.h"

struct screen {
    struct sl_look look;
    int lines, cores;
    bool json;
    double progress,
        logged;     /* seconds between lines of progress in a pipe; when they were printed last */
    char last[300]; /* in a pipe: what was printed last */
};

/* One object per change, on a line of its own. */
static int print_json(const struct screen *s, const struct sl_campaign_state *st)
{
    json_t *o = json_pack("{s:i, s:s, s:i, s:o, s:f, s:f}", "v", 1, "campaign", st->campaign->name,
                          "members", st->n, "counts", sl_table_counts(st), "core_hours",
                          st->rank_seconds / 3600, "left_s", sl_table_left(st, s->cores));
    SL_CHECK(o, SL_EMEM, "no memory for the status");
    json_object_set_new(o, "pace", sl_table_pace_json(st));
    json_object_set_new(o, "haloes", sl_table_haloes_json(st));
    return sl_json_print_line(o);
}

static int draw(struct screen *s, const struct sl_campaign_state *st)
{
    char *text = NULL, summary[300];
    size_t size;
    if (!s->look.live) {
        sl_table_summary(st, summary, sizeof summary);
        bool changed = strcmp(summary, s->last) != 0;
        if (changed && s->json) SL_TRY(print_json(s, st));
        if (changed && !s->json) puts(summary);
        fflush(stdout);
        if (!s->json) sl_table_log(stdout, st, s->progress, &s->logged);
        memcpy(s->last, summary, sizeof summary);
        return SL_OK;
    }
    FILE *f = open_memstream(&text, &size);
    SL_CHECK(f, SL_EMEM, "no memory for the screen");
    sl_table_print(f, &s->look, st, s->cores, NULL, s->look.height - 10);
    int code = sl_executor_of(st->campaign)->show(f, st->campaign, SL_QUEUE_CACHED);
    int bad = fclose(f) != 0;
    if (code != SL_OK) sl_log(SL_LOG_WARN, "%s", sl_error_text());
    if (!bad) sl_table_redraw(stdout, &s->look, text, &s->lines);
    free(text);
    SL_CHECK(!bad, SL_EMEM, "no memory for the screen");
    return SL_OK;
}

static bool unfinished(const struct sl_campaign_state *st)
{
    return st->count[SL_WORK_waiting] + st->count[SL_WORK_running] + st->count[SL_WORK_stopped];
}

static int follow(struct sl_campaign *c, double every, struct screen *screen)
{
    const struct timespec nap = {.tv_sec = (time_t)every,
                                 .tv_nsec = (long)(1e9 * (every - floor(every)))};
    struct sl_campaign_state st;
    int held, code = sl_campaign_state_open(c, &st);
    for (;;) {
        if (code == SL_OK) code = sl_campaign_state_probe(&st, &held);
        if (code == SL_OK) code = draw(screen, &st);
        if (code != SL_OK || !unfinished(&st) || st.grown) break;
        nanosleep(&nap, NULL);
        code = sl_campaign_state_refresh(&st, false);
    }
    int grown = st.grown;
    sl_campaign_state_release(&st);
    return code == SL_OK && grown ? SL_EAGAIN : code;
}

static int run(int argc, char **argv)
{
    double every = 1;
    struct screen screen = {.cores = sl_cores(), .progress = 60, .logged = sl_disk_now()};
    const struct sl_option options[] = {{"every", 'n', SL_OPTION_REAL, &every},
                                        {"progress", 0, SL_OPTION_REAL, &screen.progress},
                                        {"json", 0, SL_OPTION_FLAG, &screen.json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words, used, code = SL_EAGAIN;
    struct sl_campaign c;
    SL_TRY(sl_options_words(options, argc, argv, 0, 1, "watch [CAMPAIGN]", &words));
    SL_CHECK(every >= 0.1 && every <= 3600, SL_EUSAGE, "--every takes 0.1 to 3600 seconds");
    sl_look_of(stdout, &screen.look);
    if (screen.json) screen.look.live = false;
    char dir[SL_PATH_MAX];
    SL_TRY(sl_select_campaign(argv + 1, words, &c, &used));
    memcpy(dir, c.dir, sizeof dir);
    while ((code = follow(&c, every, &screen)) == SL_EAGAIN) { /* extended: read it anew */
        sl_campaign_release(&c);
        SL_TRY(sl_campaign_open(dir, &c));
    }
    sl_campaign_release(&c);
    return code;
}

const struct sl_verb sl_verb_watch = {
    .name = "watch",
    .group = SL_VERB_watch,
    .usage = "[CAMPAIGN] [--every SECONDS] [--progress SECONDS] [--json]",
    .about = "show the status until nothing is left to do; works while others run the campaign",
    .help =
        "  --every, -n SECONDS   time between updates; default 1\n"
        "  --progress SECONDS    where there is no terminal: time between lines with step, time,\n"
        "                        rate and expected end of each run; default 60, 0: none\n"
        "  --json                a line per change: {v, campaign, members, counts: {STATE: n},\n"
        "                        core_hours, left_s: -1 unknown, pace: {cells_per_s,\n"
        "                        particle_steps_per_s, redshift: null or [largest, smallest]} of "
        "runs,\n"
        "                        haloes: null or {members, least, most, sum} in last snapshots}",
    .run = run};
