/* cmd_export.c - sluice export: members, attempts and results for other programs, starts for other
 * codes.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EIO, SL_EMEM; SL_EGUARD when a file is not what its end-record
 *         says
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/export.sh, tests/law/starts.sh
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/verb.h"
#include "core/config/config.h"
#include "core/lists/start_list.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/state.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/place.h"
#include "pipeline/local/task.h"
#include "pipeline/show/export.h"

struct targets {
    const char *csv, *json, *sqlite; /* file names; NULL: not asked for */
    const char *tables;              /* a directory */
    const char *ic, *to;             /* a code of SL_START_LIST, and where its starts go */
    const char *gas;                 /* grid or particles: how codes of particles get it */
    const char *snapshot;            /* in place of the start: a number, or last; NULL: the start */
};

static const char *const codes[] = {
#define CODE(name, about) #name,
    SL_START_LIST(CODE)
#undef CODE
        NULL};

/* ---- only what is as it was made ---- */

/* Adds the way out, as sluice verify names it; of a file that is in no record its message does. */
static int add_remedy(const struct sl_campaign *c, int member, enum sl_stage stage, int code)
{
    char why[2000], where[SL_PATH_MAX];
    if (code != SL_EGUARD) return code;
    snprintf(why, sizeof why, "%s", sl_error_text());
    if (sl_task_guard(c, member, stage, SL_CHECK_SUM) == SL_OK) return SL_FAIL(code, "%s", why);
    SL_TRY(sl_select_say(c, where));
    return SL_FAIL(code, "%s\nto make it again: sluice clean%s --damaged && sluice run%s", why,
                   where, where);
}

static int guard_member(const struct sl_campaign *c, int member)
{
    static const enum sl_stage read[] = {SL_STAGE_sim, SL_STAGE_stats};
    char home[SL_PATH_MAX];
    SL_TRY(sl_campaign_home(home, c, member));
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (sl_record_exists(home, read[i]))
            SL_TRY(
                add_remedy(c, member, read[i], sl_task_guard(c, member, read[i], SL_CHECK_TABLES)));
    return SL_OK;
}

static int at_work(const struct sl_campaign *c, bool *is)
{
    struct sl_campaign_state state;
    SL_TRY(sl_campaign_state_open(c, &state));
    *is = state.whole[SL_STAGE_ensemble - SL_MEMBER_STAGES].state == SL_WORK_running;
    sl_campaign_state_release(&state);
    return SL_OK;
}

/* With members that were added the ensemble is made anew in its place: until that has ended, its
 * record is of the one before. */
static int guard_ensemble(const struct sl_campaign *c)
{
    bool made = false;
    if (!sl_record_exists(c->dir, SL_STAGE_ensemble) ||
        sl_task_guard(c, -1, SL_STAGE_ensemble, SL_CHECK_TABLES) == SL_OK)
        return SL_OK;
    SL_TRY(at_work(c, &made));
    if (made) return SL_OK;
    return add_remedy(c, -1, SL_STAGE_ensemble,
                      sl_task_guard(c, -1, SL_STAGE_ensemble, SL_CHECK_TABLES));
}

/* What results are read from; a stage that is not done has no record to differ from. */
static int guard(const struct sl_campaign *c)
{
    for (int i = 0; i < c->n; i++)
        SL_TRY(guard_member(c, i));
    return guard_ensemble(c);
}

/* What was made holds without its recipe; that the recipe is another now is to be known. */
static void warn_of_recipe(const struct sl_campaign *c)
{
    if (sl_campaign_check_recipes(c) != SL_OK) sl_log(SL_LOG_WARN, "%s", sl_error_text());
}

/* ---- results ---- */

/* What came from a file must not drive a terminal; JSON is written so that it does not
 * (SL_JSON_SHOWN). */
static int escape(struct sl_buffer *out)
{
    size_t capacity = 4 * out->n + 1;
    char *safe = out->failed ? NULL : malloc(capacity);
    SL_CHECK(safe, SL_EMEM, "no memory for the export");
    sl_text_escape(out->s, true, safe, capacity);
    sl_buffer_release(out);
    *out = (struct sl_buffer){.s = safe, .n = strlen(safe), .capacity = capacity};
    return SL_OK;
}

