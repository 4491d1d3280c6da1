/* cmd_status.c - sluice status: where every member stands.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EIO; with --exit-code SL_EMEMBER when something failed,
 *         SL_EAGAIN while something is left to do
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/progress.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"
#include "pipeline/campaign/use.h"
#include "pipeline/campaign/whole.h"
#include "pipeline/launch/cores.h"
#include "pipeline/show/trouble.h"

static const bool *shown; /* members to print: sl_table_print takes a function without data */

static bool is_shown(const struct sl_campaign_state *state, int member)
{
    (void)state;
    return shown[member];
}

static json_t *stages(const struct sl_campaign_state *st, int member)
{
    json_t *o = json_object();
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        const struct sl_stage_state *stage = &st->member[member].stage[s];
        if (!sl_member_has(&st->campaign->member[member], s)) continue;
        json_object_set_new(o, sl_stage_name(s),
                            json_pack("{s:s, s:i, s:f, s:I}", "state",
                                      sl_campaign_state_name(stage->state), "attempts",
                                      stage->attempts, "seconds", stage->seconds, "step",
                                      (json_int_t)stage->step));
    }
    return o;
}

static json_t *member(const struct sl_campaign_state *st, int i)
{
    const struct sl_member *m = &st->campaign->member[i];
    enum sl_work_state kind = sl_campaign_state_member(st, i);
    struct sl_progress p;
    char home[SL_PATH_MAX];
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:o}", "id", m->id, "label", m->label, "state",
                          sl_campaign_state_name(kind), "ranks", sl_member_ranks(m), "stages",
                          stages(st, i));
    if (st->member[i].haloes >= 0)
        json_object_set_new(o, "haloes", json_integer(st->member[i].haloes));
    if (st->member[i].why && kind != SL_WORK_done)
        json_object_set_new(o, "why", sl_json_text(st->member[i].why));
    if (kind == SL_WORK_running && sl_campaign_home(home, st->campaign, i) == SL_OK &&
        sl_progress_read(home, &p) == SL_OK) {
        json_object_update_new(o, json_pack("{s:f, s:I, s:f, s:f, s:s}", "share",
                                            sl_progress_fraction(&p), "step", (json_int_t)p.step,
                                            "cells_per_s", p.rate, "eta_s", p.eta, "backend",
                                            p.backend));
        if (p.redshift >= 0)
            json_object_update_new(o, json_pack("{s:f, s:f, s:f}", "redshift", p.redshift,
                                                "redshift_end", p.redshift_end, "scale_factor",
                                                p.scale_factor));
        if (p.gravity >= 0) json_object_set_new(o, "gravity_share", json_real(p.gravity));
        if (p.particles > 0)
            json_object_update_new(o, json_pack("{s:f, s:f}", "particles", p.particles,
                                                "particle_steps_per_s", p.particle_steps));
    }
    return o;
}

/* Who runs the campaign now; null when nobody does. */
static json_t *runner(const struct sl_campaign *c)
{
    struct sl_claim_look look;
    char slots[SL_PATH_MAX];
    json_t *o = json_null();
    if (sl_disk_join(slots, "%s/slots", c->dir) != SL_OK ||
        sl_claim_look(slots, "run", &look) != SL_OK)
        return o;
    if (look.held)
        o = json_pack("{s:s, s:I, s:f}", "host", look.claim.owner.host, "pid",
                      (json_int_t)look.claim.owner.pid, "begin", look.claim.begin);
    json_decref(look.record);
    return o;
}

/* What is to be known of the tables of the first member. */
static void each_note(const struct sl_campaign *c, void each(const char *text, void *user),
                      void *user)
{
    char dir[SL_PATH_MAX];
    if (c->n > 0 && sl_campaign_home(dir, c, 0) == SL_OK) sl_advice_member(dir, each, user);
}

static void print_note(const char *text, void *user)
{
    (void)user;
    printf("  note: %s\n", text);
}

static void add_note(const char *text, void *user)
{
    json_array_append_new(user, sl_json_text(text));
}

static int print_json(const struct sl_selection *s, enum sl_queue_ask ask)
{
    const struct sl_campaign_state *st = &s->state;
    json_t *list = json_array();
    for (int i = 0; i < st->n; i++)
        if (s->picked[i]) json_array_append_new(list, member(st, i));
    json_t *o =
        json_pack("{s:i, s:s, s:o, s:i, s:o, s:f, s:f, s:i, s:i, s:o, s:o, s:o, s:o}", "v", 1,
                  "campaign", s->campaign.name, "dir", sl_json_text(s->campaign.dir), "members",
                  st->n, "counts", sl_table_counts(st), "core_hours", st->rank_seconds / 3600,
                  "left_s", sl_table_left(st, sl_cores()), "failures", st->failures,
                  "damaged_lines", st->damaged, "checkpoints", sl_table_checkpoints(st), "left_out",
                  sl_table_left_out(st), "runner", runner(&s->campaign), "list", list);
    SL_CHECK(o, SL_EMEM, "no memory for the status");
    json_object_set_new(o, "pace", sl_table_pace_json(st));
    json_object_set_new(o, "haloes", sl_table_haloes_json(st));
    json_object_set_new(o, "whole", sl_whole_json(st));
    json_object_set_new(o, "use", sl_use_json(st));
    json_object_set_new(o, "trouble", sl_trouble_json(st, ask));
    json_t *notes = json_array();
    each_note(&s->campaign, add_note, notes);
    json_object_set_new(o, "notes", notes);
    json_t *queue = sl_executor_of(&s->campaign)->json(&s->campaign, ask);
    if (queue) json_object_set_new(o, "queue", queue);
    return sl_json_print(o);
}

