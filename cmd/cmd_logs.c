/* cmd_logs.c - sluice logs: what the programs of a member said.
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
#include <time.h>
#include <unistd.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/local/task.h"
#include "pipeline/show/why.h"

struct choices {
    const char *stage;
    int64_t attempt, lines;
    bool follow, json;
    json_t *list; /* with json */
};

static void print_line(const char *line)
{
    size_t capacity = 4 * strlen(line) + 1;
    char *safe = malloc(capacity);
    if (!safe) return;
    sl_text_escape(line, true, safe, capacity);
    fputs(safe, stdout);
    free(safe);
}

/* Prints what is added to a file until the stage has ended. */
static int follow(const char *path, struct sl_campaign_state *st, int member, int stage)
{
    const struct timespec nap = {.tv_nsec = 300 * 1000 * 1000};
    char line[4096];
    int fd;
    SL_TRY(sl_disk_open(path, &fd));
    FILE *f = fdopen(fd, "r");
    if (!f) close(fd);
    SL_CHECK(f, SL_EIO, "cannot open %s", path);
    fseek(f, 0, SEEK_END);
    int code = SL_OK;
    while (code == SL_OK) {
        bool over = st->member[member].stage[stage].state != SL_WORK_running;
        while (fgets(line, sizeof line, f))
            print_line(line);
        fflush(stdout);
        clearerr(f);
        if (over) break;
        nanosleep(&nap, NULL);
        code = sl_campaign_state_refresh(st, false);
    }
    fclose(f);
    return code;
}

/* The stage that was named, or the last that was begun. */
static int choose_stage(const struct sl_campaign_state *st, int member, const char *name)
{
    if (name) return sl_stage_find(name);
    for (int s = SL_MEMBER_STAGES - 1; s > 0; s--)
        if (st->member[member].stage[s].attempts) return s;
    return SL_STAGE_ic;
}

static int add_json(json_t *list, const char *id, int stage, int n, const char *log,
                    const char *text)
{
    json_t *said = json_string(text);
    json_t *o =
        json_pack("{s:s, s:s, s:i, s:s, s:o}", "id", id, "stage", sl_stage_name(stage), "attempt",
                  n, "log", log, "text", said ? said : json_string("(not UTF-8)"));
    SL_CHECK(o && json_array_append_new(list, o) == 0, SL_EMEM, "no memory for a log");
    return SL_OK;
}

static int show(struct sl_campaign_state *st, int member, const struct choices *c)
{
    char home[SL_PATH_MAX], path[SL_PATH_MAX], *text;
    const char *id = st->campaign->member[member].id;
    int stage = choose_stage(st, member, c->stage);
    SL_CHECK(stage >= 0 && stage < SL_MEMBER_STAGES, SL_EUSAGE,
             "--stage takes ic, sim, stats or own");
    int n = c->attempt ? (int)c->attempt : st->member[member].stage[stage].attempts;
    SL_CHECK(n > 0, SL_EUSAGE, "member %s has not begun stage %s", id, sl_stage_name(stage));
    SL_TRY(sl_campaign_home(home, st->campaign, member));
    SL_TRY(sl_task_log(path, home, (enum sl_stage)stage, n));
    SL_TRY(sl_why_tail(path, (int)c->lines, &text));
    const char *log = path + strlen(st->campaign->dir) + 1;
    int code = c->json ? add_json(c->list, id, stage, n, log, text) : SL_OK;
    if (!c->json) {
        printf("== %s ==\n", log);
        print_line(text);
    }
    free(text);
    SL_TRY(code);
    return c->follow ? follow(path, st, member, stage) : SL_OK;
}

static int print_json(const struct sl_campaign *campaign, json_t *list)
{
    json_t *o = json_pack("{s:i, s:s, s:O}", "v", 1, "campaign", campaign->name, "logs", list);
    return sl_json_print(o);
}

static int run(int argc, char **argv)
{
    struct choices c = {.lines = 200};
    const struct sl_option options[] = {
        {"stage", 's', SL_OPTION_TEXT, &c.stage}, {"attempt", 'a', SL_OPTION_INT, &c.attempt},
        {"lines", 'n', SL_OPTION_INT, &c.lines},  {"follow", 'f', SL_OPTION_FLAG, &c.follow},
        {"json", 0, SL_OPTION_FLAG, &c.json},     {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 1, -1, "logs [CAMPAIGN] MEMBER...", &words));
    SL_CHECK(!c.json || !c.follow, SL_EUSAGE, "--json shows a log once, without --follow");
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    int code = s.words ? SL_OK : SL_FAIL(SL_EUSAGE, "name a member: sluice logs CAMPAIGN MEMBER");
    c.list = c.json ? json_array() : NULL;
    for (int i = 0; code == SL_OK && i < s.state.n; i++)
        if (s.picked[i]) code = show(&s.state, i, &c);
    if (code == SL_OK && c.json) code = print_json(&s.campaign, c.list);
    json_decref(c.list);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_logs = {
    .name = "logs",
    .group = SL_VERB_watch,
    .usage = "[CAMPAIGN] MEMBER... [options]",
    .about = "the log of the last attempt at a member",
    .help = "  --stage, -s NAME   ic, sim, stats or own; default: the last one begun\n"
            "  --attempt, -a N    an earlier attempt\n"
            "  --lines, -n N      lines from the end; default 200\n"
            "  --follow, -f       go on while the attempt runs\n"
            "  --json             {v, campaign, logs: [{id, stage, attempt, log, text}]}",
    .run = run};
