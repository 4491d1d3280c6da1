/* cmd_report.c - `sluice report`: writes the page of a campaign and says where it is. */
#include <stdio.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/report.h"

static int run(int argc, char **argv)
{
    SL_CHECK(argc == 2 && argv[1][0] != '-', SL_EUSAGE, "usage: sluice report CAMPAIGN");
    SL_TRY(sl_report_write(argv[1]));
    printf("%s/report/index.html\n", argv[1]);
    return SL_OK;
}

const struct sl_verb sl_verb_report = {
    .name = "report",
    .usage = "CAMPAIGN",
    .about = "write report/index.html from what the campaign holds now, and print its path",
    .help = "",
    .run = run,
};
