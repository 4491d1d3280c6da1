/* history.c - see history.h. */
#include "core/io/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cosmo/expansion.h"
#include "core/io/field.h"
#include "core/io/sealed.h"
#include "core/mesh/hierarchy.h"
#include "core/source/source.h"
#include "core/step/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { HISTORY_CAP = 1 << 30 };
/* Names come first, as programs that read tables expect them; histories of older programs begin with the second line. */
#define NAMES_BEGIN "time[code]\t"
#define FIRST_LINE  "# sluice history 1\n"

struct sl_history {
    int fd;
    int64_t size; /* of the file, and the checksum of that */
    uint32_t crc;
    char path[SL_PATH_MAX];
};

/* ---- quantities ------------------------------------------------------------------------------- */

enum { VOLUME = SL_TOTALS, NSUM };
enum { LEAST_MINUS_CELL = SL_LEASTS, NLEAST }; /* divergence times the length of a cell */

/* Terms of the integrals over the box, and of its volume: a line per leaf of a level. */
static void terms(const struct sl_sim *level, const double *sum, double *line)
{
    const struct sl_mesh *m = level->mesh;
    for (int b = 0; b < m->nleaf; b++) {
        double volume = 1;
        for (int a = 0; a < m->dim; a++)
            volume *= m->blocks[b].dx[a];
        for (int q = 0; q < SL_TOTALS; q++)
            line[b * NSUM + q] = sum[b * SL_TOTALS + q] * volume;
        line[b * NSUM + VOLUME] = volume * (double)sl_field_cells(m);
    }
}

/* Of a cell along its longest axis; a rank without blocks is not asked. */
static double length_of(const struct sl_mesh *m)
{
    double length = 0;
    for (int a = 0; a < m->dim; a++)
        length = fmax(length, m->blocks[0].dx[a]);
    return length;
}

/* collective. The terms of a level; extremes take in its leaves. */
static int measure_level(const struct sl_sim *level, double *line, double least[NLEAST])
{
    const struct sl_mesh *m = level->mesh;
    double *sum = NULL, own[NLEAST];
    int code = sl_alloc("sums of blocks", (size_t)m->nblock * SL_TOTALS, sizeof *sum, &sum);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) code = sl_agree(m->comm, sl_sim_totals(level, sum, own));
    if (code == SL_OK) terms(level, sum, line);
    own[LEAST_MINUS_CELL] =
        code == SL_OK && m->nleaf > 0 ? own[SL_LEAST_MINUS_DIV] * length_of(m) : 0;
    for (int e = 0; e < NLEAST && code == SL_OK; e++)
        least[e] = fmin(least[e], own[e]);
    free(sum);
    return code;
}

/* collective. */
static int reduce(const struct sl_sim *sim, double all[NSUM], double least[NLEAST])
{
    const struct sl_mesh *m = sim->mesh;
    int leaves = sl_leaves_count(sim), before = 0;
    double *line = NULL;
    int code = sl_alloc("sums of leaves", (size_t)leaves * NSUM, sizeof *line, &line);
    code = sl_agree(m->comm, code);
    for (int e = 0; e < NLEAST; e++)
        least[e] = HUGE_VAL;
    for (const struct sl_sim *s = sim; s && code == SL_OK; s = s->finer) {
        code = measure_level(s, line + (size_t)before * NSUM, least);
        before += s->mesh->nleaf;
    }
    if (code == SL_OK) code = sl_sum_columns(m->comm, leaves, NSUM, line, all);
    free(line);
    if (sim->layout.face >= 0) least[SL_LEAST_MINUS_PSI] = 0;
    MPI_Allreduce(MPI_IN_PLACE, least, NLEAST, MPI_DOUBLE, MPI_MIN, m->comm);
    return code;
}

