/* cmd_version.c - sluice version: what was built, from what, with what, and the devices that are
 * here.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/version.sh
 */
#include <jansson.h>
#include <stdio.h>

#include "build_info.h"
#include "cmd/verb.h"
#include "core/sys/cuda_driver.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"

static int run(int argc, char **argv)
{
    char devices[512];
    bool json = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, 0, "version [--json]", &words));
    sl_device_list(devices, sizeof devices);
    if (!json) {
        printf("sluice %s\ncommit %s\ncompiler %s\nflags %s\ncuda %s\ndevices %s\n",
               SL_BUILD_VERSION, SL_BUILD_COMMIT, SL_BUILD_COMPILER, SL_BUILD_FLAGS, SL_BUILD_CUDA,
               devices);
        return SL_OK;
    }
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "v", 1, "version", SL_BUILD_VERSION,
                  "commit", SL_BUILD_COMMIT, "compiler", SL_BUILD_COMPILER, "flags", SL_BUILD_FLAGS,
                  "cuda", SL_BUILD_CUDA, "devices", devices);
    return sl_json_print(o);
}

const struct sl_verb sl_verb_version = {.name = "version",
                                        .group = SL_VERB_other,
                                        .usage = "[--json]",
                                        .about = "how this was built, and the GPUs of this machine",
                                        .help = "",
                                        .run = run};
