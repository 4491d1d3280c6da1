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
#include "core/io/field.h"
#include "core/io/manifest.h"
#include "core/source/source.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { MANIFEST_CAP = 1 << 28, SAMPLE = 16 };

/* ---- names ------------------------------------------------------------------------------------
 */

static int set_name(char *out, const char *dir, int64_t seq, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "ckpt.%06" PRId64 "%s", seq, suffix);
    return sl_path_join(out, dir, name);
}

static int data_name(char *out, const char *set, int64_t file)
{
    char name[64];
    snprintf(name, sizeof name, "data.%05" PRId64, file);
    return sl_path_join(out, set, name);
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
static int64_t newest(const char *dir, int64_t below, bool committed)
{
    int64_t best = -1;
    DIR *d = opendir(dir);
    if (!d) return -1;
    for (struct dirent *e; (e = readdir(d));) {
        const char *suffix;
        int64_t seq = seq_of(e->d_name, &suffix);
        if (seq >= 0 && committed && *suffix) seq = -1;
        if (seq < below && seq > best) best = seq;
    }
    closedir(d);
    return best;
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
        seq = newest(dir, seq, true);
    while (seq >= 0 && (seq = newest(dir, seq, true)) >= 0)
        remove_set(dir, seq, "");
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* The ranks of a node share a file: how they divide it. */
struct layout {
    MPI_Comm node;
    int node_rank;
    int64_t file, nfile;   /* this node's, all nodes' */
    int64_t first, nblock; /* this rank's first block in the file, blocks of the file */
    size_t block_bytes;
};

static size_t block_bytes(const struct sl_sim *sim)
{
    return sl_field_values(sim) * sizeof(sl_real);
}

static void layout_make(const struct sl_sim *sim, struct layout *l)
{
    MPI_Comm comm = sim->mesh->comm, leaders;
    int64_t mine = sim->mesh->nblock, number[2] = {0, 0};
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, sim->mesh->rank, MPI_INFO_NULL, &l->node);
    MPI_Comm_rank(l->node, &l->node_rank);
    MPI_Comm_split(comm, l->node_rank == 0 ? 0 : MPI_UNDEFINED, sim->mesh->rank, &leaders);
    if (leaders != MPI_COMM_NULL) {
        int rank, size;
        MPI_Comm_rank(leaders, &rank);
        MPI_Comm_size(leaders, &size);
        number[0] = rank, number[1] = size;
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(number, 2, MPI_INT64_T, 0, l->node);
    l->file = number[0], l->nfile = number[1];
    l->first = 0;
    MPI_Exscan(&mine, &l->first, 1, MPI_INT64_T, MPI_SUM, l->node);
    if (l->node_rank == 0) l->first = 0;
    MPI_Allreduce(&mine, &l->nblock, 1, MPI_INT64_T, MPI_SUM, l->node);
    l->block_bytes = block_bytes(sim);
}

/* The checksum of a block also covers where it belongs: a block of another generation or place is
 * as wrong as a damaged one. */
static uint32_t block_crc(int64_t seq, int64_t step, int64_t gid, const void *data, size_t n)
{
    const int64_t head[3] = {seq, step, gid};
    return sl_crc32c(sl_crc32c(0, head, sizeof head), data, n);
}

static int check_finite(const struct sl_sim *sim, int64_t gid, const sl_real *packed)
{
    size_t cells = sl_field_cells(sim->mesh), n = sl_field_values(sim);
    const sl_real *energy =
        packed + cells * (size_t)(sim->layout.energy < 0 ? 0 : sim->layout.energy);
    for (size_t i = 0; i < n; i++)
        SL_CHECK(isfinite(packed[i]), SL_EDIVERGED,
                 "block %" PRId64 " holds a value that is not finite", gid);
    for (size_t i = 0; i < cells; i++)
        SL_CHECK(packed[i] > 0 && energy[i] > 0, SL_EDIVERGED,
                 "block %" PRId64 " has a density of %g and an energy of %g", gid,
                 (double)packed[i], (double)energy[i]);
    return SL_OK;
}

static int check_state(const struct sl_sim *sim)
{
    sl_real *packed = malloc(block_bytes(sim));
    SL_CHECK(packed, SL_EMEM, "no memory for a block");
    int code = SL_OK;
    for (int b = 0; b < sim->mesh->nblock && code == SL_OK; b++) {
        sl_field_get(sim, b, packed);
        code = check_finite(sim, sim->mesh->blocks[b].gid, packed);
    }
    free(packed);
    return code;
}

static int make_file(const struct layout *l, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", path, strerror(errno));
    int code = sl_reserve(fd, (uint64_t)l->nblock * l->block_bytes, path);
    if (close(fd) != 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot create %s: %s", path, strerror(errno));
    return code;
}

static int write_blocks(const struct sl_sim *sim, const struct layout *l, int fd, const char *path,
                        int64_t seq, struct sl_manifest_block *out)
{
    sl_real *packed = malloc(l->block_bytes);
    SL_CHECK(packed, SL_EMEM, "no memory for a block");
    int code = SL_OK;
    for (int b = 0; b < sim->mesh->nblock && code == SL_OK; b++) {
        int64_t at = (l->first + b) * (int64_t)l->block_bytes;
        sl_field_get(sim, b, packed);
        out[b] = (struct sl_manifest_block){
            l->file, at,
            block_crc(seq, sim->step, sim->mesh->blocks[b].gid, packed, l->block_bytes)};
        code = sl_pwrite_all(fd, packed, l->block_bytes, at, path);
    }
    free(packed);
    return code;
}

static int write_share(const struct sl_sim *sim, const struct layout *l, const char *path,
                       int64_t seq, struct sl_manifest_block *out)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    int code = write_blocks(sim, l, fd, path, seq, out);
    int closed = sl_close_synced(fd, path);
    return code != SL_OK ? code : closed;
}

/* collective. Rank 0 gets the entries of all blocks, in curve order. */
static void gather_blocks(const struct sl_mesh *mesh, const struct sl_manifest_block *mine,
                          struct sl_manifest_block *all)
{
    enum { SIZE = sizeof *mine };
    int *count = calloc((size_t)mesh->size * 2, sizeof *count), *at = count + mesh->size;
    if (!count) SL_BUG("no memory for %d counts", mesh->size);
    MPI_Datatype entry;
    MPI_Type_contiguous(SIZE, MPI_BYTE, &entry);
    MPI_Type_commit(&entry);
    MPI_Gather(&mesh->nblock, 1, MPI_INT, count, 1, MPI_INT, 0, mesh->comm);
    for (int r = 1; r < mesh->size; r++)
        at[r] = at[r - 1] + count[r - 1];
    MPI_Gatherv(mine, mesh->nblock, entry, all, count, at, entry, 0, mesh->comm);
    MPI_Type_free(&entry);
    free(count);
}

static void gather_sizes(const struct sl_mesh *mesh, const struct layout *l, int64_t *size)
{
    int64_t *mine = calloc((size_t)l->nfile, sizeof *mine);
    if (!mine) SL_BUG("no memory for %" PRId64 " sizes", l->nfile);
    if (l->node_rank == 0) mine[l->file] = l->nblock * (int64_t)l->block_bytes;
    MPI_Reduce(mine, size, (int)l->nfile, MPI_INT64_T, MPI_SUM, 0, mesh->comm);
    free(mine);
}

static void describe(const struct sl_sim *sim, struct sl_manifest *m)
{
    const struct sl_mesh_spec *spec = &sim->mesh->spec;
    const struct sl_layout *l = &sim->layout;
    snprintf(m->recipe, sizeof m->recipe, "%.120s", sim->cfg->run_recipe_hash);
    snprintf(m->code, sizeof m->code, "%s", SL_BUILD_COMMIT);
    m->step = sim->step, m->ranks = sim->mesh->size;
    m->time = sim->time, m->dt = sim->dt, m->time_unit = sim->time_unit;
    m->repaired = sim->cells_repaired, m->floored = sim->cells_floored;
    m->floored_last = sim->floored_last;
    m->next_snapshot = sim->next_snapshot, m->next_history = sim->next_history;
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
    m->nsource = sl_sources_size(sim);
    m->nblock = sim->mesh->nblock_global;
}

static int write_manifest(const struct sl_manifest *m, const char *set)
{
    char path[SL_PATH_MAX], *text;
    size_t n;
    SL_TRY(sl_path_join(path, set, "MANIFEST"));
    SL_TRY(sl_manifest_print(m, &text, &n));
    int code = sl_file_replace(path, text, n, SL_DURABLE);
    free(text);
    return code;
}

static int begin(const struct sl_sim *sim, const char *dir, int64_t *seq, char *set)
{
    uint64_t need = (uint64_t)sim->mesh->nblock_global * (block_bytes(sim) + 64) + 65536;
    SL_TRY(sl_mkdir_all(dir));
    remove_unfinished(dir);
    SL_TRY(sl_check_room(dir, need));
    *seq = newest(dir, INT64_MAX, false) + 1;
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

/* ---- reading ----------------------------------------------------------------------------------
 */

/* Refuses when the recipe's keys were others; names the first that differs. */
static int check_keys(const struct sl_sim *sim, const struct sl_manifest *m, const char *set)
{
    char *text;
    SL_TRY(sl_config_print_fixed(sim->cfg, &text));
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
                       "use another directory, or remove the checkpoints",
                       set, (int)strcspn(have, "\n"), have, (int)strcspn(want, "\n"), want);
    free(text);
    return code;
}

/* Whether a set can be read into this sim at all. */
static int check_match(const struct sl_sim *sim, const struct sl_manifest *m, const char *set)
{
    struct sl_manifest want = {0};
    describe(sim, &want);
    bool grid = want.dim == m->dim && want.nblock == m->nblock;
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
    SL_TRY(check_keys(sim, m, set));
    SL_CHECK(want.nsource == m->nsource, SL_EINPUT, "%s holds a state of other source terms", set);
    return SL_OK;
}

/* A file that is not there or no file is damage; what may pass (no memory, no permission) is not.
 */
static int open_data(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd >= 0) return SL_OK;
    bool damage = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENXIO;
    return SL_FAIL(damage ? SL_EINPUT : SL_EIO, "cannot open %s: %s", path, strerror(errno));
}

static int check_sizes(const struct sl_manifest *m, const char *set)
{
    char path[SL_PATH_MAX];
    struct stat st;
    for (int64_t f = 0; f < m->nfile; f++) {
        SL_TRY(data_name(path, set, f));
        SL_CHECK(lstat(path, &st) == 0 && S_ISREG(st.st_mode), SL_EINPUT, "%s is missing", path);
        SL_CHECK(st.st_size == m->file_size[f], SL_EINPUT, "%s has %jd bytes instead of %" PRId64,
                 path, (intmax_t)st.st_size, m->file_size[f]);
    }
    return SL_OK;
}

/* What reading the blocks of this rank needs. */
struct load {
    const struct sl_sim *sim;
    struct sl_sim *into; /* gets the blocks; NULL: they are only verified */
    const struct sl_manifest *m;
    const char *set;
    sl_real *packed;
    int fd;
    int64_t file; /* the one that fd is, or -1 */
};

static int load_block(struct load *l, int b)
{
    char path[SL_PATH_MAX];
    const struct sl_mesh *mesh = l->sim->mesh;
    int64_t gid = mesh->blocks[b].gid;
    const struct sl_manifest_block *want = &l->m->block[gid];
    size_t n = block_bytes(l->sim);
    SL_TRY(data_name(path, l->set, want->file));
    if (l->file != want->file) {
        if (l->file >= 0) close(l->fd);
        l->file = -1;
        SL_TRY(open_data(path, &l->fd));
        l->file = want->file;
    }
    int code = sl_pread_all(l->fd, l->packed, n, want->offset, path);
    if (code != SL_OK) return SL_EINPUT; /* a disk that cannot give it back has lost it */
    SL_CHECK(block_crc(l->m->seq, l->m->step, gid, l->packed, n) == want->crc, SL_EINPUT,
             "%s: the checksum of block %" PRId64 " is wrong", path, gid);
    if (l->into) sl_field_put(l->into, b, l->packed);
    return SL_OK;
}

static int load_blocks(const struct sl_sim *sim, struct sl_sim *into, const struct sl_manifest *m,
                       const char *set)
{
    struct load l = {sim, into, m, set, malloc(block_bytes(sim)), -1, -1};
    SL_CHECK(l.packed, SL_EMEM, "no memory for a block");
    int stride = into || sim->mesh->nblock <= SAMPLE ? 1 : SAMPLE, code = SL_OK;
    for (int b = 0; b < sim->mesh->nblock && code == SL_OK; b += stride)
        code = load_block(&l, b);
    if (l.file >= 0) close(l.fd);
    free(l.packed);
    return code;
}

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
        MPI_Bcast(p, (int)size, MPI_BYTE, 0, comm); /* MANIFEST_CAP fits an int */
        p[size] = '\0';
        *text = p, *n = size;
        return SL_OK;
    }
    free(p);
    return code;
}

