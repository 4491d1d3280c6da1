/* snapshot.c - writes snapshots; see snapshot.h. */
#include "core/io/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/cosmo/expansion.h"
#include "core/cosmo/thermal.h"
#include "core/io/file_units.h"
#include "core/io/flash.h"
#include "core/io/particle_rows.h"
#include "core/io/particle_view.h"
#include "core/particles/store.h"
#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

/* Room for tables, per block and in all. */
enum { BLOCK_TABLES = 256, TABLES = 1 << 16 };

struct job {
    struct sl_state *frozen; /* owned; the levels of the run as they were */
    int nblock;              /* blocks of this rank, of all levels */
    int64_t *row;            /* owned; of these in the file; level by level, as in their meshes */
    int64_t *rows;           /* owned; on rank 0: those of all ranks, one after the other */
    struct sl_flash flash;
    struct sl_expansion *start; /* owned; of the start of a universe that does not expand */
    char dir[SL_PATH_MAX];
    int64_t number;
    uint64_t share; /* of the hash */
    uint32_t *mine; /* owned; checksums, [block of the rank][field] */
    char name[SL_PATH_MAX], temp[SL_PATH_MAX];
    int64_t where[SL_FIELD_MAX], crc;
    int64_t particles, first_particle; /* where the table of all lies; this rank's first row */
};

int sl_snapshot_name(char *out, const char *dir, const char *campaign, int64_t number)
{
    char name[SL_TEXT_MAX + 64];
    snprintf(name, sizeof name, "%s_hdf5_plt_cnt_%04" PRId64, campaign, number);
    return sl_path_join(out, dir, name);
}

static size_t block_bytes(const struct sl_flash *f)
{
    return sl_field_cells(f->state->mesh) * (f->single ? sizeof(float) : sizeof(double));
}

static void set_units(const struct sl_state *state, struct sl_flash *f)
{
    const struct sl_file_units u = sl_file_units_of(state, f->universe);
    f->cgs = sl_config_has_units(state->cfg);
    f->length = u.length;
    f->density = u.density;
    f->velocity = u.velocity;
    f->weight = f->universe ? sl_thermal_weight(f->universe->u.helium) : state->cfg->units_weight;
    f->scale_factor = u.scale_factor;
}

/* Rows of this rank's first leaf and first covered block of a level. */
struct first {
    int64_t leaf, covered;
};

/* collective. Rows of the file go level by level: leaves along the curve, then covered blocks. */
static void levels_of(const struct sl_state *state, struct sl_flash *f,
                      struct first first[SL_LEVELS])
{
    int64_t count[SL_LEVELS][2] = {{0}}, before[SL_LEVELS][2] = {{0}}, all[SL_LEVELS][2], row = 0;
    MPI_Comm comm = state->mesh->comm;
    for (const struct sl_state *s = state; s; s = s->finer) {
        count[s->mesh->level][0] = s->mesh->nleaf;
        count[s->mesh->level][1] = s->mesh->nblock - s->mesh->nleaf;
    }
    MPI_Allreduce(count, all, 2 * SL_LEVELS, MPI_INT64_T, MPI_SUM, comm);
    MPI_Exscan(count, before, 2 * SL_LEVELS, MPI_INT64_T, MPI_SUM, comm);
    if (state->mesh->rank == 0) memset(before, 0, sizeof before);
    f->nlevel = sl_levels_count(state);
    for (int l = 0; l < f->nlevel; l++) {
        f->level[l] = (struct sl_flash_level){row, all[l][0], all[l][1]};
        first[l] = (struct first){row + before[l][0], row + all[l][0] + before[l][1]};
        row += all[l][0] + all[l][1];
    }
    f->nblock = row;
}

