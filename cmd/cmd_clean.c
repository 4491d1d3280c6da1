/* cmd_clean.c - sluice clean: frees the disk of what is no longer needed.
 *
 * Shapes  none
 * Units   bytes
 * Errors  SL_EUSAGE, SL_EIO, SL_EGUARD
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/clean.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"

static int clean_kind(const struct sl_selection *s, enum sl_clean what, bool dry)
{
    int files = 0;
    double bytes = 0;
    char text[32];
    for (int i = 0; i < s->state.n; i++)
        if (s->picked[i] && sl_clean_may(&s->state, i, what))
            SL_TRY(sl_clean(&s->campaign, i, what, dry, &files, &bytes));
    sl_table_bytes(bytes, text);
    printf("%-12s %6d files, %s%s\n", sl_clean_name(what), files, text,
           dry ? " could be deleted" : " deleted");
    return SL_OK;
}

/* `code`: what its check has said, which may be the fault of the record alone. *count: of what is
 * damaged. */
static int revoke_if_damaged(const char *id, const char *home, int stage, int code, bool dry,
                             int *count)
{
    char why[400];
    bool damaged = code != SL_OK;
    snprintf(why, sizeof why, "%s", damaged ? sl_error_text() : "");
    if (damaged && !dry && sl_record_remake(home, (enum sl_stage)stage) == SL_OK) {
        ++*count;
        return SL_OK;
    }
    if (damaged) sl_error_set(why);
    /* what is in no record is a person's: named, and left */
    if (!damaged && sl_record_verify_folders(home, (enum sl_stage)stage) == SL_OK) return SL_OK;
    *count += damaged;
    printf("%s %s: %s%s\n", id, sl_stage_name(stage), sl_quote(sl_error_text()).text,
           damaged && !dry ? ": it will run again" : "");
    return dry || !damaged ? SL_OK : sl_record_revoke(home, (enum sl_stage)stage);
}

/* A member that failed on what was damaged may run again, as after `sluice retry`. */
static int readmit(const struct sl_selection *s, int member)
{
    struct sl_fact fact;
    enum sl_work_state was = sl_campaign_state_member(&s->state, member);
    if (was != SL_WORK_failed && was != SL_WORK_stopped) return SL_OK;
    sl_fact_init(&fact, SL_FACT_retry, s->campaign.member[member].id, "");
    return sl_journal_add(s->campaign.dir, &fact);
}

/* run.yaml follows from the recipe: no stage runs again for it. *count: of those that were made
 * again. */
static int mend_run(const struct sl_selection *s, int i, int *count)
{
    char path[SL_PATH_MAX];
    uint64_t size, size_before = 0;
    uint32_t crc, crc_before = 0;
    SL_TRY(sl_campaign_run_path(path, &s->campaign, i));
    bool was = sl_disk_sum(path, &size_before, &crc_before) == SL_OK;
    SL_TRY(sl_campaign_mend(&s->campaign, i));
    SL_TRY(sl_disk_sum(path, &size, &crc));
    if (was && size == size_before && crc == crc_before) return SL_OK;
    printf("%s: run.yaml is made again\n", s->campaign.member[i].id);
    ++*count;
    return SL_OK;
}

static int revoke_member(const struct sl_selection *s, int i, bool dry)
{
    char home[SL_PATH_MAX];
    int count = 0;
    SL_TRY(sl_links_check(&s->campaign, SL_STAGE_sim, i));
    SL_TRY(sl_campaign_home(home, &s->campaign, i));
    if (!dry && sl_disk_exists(home)) SL_TRY(mend_run(s, i, &count));
    if (!dry) SL_TRY(sl_record_mend(home, SL_STAGE_sim, &count));
    for (int stage = 0; stage < SL_MEMBER_STAGES; stage++) {
        if (!sl_record_exists(home, (enum sl_stage)stage)) continue;
        int code = sl_campaign_state_verify(&s->state, i, (enum sl_stage)stage, NULL, NULL);
        SL_TRY(revoke_if_damaged(s->campaign.member[i].id, home, stage, code, dry, &count));
    }
    return count > 0 && !dry ? readmit(s, i) : SL_OK;
}

/* Stages whose products do not hold lose their end-records: they run again. */
static int revoke_damaged(const struct sl_selection *s, bool dry)
{
    const struct sl_campaign *c = &s->campaign;
    if (!dry) SL_TRY(sl_campaign_check_recipes(c)); /* run.yaml is made from them */
    int count = 0;
    SL_TRY(sl_links_check(c, SL_STAGE_ensemble, -1));
    for (int i = 0; i < s->state.n; i++)
        if (s->picked[i]) SL_TRY(revoke_member(s, i, dry));
    for (int stage = SL_MEMBER_STAGES; s->words == 0 && stage < SL_STAGE_COUNT; stage++) {
        if (!sl_record_exists(c->dir, (enum sl_stage)stage)) continue;
        int code = sl_record_verify(c->dir, (enum sl_stage)stage, SL_CHECK_SUM, NULL, NULL);
        SL_TRY(revoke_if_damaged(c->name, c->dir, stage, code, dry, &count));
    }
    return SL_OK;
}

static int run(int argc, char **argv)
{
    bool want[SL_CLEAN_COUNT] = {false}, damaged = false, dry = false, any = false;
    const struct sl_option options[] = {
#define CLEAN_OPTION(name, about) {#name, 0, SL_OPTION_FLAG, &want[SL_CLEAN_##name]},
        SL_CLEAN_LIST(CLEAN_OPTION)
#undef CLEAN_OPTION
            {"damaged", 0, SL_OPTION_FLAG, &damaged},
        {"dry-run", 'n', SL_OPTION_FLAG, &dry},
        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "clean [CAMPAIGN] [MEMBER...]", &words));
    for (int k = 0; k < SL_CLEAN_COUNT; k++)
        any = any || want[k];
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    int code = SL_OK;
    for (int k = 0; code == SL_OK && k < SL_CLEAN_COUNT; k++)
        if (want[k] || (!any && !damaged))
            code = clean_kind(&s, (enum sl_clean)k, dry || (!any && !damaged));
    if (code == SL_OK && damaged) code = revoke_damaged(&s, dry);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_clean = {
    .name = "clean",
    .group = SL_VERB_mend,
    .usage = "[CAMPAIGN] [MEMBER...] [options]",
    .about = "delete files that are no longer needed; without an option, only print their size",
    .help =
#define CLEAN_HELP(name, about) "  --" #name "   " about "\n"
        SL_CLEAN_LIST(CLEAN_HELP)
#undef CLEAN_HELP
            "  --damaged   run stages again whose files are missing or damaged\n"
            "  --dry-run, -n   only print the size",
    .run = run};