/* To the file, or to stdout for "-". */
static int deliver(const struct sl_buffer *out, const char *path)
{
    SL_CHECK(!out->failed, SL_EMEM, "no memory for the export");
    if (strcmp(path, "-") != 0) return sl_buffer_put(out, path);
    SL_CHECK(fwrite(out->s, 1, out->n, stdout) == out->n && fflush(stdout) == 0, SL_EIO,
             "cannot write to standard output");
    return SL_OK;
}

static int export_text(const struct sl_report *r, const char *path, bool json)
{
    struct sl_buffer out = {0};
    int code = SL_OK;
    if (json)
        code = sl_export_json(r, &out);
    else
        sl_export_csv(r, &out);
    if (!json && strcmp(path, "-") == 0) code = escape(&out);
    if (code == SL_OK) code = deliver(&out, path);
    sl_buffer_release(&out);
    return code;
}

static int export_all(const char *dir, const struct targets *to)
{
    struct sl_report r;
    SL_TRY(sl_report_read(&r, dir));
    int code = to->csv ? export_text(&r, to->csv, false) : SL_OK;
    if (code == SL_OK && to->json) code = export_text(&r, to->json, true);
    if (code == SL_OK && to->sqlite) code = sl_export_sqlite(&r, to->sqlite);
    if (code == SL_OK && to->tables) code = sl_export_tables(&r, to->tables);
    sl_report_release(&r);
    return code;
}

/* ---- starts for other codes ---- */

static int known(const char *code)
{
    char list[200] = "";
    size_t used = 0;
    for (int i = 0; codes[i]; i++) {
        if (strcmp(codes[i], code) == 0) return SL_OK;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", codes[i]);
    }
    return SL_FAIL(SL_EUSAGE, "--ic %s: starts are written for %s", sl_quote(code).text, list);
}

static int check_gas(const char *gas)
{
    SL_CHECK(strcmp(gas, "grid") == 0 || strcmp(gas, "particles") == 0, SL_EUSAGE,
             "--gas %s: grid or particles", sl_quote(gas).text);
    return SL_OK;
}

static int convert(const struct targets *how, const char *from, const char *to)
{
    char program[SL_PATH_MAX];
    pid_t pid;
    int status;
    struct sl_child child = {.out = -1, .err = -1, .on_death = SIGTERM};
    SL_TRY(sl_place_program("sluice-ic", program, sizeof program));
    sl_args_add(&child.args, "%s", program);
    sl_args_add(&child.args, "--export");
    sl_args_add(&child.args, "%s", how->ic);
    sl_args_add(&child.args, "%s", from);
    sl_args_add(&child.args, "%s", to);
    sl_args_add(&child.args, "%s", how->gas);
    int started = sl_child_start(&child, &pid);
    sl_args_release(&child.args);
    SL_TRY(started);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int ended = sl_child_code(status);
    SL_CHECK(ended == 0, ended, "no start for %s of %s", how->ic, from);
    return SL_OK;
}

static int number_of_snapshot(const struct dirent *entry, const char *campaign)
{
    int number, used = 0;
    size_t n = strlen(campaign);
    if (strncmp(entry->d_name, campaign, n) != 0) return -1;
    bool fits = sscanf(entry->d_name + n, "_hdf5_plt_cnt_%9d%n", &number, &used) == 1;
    return fits && entry->d_name[n + (size_t)used] == '\0' ? number : -1;
}

/* The number of the last snapshot of a member; -1: there is none. */
static int last_snapshot(const char *home, const char *campaign)
{
    char path[SL_PATH_MAX];
    int last = -1;
    if (sl_disk_join(path, "%s/snapshots", home) != SL_OK) return -1;
    DIR *dir = opendir(path);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int number = number_of_snapshot(e, campaign);
        if (number > last) last = number;
    }
    if (dir) closedir(dir);
    return last;
}