/* collective. The rows of this rank's blocks. */
static int rows_of(struct job *job)
{
    struct first first[SL_LEVELS];
    levels_of(job->frozen, &job->flash, first);
    for (const struct sl_state *s = job->frozen; s; s = s->finer)
        job->nblock += s->mesh->nblock;
    SL_TRY(sl_alloc("rows of blocks", (size_t)job->nblock, sizeof *job->row, &job->row));
    int64_t *row = job->row;
    for (const struct sl_state *s = job->frozen; s; s = s->finer) {
        const struct first *at = &first[s->mesh->level];
        int leaves = s->mesh->nleaf;
        for (int b = 0; b < s->mesh->nblock; b++)
            *row++ = b < leaves ? at->leaf + b : at->covered + b - leaves;
    }
    return SL_OK;
}

/* collective. */
static int job_begin(struct job *job, const struct sl_provenance *p)
{
    const struct sl_state *state = job->frozen;
    struct sl_flash *f = &job->flash;
    f->state = state, f->p = p;
    f->universe = state->expansion;
    if (!state->expansion) {
        SL_TRY(sl_expansion_of(state->mesh->comm, state->cfg, &job->start));
        f->universe = job->start;
    }
    set_units(state, f);
    f->single = state->cfg->output_precision == SL_PRECISION_single;
    f->nfield = sl_field_count(state);
    f->nparticle = state->particles ? state->particles->all : 0;
    return rows_of(job);
}

static void job_free(struct job *job)
{
    if (!job) return;
    sl_expansion_free(job->start);
    free(job->frozen);
    free(job->row);
    free(job->rows);
    free(job->mine);
    free(job);
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* collective. Rank 0 gets `size` bytes per block of all blocks, rank by rank; others NULL. */
static int gather(const struct job *job, const void *mine, size_t size, void **all)
{
    const struct sl_mesh *m = job->frozen->mesh;
    int *count = calloc((size_t)m->size * 2, sizeof *count), *at = count + m->size;
    *all = m->rank == 0 ? calloc((size_t)job->flash.nblock + 1, size) : NULL;
    int code = count && (*all || m->rank != 0) ? SL_OK : SL_FAIL(SL_EMEM, "no memory to gather");
    code = sl_agree(m->comm, code);
    if (code == SL_OK) {
        MPI_Datatype entry;
        MPI_Type_contiguous((int)size, MPI_BYTE, &entry);
        MPI_Type_commit(&entry);
        MPI_Gather(&job->nblock, 1, MPI_INT, count, 1, MPI_INT, 0, m->comm);
        for (int r = 1; r < m->size; r++)
            at[r] = at[r - 1] + count[r - 1];
        MPI_Gatherv(mine, job->nblock, entry, *all, count, at, entry, 0, m->comm);
        MPI_Type_free(&entry);
    }
    free(count);
    return code;
}

/* Rank 0: puts what was gathered in the order of the file. */
static int sort(const struct job *job, size_t size, void **all)
{
    char *sorted = calloc((size_t)job->flash.nblock + 1, size), *from = *all;
    SL_CHECK(sorted, SL_EMEM, "no memory to sort");
    for (int64_t b = 0; b < job->flash.nblock; b++)
        memcpy(sorted + (size_t)job->rows[b] * size, from + (size_t)b * size, size);
    free(*all);
    *all = sorted;
    return SL_OK;
}

/* collective. Rank 0 gets `size` bytes per block of all blocks, by row; others NULL. */
static int gather_sorted(const struct job *job, const void *mine, size_t size, void **all)
{
    const struct sl_mesh *m = job->frozen->mesh;
    SL_TRY(gather(job, mine, size, all));
    return sl_agree(m->comm, m->rank == 0 ? sort(job, size, all) : SL_OK);
}

static void place(const struct sl_mesh *m, int b, struct sl_flash_block *out)
{
    out->level = m->level;
    out->leaf = b < m->nleaf;
    for (int a = 0; a < 3; a++) {
        bool real = a < m->dim;
        const struct sl_mesh_spec *s = &m->spec;
        int64_t at = real ? m->blocks[b].at[a] : 0;
        double blocks = real ? ldexp(s->cells[a] / s->block[a], m->level) : 1;
        double lo = real ? s->lo[a] : 0, hi = real ? s->hi[a] : 1;
        out->at[a] = at;
        out->lo[a] = lo + (hi - lo) * ((double)at / blocks);
        out->hi[a] = lo + (hi - lo) * ((double)(at + 1) / blocks);
    }
}

/* collective. Where all blocks lie, and their rows. */
static int gather_places(struct job *job, void **all)
{
    struct sl_flash_block *mine = NULL;
    void *rows = NULL;
    SL_TRY(gather(job, job->row, sizeof *job->row, &rows));
    job->rows = rows;
    int code = sl_alloc("places of blocks", (size_t)job->nblock, sizeof *mine, &mine), i = 0;
    code = sl_agree(job->frozen->mesh->comm, code);
    for (const struct sl_state *s = job->frozen; s && code == SL_OK; s = s->finer)
        for (int b = 0; b < s->mesh->nblock; b++)
            place(s->mesh, b, &mine[i++]);
    if (code == SL_OK) code = gather_sorted(job, mine, sizeof *mine, all);
    free(mine);
    return code;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int reserve(const char *path)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    int code = fstat(fd, &st) == 0 ? sl_reserve(fd, (uint64_t)st.st_size, path) : SL_OK;
    close(fd);
    return code;
}

/* Holds `values` bytes in a file of its own while HDF5 writes the tables, for which there was room
 * besides: HDF5 must not meet a full disk, or it crashes when the program ends. */
static int hold_room(const char *path, uint64_t values, uint64_t tables)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", path, strerror(errno));
    int code = sl_reserve(fd, values + tables, path);
    if (code == SL_OK && ftruncate(fd, (off_t)values) != 0)
        code = SL_FAIL(SL_EIO, "cannot shorten %s: %s", path, strerror(errno));
    if (code != SL_OK) unlink(path);
    close(fd);
    return code;
}

