/* links.c - see links.h. */
#include "pipeline/campaign/links.h"

#include <dirent.h>
#include <stddef.h>

#include "core/sys/status.h"
#include "pipeline/base/disk.h"

/* The groups of an ensemble have directories of their own. */
static int own_groups(const char *dir)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(path, "%s/ensemble", dir));
    int code = SL_OK;
    DIR *d = opendir(path);
    for (struct dirent *e; d && code == SL_OK && (e = readdir(d));)
        code = sl_disk_own(path, e->d_name);
    if (d) closedir(d);
    return code;
}

int sl_links_check(const struct sl_campaign *c, enum sl_stage stage, int member)
{
    static const char *const of_member[] = {"attempts", "logs", "checkpoints", "snapshots",
                                            "stats",    "own",  "own.part"};
    static const char *const of_whole[] = {"attempts", "logs",         "ensemble",
                                           "summary",  "summary.part", "report/figures"};
    const bool own = (int)stage < SL_MEMBER_STAGES;
    const size_t n =
        own ? sizeof of_member / sizeof *of_member : sizeof of_whole / sizeof *of_whole;
    char path[SL_PATH_MAX];
    for (size_t i = 0; i < n; i++) {
        SL_TRY(own ? sl_disk_join(path, "members/%s/%s", c->member[member].id, of_member[i])
                   : sl_disk_join(path, "%s", of_whole[i]));
        SL_TRY(sl_disk_own(c->dir, path));
    }
    return own ? SL_OK : own_groups(c->dir);
}