/* The file of the snapshot that was asked for, and how its directory is called. */
static int find_snapshot(const struct sl_campaign *c, int member, const char *home,
                         const char *which, char from[SL_PATH_MAX], char tail[40])
{
    int64_t number = last_snapshot(home, c->name), last = number;
    SL_CHECK(number >= 0, SL_EINPUT, "member %s has no snapshots yet", c->member[member].id);
    if (strcmp(which, "last") != 0) {
        char *end;
        number = strtoll(which, &end, 10);
        SL_CHECK(end != which && *end == '\0' && number >= 0, SL_EUSAGE,
                 "--snapshot %s: a number, or last", sl_quote(which).text);
        SL_CHECK(number <= last, SL_EINPUT, "member %s has no snapshot %s; nearest: %" PRId64,
                 c->member[member].id, which, last);
    }
    snprintf(tail, 40, "-snapshot-%04" PRId64, number);
    SL_TRY(sl_disk_join(from, "%s/snapshots/%s_hdf5_plt_cnt_%04" PRId64, home, c->name, number));
    SL_CHECK(sl_disk_exists(from), SL_EINPUT,
             "member %s has no snapshot %" PRId64 "; nearest: %" PRId64, c->member[member].id,
             number, last);
    return SL_OK;
}

/* Why a member has no ic.h5. */
static int no_start(const struct sl_campaign *c, int member)
{
    struct sl_config cfg;
    const char *id = c->member[member].id;
    SL_TRY(sl_campaign_config(c, member, &cfg));
    if (cfg.problem != SL_PROBLEM_cosmology)
        return SL_FAIL(SL_EINPUT,
                       "member %s is of problem %s, whose start other codes do not read; nearest: "
                       "cosmology",
                       id, sl_choice_name("problem", cfg.problem));
    if (*cfg.ic_file)
        return SL_FAIL(SL_EINPUT,
                       "member %s begins from the file of another code (ic.file), %s, and makes no "
                       "fields of its own; nearest: that file, or --snapshot 0",
                       id, sl_quote(cfg.ic_file).text);
    if (c->member[member].ic)
        return SL_FAIL(SL_EINPUT, "member %s has no initial fields yet: sluice run makes them", id);
    return SL_FAIL(
        SL_EINPUT,
        "member %s writes no initial fields (ic.write: true does); nearest: --snapshot 0", id);
}

static int find_start(const struct sl_campaign *c, int member, const char *home,
                      char from[SL_PATH_MAX])
{
    if (!sl_record_exists(home, SL_STAGE_ic)) return no_start(c, member);
    SL_TRY(add_remedy(c, member, SL_STAGE_ic, sl_task_guard(c, member, SL_STAGE_ic, SL_CHECK_SUM)));
    return sl_disk_join(from, "%s/ic.h5", home);
}

static int export_start(const struct sl_campaign *c, int member, const struct targets *to)
{
    char home[SL_PATH_MAX], from[SL_PATH_MAX], target[SL_PATH_MAX], tail[40] = "";
    const char *id = c->member[member].id;
    SL_TRY(sl_disk_join(home, "%s/members/%s", c->dir, id));
    SL_TRY(to->snapshot ? find_snapshot(c, member, home, to->snapshot, from, tail)
                        : find_start(c, member, home, from));
    if (to->to)
        SL_TRY(sl_disk_join(target, "%s/%s%s", to->to, id, tail));
    else
        SL_TRY(sl_disk_join(target, "%s-%s/%s%s", c->name, to->ic, id, tail));
    char parent[SL_PATH_MAX];
    SL_TRY(sl_path_parent(parent, target));
    SL_TRY(sl_mkdir_all(parent));
    SL_TRY(convert(to, from, target));
    printf("%s\n", target);
    return SL_OK;
}

static int export_starts(char **words, int n, const struct targets *to)
{
    struct sl_selection s;
    SL_TRY(known(to->ic));
    SL_TRY(check_gas(to->gas));
    SL_TRY(sl_selection_open(words, n, true, &s));
    int code = SL_OK;
    for (int i = 0; i < s.campaign.n && code == SL_OK; i++)
        if (s.picked[i]) code = export_start(&s.campaign, i, to);
    if (code == SL_OK) warn_of_recipe(&s.campaign);
    sl_selection_close(&s);
    return code;
}