/* Rank 0: the file with its tables and room for the rest. */
static int make_file(struct job *job)
{
    const struct sl_flash *f = &job->flash;
    char room[SL_PATH_MAX];
    uint64_t values = (uint64_t)f->nblock * (uint64_t)f->nfield * block_bytes(f) +
                      (uint64_t)f->nparticle * SL_FLASH_PARTICLE * sizeof(double);
    uint64_t tables =
        (uint64_t)f->nblock * (BLOCK_TABLES + (uint64_t)f->nfield * sizeof(uint32_t)) +
        (uint64_t)f->nlevel * TABLES;
    SL_TRY(sl_mkdir_all(job->dir));
    SL_TRY(sl_check_room(job->dir, values + tables));
    SL_TRY(sl_snapshot_name(job->name, job->dir, f->state->cfg->campaign, job->number));
    int n = snprintf(room, SL_PATH_MAX, "%s.tmp.room", job->name);
    SL_CHECK(n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s...", job->name);
    snprintf(job->temp, SL_PATH_MAX, "%.*s", n - 5, room);
    SL_TRY(hold_room(room, values, tables));
    int code = sl_flash_make(f, job->temp, job->where, &job->crc, &job->particles);
    unlink(room);
    return code == SL_OK ? reserve(job->temp) : code;
}

/* Values of the f-th field of block b of a level as they stand in the file; made has room for
 * doubles. */
static void pack(const struct sl_flash *s, const struct sl_state *level, int b, int f, double *made,
                 char *packed)
{
    size_t n = sl_field_cells(s->state->mesh);
    int field = sl_field_at(s->state, f);
    double scale = sl_flash_scale(s, field);
    sl_field_make(level, b, field, made);
    for (size_t i = 0; i < n; i++)
        made[i] *= scale;
    if (!s->single) {
        memcpy(packed, made, n * sizeof *made);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        float v = (float)made[i];
        memcpy(packed + i * sizeof v, &v, sizeof v);
    }
}

/* The f-th field of a level's blocks, on its way to the file. */
struct column {
    const struct job *job;
    const struct sl_state *level;
    const int64_t *row; /* of the blocks */
    uint32_t *crc;      /* [block][field] */
    int f, fd;
};

/* Blocks from .. end - 1 whose rows follow each other are written at once. */
static int write_row(const struct column *c, int from, int end, double *made, char *packed)
{
    const struct sl_flash *s = &c->job->flash;
    size_t n = block_bytes(s);
    for (int b = from; b < end; b++) {
        char *to = packed + (size_t)(b - from) * n;
        pack(s, c->level, b, c->f, made, to);
        c->crc[(size_t)b * (size_t)s->nfield + (size_t)c->f] = sl_crc32c(0, to, n);
    }
    return sl_pwrite_all(c->fd, packed, (size_t)(end - from) * n,
                         c->job->where[c->f] + c->row[from] * (int64_t)n, c->job->temp);
}

static int write_some(void *of, size_t first, size_t last)
{
    const struct column *c = of;
    size_t cells = sl_field_cells(c->level->mesh), n = block_bytes(&c->job->flash);
    double *made = malloc(cells * sizeof *made + (last - first) * n);
    SL_CHECK(made, SL_EMEM, "no memory for blocks");
    int code = SL_OK;
    for (int b = (int)first, end = b; b < (int)last && code == SL_OK; b = end) {
        while (end < (int)last && c->row[end] - c->row[b] == end - b)
            end++;
        code = write_row(c, b, end, made, (char *)(made + cells));
    }
    free(made);
    return code;
}

static int write_blocks(const struct job *job, int fd, uint32_t *crc)
{
    enum { BYTES = 1 << 20 }; /* at a time */
    size_t piece = BYTES / block_bytes(&job->flash);
    for (int f = 0; f < job->flash.nfield; f++) {
        size_t first = 0;
        for (const struct sl_state *s = job->frozen; s; s = s->finer) {
            struct column c = {job, s, job->row + first, crc + first * (size_t)job->flash.nfield,
                               f,   fd};
            SL_TRY(sl_threads_run((size_t)s->mesh->nblock, piece, write_some, &c));
            first += (size_t)s->mesh->nblock;
        }
    }
    return SL_OK;
}

/* Block by block, within one by id: the same bytes whatever way the particles came. */
static int write_particles(const struct job *job, int fd)
{
    enum { BYTES = SL_FLASH_PARTICLE * sizeof(double) };
    const struct sl_flash *f = &job->flash;
    const struct sl_file_units units = {f->length, f->density, f->velocity, f->scale_factor};
    struct sl_particles *p = job->frozen->particles;
    int64_t at = job->particles + job->first_particle * BYTES;
    for (int b = 0; b < p->mesh->nblock; b++) {
        size_t n = p->first[b + 1] - p->first[b];
        double *row = NULL;
        sl_particles_order(p, b);
        SL_TRY(sl_alloc("particles of a block", n, BYTES, &row));
        for (size_t i = 0; i < n; i++) {
            double *to = row + i * SL_FLASH_PARTICLE;
            sl_particle_row(p, &p->at[p->first[b] + i], &units, to);
            to[SL_PARTICLE_ROW] = (double)(job->row[b] + 1);
        }
        int code = sl_pwrite_all(fd, row, n * BYTES, at, job->temp);
        free(row);
        SL_TRY(code);
        at += (int64_t)(n * BYTES);
    }
    return SL_OK;
}

static int write_share(const struct job *job, uint32_t *crc)
{
    int fd = open(job->temp, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", job->temp, strerror(errno));
    int code = write_blocks(job, fd, crc);
    if (code == SL_OK && job->flash.nparticle) code = write_particles(job, fd);
    int closed = sl_close_synced(fd, job->temp);
    return code != SL_OK ? code : closed;
}

/* Rank 0: the table of checksums, [field][block] in the file, from [block][field]. */
static int write_crc(const struct job *job, const uint32_t *crc)
{
    size_t nf = (size_t)job->flash.nfield, nb = (size_t)job->flash.nblock;
    uint32_t *table = malloc(nf * nb * sizeof *table);
    SL_CHECK(table, SL_EMEM, "no memory for checksums");
    for (size_t b = 0; b < nb; b++)
        for (size_t f = 0; f < nf; f++)
            table[f * nb + b] = crc[b * nf + f];
    int fd = open(job->temp, O_WRONLY | O_CLOEXEC);
    int code = fd >= 0 ? sl_pwrite_all(fd, table, nf * nb * sizeof *table, job->crc, job->temp)
                       : SL_FAIL(SL_EIO, "cannot open %s: %s", job->temp, strerror(errno));
    free(table);
    if (fd < 0) return code;
    int closed = sl_close_synced(fd, job->temp);
    return code != SL_OK ? code : closed;
}

/* The field whose values come next at or after a place in the file, -1: none. */
static int next_field(const struct job *job, int64_t at)
{
    int best = -1;
    for (int f = 0; f < job->flash.nfield; f++)
        if (job->where[f] >= at && (best < 0 || job->where[f] < job->where[best])) best = f;
    return best;
}

/* Checksum of the whole file: the values are not read again, since those of their blocks are
 * known. */
static int sum_file(const struct job *job, int fd, const uint32_t *block, int64_t size,
                    uint32_t *crc)
{
    const struct sl_flash *s = &job->flash;
    uint32_t shift = sl_crc32c_shift(block_bytes(s));
    int64_t at = 0;
    *crc = 0;
    for (int f; (f = next_field(job, at)) >= 0;) {
        SL_TRY(sl_file_sum(fd, at, job->where[f], job->temp, crc));
        for (int64_t b = 0; b < s->nblock; b++)
            *crc = sl_crc32c_join(*crc, block[b * s->nfield + f], shift);
        at = job->where[f] + s->nblock * (int64_t)block_bytes(s);
    }
    return sl_file_sum(fd, at, size, job->temp, crc);
}

/* Rank 0: tells the run's list of files what this one is; block: checksums, [block][field]. */
static int seal(const struct job *job, const uint32_t *block)
{
    struct stat st;
    uint32_t crc = 0;
    if (!job->frozen->sealed) return SL_OK;
    int fd = open(job->temp, O_RDONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", job->temp, strerror(errno));
    int code = fstat(fd, &st) == 0 ? sum_file(job, fd, block, st.st_size, &crc)
                                   : SL_FAIL(SL_EIO, "cannot read %s", job->temp);
    close(fd);
    SL_TRY(code);
    return sl_sealed_set(job->frozen->sealed, job->name, st.st_size, crc, false);
}

static bool leads_to(const char *link, const char *target)
{
    char now[SL_PATH_MAX];
    ssize_t n = readlink(link, now, sizeof now);
    return n == (ssize_t)strlen(target) && memcmp(now, target, (size_t)n) == 0;
}

static void make_link(const char *name)
{
    static bool warned;
    char link[SL_PATH_MAX], temp[SL_PATH_MAX];
    const char *slash = strrchr(name, '/'), *target = slash ? slash + 1 : name;
    if (snprintf(link, sizeof link, "%s.vtkhdf", name) >= SL_PATH_MAX ||
        snprintf(temp, sizeof temp, "%s.vtkhdf.tmp", name) >= SL_PATH_MAX || leads_to(link, target))
        return;
    unlink(temp);
    if (symlink(target, temp) == 0 && rename(temp, link) == 0) return;
    if (!warned) sl_log(SL_LOG_WARN, "cannot make %s: %s", link, strerror(errno));
    warned = true; /* it will be the same of all */
}

void sl_snapshot_view(const char *name, bool again)
{
    static bool warned;
    char view[SL_PATH_MAX];
    make_link(name);
    if (sl_particle_view_name(view, name) != SL_OK || (!again && access(view, F_OK) == 0)) return;
    if (sl_particle_view_make(name) == SL_OK) return;
    if (!warned) sl_log(SL_LOG_WARN, "cannot make %s: %s", view, sl_error_text());
    warned = true;
}

static int publish(const struct job *job)
{
    SL_CHECK(rename(job->temp, job->name) == 0, SL_EIO, "cannot rename %s: %s", job->temp,
             strerror(errno));
    sl_snapshot_view(job->name, true);
    return sl_sync_parent(job->name);
}

/* ---- the pieces (output.h) ------------------------------------------------------------------- */

static int look(void *data)
{
    struct job *job = data;
    job->share = sl_state_hash_share(job->frozen);
    return SL_OK;
}

/* collective. Particles of all blocks, by row. */
static int gather_counts(const struct job *job, void **all)
{
    const struct sl_particles *p = job->frozen->particles;
    int *mine = NULL;
    if (!p) return SL_OK;
    SL_TRY(sl_agree(p->mesh->comm,
                    sl_alloc("counts of particles", (size_t)job->nblock, sizeof *mine, &mine)));
    for (int b = 0; b < p->mesh->nblock; b++)
        mine[b] = (int)(p->first[b + 1] - p->first[b]);
    int code = gather_sorted(job, mine, sizeof *mine, all);
    free(mine);
    return code;
}

/* collective. Rows of the table of particles before those of this rank. */
static int64_t first_particle(const struct sl_state *state)
{
    if (!state->particles) return 0;
    int64_t own = (int64_t)state->particles->n, before = 0;
    MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, state->mesh->comm);
    return state->mesh->rank == 0 ? 0 : before;
}

static int open_file(void *data)
{
    struct job *job = data;
    const struct sl_mesh *m = job->frozen->mesh;
    void *places = NULL, *counts = NULL;
    SL_TRY(sl_state_hash_join(job->frozen, job->share, &job->flash.hash));
    SL_TRY(gather_places(job, &places));
    job->flash.block = places;
    SL_TRY(gather_counts(job, &counts));
    job->flash.in_block = counts;
    int code = m->rank == 0 ? make_file(job) : SL_OK;
    free(counts);
    free(places);
    SL_TRY(sl_agree(m->comm, code));
    MPI_Bcast(job->temp, SL_PATH_MAX, MPI_CHAR, 0, m->comm);
    MPI_Bcast(job->where, SL_FIELD_MAX, MPI_INT64_T, 0, m->comm);
    if (job->frozen->particles) MPI_Bcast(&job->particles, 1, MPI_INT64_T, 0, m->comm);
    job->first_particle = first_particle(job->frozen);
    return SL_OK;
}

static int put(void *data)
{
    struct job *job = data;
    size_t n = (size_t)job->nblock * (size_t)job->flash.nfield;
    job->mine = calloc(n + 1, sizeof *job->mine);
    return job->mine ? write_share(job, job->mine) : SL_FAIL(SL_EMEM, "no memory for checksums");
}

/* collective. The table of checksums; then the file appears under its name. */
static int finish(struct job *job)
{
    const struct sl_mesh *m = job->frozen->mesh;
    void *all = NULL;
    int code = gather_sorted(job, job->mine, (size_t)job->flash.nfield * sizeof *job->mine, &all);
    if (code == SL_OK && m->rank == 0) {
        code = write_crc(job, all);
        if (code == SL_OK) code = seal(job, all);
        if (code == SL_OK) code = publish(job);
    }
    free(all);
    return sl_agree(m->comm, code);
}

static int close_file(void *data, int code)
{
    struct job *job = data;
    if (code == SL_OK) code = finish(job);
    if (code != SL_OK && job->frozen->mesh->rank == 0) unlink(job->temp);
    job_free(job);
    return code;
}

int sl_snapshot_begin(const struct sl_state *state, const char *dir, int64_t number,
                      const struct sl_provenance *p, bool beside, struct sl_output **out)
{
    static const struct sl_output_kind kind = {look, open_file, put, close_file};
    MPI_Comm comm = state->mesh->comm;
    struct job *job = NULL;
    int code = sl_alloc("a snapshot", 1, sizeof *job, &job);
    if (code == SL_OK) code = sl_path_join(job->dir, "", dir);
    if (code == SL_OK) code = sl_state_copy(state, &job->frozen);
    code = sl_agree(comm, code);
    if (code == SL_OK) code = sl_agree(comm, job_begin(job, p));
    if (code != SL_OK) {
        job_free(job);
        return code;
    }
    job->number = number;
    return sl_output_begin(comm, &kind, job, beside, out);
}

int sl_snapshot_write(const struct sl_state *state, const char *dir, int64_t number,
                      const struct sl_provenance *p)
{
    struct sl_output *out;
    SL_TRY(sl_snapshot_begin(state, dir, number, p, false, &out));
    return sl_output_end(&out);
}
