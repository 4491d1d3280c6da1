/* own.c - see own.h. */
#include "pipeline/campaign/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/command.h"
#include "core/config/config.h"
#include "core/sys/crc32c.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/buffer.h"
#include "pipeline/campaign/record.h"
#include "pipeline/launch/place.h"

bool sl_own_is(enum sl_stage stage)
{
    return stage == SL_STAGE_own || stage == SL_STAGE_summary;
}

const char *sl_own_place(enum sl_stage stage)
{
    return sl_stage_name((int)stage);
}

/* ---- what there is to run -------------------------------------------------------------------- */

/* NAME_hdf5_plt_cnt_NNNN, and not the files of other formats beside it. */
static const char *snapshot_number(const char *name)
{
    const char *number = strrchr(name, '_');
    bool is = number && number[1] && number[1 + strspn(number + 1, "0123456789")] == '\0';
    return is ? number + 1 : NULL;
}

static int is_snapshot(const struct dirent *e)
{
    return snapshot_number(e->d_name) != NULL;
}

static int list_snapshots(struct sl_own *own)
{
    char path[SL_PATH_MAX];
    struct dirent **entry;
    SL_TRY(sl_disk_join(path, "%s/snapshots", own->home));
    int n = scandir(path, &entry, is_snapshot, alphasort), code = SL_OK;
    SL_CHECK(n >= 0, SL_EIO, "cannot list %s: %s", path, strerror(errno));
    own->snapshot = calloc((size_t)n + 1, sizeof *own->snapshot);
    if (!own->snapshot) code = SL_FAIL(SL_EMEM, "no memory for a list of %d snapshots", n);
    for (int i = 0; i < n; i++) {
        if (code == SL_OK && !(own->snapshot[own->snapshots++] = strdup(entry[i]->d_name)))
            code = SL_FAIL(SL_EMEM, "no memory for a list of %d snapshots", n);
        free(entry[i]);
    }
    free(entry);
    return code;
}

/* Beside the programs: where they are installed, and where they are built. */
static int add_python(void)
{
    static const char *const places[] = {"../share/sluice/python", "../examples/python"};
    const char *before = getenv("PYTHONPATH");
    char self[SL_PATH_MAX], parent[SL_PATH_MAX], path[SL_PATH_MAX], all[2 * SL_PATH_MAX];
    SL_TRY(sl_place_self(self, sizeof self));
    SL_TRY(sl_path_parent(parent, self));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        SL_TRY(sl_disk_join(path, "%s/%s", parent, places[i]));
        if (!sl_disk_exists(path)) continue;
        bool more = before && *before;
        int n = snprintf(all, sizeof all, "%s%s%s", path, more ? ":" : "", more ? before : "");
        bool fits = n < (int)sizeof all;
        SL_CHECK(!fits || setenv("PYTHONPATH", all, 1) == 0, SL_EMEM, "no memory");
        return SL_OK;
    }
    return SL_OK;
}

