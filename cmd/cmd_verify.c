/* cmd_verify.c - sluice verify: with no word or with names of the suite, runs the verification
 * suite; with a campaign, compares every product with its end-record.
 *
 * Shapes  none
 * Units   bytes
 * Errors  SL_EMEMBER when products, a recipe or inputs are missing or damaged, or other files are
 *         among products; SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/cli/verify.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"
#include "pipeline/local/task.h"
#include "pipeline/suite/schemes.h"
#include "pipeline/suite/suite.h"
#include "pipeline/suite/times.h"

struct tally {
    int stages, files, bad, again; /* of the bad ones those that to run again mends */
    double bytes;
    bool lost, inputs; /* a recipe, inputs */
    json_t *problems;
};

/* The ensemble is made anew in its place when members were added: its files are in no record
 * yet. */
static bool at_work(const struct sl_selection *s, int stage)
{
    return stage >= SL_MEMBER_STAGES &&
           s->state.whole[stage - SL_MEMBER_STAGES].state == SL_WORK_running;
}

/* member: -1 for stages of the campaign. */
static int check(const struct sl_selection *s, int stage, int member, struct tally *t)
{
    const struct sl_campaign *c = &s->campaign;
    char home[SL_PATH_MAX];
    SL_TRY(sl_task_home(home, c, (enum sl_stage)stage, member));
    if (!sl_record_exists(home, (enum sl_stage)stage)) return SL_OK;
    t->stages++;
    int code = member >= 0 ? sl_campaign_state_verify(&s->state, member, (enum sl_stage)stage,
                                                      &t->files, &t->bytes)
                           : sl_record_verify(home, (enum sl_stage)stage, SL_CHECK_SUM, &t->files,
                                              &t->bytes);
    if (code == SL_OK &&
        (at_work(s, stage) || sl_record_verify_folders(home, (enum sl_stage)stage) == SL_OK))
        return SL_OK;
    const char *id = stage < SL_MEMBER_STAGES ? c->member[member].id : c->name;
    t->bad++;
    t->again += code != SL_OK;
    json_array_append_new(t->problems,
                          json_pack("{s:s, s:s, s:s}", "member", id, "stage", sl_stage_name(stage),
                                    "problem", sl_quote(sl_error_text()).text));
    return SL_OK;
}

static void check_recipes(const struct sl_campaign *c, struct tally *t)
{
    if (sl_campaign_check_recipes(c) == SL_OK) return;
    t->lost = true;
    json_array_append_new(t->problems,
                          json_pack("{s:s, s:s, s:o}", "member", c->name, "stage", "recipe",
                                    "problem", sl_json_text(sl_error_text())));
}

struct lost_input {
    const struct sl_campaign *c;
    struct tally *t;
};

static void note_input(void *of, const char *what)
{
    const struct lost_input *l = of;
    l->t->inputs = true;
    json_array_append_new(l->t->problems,
                          json_pack("{s:s, s:s, s:o}", "member", l->c->name, "stage", "inputs",
                                    "problem", sl_json_text(what)));
}

static int check_all(const struct sl_selection *s, struct tally *t)
{
    check_recipes(&s->campaign, t);
    sl_input_files_find_lost(s->campaign.dir, note_input, &(struct lost_input){&s->campaign, t});
    for (int i = 0; i < s->state.n; i++)
        for (int stage = 0; s->picked[i] && stage < SL_MEMBER_STAGES; stage++)
            SL_TRY(check(s, stage, i, t));
    for (int stage = SL_MEMBER_STAGES; s->words == 0 && stage < SL_STAGE_COUNT; stage++)
        SL_TRY(check(s, stage, -1, t));
    return SL_OK;
}

static void print_text(const struct sl_selection *s, const struct tally *t)
{
    char bytes[32], where[SL_PATH_MAX] = "";
    size_t i;
    json_t *p;
    json_array_foreach(t->problems, i, p)
        printf("%s %s: %s\n", json_string_value(json_object_get(p, "member")),
               json_string_value(json_object_get(p, "stage")),
               json_string_value(json_object_get(p, "problem")));
    sl_table_bytes(t->bytes, bytes);
    printf("%d stages, %d files, %s: %s\n", t->stages, t->files, bytes,
           t->bad ? "damaged" : "all as they were made");
    sl_select_say(&s->campaign, where);
    if (t->bad > t->again)
        printf("files in no record: move them away or delete them, then sluice retry%s && sluice "
               "run%s\n",
               where, where);
    if (t->inputs)
        printf(
            "inputs that are damaged or gone: put them back from a copy of the campaign, or from "
            "the files as they were\n");
    if (t->again)
        printf("to make them again: sluice clean%s --damaged && sluice run%s\n", where, where);
}

