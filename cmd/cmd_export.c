/* cmd_export.c - `sluice export`: members, attempts and results for other programs. */
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "pipeline/export.h"

/* To the file, or to stdout for "-". */
static int deliver(const struct sl_buffer *out, const char *path)
{
    SL_CHECK(!out->failed, SL_EMEM, "no memory for the export");
    if (strcmp(path, "-")) return sl_buffer_write(out, path);
    SL_CHECK(fwrite(out->s, 1, out->n, stdout) == out->n && !fflush(stdout), SL_EIO,
             "cannot write to standard output");
    return SL_OK;
}

static int export_as(const struct sl_report *r, const char *format, const char *path)
{
    struct sl_buffer out = {0};
    int code = SL_OK;
    if (!strcmp(format, "--sqlite")) return sl_export_sqlite(r, path);
    if (!strcmp(format, "--json"))
        code = sl_export_json(r, &out);
    else
        sl_export_csv(r, &out);
    if (!code) code = deliver(&out, path);
    sl_buffer_release(&out);
    return code;
}

static int run(int argc, char **argv)
{
    const char *format = argc == 4 ? argv[2] : "";
    SL_CHECK(!strcmp(format, "--csv") || !strcmp(format, "--json") || !strcmp(format, "--sqlite"),
             SL_EUSAGE,
             "usage: sluice export CAMPAIGN --csv FILE|- | --json FILE|- | --sqlite FILE");
    struct sl_report r;
    SL_TRY(sl_report_read(&r, argv[1]));
    int code = export_as(&r, format, argv[3]);
    sl_report_release(&r);
    return code;
}

const struct sl_verb sl_verb_export = {
    .name = "export",
    .usage = "CAMPAIGN --csv FILE|- | --json FILE|- | --sqlite FILE",
    .about = "write members, attempts and results as a table, as JSON or as a database",
    .help =
        "--csv FILE     a line per member: what differs, what it cost, what came out\n"
        "--json FILE    everything, with all parameters and attempts\n"
        "--sqlite FILE  tables campaign, member, parameter, attempt, result, ensemble, journal\n",
    .run = run,
};