/* collective. Every rank gets the manifest of a set, checked against itself, its place and the sim.
 */
static int read_manifest(const struct sl_sim *sim, const char *set, int64_t seq,
                         struct sl_manifest *m)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t n = 0;
    int code = SL_OK, rank = sim->mesh->rank;
    if (rank == 0) {
        code = sl_path_join(path, set, "MANIFEST");
        if (code == SL_OK) code = sl_file_read(path, MANIFEST_CAP, &text, &n);
        if (code == SL_EIO && access(path, F_OK) != 0) code = SL_EINPUT; /* it is not there */
    }
    SL_TRY(share_text(sim->mesh->comm, code, &text, &n));
    code = sl_manifest_parse(text, n, m);
    free(text);
    if (code == SL_OK && m->seq != seq)
        code = SL_FAIL(SL_EINPUT, "%s holds the manifest of checkpoint %" PRId64, set, m->seq);
    if (code == SL_OK && rank == 0) code = check_sizes(m, set);
    if (code == SL_OK) code = check_match(sim, m, set);
    code = sl_agree(sim->mesh->comm, code);
    if (code != SL_OK) sl_manifest_free(m);
    return code;
}

/* collective. Whether the files that the run had written before the checkpoint are as they were: each rank reads its
 * share of them. */
static int check_sealed(const struct sl_sim *sim, const struct sl_manifest *m, const char *set)
{
    const struct sl_mesh *mesh = sim->mesh;
    int code = SL_OK;
    if (!sim->sealed) return SL_OK;
    if (m->sealed.n == 0 && mesh->rank == 0)
        sl_log(SL_LOG_WARN, "%s is of an older sluice: history and snapshots are taken as they are",
               set);
    for (size_t i = (size_t)mesh->rank; i < m->sealed.n && code == SL_OK; i += (size_t)mesh->size)
        code = sl_sealed_check(&m->sealed.file[i]);
    return sl_agree(mesh->comm, code);
}