/* Libraries that share work among threads would take all cores of a node. */
static int export_threads(const struct sl_own *own)
{
    char text[24];
    bool member = own->stage == SL_STAGE_own;
    snprintf(text, sizeof text, "%lld", member ? (long long)own->cfg->resources_ranks : 1LL);
    SL_CHECK(setenv("OMP_NUM_THREADS", text, 0) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

/* home/own.part and the like. */
static int place(const struct sl_own *own, const char *end, char path[SL_PATH_MAX])
{
    return sl_disk_join(path, "%s/%s%s", own->home, sl_own_place(own->stage), end);
}

int sl_own_begin(struct sl_own *own, const struct sl_campaign *campaign,
                 const struct sl_config *cfg, enum sl_stage stage, const char *home)
{
    static const char *const left[] = {".part", ".old"};
    char path[SL_PATH_MAX];
    *own = (struct sl_own){.campaign = campaign, .cfg = cfg, .stage = stage};
    SL_TRY(sl_disk_join(own->home, "%s", home));
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        SL_TRY(place(own, left[i], path));
        sl_disk_remove(path);
        SL_CHECK(!sl_disk_exists(path), SL_EIO, "cannot remove %s", path);
    }
    SL_TRY(export_threads(own));
    SL_TRY(add_python());
    if (stage == SL_STAGE_own && *cfg->stages_snapshot) SL_TRY(list_snapshots(own));
    return SL_OK;
}

void sl_own_release(struct sl_own *own)
{
    for (int i = 0; i < own->snapshots; i++)
        free(own->snapshot[i]);
    free(own->snapshot);
    own->snapshot = NULL;
    own->snapshots = 0;
}

/* ---- one command ----------------------------------------------------------------------------- */

/* A word as the command gets it: a kept file by its path from the root, places filled in. */
static int add_word(const struct sl_own *own, const char *word,
                    const char *const path[SL_COMMAND_KINDS], struct sl_args *args)
{
    static const char kept[] = "../../inputs/"; /* input_files.h */
    char out[2 * SL_PATH_MAX];
    if (strncmp(word, kept, sizeof kept - 1) == 0) {
        sl_args_add(args, "%s/inputs/%s", own->campaign->dir, word + sizeof kept - 1);
        return SL_OK;
    }
    SL_TRY(sl_command_fill(word, path, out, sizeof out));
    sl_args_add(args, "%s", out);
    return SL_OK;
}

static int add_command(const struct sl_own *own, const char *text, const char *snapshot,
                       struct sl_args *args)
{
    struct sl_command c;
    const char *const path[SL_COMMAND_KINDS] = {[SL_COMMAND_snapshot] = snapshot,
                                                [SL_COMMAND_member] =
                                                    own->stage == SL_STAGE_own ? own->home : NULL,
                                                [SL_COMMAND_campaign] = own->campaign->dir};
    SL_TRY(sl_command_split(text, &c));
    for (int i = 0; i < c.n; i++)
        SL_TRY(add_word(own, c.word[i], path, args));
    return SL_OK;
}

static int next_snapshot(struct sl_own *own, struct sl_args *args, char dir[SL_PATH_MAX])
{
    char path[SL_PATH_MAX];
    const char *name = own->snapshot[own->at], *number = snapshot_number(name);
    SL_TRY(place(own, ".part", path));
    SL_TRY(sl_disk_join(dir, "%s/%s", path, number));
    SL_TRY(sl_disk_join(path, "%s/snapshots/%s", own->home, name));
    snprintf(own->what, sizeof own->what, "stages.snapshot of %.40s", number);
    return add_command(own, own->cfg->stages_snapshot, path, args);
}

int sl_own_next(struct sl_own *own, struct sl_args *args, char dir[SL_PATH_MAX])
{
    bool whole = own->stage == SL_STAGE_summary;
    const char *last = whole ? own->cfg->stages_campaign : own->cfg->stages_member;
    if (own->at < own->snapshots) {
        SL_TRY(next_snapshot(own, args, dir));
    } else if (own->at == own->snapshots && *last) {
        SL_TRY(place(own, ".part", dir));
        snprintf(own->what, sizeof own->what, "stages.%s", whole ? "campaign" : "member");
        SL_TRY(add_command(own, last, NULL, args));
    } else {
        return SL_OK;
    }
    own->at++;
    return sl_mkdir_all(dir);
}

/* ---- the products ---------------------------------------------------------------------------- */

static int count_product(const char *path, void *user)
{
    json_t *text = json_string(path);
    SL_CHECK(text, SL_EINPUT, "%s: the name of a product must be UTF-8", sl_quote(path).text);
    json_decref(text);
    SL_CHECK(!strstr(path, ".tmp-"), SL_EINPUT,
             "%s: a product with .tmp- in its name would be taken for a file half written",
             sl_quote(path).text);
    ++*(int *)user;
    return SL_OK;
}

/* The checksum of a link would be that of a file which may change without it; a FIFO, a socket or a
 * device has none. */
static int check_product(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    SL_CHECK(kind != FTW_SL, SL_EINPUT,
             "%s: a symbolic link is no product: copy the file, or remove the link",
             sl_quote(path + at->base).text);
    SL_CHECK(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode), SL_EINPUT,
             "%s: %s is no product: remove it at the end of the command",
             sl_quote(path + at->base).text,
             S_ISFIFO(st->st_mode)   ? "a FIFO"
             : S_ISSOCK(st->st_mode) ? "a socket"
                                     : "a device");
    return SL_OK;
}