int sl_history_totals(const struct sl_sim *sim, struct sl_totals *out)
{
    double all[NSUM], least[NLEAST];
    SL_TRY(reduce(sim, all, least));
    *out = (struct sl_totals){
        .volume = all[VOLUME],
        .scalars = all[SL_TOTAL_SCALARS],
        .scalars_size = all[SL_TOTAL_SCALARS_SIZE],
        .mass = all[SL_TOTAL_MASS],
        .momentum_x = all[SL_TOTAL_MX],
        .momentum_y = all[SL_TOTAL_MY],
        .momentum_z = all[SL_TOTAL_MZ],
        .energy_kinetic = all[SL_TOTAL_KINETIC],
        .energy_thermal = sim->layout.energy < 0 ? 0
                                                 : all[SL_TOTAL_ENERGY] - all[SL_TOTAL_KINETIC] -
                                                       all[SL_TOTAL_MAGNETIC],
        .energy_total = all[SL_TOTAL_ENERGY],
        .mach_rms = sqrt(all[SL_TOTAL_MACH2] / all[VOLUME]),
        .velocity_rms = sqrt(all[SL_TOTAL_SPEED2] / all[VOLUME]),
        .density_min = least[SL_LEAST_RHO],
        .density_max = -least[SL_LEAST_MINUS_RHO],
        .pressure_min = least[SL_LEAST_P],
        .pressure_max = -least[SL_LEAST_MINUS_P],
    };
    double whole =
        out->mass + out->energy_total + out->mach_rms + out->density_max; /* all ranks' */
    SL_CHECK(isfinite(whole), SL_EDIVERGED,
             "step %" PRId64 ": mass %g, energy %g, rms Mach number %g, largest density %g",
             sim->step, out->mass, out->energy_total, out->mach_rms, out->density_max);
    SL_TRY(sl_sources_measure(sim, out->source));
    if (sim->expansion) {
        out->scale_factor = sl_expansion_a(sim->expansion, sim->time);
        out->redshift = 1 / out->scale_factor - 1;
    }
    if (sim->layout.magnetic < 0) return SL_OK;
    out->energy_magnetic = all[SL_TOTAL_MAGNETIC];
    out->magnetic_flux_x = all[SL_TOTAL_BX];
    out->magnetic_flux_y = all[SL_TOTAL_BY];
    out->magnetic_flux_z = all[SL_TOTAL_BZ];
    out->field_rms = sqrt(2 * all[SL_TOTAL_MAGNETIC] / all[VOLUME]);
    out->divergence_cell = -least[LEAST_MINUS_CELL];
    out->divergence_max = -least[SL_LEAST_MINUS_DIV];
    out->divergence_mean = all[SL_TOTAL_DIV] / all[VOLUME];
    out->psi_max = fabs(least[SL_LEAST_MINUS_PSI]);
    return SL_OK;
}

struct looked_for {
    const struct sl_totals *t;
    const char *name;
    double value;
};

static void look(void *context, int i, const struct sl_source_column *column)
{
    struct looked_for *l = context;
    if (strcmp(column->name, l->name) == 0) l->value = l->t->source[i];
}

double sl_history_source(const struct sl_sim *sim, const struct sl_totals *t, const char *name)
{
    struct looked_for l = {t, name, NAN};
    sl_sources_columns(sim, look, &l);
    return l.value;
}

/* ---- the file --------------------------------------------------------------------------------- */

static void put_name(void *file, int i, const struct sl_source_column *column)
{
    (void)i;
    fprintf(file, "\t%s[%s]", column->name, column->unit);
}

static int write_head(const struct sl_sim *sim, const char *path, const struct sl_provenance *p)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    SL_CHECK(f, SL_EMEM, "no memory for the head of %s", path);
    fputs(NAMES_BEGIN "step[1]\tdt[code]", f);
#define HEAD(name, unit) fputs("\t" #name "[" unit "]", f);
    SL_HISTORY_LIST(HEAD)
    if (sim->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(HEAD)
    }
    sl_sources_columns(sim, put_name, f);
    if (sim->expansion) {
        SL_HISTORY_EXPANSION_LIST(HEAD)
    }
#undef HEAD
    fputs("\tcells_repaired[1]\tcells_floored[1]\ttime_unit[1]", f);
    for (int64_t l = 0; sim->hierarchy && l <= sim->cfg->mesh_levels; l++)
        fprintf(f, "\tcells_level_%" PRId64 "[1]", l);
    fputs("\n" FIRST_LINE, f);
    for (int i = 0; i < p->n; i++)
        if (p->item[i].repeatable) fprintf(f, "# %s %s\n", p->item[i].key, p->item[i].value);
    SL_CHECK(fclose(f) == 0, SL_EMEM, "no memory for the head of %s", path);
    int code = sl_file_replace(path, text, n, SL_DURABLE);
    free(text);
    return code;
}

/* Length of the file up to the first line that is of a later step, or not whole. */
static size_t good_length(const char *text, int64_t step)
{
    const char *at = text;
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        if (*at == '#' || *at == 't') continue;
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab || strtoll(tab + 1, NULL, 10) > step) break;
    }
    return (size_t)(at - text);
}

/* Of a file of n bytes, those that the checkpoint knows of; what came later is made again. */
static size_t known_length(const struct sl_sim *sim, const char *path, const char *text, size_t n)
{
    const struct sl_sealed_file *f = sim->sealed ? sl_sealed_find(sim->sealed, path) : NULL;
    return f && (uint64_t)f->size <= n ? (size_t)f->size : good_length(text, sim->step);
}

