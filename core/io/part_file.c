/* part_file.c - see part_file.h. */
#include "core/io/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/index.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* The checksums come first: what a lost write leaves, zeros, is not what they are. */
struct entry {
    uint32_t own, data; /* of seq, step and what stands behind; of these, gid and the bytes */
    int64_t gid, offset, bytes;
};
_Static_assert(sizeof(struct entry) == 32, "entries are written as they are");

int64_t sl_part_entry_bytes(void)
{
    return sizeof(struct entry);
}

static int name_of(char *out, const char *set, const char *kind, int64_t n)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%05" PRId64, kind, n);
    return sl_path_join(out, set, name);
}

int sl_part_name(char *out, const char *set, int64_t n)
{
    return name_of(out, set, "parts", n);
}

int sl_part_index_name(char *out, const char *set, int64_t n)
{
    return name_of(out, set, "parts_index", n);
}

static uint32_t seal_of(const struct sl_part_file *f, const struct entry *e)
{
    const int64_t head[2] = {f->seq, f->step};
    const size_t behind = offsetof(struct entry, data);
    return sl_crc32c(sl_crc32c(0, head, sizeof head), (const char *)e + behind, sizeof *e - behind);
}

static uint32_t data_crc(const struct sl_part_file *f, int64_t gid, const void *bytes, int64_t n)
{
    const int64_t head[3] = {f->seq, f->step, gid};
    return sl_crc32c(sl_crc32c(0, head, sizeof head), bytes, (size_t)n);
}

/* Its component is that of the root; level, block: the leaf. */
static int64_t block_bytes(const struct sl_component *c, int level, int block)
{
    int64_t n = 0;
    for (int i = 0; i < c->npart; i++)
        n += (int64_t)(sizeof n + c->part[i].bytes(c->part[i].of, level, block));
    return n;
}

int64_t sl_part_bytes(const struct sl_state *state)
{
    int64_t n = 0;
    for (const struct sl_state *s = state->component.npart ? state : NULL; s; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++)
            n += block_bytes(&state->component, s->mesh->level, b);
    return n;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void pack(const struct sl_component *c, int level, int block, char *to)
{
    for (int i = 0; i < c->npart; i++) {
        const struct sl_block_part *part = &c->part[i];
        int64_t n = (int64_t)part->bytes(part->of, level, block);
        memcpy(to, &n, sizeof n);
        part->save(part->of, level, block, to + sizeof n);
        to += (int64_t)sizeof n + n;
    }
}

/* e: with gid and offset; gets the rest. */
static int write_block(const struct sl_part_file *f, const struct sl_component *c,
                       const struct sl_state_leaf *leaf, int fd, struct entry *e)
{
    char *bytes = NULL;
    int level = leaf->level->mesh->level;
    e->bytes = block_bytes(c, level, leaf->block);
    SL_TRY(sl_alloc("parts of a block", (size_t)e->bytes, 1, &bytes));
    pack(c, level, leaf->block, bytes);
    e->data = data_crc(f, e->gid, bytes, e->bytes);
    e->own = seal_of(f, e);
    int code = sl_pwrite_all(fd, bytes, (size_t)e->bytes, e->offset, f->set);
    free(bytes);
    return code;
}

static int write_blocks(const struct sl_part_file *f, const struct sl_state *state, int nleaf,
                        const struct sl_state_leaf *leaf, int64_t offset, int fd,
                        struct entry *entry)
{
    for (int i = 0; i < nleaf; i++) {
        const struct sl_block *b = &leaf[i].level->mesh->blocks[leaf[i].block];
        entry[i] = (struct entry){.gid = b->gid, .offset = offset};
        SL_TRY(write_block(f, &state->component, &leaf[i], fd, &entry[i]));
        offset += entry[i].bytes;
    }
    return SL_OK;
}

static int open_file(const char *path, int *fd)
{
    *fd = open(path, O_WRONLY | O_CLOEXEC);
    SL_CHECK(*fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    return SL_OK;
}

static int write_entries(const struct sl_part_file *f, const struct entry *entry, int nleaf,
                         int64_t place)
{
    char path[SL_PATH_MAX];
    int fd;
    SL_TRY(sl_part_index_name(path, f->set, f->n));
    SL_TRY(open_file(path, &fd));
    int code = sl_pwrite_all(fd, entry, (size_t)nleaf * sizeof *entry,
                             place * (int64_t)sizeof *entry, path),
        closed = sl_close_synced(fd, path);
    return code != SL_OK ? code : closed;
}

int sl_part_write(const struct sl_part_file *f, const struct sl_state *state, int nleaf,
                  const struct sl_state_leaf *leaf, int64_t place, int64_t offset)
{
    char path[SL_PATH_MAX];
    struct entry *entry = NULL;
    int fd;
    SL_TRY(sl_part_name(path, f->set, f->n));
    SL_TRY(sl_alloc("entries of parts", (size_t)nleaf, sizeof *entry, &entry));
    int code = open_file(path, &fd);
    if (code == SL_OK) {
        code = write_blocks(f, state, nleaf, leaf, offset, fd, entry);
        int closed = sl_close_synced(fd, path);
        if (code == SL_OK) code = closed;
    }
    if (code == SL_OK) code = write_entries(f, entry, nleaf, place);
    free(entry);
    return code;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* n bytes of a file at a place; what cannot be read is lost. */
static int read_at(const char *path, void *to, int64_t n, int64_t at)
{
    int fd;
    SL_TRY(sl_index_open(path, &fd));
    int code = sl_pread_all(fd, to, (size_t)n, at, path);
    close(fd);
    return code == SL_OK ? SL_OK : SL_EINPUT;
}

static int read_entry(const struct sl_part_file *f, int64_t place, int64_t gid, struct entry *e)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_part_index_name(path, f->set, f->n));
    SL_TRY(read_at(path, e, sizeof *e, place * (int64_t)sizeof *e));
    SL_CHECK(e->own == seal_of(f, e) && e->gid == gid && e->bytes >= 0, SL_EINPUT,
             "%s: entry %" PRId64 " is damaged", path, place);
    return SL_OK;
}

static int unpack(const struct sl_component *c, int level, int block, const char *from,
                  int64_t left)
{
    for (int i = 0; i < c->npart; i++) {
        const struct sl_block_part *part = &c->part[i];
        int64_t n = -1;
        if (left >= (int64_t)sizeof n) memcpy(&n, from, sizeof n);
        left -= (int64_t)sizeof n;
        SL_CHECK(n >= 0 && n <= left, SL_EINPUT, "%s of a block have a wrong length", part->name);
        SL_TRY(part->load(part->of, level, block, from + sizeof n, (size_t)n));
        from += (int64_t)sizeof n + n;
        left -= n;
    }
    return SL_OK;
}

int sl_part_read(const struct sl_part_file *f, int64_t place, int64_t gid,
                 const struct sl_component *into, int level, int block)
{
    char path[SL_PATH_MAX], *bytes = NULL;
    struct entry e;
    SL_TRY(read_entry(f, place, gid, &e));
    SL_TRY(sl_part_name(path, f->set, f->n));
    SL_TRY(sl_alloc("parts of a block", (size_t)e.bytes, 1, &bytes));
    int code = read_at(path, bytes, e.bytes, e.offset);
    if (code == SL_OK && data_crc(f, gid, bytes, e.bytes) != e.data)
        code = SL_FAIL(SL_EINPUT, "%s: the checksum of block %" PRId64 " is wrong", path, gid);
    if (code == SL_OK && into) code = unpack(into, level, block, bytes, e.bytes);
    free(bytes);
    return code;
}