/* A record must not outlive a power cut that its products do not. */
static int sync_product(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)at;
    (void)kind;
    if (S_ISDIR(st->st_mode)) return sl_sync_dir(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    return sl_close_synced(fd, path);
}

static int move(const char *from, const char *to)
{
    SL_CHECK(rename(from, to) == 0 || errno == ENOENT, SL_EIO, "cannot rename %s: %s", from,
             strerror(errno));
    return SL_OK;
}

int sl_own_end(const struct sl_own *own)
{
    char part[SL_PATH_MAX], path[SL_PATH_MAX], old[SL_PATH_MAX];
    int products = 0;
    SL_TRY(place(own, ".part", part));
    SL_TRY(place(own, "", path));
    SL_TRY(place(own, ".old", old));
    int code = nftw(part, check_product, 16, FTW_PHYS);
    SL_CHECK(code >= 0, SL_EIO, "cannot list %s: %s", part, strerror(errno));
    SL_TRY(code);
    SL_TRY(sl_disk_walk(part, "", count_product, &products));
    SL_CHECK(products > 0, SL_EINPUT,
             "the commands ended well, but wrote nothing into their working directory");
    SL_TRY(nftw(part, sync_product, 16, FTW_PHYS | FTW_DEPTH));
    SL_TRY(move(path, old));
    SL_TRY(move(part, path));
    sl_disk_remove(old);
    return sl_sync_parent(path);
}

/* ---- the record ------------------------------------------------------------------------------ */

json_t *sl_own_commands(const struct sl_config *cfg, enum sl_stage stage)
{
    json_t *all = json_object();
    if (stage == SL_STAGE_summary) {
        json_object_set_new(all, "campaign", json_string(cfg->stages_campaign));
        return all;
    }
    if (*cfg->stages_snapshot)
        json_object_set_new(all, "snapshot", json_string(cfg->stages_snapshot));
    if (*cfg->stages_member) json_object_set_new(all, "member", json_string(cfg->stages_member));
    return all;
}

/* The command, the ensemble and the members whose statistics are done. */
int64_t sl_own_mark(const struct sl_campaign *c)
{
    struct sl_config cfg;
    struct sl_buffer text = {.s = NULL};
    char home[SL_PATH_MAX];
    if (sl_campaign_config(c, -1, &cfg) != SL_OK) return -1;
    sl_buffer_add(&text, "%s\n%" PRId64 "\n", cfg.stages_campaign,
                  sl_record_mark(c->dir, SL_STAGE_ensemble));
    for (int i = 0; i < c->n; i++) {
        if (sl_campaign_home(home, c, i) != SL_OK || !sl_record_exists(home, SL_STAGE_stats))
            continue;
        bool own =
            sl_member_has(&c->member[i], SL_STAGE_own) && sl_record_exists(home, SL_STAGE_own);
        sl_buffer_add(&text, "%s%s\n", c->member[i].id, own ? " own" : "");
    }
    int64_t mark = text.failed ? -1 : (int64_t)sl_crc32c(0, text.s, text.n);
    sl_buffer_release(&text);
    return mark;
}

bool sl_own_current(const struct sl_campaign *c)
{
    return sl_record_mark(c->dir, SL_STAGE_summary) == sl_own_mark(c);
}
