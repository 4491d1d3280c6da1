/* cmd_site.c - sluice site: finds out what this cluster offers and writes it down.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EUNAVAIL without Slurm, SL_EINPUT, SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host with Slurm's commands
 * Refs    none
 * Tests   tests/slurm/control.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/slurm/detect.h"

static void add_key(const char *key, const char *text, bool number, void *user)
{
    json_object_set_new(user, key,
                        number ? json_integer(strtoll(text, NULL, 10)) : json_string(text));
}

static int print_json(const struct sl_site *site, const char *path, bool found)
{
    json_t *keys = json_object();
    sl_site_each(site, add_key, keys);
    json_t *o =
        json_pack("{s:i, s:s, s:b, s:o}", "v", 1, "file", path, "found", found, "site", keys);
    return sl_json_print(o);
}

/* What a person wrote into the file stays; what Slurm tells is taken from Slurm. */
static int detect(struct sl_site *site, const char *path)
{
    char parent[SL_PATH_MAX];
    struct sl_buffer notes = {.s = NULL}, text = {.s = NULL};
    int code = sl_slurm_detect(site, &notes);
    if (code == SL_OK) sl_site_print(site, &text);
    if (code == SL_OK) code = sl_path_parent(parent, path);
    if (code == SL_OK) code = sl_mkdir_all(parent);
    if (code == SL_OK) code = sl_buffer_write(&text, path);
    if (code == SL_OK && notes.s) fputs(notes.s, stderr);
    sl_buffer_release(&notes);
    sl_buffer_release(&text);
    return code;
}

static int run(int argc, char **argv)
{
    bool json = false, show = false, found;
    const char *file = NULL;
    const struct sl_option options[] = {{"file", 0, SL_OPTION_TEXT, &file},
                                        {"show", 0, SL_OPTION_FLAG, &show},
                                        {"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    char path[SL_PATH_MAX];
    struct sl_site site;
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, 0, "site [--file FILE]", &words));
    SL_CHECK(!file || setenv("SLUICE_SITE", file, 1) == 0, SL_EMEM, "no memory");
    SL_TRY(sl_site_path(path));
    SL_TRY(sl_site_read(&site, &found));
    if (!show) SL_TRY(detect(&site, path));
    if (json) return print_json(&site, path, found || !show);
    struct sl_buffer text = {.s = NULL};
    sl_site_print(&site, &text);
    if (text.s) fputs(text.s, stdout);
    sl_buffer_release(&text);
    if (!show) fprintf(stderr, "written to %s\n", path);
    return SL_OK;
}

const struct sl_verb sl_verb_site = {
    .name = "site",
    .group = SL_VERB_cluster,
    .usage = "[--file FILE] [--show] [--json]",
    .about = "find out what this cluster offers and write it into your site file",
    .help =
        "  --file FILE   another file; default: SLUICE_SITE or ~/.config/sluice/site.yaml\n"
        "  --show        print what the file says; do not ask Slurm, write nothing\n"
        "  --json        the same for programs, with a version number\n"
        "Add account, partition, modules and the like to the file by hand; they stay when it is\n"
        "written again.",
    .run = run};
