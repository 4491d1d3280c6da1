/* checkpoint.c - see checkpoint.h. */
#include "core/io/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_info.h"
#include "core/config/config.h"
#include "core/io/index.h"
#include "core/io/part_file.h"
#include "core/mesh/hierarchy.h"
#include "core/state/field.h"
#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { SAMPLE = 16 };

/* Whether a set says what levels there are. */
static bool has_levels(const struct sl_state *state)
{
    return state->cfg->mesh_levels > 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int set_name(char *out, const char *dir, int64_t seq, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "ckpt.%06" PRId64 "%s", seq, suffix);
    return sl_path_join(out, dir, name);
}

/* seq of "ckpt.<seq><suffix>", or -1. */
static int64_t seq_of(const char *name, const char **suffix)
{
    char *end;
    if (strncmp(name, "ckpt.", 5) != 0 || name[5] < '0' || name[5] > '9') return -1;
    errno = 0;
    long long seq = strtoll(name + 5, &end, 10);
    *suffix = end;
    return errno || end - name < 11 ? -1 : seq;
}

/* Largest seq of dir below `below`; committed: only of sets that count, else of all. -1: none. */
static int newest(const char *dir, int64_t below, bool committed, int64_t *best)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    *best = -1;
    if (!d && sl_file_missing(errno)) return SL_OK;
    SL_CHECK(d, SL_EIO, "cannot read the directory %s: %s", dir, strerror(errno));
    int code;
    while ((code = sl_dir_next(d, dir, &e)) == SL_OK && e) {
        const char *suffix;
        int64_t seq = seq_of(e->d_name, &suffix);
        if (seq >= 0 && committed && *suffix) seq = -1;
        if (seq < below && seq > *best) *best = seq;
    }
    closedir(d);
    return code;
}

static void remove_set(const char *dir, int64_t seq, const char *suffix)
{
    char from[SL_PATH_MAX], to[SL_PATH_MAX];
    if (set_name(from, dir, seq, suffix) != SL_OK || set_name(to, dir, seq, ".tmp") != SL_OK)
        return;
    /* half a set must never have a name that counts */
    if (*suffix == '\0' && rename(from, to) != 0) return;
    if (sl_remove_dir(to) != SL_OK) sl_log(SL_LOG_WARN, "%s", sl_error_text());
}

static void remove_unfinished(const char *dir)
{
    DIR *d = opendir(dir);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        const char *suffix;
        int64_t seq = seq_of(e->d_name, &suffix);
        if (seq >= 0 && strcmp(suffix, ".tmp") == 0) remove_set(dir, seq, ".tmp");
    }
    closedir(d);
}