static int export_results(char **words, int n, const struct targets *to)
{
    struct sl_campaign campaign;
    char dir[SL_PATH_MAX];
    int used;
    SL_TRY(sl_select_campaign(words, n, &campaign, &used));
    memcpy(dir, campaign.dir, sizeof dir);
    int code = n <= used ? guard(&campaign) : SL_FAIL(SL_EUSAGE, "%s is not a campaign", words[0]);
    if (code == SL_OK) code = export_all(dir, to);
    if (code == SL_OK) warn_of_recipe(&campaign);
    sl_campaign_release(&campaign);
    return code;
}

static int run(int argc, char **argv)
{
    struct targets to = {.csv = NULL};
    const struct sl_option options[] = {{"csv", 0, SL_OPTION_TEXT, &to.csv},
                                        {"json", 0, SL_OPTION_TEXT, &to.json},
                                        {"sqlite", 0, SL_OPTION_TEXT, &to.sqlite},
                                        {"ic", 0, SL_OPTION_TEXT, &to.ic},
                                        {"tables", 0, SL_OPTION_TEXT, &to.tables},
                                        {"to", 0, SL_OPTION_TEXT, &to.to},
                                        {"gas", 0, SL_OPTION_TEXT, &to.gas},
                                        {"snapshot", 0, SL_OPTION_TEXT, &to.snapshot},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(
        options, argc, argv, 0, -1,
        "export [CAMPAIGN] --csv|--json|--sqlite FILE, or --tables DIRECTORY, or "
        "export [CAMPAIGN] [MEMBER...] --ic CODE [--to DIRECTORY] [--gas grid|particles] "
        "[--snapshot N|last]",
        &words));
    bool results = to.csv || to.json || to.sqlite || to.tables;
    SL_CHECK(results || to.ic, SL_EUSAGE,
             "export as what: --csv, --json, --sqlite, --tables, --ic?");
    SL_CHECK(!results || !to.ic, SL_EUSAGE, "--ic stands alone: it is of members, not of results");
    SL_CHECK(to.ic || !to.to, SL_EUSAGE, "--to goes with --ic");
    SL_CHECK(to.ic || !to.gas, SL_EUSAGE, "--gas goes with --ic");
    SL_CHECK(to.ic || !to.snapshot, SL_EUSAGE, "--snapshot goes with --ic");
    if (!to.gas) to.gas = "grid";
    if (to.ic) return export_starts(argv + 1, words, &to);
    return export_results(argv + 1, words, &to);
}

#define CODE_HELP(name, about) "\n      " #name "  " about
const struct sl_verb sl_verb_export = {
    .name = "export",
    .group = SL_VERB_results,
    .usage = "[CAMPAIGN] --csv|--json|--sqlite FILE | --tables DIR | [CAMPAIGN] [MEMBER...] --ic "
             "CODE [--to DIR] [--gas grid|particles] [--snapshot N|last]",
    .about = "write members, attempts and results as a table, as JSON or as a database; or "
             "initial conditions for other codes",
    .help =
        "  --csv FILE     a line per member: parameters that differ, cost, results; - is "
        "stdout\n"
        "  --json FILE    everything, with all parameters and attempts; - is stdout\n"
        "  --sqlite FILE  tables campaign, member, parameter, attempt, result, ensemble, journal\n"
        "  --tables DIR   a file per statistic, e.g. DIR/spectrum_velocity.csv, with the rows of "
        "all members and "
        "snapshots:\n"
        "                 member, the keys that differ, snapshot, time, then its columns\n"
        "  --ic CODE      gas and dark matter of members of problem cosmology, as the code reads "
        "them, with the\n"
        "                 lines of its parameter file beside them (parameters.txt):" SL_START_LIST(
            CODE_HELP) "\n"
                       "  --to DIR       where, one directory per member; default: CAMPAIGN-CODE\n"
                       "  --gas particles  for gadget and swift: gas as particles of equal mass, "
                       "displaced "
                       "like the dark matter;\n"
                       "                 default: grid, on a grid with the mass of each cell\n"
                       "  --snapshot N   for gadget and swift: the dark matter of snapshot N, or "
                       "of the "
                       "last, in place of the start",
    .run = run,
};
