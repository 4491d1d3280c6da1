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

#include "core/cell/eos.h"
#include "core/drive/drive.h"
#include "core/io/field.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { HISTORY_CAP = 1 << 30 };
#define FIRST_LINE "# sluice history 1\n"

struct sl_history {
    int fd;
    char path[SL_PATH_MAX];
};

/* ---- quantities ------------------------------------------------------------------------------- */

enum { MASS, MX, MY, MZ, KINETIC, TOTAL, MACH2, SPEED2, MAGNETIC, BX, BY, BZ, DIV, VOLUME, NSUM };
enum { RHO_MIN, RHO_MAX, P_MIN, P_MAX, DIV_MAX, PSI_MAX, NEXTREME };

/* Sums with what rounding took from them (Neumaier 1974): many small values beside few large ones,
 * as around a blast, would else lose the same part of themselves each time. */
struct sums {
    double sum[VOLUME], lost[VOLUME];
};

static void add_value(struct sums *s, int q, double x)
{
    double t = s->sum[q] + x;
    s->lost[q] += fabs(s->sum[q]) >= fabs(x) ? (s->sum[q] - t) + x : (x - t) + s->sum[q];
    s->sum[q] = t;
}

/* The divergence of the field in a cell: from its faces where the field lives there, else from its
 * neighbours. */
static double divergence(const struct sl_sim *sim, const sl_real *u, const double *dx)
{
    const struct sl_mesh *m = sim->mesh;
    const ptrdiff_t step[3] = {1, m->nt[0], (ptrdiff_t)m->nt[0] * m->nt[1]};
    int faces = sim->layout.face >= 0, first = faces ? sim->layout.face : sim->layout.magnetic;
    double sum = 0;
    for (int d = 0; d < m->dim; d++) {
        const sl_real *b = u + (size_t)(first + d) * m->block_cells;
        if (faces)
            sum += (double)(b[step[d]] - b[0]) / dx[d];
        else
            sum += (double)(b[step[d]] - b[-step[d]]) / (2 * dx[d]);
    }
    return sum;
}

static void add_field(const struct sl_sim *sim, const sl_real *u, const double *dx, struct sums *s,
                      double *extreme)
{
    size_t stride = sim->mesh->block_cells;
    const sl_real *field = u + (size_t)sim->layout.magnetic * stride;
    double div = fabs(divergence(sim, u, dx));
    add_value(s, MAGNETIC, (double)sl_magnetic_energy(&sim->layout, u, stride));
    for (int d = 0; d < 3; d++)
        add_value(s, BX + d, (double)field[(size_t)d * stride]);
    add_value(s, DIV, div);
    extreme[DIV_MAX] = fmin(extreme[DIV_MAX], -div);
    if (sim->layout.face < 0)
        extreme[PSI_MAX] = fmin(extreme[PSI_MAX], -fabs((double)field[3 * stride]));
}

/* Adds a cell of unit volume; extremes are kept as minima, maxima with their sign changed. */
static void add_cell(const struct sl_sim *sim, const sl_real *u, struct sums *s, double *extreme)
{
    size_t stride = sim->mesh->block_cells;
    struct sl_prim w = sl_field_prim(sim, u, stride);
    double rho = (double)w.rho, p = (double)w.p;
    double x = (double)w.u, y = (double)w.v, z = (double)w.w, v2 = x * x + y * y + z * z;
    double cs = (double)sl_sound_speed(&sim->gas, w.rho, w.p);
    double kinetic = 0.5 * rho * v2;
    double energy = sim->layout.energy < 0
                        ? kinetic + (double)sl_magnetic_energy(&sim->layout, u, stride)
                        : (double)u[(size_t)sim->layout.energy * stride];
    add_value(s, MASS, rho);
    add_value(s, MX, (double)u[SL_MX * stride]);
    add_value(s, MY, (double)u[SL_MY * stride]);
    add_value(s, MZ, (double)u[SL_MZ * stride]);
    add_value(s, KINETIC, kinetic);
    add_value(s, TOTAL, energy);
    add_value(s, MACH2, v2 / (cs * cs));
    add_value(s, SPEED2, v2);
    extreme[RHO_MIN] = fmin(extreme[RHO_MIN], rho);
    extreme[RHO_MAX] = fmin(extreme[RHO_MAX], -rho);
    extreme[P_MIN] = fmin(extreme[P_MIN], p);
    extreme[P_MAX] = fmin(extreme[P_MAX], -p);
}

static void add_block(const struct sl_sim *sim, int b, double *sum, double *extreme)
{
    const struct sl_mesh *m = sim->mesh;
    const double *dx = m->blocks[b].dx;
    struct sums s = {{0}, {0}};
    for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
        for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
            for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                const sl_real *u = sim->u + sl_mesh_at(m, sim->layout.nvar, b, 0, k, j, i);
                add_cell(sim, u, &s, extreme);
                if (sim->layout.magnetic >= 0) add_field(sim, u, dx, &s, extreme);
            }
    double volume = 1;
    for (int a = 0; a < m->dim; a++)
        volume *= dx[a];
    for (int q = 0; q < VOLUME; q++)
        sum[q] = (s.sum[q] + s.lost[q]) * volume;
    sum[VOLUME] = volume * (double)sl_field_cells(m);
}