static void keep_newest(const char *dir, int keep)
{
    int64_t seq = INT64_MAX;
    for (int i = 0; i < keep && seq >= 0; i++)
        if (newest(dir, seq, true, &seq) != SL_OK) return;
    while (seq >= 0 && newest(dir, seq, true, &seq) == SL_OK && seq >= 0)
        remove_set(dir, seq, "");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The ranks of a node share a file. */
struct sl_checkpoint_nodes {
    MPI_Comm comm;       /* owned; of this node */
    int rank;            /* there */
    int64_t file, nfile; /* this node's, all nodes' */
};

/* collective. */
static void nodes_make(const struct sl_mesh *mesh, struct sl_checkpoint_nodes *n)
{
    MPI_Comm leaders;
    int64_t number[2] = {0, 0};
    MPI_Comm_split_type(mesh->comm, MPI_COMM_TYPE_SHARED, mesh->rank, MPI_INFO_NULL, &n->comm);
    MPI_Comm_rank(n->comm, &n->rank);
    MPI_Comm_split(mesh->comm, n->rank == 0 ? 0 : MPI_UNDEFINED, mesh->rank, &leaders);
    if (leaders != MPI_COMM_NULL) {
        int rank, size;
        MPI_Comm_rank(leaders, &rank);
        MPI_Comm_size(leaders, &size);
        number[0] = rank, number[1] = size;
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(number, 2, MPI_INT64_T, 0, n->comm);
    n->file = number[0], n->nfile = number[1];
}

void sl_checkpoint_nodes_free(struct sl_checkpoint_nodes *nodes)
{
    if (!nodes) return;
    MPI_Comm_free(&nodes->comm);
    free(nodes);
}

/* How the ranks of a node divide their file. */
struct layout {
    const struct sl_checkpoint_nodes *nodes; /* borrowed */
    int64_t first, nblock; /* this rank's first block in the file, blocks of the file */
    int64_t begin, end;    /* first and last of these along the curve, 0 and -1: none */
    size_t block_bytes;
    int64_t part_bytes, part_first,
        part_all; /* of parts: this rank's, where they begin, of the file */
};

static size_t block_bytes(const struct sl_state *state)
{
    return sl_field_values(state) * sizeof(sl_real);
}

/* entry: of the nleaf blocks of this rank. */
static void layout_make(const struct sl_state *state, int nleaf, const struct sl_index_entry *entry,
                        struct layout *l)
{
    MPI_Comm node = l->nodes->comm;
    int64_t mine = nleaf;
    l->first = 0;
    MPI_Exscan(&mine, &l->first, 1, MPI_INT64_T, MPI_SUM, node);
    if (l->nodes->rank == 0) l->first = 0;
    MPI_Allreduce(&mine, &l->nblock, 1, MPI_INT64_T, MPI_SUM, node);
    int64_t begin = nleaf ? entry[0].gid : INT64_MAX, end = nleaf ? entry[nleaf - 1].gid : -1;
    MPI_Allreduce(&begin, &l->begin, 1, MPI_INT64_T, MPI_MIN, node);
    MPI_Allreduce(&end, &l->end, 1, MPI_INT64_T, MPI_MAX, node);
    if (l->end < 0) l->begin = 0;
    l->block_bytes = block_bytes(state);
    l->part_bytes = l->part_first = l->part_all = 0;
    if (state->component.npart == 0) return;
    l->part_bytes = sl_part_bytes(state);
    MPI_Exscan(&l->part_bytes, &l->part_first, 1, MPI_INT64_T, MPI_SUM, node);
    if (l->nodes->rank == 0) l->part_first = 0;
    MPI_Allreduce(&l->part_bytes, &l->part_all, 1, MPI_INT64_T, MPI_SUM, node);
}

/* The checksum of a block also covers where it belongs: a block of another generation or place is
 * as wrong as a damaged one. */
static uint32_t block_crc(int64_t seq, int64_t step, int64_t gid, const void *data, size_t n)
{
    const int64_t head[3] = {seq, step, gid};
    return sl_crc32c(sl_crc32c(0, head, sizeof head), data, n);
}

static int check_finite(const struct sl_state *state, int64_t gid, const sl_real *packed)
{
    size_t cells = sl_field_cells(state->mesh), n = sl_field_values(state);
    const sl_real *energy =
        packed + cells * (size_t)(state->layout.energy < 0 ? 0 : state->layout.energy);
    for (size_t i = 0; i < n; i++)
        SL_CHECK(isfinite(packed[i]), SL_EDIVERGED,
                 "block %" PRId64 " holds a value that is not finite", gid);
    for (size_t i = 0; i < cells && n > 0; i++)
        SL_CHECK(packed[i] > 0 && energy[i] > 0, SL_EDIVERGED,
                 "block %" PRId64 " has a density of %g and an energy of %g", gid,
                 (double)packed[i], (double)energy[i]);
    return SL_OK;
}

static int check_state(const struct sl_state *state)
{
    sl_real *packed = NULL;
    SL_TRY(sl_alloc("block", 1, block_bytes(state), &packed));
    int code = SL_OK;
    for (const struct sl_state *s = state; s && code == SL_OK; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf && code == SL_OK; b++) {
            sl_field_get(s, b, packed);
            code = check_finite(s, s->mesh->blocks[b].gid, packed);
        }
    free(packed);
    return code;
}

static int make_file(const char *path, uint64_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", path, strerror(errno));
    int code = sl_reserve(fd, size, path);
    if (close(fd) != 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot create %s: %s", path, strerror(errno));
    return code;
}

/* The file of parts of a node and its index. */
static int make_part_files(const struct layout *l, const char *set)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_part_name(path, set, l->nodes->file));
    SL_TRY(make_file(path, (uint64_t)l->part_all));
    SL_TRY(sl_part_index_name(path, set, l->nodes->file));
    return make_file(path, (uint64_t)(l->nblock * sl_part_entry_bytes()));
}

/* The data file of a node and its index. */
static int make_files(const struct layout *l, const char *data, const char *index)
{
    SL_TRY(make_file(data, (uint64_t)l->nblock * l->block_bytes));
    return make_file(index, (uint64_t)l->nblock * sizeof(struct sl_index_entry));
}

/* What this rank writes: its leaves along the curve. */
struct share {
    int nleaf;
    struct sl_state_leaf *leaf;   /* owned */
    struct sl_index_entry *entry; /* owned */
};

static int share_make(const struct sl_state *state, struct share *s)
{
    s->nleaf = sl_leaves_count(state);
    SL_TRY(sl_leaves_list(state, &s->leaf));
    SL_TRY(sl_alloc("entries of blocks", (size_t)s->nleaf, sizeof *s->entry, &s->entry));
    for (int i = 0; i < s->nleaf; i++) {
        const struct sl_block *b = &s->leaf[i].level->mesh->blocks[s->leaf[i].block];
        s->entry[i] =
            (struct sl_index_entry){.gid = b->gid,
                                    .at = {(int32_t)b->at[0], (int32_t)b->at[1], (int32_t)b->at[2]},
                                    .level = (int8_t)b->level,
                                    .unflagged = state->unflagged ? state->unflagged[i] : 0};
    }
    return SL_OK;
}

static void share_release(struct share *s)
{
    free(s->leaf);
    free(s->entry);
}

/* Fills in the checksums of the entries. */
static int write_blocks(const struct share *s, const struct layout *l, int fd, const char *path,
                        const struct sl_manifest *m)
{
    sl_real *packed = NULL;
    SL_TRY(sl_alloc("block", 1, l->block_bytes, &packed));
    int code = SL_OK;
    for (int i = 0; i < s->nleaf && code == SL_OK; i++) {
        struct sl_index_entry *e = &s->entry[i];
        sl_field_get(s->leaf[i].level, s->leaf[i].block, packed);
        e->data = block_crc(m->seq, m->step, e->gid, packed, l->block_bytes);
        sl_index_seal(e, m->seq, m->step);
        code = sl_pwrite_all(fd, packed, l->block_bytes, (l->first + i) * (int64_t)l->block_bytes,
                             path);
    }
    free(packed);
    return code;
}

static int write_entries(const struct share *s, const struct layout *l, int fd, const char *path)
{
    const size_t size = sizeof *s->entry;
    return sl_pwrite_all(fd, s->entry, (size_t)s->nleaf * size, l->first * (int64_t)size, path);
}

static int write_share(const struct share *s, const struct layout *l, const char *data,
                       const char *index, const struct sl_manifest *m)
{
    int fd = open(data, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", data, strerror(errno));
    int code = write_blocks(s, l, fd, data, m), closed = sl_close_synced(fd, data);
    if (code == SL_OK) code = closed;
    SL_TRY(code);
    fd = open(index, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", index, strerror(errno));
    code = write_entries(s, l, fd, index), closed = sl_close_synced(fd, index);
    return code != SL_OK ? code : closed;
}

/* collective. Rank 0 gets what all files are. */
static int gather_files(const struct sl_mesh *mesh, const struct layout *l,
                        struct sl_manifest_file *all)
{
    enum { NUMBERS = sizeof *all / sizeof(int64_t) };
    struct sl_manifest_file *mine = NULL;
    int code = sl_alloc("sizes of files", (size_t)l->nodes->nfile, sizeof *mine, &mine);
    code = sl_agree(mesh->comm, code);
    if (code == SL_OK) {
        if (l->nodes->rank == 0)
            mine[l->nodes->file] = (struct sl_manifest_file){
                l->nblock * (int64_t)l->block_bytes, l->nblock, l->begin, l->end, l->part_all};
        MPI_Reduce(mine, all, (int)l->nodes->nfile * NUMBERS, MPI_INT64_T, MPI_SUM, 0, mesh->comm);
    }
    free(mine);
    return code;
}

static size_t component_size(const struct sl_state *state)
{
    const struct sl_component *c = &state->component;
    return c->of ? c->size(c->of) : 0;
}

static void describe(const struct sl_state *state, struct sl_manifest *m)
{
    const struct sl_mesh_spec *spec = &state->mesh->spec;
    const struct sl_layout *l = &state->layout;
    snprintf(m->recipe, sizeof m->recipe, "%.120s", state->cfg->run_recipe_hash);
    snprintf(m->code, sizeof m->code, "%s", SL_BUILD_COMMIT);
    m->step = state->step, m->ranks = state->mesh->size;
    m->time = state->time, m->dt = state->dt, m->time_unit = state->time_unit;
    m->repaired = state->cells_repaired, m->floored = state->cells_floored;
    m->floored_last = state->floored_last, m->since_regrid = state->since_regrid;
    m->next_snapshot = state->next_snapshot, m->next_history = state->next_history;
    m->regrid_due = state->regrid_due, m->outputs_due = state->outputs_due;
    m->real_bytes = sizeof(sl_real);
    m->nvar = l->nvar, m->energy = l->energy, m->entropy = l->entropy;
    m->scalar0 = l->scalar0, m->nscalar = l->nscalar;
    m->dim = spec->dim;
    for (int a = 0; a < 3; a++) {
        bool real = a < spec->dim;
        m->cells[a] = real ? spec->cells[a] : 1;
        m->block_cells[a] = real ? spec->block[a] : 1;
        m->lo[a] = real ? spec->lo[a] : 0;
        m->hi[a] = real ? spec->hi[a] : 1;
    }
    m->nsource = component_size(state);
    m->npart = state->component.npart;
    for (int64_t i = 0; i < m->npart; i++)
        snprintf(m->part[i], sizeof m->part[i], "%s", state->component.part[i].name);
    m->nblock = sl_leaves_global(state);
    for (const struct sl_state *s = has_levels(state) ? state : NULL; s; s = s->finer)
        m->allowed[m->nlevel++] = isfinite(s->allowed) ? s->allowed : 0;
}

static int write_manifest(const struct sl_manifest *m, const char *set)
{
    char path[SL_PATH_MAX], *text;
    size_t n;
    SL_TRY(sl_path_join(path, set, "MANIFEST"));
    SL_TRY(sl_manifest_print(m, SL_MANIFEST_MOST, &text, &n));
    int code = sl_file_replace(path, text, n, SL_DURABLE);
    free(text);
    return code;
}

static int begin(const struct sl_state *state, const char *dir, uint64_t parts, int64_t *seq,
                 char *set)
{
    uint64_t need =
        (uint64_t)sl_leaves_global(state) * (block_bytes(state) + sizeof(struct sl_index_entry)) +
        parts + 65536;
    SL_TRY(sl_mkdir_all(dir));
    remove_unfinished(dir);
    SL_TRY(sl_check_room(dir, need));
    SL_TRY(newest(dir, INT64_MAX, false, seq));
    ++*seq;
    SL_TRY(set_name(set, dir, *seq, ".tmp"));
    SL_CHECK(mkdir(set, 0777) == 0, SL_EIO, "cannot make directory %s: %s", set, strerror(errno));
    return SL_OK;
}

static int commit(const char *dir, int64_t seq, const char *set)
{
    char name[SL_PATH_MAX];
    SL_TRY(set_name(name, dir, seq, ""));
    SL_TRY(sl_sync_dir(set));
    SL_CHECK(rename(set, name) == 0, SL_EIO, "cannot rename %s: %s", set, strerror(errno));
    return sl_sync_dir(dir);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of a run that measures for a part of its time alone there are no whole statistics. */
static int check_in_run(const struct sl_state *state, const struct sl_manifest *m, const char *set)
{
    static const char *const word[] = {"false", "true"};
    bool was = strstr(m->keys, "statistics.in_run: true\n"), is = state->cfg->statistics_in_run;
    SL_CHECK(was == is, SL_EGUARD,
             "%s was written with statistics.in_run: %s, this run has %s, which may not change: "
             "a part of its times would be missing from its statistics; nearest: %s, or another "
             "directory",
             set, word[was], word[is], word[was]);
    return SL_OK;
}

/* Refuses when the recipe's keys were others; names the first that differs. */
static int check_keys(const struct sl_state *state, const struct sl_manifest *m, const char *set)
{
    char *text;
    SL_TRY(check_in_run(state, m, set));
    SL_TRY(sl_config_print_fixed(state->cfg, &text));
    const char *have = m->keys, *want = text;
    while (*have && *want && strcspn(have, "\n") == strcspn(want, "\n") &&
           strncmp(have, want, strcspn(have, "\n")) == 0) {
        have += strcspn(have, "\n") + 1;
        want += strcspn(want, "\n") + 1;
    }
    int code = SL_OK;
    if (*have || *want)
        code = SL_FAIL(SL_EGUARD,
                       "%s was written with '%.*s', this run has '%.*s', which may not change: "
                       "go on with the former, use another directory, or remove the checkpoints",
                       set, (int)strcspn(have, "\n"), have, (int)strcspn(want, "\n"), want);
    free(text);
    return code;
}

/* Whether a set can be read into this state at all. */
static int check_match(const struct sl_state *state, const struct sl_manifest *m, const char *set)
{
    struct sl_manifest want = {0};
    describe(state, &want);
    bool grid = want.dim == m->dim && (want.nblock == m->nblock || has_levels(state));
    for (int a = 0; a < 3; a++)
        grid = grid && want.cells[a] == m->cells[a] && want.block_cells[a] == m->block_cells[a] &&
               want.lo[a] == m->lo[a] && want.hi[a] == m->hi[a];
    SL_CHECK(grid, SL_EGUARD, "%s is of another grid, block size or box than this run", set);
    SL_CHECK(want.nvar == m->nvar && want.energy == m->energy && want.entropy == m->entropy &&
                 want.scalar0 == m->scalar0 && want.nscalar == m->nscalar,
             SL_EGUARD, "%s holds other variables than this run", set);
    SL_CHECK(want.real_bytes == m->real_bytes, SL_EGUARD,
             "%s was written with numbers of %" PRId64 " bytes, this program uses %" PRId64, set,
             m->real_bytes, want.real_bytes);
    SL_TRY(check_keys(state, m, set));
    SL_CHECK(want.npart == m->npart && memcmp(want.part, m->part, sizeof m->part) == 0, SL_EGUARD,
             "%s holds other parts of blocks than this run, as earlier versions wrote of gravity "
             "on levels; "
             "nearest: go on with the version that wrote it, or remove the checkpoints",
             set);
    SL_CHECK(want.nsource == m->nsource, SL_EINPUT, "%s holds a state of other source terms", set);
    return SL_OK;
}

static int check_size(const char *path, int64_t size)
{
    struct stat st;
    SL_CHECK(lstat(path, &st) == 0 && S_ISREG(st.st_mode), SL_EINPUT, "%s is missing", path);
    SL_CHECK(st.st_size == size, SL_EINPUT, "%s has %jd bytes instead of %" PRId64, path,
             (intmax_t)st.st_size, size);
    return SL_OK;
}

static int check_sizes(const struct sl_state *state, const struct sl_manifest *m, const char *set)
{
    char path[SL_PATH_MAX];
    for (int64_t f = 0; f < m->nfile; f++) {
        const struct sl_manifest_file *file = &m->file[f];
        SL_TRY(sl_index_data_name(path, set, f));
        SL_CHECK((uint64_t)file->size == (uint64_t)file->nblock * block_bytes(state), SL_EINPUT,
                 "%s cannot have %" PRId64 " blocks", path, file->nblock);
        SL_TRY(check_size(path, file->size));
        SL_TRY(sl_index_name(path, set, f));
        SL_TRY(check_size(path, file->nblock * (int64_t)sizeof(struct sl_index_entry)));
        if (m->npart == 0) continue;
        SL_TRY(sl_part_name(path, set, f));
        SL_TRY(check_size(path, file->parts));
        SL_TRY(sl_part_index_name(path, set, f));
        SL_TRY(check_size(path, file->nblock * sl_part_entry_bytes()));
    }
    return SL_OK;
}

/* What reading the blocks of this rank needs. */
struct load {
    const struct sl_state *state;
    struct sl_state *into; /* gets the blocks; NULL: they are only verified */
    const struct sl_manifest *m;
    const char *set;
    sl_real *packed; /* owned */
    int nleaf;
    struct sl_state_leaf *leaf;   /* owned; of this rank along the curve */
    struct sl_index_block *block; /* owned; where they lie */
    int fd;
    int64_t file; /* the one that fd is, or -1 */
};

static int load_open(struct load *l, int64_t file, char *path)
{
    SL_TRY(sl_index_data_name(path, l->set, file));
    if (l->file == file) return SL_OK;
    if (l->file >= 0) close(l->fd);
    l->file = -1;
    SL_TRY(sl_index_open(path, &l->fd));
    l->file = file;
    return SL_OK;
}

/* The level of the run that is to get a leaf. */
static struct sl_state *level_of(struct sl_state *into, const struct sl_state *level)
{
    while (into && into != level)
        into = into->finer;
    return into;
}

static int load_block(struct load *l, int i)
{
    char path[SL_PATH_MAX];
    const struct sl_state_leaf *leaf = &l->leaf[i];
    const struct sl_block *b = &leaf->level->mesh->blocks[leaf->block];
    const struct sl_index_block *from = &l->block[i];
    const struct sl_index_entry *e = &from->entry;
    size_t n = block_bytes(l->state);
    SL_CHECK(e->level == b->level && e->at[0] == b->at[0] && e->at[1] == b->at[1] &&
                 e->at[2] == b->at[2],
             SL_EINPUT, "%s: block %" PRId64 " is not where it should be", l->set, b->gid);
    SL_TRY(load_open(l, from->file, path));
    int code = sl_pread_all(l->fd, l->packed, n, from->place * (int64_t)n, path);
    if (code != SL_OK) return SL_EINPUT; /* a disk that cannot give it back has lost it */
    SL_CHECK(block_crc(l->m->seq, l->m->step, b->gid, l->packed, n) == e->data, SL_EINPUT,
             "%s: the checksum of block %" PRId64 " is wrong", path, b->gid);
    const struct sl_part_file parts = {l->set, from->file, l->m->seq, l->m->step};
    if (l->m->npart)
        SL_TRY(sl_part_read(&parts, from->place, b->gid, l->into ? &l->into->component : NULL,
                            b->level, leaf->block));
    if (!l->into) return SL_OK;
    sl_field_put(level_of(l->into, leaf->level), leaf->block, l->packed);
    if (l->into->unflagged) l->into->unflagged[i] = e->unflagged;
    return SL_OK;
}

static int load_lists(struct load *l)
{
    l->nleaf = sl_leaves_count(l->state);
    SL_TRY(sl_alloc("block", 1, block_bytes(l->state), &l->packed));
    SL_TRY(sl_leaves_list(l->state, &l->leaf));
    SL_TRY(sl_alloc("places of blocks", (size_t)l->nleaf, sizeof *l->block, &l->block));
    if (l->nleaf == 0) return SL_OK;
    int64_t first = l->leaf[0].level->mesh->blocks[l->leaf[0].block].gid;
    return sl_index_read(l->set, l->m, first, l->nleaf, l->block);
}

static int load_blocks(const struct sl_state *state, struct sl_state *into,
                       const struct sl_manifest *m, const char *set)
{
    struct load l = {.state = state, .into = into, .m = m, .set = set, .fd = -1, .file = -1};
    int code = load_lists(&l), stride = into || l.nleaf <= SAMPLE ? 1 : SAMPLE;
    for (int i = 0; i < l.nleaf && code == SL_OK; i += stride)
        code = load_block(&l, i);
    if (l.file >= 0) close(l.fd);
    free(l.block);
    free(l.leaf);
    free(l.packed);
    return code;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* A share of the blocks of a set, as even as can be for each rank. */
static int64_t share_of(int64_t n, int rank, int size)
{
    return n / size * rank + (n % size < rank ? n % size : rank);
}

static int read_leaves(const char *set, const struct sl_manifest *m, int64_t first, int64_t n,
                       struct sl_hierarchy_leaf *out)
{
    struct sl_index_block *block = NULL;
    SL_TRY(sl_alloc("places of blocks", (size_t)n, sizeof *block, &block));
    int code = sl_index_read(set, m, first, n, block);
    for (int64_t i = 0; i < n && code == SL_OK; i++) {
        const struct sl_index_entry *e = &block[i].entry;
        out[i] = (struct sl_hierarchy_leaf){{e->at[0], e->at[1], e->at[2]}, e->level};
    }
    free(block);
    return code;
}

/* collective. Every rank gets the leaves of all: each reads a share of them. */
static int gather_leaves(const struct sl_mesh *mesh, const struct sl_manifest *m, const char *set,
                         struct sl_hierarchy_leaf **out)
{
    struct sl_hierarchy_leaf *all = NULL;
    int *count = NULL, size = mesh->size;
    int64_t first = share_of(m->nblock, mesh->rank, size);
    int code = sl_alloc("leaves", (size_t)m->nblock, sizeof *all, &all);
    if (code == SL_OK) code = sl_alloc("counts", (size_t)size * 2, sizeof *count, &count);
    if (code == SL_OK)
        code = read_leaves(set, m, first, share_of(m->nblock, mesh->rank + 1, size) - first,
                           all + first);
    code = sl_agree(mesh->comm, code);
    if (code == SL_OK) {
        MPI_Datatype leaf;
        MPI_Type_contiguous(sizeof *all, MPI_BYTE, &leaf);
        MPI_Type_commit(&leaf);
        for (int r = 0; r < size; r++) {
            count[size + r] = (int)share_of(m->nblock, r, size);
            count[r] = (int)share_of(m->nblock, r + 1, size) - count[size + r];
        }
        MPI_Allgatherv(MPI_IN_PLACE, 0, leaf, all, count, count + size, leaf, mesh->comm);
        MPI_Type_free(&leaf);
        *out = all, all = NULL;
    }
    free(count);
    free(all);
    return code;
}

/* Parts of blocks become empty, on the levels that are to be read. */
static int parts_open(const struct sl_state *state)
{
    const struct sl_component *c = &state->component;
    for (int i = 0; i < c->npart; i++)
        if (c->part[i].open) SL_TRY(c->part[i].open(c->part[i].of, state->hierarchy));
    return SL_OK;
}

/* collective. The levels of the run become those of the set. */
static int make_levels(struct sl_state *state, const struct sl_checkpoint_reader *reader,
                       const struct sl_manifest *m, const char *set)
{
    struct sl_hierarchy_leaf *leaf = NULL;
    struct sl_hierarchy *h = NULL;
    double weight[SL_LEVELS];
    MPI_Comm comm = state->mesh->comm;
    for (int l = 0; l < SL_LEVELS; l++)
        weight[l] = ldexp(1, l);
    SL_TRY(gather_leaves(state->mesh, m, set, &leaf));
    int code = sl_hierarchy_of(comm, &state->hierarchy->spec, m->nblock, leaf, weight, &h);
    free(leaf);
    SL_TRY(code);
    SL_TRY(reader->levels(reader->run, h));
    SL_CHECK(sl_levels_count(state) == m->nlevel, SL_EINPUT, "%s has not the levels of its blocks",
             set);
    free(state->unflagged);
    state->unflagged = NULL;
    code = sl_alloc("counts of regrids", (size_t)sl_leaves_count(state), 1, &state->unflagged);
    return sl_agree(comm, code == SL_OK ? parts_open(state) : code);
}

/* ---- the manifest ---------------------------------------------------------------------------- */

/* collective. Every rank gets rank 0's text, elsewhere made with malloc, or its failure. */
static int share_text(MPI_Comm comm, int code, char **text, size_t *n)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    SL_TRY(sl_agree(comm, code));
    unsigned long long size = *n;
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    char *p = rank == 0 ? *text : malloc(size + 1);
    code = sl_agree(comm, p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a manifest"));
    if (code == SL_OK) {
        MPI_Bcast(p, (int)size, MPI_BYTE, 0, comm); /* SL_MANIFEST_MOST fits an int */
        p[size] = '\0';
        *text = p, *n = size;
        return SL_OK;
    }
    free(p);
    return code;
}

/* collective. Every rank gets the manifest of a set, checked against itself, its place and the
 * state.
 */
static int read_manifest(const struct sl_state *state, const char *set, int64_t seq,
                         struct sl_manifest *m)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t n = 0;
    int code = SL_OK, rank = state->mesh->rank;
    if (rank == 0) {
        code = sl_path_join(path, set, "MANIFEST");
        if (code == SL_OK) code = sl_file_read(path, SL_MANIFEST_MOST, &text, &n);
        if (code == SL_EIO && access(path, F_OK) != 0) code = SL_EINPUT; /* it is not there */
    }
    SL_TRY(share_text(state->mesh->comm, code, &text, &n));
    code = sl_manifest_parse(text, n, m);
    free(text);
    if (code == SL_EGUARD)
        code = SL_FAIL(SL_EGUARD,
                       "%s was written by another version of sluice, in another format: go on with "
                       "that version, use another directory, or remove the checkpoints",
                       set);
    if (code == SL_OK && m->seq != seq)
        code = SL_FAIL(SL_EINPUT, "%s holds the manifest of checkpoint %" PRId64, set, m->seq);
    if (code == SL_OK) code = check_match(state, m, set);
    if (code == SL_OK && rank == 0) code = check_sizes(state, m, set);
    code = sl_agree(state->mesh->comm, code);
    if (code != SL_OK) sl_manifest_free(m);
    return code;
}

/* collective. Whether the files that the run had written before the checkpoint are as they were:
 * each rank reads its share of them. */
static int check_sealed(const struct sl_state *state, const struct sl_manifest *m)
{
    const struct sl_mesh *mesh = state->mesh;
    int code = SL_OK;
    if (!state->sealed) return SL_OK;
    for (size_t i = (size_t)mesh->rank; i < m->sealed.n && code == SL_OK; i += (size_t)mesh->size)
        code = sl_sealed_check(&m->sealed.file[i]);
    return sl_agree(mesh->comm, code);
}

static void adopt(struct sl_state *state, const struct sl_manifest *m)
{
    state->step = m->step, state->time = m->time, state->dt = m->dt;
    state->cells_repaired = m->repaired, state->cells_floored = m->floored;
    state->floored_last = m->floored_last, state->since_regrid = m->since_regrid;
    state->next_snapshot = m->next_snapshot, state->next_history = m->next_history;
    state->regrid_due = m->regrid_due, state->outputs_due = m->outputs_due;
    state->time_unit = m->time_unit;
    for (struct sl_state *s = state; s; s = s->finer) {
        s->time = m->time;
        s->step = m->step;
        s->allowed = m->allowed[s->mesh->level];
        if (!(s->allowed > 0)) s->allowed = HUGE_VAL;
    }
    sl_state_set_end(state);
    if (state->component.of) state->component.load(state->component.of, m->source);
}

/* collective. Into a state of the same shape, all of it; into NULL: only a sample is verified. */
static int read_set(const struct sl_state *state, struct sl_state *into,
                    const struct sl_checkpoint_reader *reader, const char *dir, int64_t seq)
{
    char set[SL_PATH_MAX];
    struct sl_manifest m = {0};
    SL_TRY(sl_agree(state->mesh->comm, set_name(set, dir, seq, "")));
    SL_TRY(read_manifest(state, set, seq, &m));
    int code = into && has_levels(into) ? make_levels(into, reader, &m, set) : SL_OK;
    if (code == SL_OK) code = sl_agree(state->mesh->comm, load_blocks(state, into, &m, set));
    if (code == SL_OK && into) code = check_sealed(state, &m);
    if (code == SL_OK && into && state->sealed)
        code = sl_agree(state->mesh->comm, sl_sealed_copy(state->sealed, &m.sealed));
    if (code == SL_OK && into) adopt(into, &m);
    sl_manifest_free(&m);
    return code;
}

static void set_aside(const char *dir, int64_t seq)
{
    char from[SL_PATH_MAX], to[SL_PATH_MAX];
    sl_log(SL_LOG_WARN, "checkpoint %" PRId64 " is damaged and not used: %s", seq, sl_error_text());
    if (set_name(from, dir, seq, "") != SL_OK || set_name(to, dir, seq, ".bad") != SL_OK) return;
    if (rename(from, to) != 0)
        sl_log(SL_LOG_WARN, "cannot rename %s to %s: %s", from, to, strerror(errno));
}

int sl_checkpoint_read(struct sl_state *state, const struct sl_checkpoint_reader *reader,
                       const char *dir, int64_t *seq)
{
    MPI_Comm comm = state->mesh->comm;
    for (int64_t next = INT64_MAX;;) {
        int code = state->mesh->rank == 0 ? newest(dir, next, true, &next) : SL_OK;
        SL_TRY(sl_agree(comm, code));
        MPI_Bcast(&next, 1, MPI_INT64_T, 0, comm);
        *seq = next;
        if (next < 0) return SL_OK;
        code = read_set(state, state, reader, dir, next);
        if (code != SL_EINPUT) return code;
        if (state->mesh->rank == 0) set_aside(dir, next);
    }
}

/* After a write: older sets go only when the new one is good; the text of a failure stays. */
static void tidy(const char *dir, int keep, int64_t seq, int code, bool committed)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", sl_error_text());
    if (code == SL_OK)
        keep_newest(dir, keep);
    else if (committed)
        set_aside(dir, seq);
    else
        remove_unfinished(dir);
    sl_error_set(why);
}

/* ---- the pieces of a write (output.h) -------------------------------------------------------- */

struct job {
    struct sl_state *frozen; /* owned; the levels of the run as they were */
    char dir[SL_PATH_MAX], set[SL_PATH_MAX], data[SL_PATH_MAX], index[SL_PATH_MAX];
    int keep;
    int64_t *seq; /* borrowed: where its number goes, or NULL */
    struct sl_manifest m;
    struct layout l;
    struct share share;
};

static void job_free(struct job *job)
{
    if (!job) return;
    sl_manifest_free(&job->m);
    share_release(&job->share);
    free(job->frozen);
    free(job);
}

static int look(void *data)
{
    struct job *job = data;
    return check_state(job->frozen);
}

/* Names of this rank's files, and memory for what the set is described with. */
static int prepare(struct job *job)
{
    struct sl_manifest *m = &job->m;
    SL_TRY(sl_index_data_name(job->data, job->set, job->l.nodes->file));
    SL_TRY(sl_index_name(job->index, job->set, job->l.nodes->file));
    if (job->frozen->mesh->rank != 0) return SL_OK;
    SL_TRY(sl_alloc("sizes of files", (size_t)m->nfile, sizeof *m->file, &m->file));
    return sl_config_print_fixed(job->frozen->cfg, &m->keys);
}

static int open_set(void *data)
{
    struct job *job = data;
    MPI_Comm comm = job->frozen->mesh->comm;
    int rank = job->frozen->mesh->rank;
    uint64_t parts = 0;
    if (job->frozen->component.npart > 0) {
        parts = (uint64_t)sl_part_bytes(job->frozen);
        MPI_Allreduce(MPI_IN_PLACE, &parts, 1, MPI_UINT64_T, MPI_SUM, comm);
    }
    SL_TRY(sl_agree(comm, rank == 0 ? begin(job->frozen, job->dir, parts, &job->m.seq, job->set)
                                    : SL_OK));
    MPI_Bcast(&job->m.seq, 1, MPI_INT64_T, 0, comm);
    MPI_Bcast(job->set, sizeof job->set, MPI_CHAR, 0, comm);
    layout_make(job->frozen, job->share.nleaf, job->share.entry, &job->l);
    job->m.nfile = job->l.nodes->nfile;
    int code = prepare(job);
    if (code == SL_OK && job->l.nodes->rank == 0) code = make_files(&job->l, job->data, job->index);
    if (code == SL_OK && job->l.nodes->rank == 0 && job->m.npart)
        code = make_part_files(&job->l, job->set);
    return sl_agree(comm, code);
}

static int put(void *data)
{
    struct job *job = data;
    const struct layout *l = &job->l;
    const struct sl_part_file parts = {job->set, l->nodes->file, job->m.seq, job->m.step};
    SL_TRY(write_share(&job->share, l, job->data, job->index, &job->m));
    if (job->m.npart == 0) return SL_OK;
    return sl_part_write(&parts, job->frozen, job->share.nleaf, job->share.leaf, l->first,
                         l->part_first);
}

/* collective. The manifest; then the set appears under its name and is read again. */
static int finish(struct job *job, bool *committed)
{
    const struct sl_mesh *mesh = job->frozen->mesh;
    SL_TRY(gather_files(mesh, &job->l, job->m.file));
    int code = SL_OK;
    if (mesh->rank == 0) {
        code = write_manifest(&job->m, job->set);
        if (code == SL_OK) code = commit(job->dir, job->m.seq, job->set);
    }
    code = sl_agree(mesh->comm, code);
    *committed = code == SL_OK;
    return *committed ? read_set(job->frozen, NULL, NULL, job->dir, job->m.seq) : code;
}

static int close_set(void *data, int code)
{
    struct job *job = data;
    bool committed = false;
    if (code == SL_OK) code = finish(job, &committed);
    if (job->frozen->mesh->rank == 0 && *job->set)
        tidy(job->dir, job->keep, job->m.seq, code, committed);
    if (code == SL_OK && job->seq) *job->seq = job->m.seq;
    job_free(job);
    return code == SL_EINPUT ? SL_EIO : code; /* it was good when it left us */
}

static int keep_parts(const struct sl_component *c)
{
    for (int i = 0; i < c->npart; i++)
        if (c->part[i].keep) SL_TRY(c->part[i].keep(c->part[i].of));
    return SL_OK;
}

/* Copies what later steps would change, so that the checkpoint can be written beside them. */
static int copy_state(struct job *job, const struct sl_state *state)
{
    SL_TRY(sl_state_copy(state, &job->frozen));
    SL_TRY(share_make(job->frozen, &job->share));
    SL_TRY(keep_parts(&state->component));
    describe(state, &job->m);
    SL_TRY(sl_alloc("the state of the sources", job->m.nsource, sizeof *job->m.source,
                    &job->m.source));
    if (state->component.of) state->component.save(state->component.of, job->m.source);
    return state->sealed ? sl_sealed_copy(&job->m.sealed, state->sealed) : SL_OK;
}

static int begin_write(const struct sl_state *state, const char *dir, int keep, bool beside,
                       int64_t *seq, struct sl_checkpoint_nodes **nodes, struct sl_output **out)
{
    static const struct sl_output_kind kind = {look, open_set, put, close_set};
    MPI_Comm comm = state->mesh->comm;
    struct sl_checkpoint_nodes *made = NULL;
    struct job *job = NULL;
    int code = sl_alloc("a checkpoint", 1, sizeof *job, &job);
    if (code == SL_OK && !*nodes) code = sl_alloc("nodes", 1, sizeof *made, &made);
    if (code == SL_OK) code = sl_path_join(job->dir, "", dir);
    if (code == SL_OK) code = copy_state(job, state);
    code = sl_agree(comm, code);
    if (code != SL_OK) {
        free(made);
        job_free(job);
        return code;
    }
    if (made) nodes_make(state->mesh, *nodes = made);
    job->l.nodes = *nodes;
    job->keep = keep;
    job->seq = seq;
    return sl_output_begin(comm, &kind, job, beside, out);
}

int sl_checkpoint_begin(const struct sl_state *state, const char *dir, int keep, bool beside,
                        struct sl_checkpoint_nodes **nodes, struct sl_output **out)
{
    return begin_write(state, dir, keep, beside, NULL, nodes, out);
}

int sl_checkpoint_write(const struct sl_state *state, const char *dir, int keep, int64_t *seq)
{
    struct sl_checkpoint_nodes *nodes = NULL;
    struct sl_output *out;
    int code = begin_write(state, dir, keep, false, seq, &nodes, &out);
    if (code == SL_OK) code = sl_output_end(&out);
    sl_checkpoint_nodes_free(nodes);
    return code;
}