static int print_text(const struct sl_selection *s, bool members, enum sl_queue_ask ask)
{
    struct sl_look look;
    sl_look_of(stdout, &look);
    shown = s->picked;
    bool all = members || s->words > 0;
    sl_table_print(stdout, &look, &s->state, sl_cores(), all ? is_shown : NULL,
                   all ? s->state.n : 20);
    if (s->state.damaged)
        printf("  %d lines of the journal are damaged and were passed over\n", s->state.damaged);
    sl_trouble_print(stdout, &s->state, ask);
    each_note(&s->campaign, print_note, NULL);
    return sl_executor_of(&s->campaign)->show(stdout, &s->campaign, ask);
}

static int verdict(const struct sl_campaign_state *st)
{
    const int *n = st->count;
    int bad = n[SL_WORK_failed] + n[SL_WORK_stalled] + n[SL_WORK_diverged];
    int open = n[SL_WORK_waiting] + n[SL_WORK_running] + n[SL_WORK_stopped];
    SL_CHECK(open == 0, SL_EAGAIN, "%d members are not finished", open);
    SL_CHECK(bad == 0, SL_EMEMBER, "%d members failed", bad);
    return sl_whole_verdict(st);
}

static int run(int argc, char **argv)
{
    bool json = false, members = false, code = false, offline = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {"members", 'm', SL_OPTION_FLAG, &members},
                                        {"offline", 0, SL_OPTION_FLAG, &offline},
                                        {"exit-code", 0, SL_OPTION_FLAG, &code},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "status [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    enum sl_queue_ask ask = offline ? SL_QUEUE_OFFLINE : SL_QUEUE_CACHED;
    int status = json ? print_json(&s, ask) : print_text(&s, members, ask);
    if (status == SL_OK && code) status = verdict(&s.state);
    sl_selection_close(&s);
    return status;
}

const struct sl_verb sl_verb_status = {
    .name = "status",
    .group = SL_VERB_watch,
    .usage = "[CAMPAIGN] [MEMBER...] [options]",
    .about = "where every member stands, what it cost and how long the rest will take",
    .help =
        "  MEMBER          3, 3-9, seed=42, a state such as failed, or all\n"
        "  --members, -m   a line for every member, not only for running or failed ones\n"
        "  --offline       do not ask Slurm, use its last answer\n"
        "  --exit-code     0 all done, 1 some members, ensemble, summary or report failed or\n"
        "                  stalled, 75 not finished\n"
        "  --json          {v, campaign, dir, members, counts: {STATE: n}, core_hours, left_s: -1 "
        "unknown,\n"
        "                  failures, damaged_lines, checkpoints: {every_s, write_s: 0 unknown,\n"
        "                  runs_lost, run_s}, left_out: [{node, failures, left_s}],\n"
        "                  runner: null or {host, pid, begin}, list: [{id, label, state, ranks,\n"
        "                  stages: {STAGE: {state, attempts, seconds, step}}, why, share, step,\n"
        "                  cells_per_s, eta_s, backend, redshift, redshift_end, scale_factor,\n"
        "                  particles, particle_steps_per_s, gravity_share: of the time of its "
        "steps, haloes: "
        "of\n"
        "                  its last snapshot}],\n"
        "                  pace: {cells_per_s, particle_steps_per_s, redshift: null or [largest,\n"
        "                  smallest]} of the runs under way, haloes: null or {members, least, "
        "most,\n"
        "                  sum} in last snapshots,\n"
        "                  whole: {ensemble, summary, report: null where none is due yet or "
        "{state,\n"
        "                  attempts, seconds, why}}, use: {STAGE: {attempts, time, memory: used of "
        "asked, or null,\n"
        "                  most_bytes: of a rank}}, notes: [of tables],\n"
        "                  trouble: [{id: recipe, journal, target, queue or checks, sentence,\n"
        "                  mend}],\n"
        "                  queue: {known, trouble, age_s, "
        "running, "
        "pending,\n"
        "                  blocked, tasks: [{name, job, first, last, stage, state, reason,\n"
        "                  nodes}]} once it was submitted}",
    .run = run};
