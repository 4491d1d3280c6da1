/* report.c - see report.h. */
#include "pipeline/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/report/check.h"
#include "pipeline/report/page.h"

static int folder_make(const struct sl_report *r, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", r->dir, name);
    SL_CHECK(!mkdir(path, 0777) || errno == EEXIST, SL_EIO, "cannot make %s: %s", path,
             strerror(errno));
    return SL_OK;
}

/* Removes what gnuplot of a killed report left, and links that lie where it will write. */
static void figures_sweep(const struct sl_report *r)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/report/figures", r->dir);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *end = strrchr(e->d_name, '.');
        if (end && strcmp(end, ".new") == 0) unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d) closedir(d);
}

static int page_write(const struct sl_report *r)
{
    struct sl_drawings drawings;
    struct sl_buffer html = {0};
    char path[PATH_MAX + 64];
    SL_TRY(folder_make(r, "report"));
    SL_TRY(folder_make(r, "report/figures"));
    figures_sweep(r);
    SL_TRY(sl_figures_make(r, &drawings));
    if (!drawings.gnuplot) sl_log(SL_LOG_WARN, "report without figures: %s", sl_error_text());
    int code = sl_page_add(&html, r, &drawings);
    snprintf(path, sizeof path, "%s/report/index.html", r->dir);
    if (code == SL_OK) code = sl_checks_write(r);
    if (code == SL_OK) code = sl_buffer_write(&html, path);
    sl_buffer_release(&html);
    return code;
}

int sl_report_write(const char *campaign_dir, const char *against)
{
    struct sl_report r, other;
    SL_TRY(sl_report_read(&r, campaign_dir));
    int code = against ? sl_report_read(&other, against) : SL_OK;
    bool compared = against && code == SL_OK;
    if (compared) r.against = &other;
    if (code == SL_OK) code = page_write(&r);
    if (compared) sl_report_release(&other);
    sl_report_release(&r);
    return code;
}
