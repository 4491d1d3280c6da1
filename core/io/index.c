/* index.c - see index.h. */
#include "core/io/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { ENTRY = 32, CHUNK = 2048 };
_Static_assert(sizeof(struct sl_index_entry) == ENTRY, "entries are written as they are");

static int name_of(char *out, const char *set, const char *kind, int64_t n)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%05" PRId64, kind, n);
    return sl_path_join(out, set, name);
}

int sl_index_name(char *out, const char *set, int64_t n)
{
    return name_of(out, set, "index", n);
}

int sl_index_data_name(char *out, const char *set, int64_t n)
{
    return name_of(out, set, "data", n);
}

int sl_index_open(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd >= 0) return SL_OK;
    return SL_FAIL(sl_file_missing(errno) ? SL_EINPUT : SL_EIO, "cannot open %s: %s", path,
                   strerror(errno));
}

static uint32_t seal_of(const struct sl_index_entry *e, int64_t seq, int64_t step)
{
    const int64_t head[2] = {seq, step};
    const size_t behind = offsetof(struct sl_index_entry, data);
    return sl_crc32c(sl_crc32c(0, head, sizeof head), (const char *)e + behind, sizeof *e - behind);
}

void sl_index_seal(struct sl_index_entry *entry, int64_t seq, int64_t step)
{
    entry->zero = 0;
    entry->own = seal_of(entry, seq, step);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* An index that is open. */
struct file {
    int fd;
    char path[SL_PATH_MAX];
    const struct sl_manifest *m;
    int64_t number;
};

static int take(const struct file *f, int64_t place, int64_t n, struct sl_index_entry *out)
{
    int code = sl_pread_all(f->fd, out, (size_t)n * ENTRY, place * ENTRY, f->path);
    if (code != SL_OK) return SL_EINPUT; /* a disk that cannot give it back has lost it */
    for (int64_t i = 0; i < n; i++)
        SL_CHECK(out[i].own == seal_of(&out[i], f->m->seq, f->m->step), SL_EINPUT,
                 "%s: entry %" PRId64 " is damaged", f->path, place + i);
    return SL_OK;
}

/* Place of the first entry whose block is `gid` or a later one. */
static int find(const struct file *f, int64_t gid, int64_t *place)
{
    int64_t low = 0, high = f->m->file[f->number].nblock;
    while (low < high) {
        struct sl_index_entry e;
        int64_t middle = low + (high - low) / 2;
        SL_TRY(take(f, middle, 1, &e));
        if (e.gid < gid)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return SL_OK;
}

/* Puts one where it belongs; *more: the next one may belong there too. */
static int put(const struct file *f, const struct sl_index_entry *e, int64_t place, int64_t first,
               int64_t n, struct sl_index_block *out, bool *more)
{
    *more = e->gid < first + n;
    if (!*more) return SL_OK;
    SL_CHECK(e->gid >= first && out[e->gid - first].file < 0, SL_EINPUT,
             "%s: entry %" PRId64 " is out of order", f->path, place);
    out[e->gid - first] = (struct sl_index_block){*e, f->number, place};
    return SL_OK;
}

static int read_file(const struct file *f, int64_t first, int64_t n, struct sl_index_block *out)
{
    struct sl_index_entry chunk[CHUNK];
    int64_t place, all = f->m->file[f->number].nblock;
    bool more = true;
    SL_TRY(find(f, first, &place));
    while (more && place < all) {
        int64_t count = all - place < CHUNK ? all - place : CHUNK;
        if (count > n) count = n;
        SL_TRY(take(f, place, count, chunk));
        for (int64_t i = 0; i < count && more; i++)
            SL_TRY(put(f, &chunk[i], place + i, first, n, out, &more));
        place += count;
    }
    return SL_OK;
}

static int open_and_read(struct file *f, const char *set, int64_t first, int64_t n,
                         struct sl_index_block *out)
{
    SL_TRY(sl_index_name(f->path, set, f->number));
    SL_TRY(sl_index_open(f->path, &f->fd));
    int code = read_file(f, first, n, out);
    close(f->fd);
    return code;
}

int sl_index_read(const char *set, const struct sl_manifest *m, int64_t first, int64_t n,
                  struct sl_index_block *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i].file = -1;
    for (int64_t i = 0; i < m->nfile; i++) {
        struct file f = {.m = m, .number = i};
        if (n > 0 && m->file[i].first < first + n && m->file[i].last >= first)
            SL_TRY(open_and_read(&f, set, first, n, out));
    }
    for (int64_t i = 0; i < n; i++)
        SL_CHECK(out[i].file >= 0, SL_EINPUT, "%s: no index has block %" PRId64, set, first + i);
    return SL_OK;
}