static int report(const struct sl_selection *s, const struct tally *t, bool json)
{
    if (json) {
        SL_TRY(sl_json_print(json_pack("{s:i, s:s, s:i, s:i, s:f, s:O}", "v", 1, "campaign",
                                       s->campaign.name, "stages", t->stages, "files", t->files,
                                       "bytes", t->bytes, "problems", t->problems)));
    } else {
        print_text(s, t);
    }
    SL_CHECK(t->bad > 0 || !t->lost, SL_EMEMBER, "a recipe of the campaign is lost");
    SL_CHECK(t->bad > 0 || !t->inputs, SL_EMEMBER, "an input of the campaign is lost");
    SL_CHECK(t->bad == 0, SL_EMEMBER,
             t->again ? "%d stages have products that are missing or damaged"
                      : "%d stages have files among their products that are none",
             t->again ? t->again : t->bad);
    return SL_OK;
}

/* Words are those of a campaign in its directory, or when the first is a place. */
static bool is_suite(int n, char **words)
{
    if (sl_disk_exists("journal.jsonl")) return false;
    return n == 0 || !sl_disk_exists(words[0]);
}

/* Before the runs, which take minutes. */
static int check_times(const char *page, const char *times)
{
    struct sl_suite_times unused;
    SL_CHECK(page || !times, SL_EUSAGE, "--times is for the page that --report writes");
    return times ? sl_suite_times_read(times, &unused) : SL_OK;
}

/* One kind of gas, or all of them, as bits; NULL: none. */
static int kinds_of(const char *name, unsigned *kinds)
{
    int kind = name ? sl_schemes_find(name) : -1;
    if (!name) return SL_OK;
    SL_CHECK(kind >= 0 || strcmp(name, "all") == 0, SL_EUSAGE,
             "--schemes %s: takes gas, isothermal, mhd or all", name);
    *kinds = kind >= 0 ? 1u << kind : (1u << SL_SCHEMES_KINDS) - 1;
    return SL_OK;
}

static int run(int argc, char **argv)
{
    bool json = false, all = false;
    const char *page = NULL, *times = NULL, *schemes = NULL;
    unsigned kinds = 0;
    const struct sl_option options[] = {
        {"json", 0, SL_OPTION_FLAG, &json},       {"all", 0, SL_OPTION_FLAG, &all},
        {"report", 0, SL_OPTION_TEXT, &page},     {"times", 0, SL_OPTION_TEXT, &times},
        {"schemes", 0, SL_OPTION_TEXT, &schemes}, {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1,
                            "verify [PROBLEM...] | verify CAMPAIGN [MEMBER...]", &words));
    SL_TRY(check_times(page, times));
    SL_TRY(kinds_of(schemes, &kinds));
    struct sl_suite_ask ask = {words, argv + 1, all, json, page, times, kinds};
    if (is_suite(words, argv + 1)) return sl_suite_run(&ask);
    SL_CHECK(!all && !page && !schemes, SL_EUSAGE, "--%s is for the suite, not for a campaign",
             all    ? "all"
             : page ? "report"
                    : "schemes");
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    struct tally t = {.problems = json_array()};
    int code = check_all(&s, &t);
    if (code == SL_OK) code = report(&s, &t, json);
    json_decref(t.problems);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_verify = {
    .name = "verify",
    .group = SL_VERB_results,
    .usage = "[PROBLEM...] [--all] [--schemes KIND] [--json] [--report DIR [--times FILE]] | "
             "CAMPAIGN [MEMBER...] [--json]",
    .about = "test the solver on problems with known answers, or compare the files of a campaign "
             "with their checksums",
    .help =
        "  PROBLEM        a name of the suite, e.g. sod; a wrong one lists them; default: all\n"
        "  --all          also the runs that take minutes: a quarter of an hour on two cores\n"
        "  --schemes KIND error and cost of every scheme of a gas, over those of the default: "
        "gas,\n"
        "                 isothermal, mhd or all; minutes, and PROBLEMs only where named\n"
        "  --report DIR   a page there, with the table, and figures next to those of the papers\n"
        "  --times FILE   lines of `sluice bench sedov --lines`: figures of the times of a step\n"
        "  MEMBER         3, 3-9, seed=42, a state; default: all, and the ensemble\n"
        "  --json         the same for programs, with a version number",
    .run = run};
