/* cmd_export.c - sluice export: members, attempts and results for other programs.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/export.sh
 */
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "pipeline/export.h"
#include "pipeline/options.h"
#include "pipeline/select.h"

struct targets {
    const char *csv, *json, *sqlite; /* file names; NULL: not asked for */
};

/* To the file, or to stdout for "-". */
static int deliver(const struct sl_buffer *out, const char *path)
{
    SL_CHECK(!out->failed, SL_EMEM, "no memory for the export");
    if (strcmp(path, "-") != 0) return sl_buffer_write(out, path);
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
    sl_report_release(&r);
    return code;
}

static int run(int argc, char **argv)
{
    struct targets to = {NULL, NULL, NULL};
    const struct sl_option options[] = {{"csv", 0, SL_OPTION_TEXT, &to.csv},
                                        {"json", 0, SL_OPTION_TEXT, &to.json},
                                        {"sqlite", 0, SL_OPTION_TEXT, &to.sqlite},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    char dir[SL_PATH_MAX];
    int words, used;
    SL_TRY(sl_options_words(options, argc, argv, 0, 1,
                            "export [CAMPAIGN] --csv|--json|--sqlite FILE", &words));
    SL_CHECK(to.csv || to.json || to.sqlite, SL_EUSAGE, "export as what: --csv, --json, --sqlite?");
    SL_TRY(sl_select_campaign(argv + 1, words, &campaign, &used));
    memcpy(dir, campaign.dir, sizeof dir);
    sl_campaign_release(&campaign);
    SL_CHECK(words <= used, SL_EUSAGE, "%s is not a campaign", argv[1]);
    return export_all(dir, &to);
}

const struct sl_verb sl_verb_export = {
    .name = "export",
    .group = SL_VERB_results,
    .usage = "[CAMPAIGN] --csv|--json|--sqlite FILE",
    .about = "write members, attempts and results as a table, as JSON or as a database",
    .help =
        "  --csv FILE     a line per member: what differs, what it cost, what came out; - is "
        "stdout\n"
        "  --json FILE    everything, with all parameters and attempts; - is stdout\n"
        "  --sqlite FILE  tables campaign, member, parameter, attempt, result, ensemble, journal",
    .run = run,
};