int sl_history_totals(const struct sl_sim *sim, struct sl_totals *out)
{
    const struct sl_mesh *m = sim->mesh;
    double all[NSUM], extreme[NEXTREME];
    double *sum = calloc((size_t)m->nblock + 1, sizeof all);
    SL_TRY(sl_agree(m->comm, sum ? SL_OK : SL_FAIL(SL_EMEM, "no memory for sums")));
    if (sim->layout.magnetic >= 0) {
        int filled = sl_sim_ghosts(sim);
        if (filled != SL_OK) free(sum);
        SL_TRY(filled);
    }
    for (int e = 0; e < NEXTREME; e++)
        extreme[e] = HUGE_VAL;
    if (sim->layout.face >= 0) extreme[PSI_MAX] = 0;
    for (int b = 0; b < m->nblock; b++)
        add_block(sim, b, sum + (size_t)b * NSUM, extreme);
    int code = sl_mesh_sum(m, NSUM, sum, all);
    free(sum);
    SL_TRY(code);
    MPI_Allreduce(MPI_IN_PLACE, extreme, NEXTREME, MPI_DOUBLE, MPI_MIN, m->comm);
    *out = (struct sl_totals){
        .mass = all[MASS],
        .momentum_x = all[MX],
        .momentum_y = all[MY],
        .momentum_z = all[MZ],
        .energy_kinetic = all[KINETIC],
        .energy_thermal = sim->layout.energy < 0 ? 0 : all[TOTAL] - all[KINETIC] - all[MAGNETIC],
        .energy_total = all[TOTAL],
        .mach_rms = sqrt(all[MACH2] / all[VOLUME]),
        .velocity_rms = sqrt(all[SPEED2] / all[VOLUME]),
        .density_min = extreme[RHO_MIN],
        .density_max = -extreme[RHO_MAX],
        .pressure_min = extreme[P_MIN],
        .pressure_max = -extreme[P_MAX],
    };
    double whole =
        out->mass + out->energy_total + out->mach_rms + out->density_max; /* all ranks' */
    SL_CHECK(isfinite(whole), SL_EDIVERGED,
             "step %" PRId64 ": mass %g, energy %g, rms Mach number %g, largest density %g",
             sim->step, out->mass, out->energy_total, out->mach_rms, out->density_max);
    struct sl_drive_sums drive;
    sl_drive_told(sim, &drive);
    out->driving_energy = drive.energy;
    out->driving_power = drive.power;
    out->driving_acceleration = drive.acceleration;
    if (sim->layout.magnetic < 0) return SL_OK;
    out->energy_magnetic = all[MAGNETIC];
    out->magnetic_flux_x = all[BX];
    out->magnetic_flux_y = all[BY];
    out->magnetic_flux_z = all[BZ];
    out->divergence_max = -extreme[DIV_MAX];
    out->divergence_mean = all[DIV] / all[VOLUME];
    out->psi_max = fabs(extreme[PSI_MAX]);
    return SL_OK;
}

/* ---- the file --------------------------------------------------------------------------------- */

static int write_head(const struct sl_sim *sim, const char *path, const struct sl_provenance *p)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    SL_CHECK(f, SL_EMEM, "no memory for the head of %s", path);
    fputs(FIRST_LINE, f);
    for (int i = 0; i < p->n; i++)
        if (p->item[i].repeatable) fprintf(f, "# %s %s\n", p->item[i].key, p->item[i].value);
    fputs("# time[code]\tstep[1]\tdt[code]", f);
#define HEAD(name, unit) fputs("\t" #name "[" unit "]", f);
    SL_HISTORY_LIST(HEAD)
    if (sim->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(HEAD)
    }
    if (sim->drive) {
        SL_HISTORY_DRIVING_LIST(HEAD)
    }
#undef HEAD
    fputs("\tcells_repaired[1]\tcells_floored[1]\ttime_unit[1]\n", f);
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
        if (*at == '#') continue;
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab || strtoll(tab + 1, NULL, 10) > step) break;
    }
    return (size_t)(at - text);
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
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
        code = SL_FAIL(SL_EINPUT, "%s is not a history of this program", path);
    size_t good = good_length(text, step);
    if (code == SL_OK && good < n) code = sl_file_replace(path, text, good, SL_DURABLE);
    free(text);
    return code;
}

static int open_here(const struct sl_sim *sim, const char *path, bool resumed,
                     const struct sl_provenance *p, struct sl_history **out)
{
    struct sl_history *h = calloc(1, sizeof *h);
    SL_CHECK(h, SL_EMEM, "no memory for the history");
    int code = sl_path_join(h->path, "", path);
    if (code == SL_OK) code = sl_file_sweep(path);
    if (code == SL_OK) code = resumed ? go_on(sim, path, p) : write_head(sim, path, p);
    if (code == SL_OK) {
        h->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
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

static int add_line(const struct sl_history *h, const struct sl_sim *sim, const struct sl_totals *t)
{
    char line[1024];
    int n = snprintf(line, sizeof line, "%.17g\t%" PRId64 "\t%.17g", sim->time, sim->step, sim->dt);
#define VALUE(name, unit) n += snprintf(line + n, sizeof line - (size_t)n, "\t%.17g", t->name);
    SL_HISTORY_LIST(VALUE)
    if (sim->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(VALUE)
    }
    if (sim->drive) {
        SL_HISTORY_DRIVING_LIST(VALUE)
    }
#undef VALUE
    n += snprintf(line + n, sizeof line - (size_t)n, "\t%" PRId64 "\t%" PRId64 "\t%.17g\n",
                  sim->cells_repaired, sim->cells_floored, sim->time / sim->time_unit);
    return sl_write_all(h->fd, line, (size_t)n, h->path);
}

int sl_history_add(struct sl_history *h, const struct sl_sim *sim)
{
    struct sl_totals t;
    SL_TRY(sl_history_totals(sim, &t));
    return sl_agree(sim->mesh->comm, h ? add_line(h, sim, &t) : SL_OK);
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