static void adopt(struct sl_sim *sim, const struct sl_manifest *m)
{
    sim->step = m->step, sim->time = m->time, sim->dt = m->dt;
    sim->cells_repaired = m->repaired, sim->cells_floored = m->floored;
    sim->floored_last = m->floored_last;
    sim->next_snapshot = m->next_snapshot, sim->next_history = m->next_history;
    sim->time_unit = m->time_unit;
    sl_sim_set_end(sim);
    sl_sources_load(sim, m->source);
    sl_sources_forget(sim);
}

/* collective. Into a sim of the same shape, all of it; into NULL: only a sample is verified. */
static int read_set(const struct sl_sim *sim, struct sl_sim *into, const char *dir, int64_t seq)
{
    char set[SL_PATH_MAX];
    struct sl_manifest m = {0};
    SL_TRY(sl_agree(sim->mesh->comm, set_name(set, dir, seq, "")));
    SL_TRY(read_manifest(sim, set, seq, &m));
    int code = sl_agree(sim->mesh->comm, load_blocks(sim, into, &m, set));
    if (code == SL_OK && into) code = check_sealed(sim, &m, set);
    if (code == SL_OK && into && sim->sealed)
        code = sl_agree(sim->mesh->comm, sl_sealed_copy(sim->sealed, &m.sealed));
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

int sl_checkpoint_read(struct sl_sim *sim, const char *dir, int64_t *seq)
{
    MPI_Comm comm = sim->mesh->comm;
    for (int64_t next = INT64_MAX;;) {
        if (sim->mesh->rank == 0) next = newest(dir, next, true);
        MPI_Bcast(&next, 1, MPI_INT64_T, 0, comm);
        *seq = next;
        if (next < 0) return SL_OK;
        int code = read_set(sim, sim, dir, next);
        if (code != SL_EINPUT) return code;
        if (sim->mesh->rank == 0) set_aside(dir, next);
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

/* ---- the turns of a write (output.h) ----------------------------------------------------------
 */

struct job {
    struct sl_sim still; /* the run as it was; u is borrowed */
    char dir[SL_PATH_MAX], set[SL_PATH_MAX], path[SL_PATH_MAX];
    int keep;
    int64_t *seq; /* borrowed: where its number goes, or NULL */
    struct sl_manifest m;
    struct layout l;                 /* its communicator is ours once there */
    struct sl_manifest_block *entry; /* owned; of the blocks of the rank */
};

static int look(void *data)
{
    struct job *job = data;
    return check_state(&job->still);
}

/* Memory for what the set is described with. */
static int prepare(struct job *job)
{
    const struct sl_mesh *mesh = job->still.mesh;
    struct sl_manifest *m = &job->m;
    SL_TRY(sl_alloc("entries of blocks", (size_t)mesh->nblock, sizeof *job->entry, &job->entry));
    if (mesh->rank != 0) return SL_OK;
    m->file_size = calloc((size_t)m->nfile + 1, sizeof *m->file_size);
    m->block = calloc((size_t)m->nblock + 1, sizeof *m->block);
    SL_CHECK(m->file_size && m->block, SL_EMEM, "no memory for a manifest of %" PRId64 " blocks",
             m->nblock);
    return sl_config_print_fixed(job->still.cfg, &m->keys);
}

static int open_set(void *data)
{
    struct job *job = data;
    MPI_Comm comm = job->still.mesh->comm;
    int rank = job->still.mesh->rank;
    SL_TRY(sl_agree(comm, rank == 0 ? begin(&job->still, job->dir, &job->m.seq, job->set) : SL_OK));
    MPI_Bcast(&job->m.seq, 1, MPI_INT64_T, 0, comm);
    MPI_Bcast(job->set, sizeof job->set, MPI_CHAR, 0, comm);
    layout_make(&job->still, &job->l);
    job->m.nfile = job->l.nfile;
    int code = prepare(job);
    if (code == SL_OK) code = data_name(job->path, job->set, job->l.file);
    if (code == SL_OK && job->l.node_rank == 0) code = make_file(&job->l, job->path);
    return sl_agree(comm, code);
}

static int put(void *data)
{
    struct job *job = data;
    return write_share(&job->still, &job->l, job->path, job->m.seq, job->entry);
}

/* collective. The manifest; then the set appears under its name and is read again. */
static int finish(struct job *job, bool *committed)
{
    const struct sl_mesh *mesh = job->still.mesh;
    int code = SL_OK;
    gather_blocks(mesh, job->entry, job->m.block);
    gather_sizes(mesh, &job->l, job->m.file_size);
    if (mesh->rank == 0) {
        code = write_manifest(&job->m, job->set);
        if (code == SL_OK) code = commit(job->dir, job->m.seq, job->set);
    }
    code = sl_agree(mesh->comm, code);
    *committed = code == SL_OK;
    return *committed ? read_set(&job->still, NULL, job->dir, job->m.seq) : code;
}

static int close_set(void *data, int code)
{
    struct job *job = data;
    bool committed = false;
    if (code == SL_OK) code = finish(job, &committed);
    if (job->still.mesh->rank == 0 && *job->set)
        tidy(job->dir, job->keep, job->m.seq, code, committed);
    if (code == SL_OK && job->seq) *job->seq = job->m.seq;
    if (job->l.node != MPI_COMM_NULL) MPI_Comm_free(&job->l.node);
    sl_manifest_free(&job->m);
    free(job->entry);
    free(job);
    return code == SL_EINPUT ? SL_EIO : code; /* it was good when it left us */
}

/* What must not wait: the rest of the run goes on. */
static int hold(struct job *job, const struct sl_sim *sim)
{
    job->still = *sim;
    job->still.work = NULL; /* it only holds a state */
    job->l.node = MPI_COMM_NULL;
    describe(sim, &job->m);
    SL_TRY(sl_alloc("the state of the sources", job->m.nsource, sizeof *job->m.source,
                    &job->m.source));
    sl_sources_save(sim, job->m.source);
    return sim->sealed ? sl_sealed_copy(&job->m.sealed, sim->sealed) : SL_OK;
}

static int begin_write(const struct sl_sim *sim, const char *dir, int keep, bool beside,
                       int64_t *seq, struct sl_output **out)
{
    static const struct sl_output_kind kind = {look, open_set, put, close_set};
    MPI_Comm comm = sim->mesh->comm;
    struct job *job = NULL;
    SL_TRY(sl_sim_pull(sim));
    int code = sl_alloc("a checkpoint", 1, sizeof *job, &job);
    if (code == SL_OK) code = sl_path_join(job->dir, "", dir);
    if (code == SL_OK) code = hold(job, sim);
    code = sl_agree(comm, code);
    if (code != SL_OK) {
        if (job) sl_manifest_free(&job->m);
        free(job);
        return code;
    }
    job->keep = keep;
    job->seq = seq;
    return sl_output_begin(comm, &kind, job, beside, out);
}

int sl_checkpoint_begin(const struct sl_sim *sim, const char *dir, int keep, bool beside,
                        struct sl_output **out)
{
    return begin_write(sim, dir, keep, beside, NULL, out);
}

int sl_checkpoint_write(const struct sl_sim *sim, const char *dir, int keep, int64_t *seq)
{
    struct sl_output *out;
    SL_TRY(begin_write(sim, dir, keep, false, seq, &out));
    return sl_output_end(&out);
}