static int go_on(const struct sl_sim *sim, const char *path, const struct sl_provenance *p)
{
    int64_t step = sim->step;
    char *text;
    size_t n;
    if (access(path, F_OK) != 0) {
        sl_log(SL_LOG_WARN, "%s is gone: the times before step %" PRId64 " are lost", path, step);
        return write_head(sim, path, p);
    }
    SL_TRY(sl_file_read(path, HISTORY_CAP, &text, &n));
    int code = SL_OK;
    if (strncmp(text, NAMES_BEGIN, strlen(NAMES_BEGIN)) != 0 &&
        strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
        code = SL_FAIL(SL_EINPUT, "%s is not a history of this program", path);
    size_t good = known_length(sim, path, text, n);
    if (code == SL_OK && good < n) code = sl_file_replace(path, text, good, SL_DURABLE);
    free(text);
    return code;
}

/* Tells the run's list of files what the history is by now. */
static int seal(const struct sl_history *h, const struct sl_sim *sim)
{
    return sim->sealed ? sl_sealed_set(sim->sealed, h->path, h->size, h->crc, true) : SL_OK;
}

static int measure(struct sl_history *h)
{
    char *text;
    size_t n;
    SL_TRY(sl_file_read(h->path, HISTORY_CAP, &text, &n));
    h->size = (int64_t)n;
    h->crc = sl_crc32c(0, text, n);
    free(text);
    return SL_OK;
}

static int open_here(const struct sl_sim *sim, const char *path, bool resumed,
                     const struct sl_provenance *p, struct sl_history **out)
{
    struct sl_history *h = calloc(1, sizeof *h);
    SL_CHECK(h, SL_EMEM, "no memory for the history");
    int code = sl_path_join(h->path, "", path);
    if (code == SL_OK) code = sl_file_sweep(path);
    if (code == SL_OK) code = resumed ? go_on(sim, path, p) : write_head(sim, path, p);
    if (code == SL_OK) code = measure(h);
    if (code == SL_OK) code = seal(h, sim);
    if (code == SL_OK) {
        h->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
        if (h->fd < 0) code = SL_FAIL(SL_EIO, "cannot open %s: %s", path, strerror(errno));
    }
    if (code == SL_OK)
        *out = h;
    else
        free(h);
    return code;
}

int sl_history_open(const struct sl_sim *sim, const char *path, bool resumed,
                    const struct sl_provenance *p, struct sl_history **out)
{
    *out = NULL;
    int code = sim->mesh->rank == 0 ? open_here(sim, path, resumed, p, out) : SL_OK;
    return sl_agree(sim->mesh->comm, code);
}

static int add_line(struct sl_history *h, const struct sl_sim *sim, const struct sl_totals *t)
{
    char line[2048];
    int n = snprintf(line, sizeof line, "%.17g\t%" PRId64 "\t%.17g", sim->time, sim->step, sim->dt);
#define VALUE(name, unit) n += snprintf(line + n, sizeof line - (size_t)n, "\t%.17g", t->name);
    SL_HISTORY_LIST(VALUE)
    if (sim->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(VALUE)
    }
    for (int i = 0; i < sl_sources_ncolumn(sim); i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%.17g", t->source[i]);
    if (sim->expansion) {
        SL_HISTORY_EXPANSION_LIST(VALUE)
    }
#undef VALUE
    n += snprintf(line + n, sizeof line - (size_t)n, "\t%" PRId64 "\t%" PRId64 "\t%.17g",
                  sim->cells_repaired, sim->cells_floored, sim->time / sim->time_unit);
    for (int l = 0; sim->hierarchy && l <= sim->cfg->mesh_levels; l++)
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%" PRId64,
                      sim->hierarchy->count[l] * (int64_t)sl_field_cells(sim->mesh));
    n += snprintf(line + n, sizeof line - (size_t)n, "\n");
    SL_TRY(sl_write_all(h->fd, line, (size_t)n, h->path));
    h->size += n;
    h->crc = sl_crc32c(h->crc, line, (size_t)n);
    return seal(h, sim);
}

int sl_history_add(struct sl_history *h, const struct sl_sim *sim, const struct sl_totals *t)
{
    return sl_agree(sim->mesh->comm, h ? add_line(h, sim, t) : SL_OK);
}

int sl_history_flush(struct sl_history *h, const struct sl_sim *sim)
{
    int code = SL_OK;
    if (h && fsync(h->fd) != 0)
        code = SL_FAIL(SL_EIO, "cannot flush %s: %s", h->path, strerror(errno));
    return sl_agree(sim->mesh->comm, code);
}

void sl_history_close(struct sl_history *h)
{
    if (!h) return;
    close(h->fd);
    free(h);
}
