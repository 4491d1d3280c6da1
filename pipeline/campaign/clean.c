/* clean.c - see clean.h. */
#include "pipeline/campaign/clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/campaign/record.h"

enum { DEPTH_MAX = 8 };

/* Its path in a member's directory, the stage whose product it is or -1, the stage that must be
 * done. */
static const struct {
    const char *name, *path;
    int product, after;
} kinds[SL_CLEAN_COUNT] = {
    [SL_CLEAN_checkpoints] = {"checkpoints", "checkpoints", -1, SL_STAGE_sim},
    [SL_CLEAN_snapshots] = {"snapshots", "snapshots", SL_STAGE_sim, SL_STAGE_stats},
    [SL_CLEAN_ic] = {"ic", "ic.h5", SL_STAGE_ic, SL_STAGE_sim},
};

struct work {
    bool dry;
    int *files;
    double *bytes;
};

const char *sl_clean_name(enum sl_clean what)
{
    return kinds[what].name;
}

static int remove_tree(int at, const char *name, const struct work *w, int depth);

static int remove_entries(int fd, const char *name, const struct work *w, int depth)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return SL_FAIL(SL_EIO, "cannot list %s: %s", name, strerror(errno));
    }
    int code = SL_OK;
    for (struct dirent *e; code == SL_OK && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            code = remove_tree(dirfd(d), e->d_name, w, depth + 1);
    closedir(d);
    return code;
}

/* A link is removed itself, never what it points to. */
static int remove_tree(int at, const char *name, const struct work *w, int depth)
{
    struct stat st;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return SL_OK; /* not there */
    SL_CHECK(depth < DEPTH_MAX, SL_EGUARD, "%s lies too deep: nothing of sluice does", name);
    bool dir = S_ISDIR(st.st_mode);
    if (dir) {
        int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", name, strerror(errno));
        SL_TRY(remove_entries(fd, name, w, depth));
    } else {
        ++*w->files;
        if (S_ISREG(st.st_mode)) *w->bytes += (double)st.st_size;
    }
    SL_CHECK(w->dry || unlinkat(at, name, dir ? AT_REMOVEDIR : 0) == 0, SL_EIO,
             "cannot delete %s: %s", name, strerror(errno));
    return SL_OK;
}

/* Opens campaign/members/ID without following a link on the way below the campaign. */
static int open_home(const struct sl_campaign *c, const char *id, int *fd)
{
    const char *const steps[] = {"members", id};
    int at = open(c->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; at >= 0 && i < 2; i++) {
        int next = openat(at, steps[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int why = errno;
        close(at);
        at = next;
        errno = why;
    }
    SL_CHECK(at >= 0 || errno == ENOENT, SL_EGUARD, "members/%s is not a directory of %s: %s", id,
             c->name, strerror(errno));
    *fd = at;
    return SL_OK;
}

bool sl_clean_may(const struct sl_campaign_state *st, int member, enum sl_clean what)
{
    int after = kinds[what].after;
    if (st->member[member].stage[after].state != SL_WORK_done) return false;
    return after != SL_STAGE_stats || sl_campaign_state_next(st, member) < 0;
}

int sl_clean(const struct sl_campaign *c, int member, enum sl_clean what, bool dry, int *files,
             double *bytes)
{
    const struct work w = {.dry = dry, .files = files, .bytes = bytes};
    char home[SL_PATH_MAX];
    int fd, before = *files;
    SL_TRY(open_home(c, c->member[member].id, &fd));
    if (fd < 0) return SL_OK;
    int code = SL_OK;
    bool listed = kinds[what].product >= 0 && !dry;
    if (listed) code = sl_campaign_home(home, c, member);
    /* first the record, then the files: a crash between leaves files that nobody misses */
    if (listed && code == SL_OK)
        code = sl_record_forget(home, (enum sl_stage)kinds[what].product, kinds[what].path);
    if (code == SL_OK) code = remove_tree(fd, kinds[what].path, &w, 0);
    close(fd);
    SL_TRY(code);
    if (dry || *files == before) return SL_OK;
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_clean, c->member[member].id, "");
    snprintf(fact.text, sizeof fact.text, "%s: %d files", kinds[what].path, *files - before);
    return sl_journal_add(c->dir, &fact);
}
