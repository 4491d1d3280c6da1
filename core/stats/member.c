/* member.c - see member.h. */
#include "core/stats/member.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/scale.h"
#include "core/config/show.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/io/particle_rows.h"
#include "core/io/snapshot.h"
#include "core/stats/average.h"
#include "core/stats/decay.h"
#include "core/stats/energies.h"
#include "core/stats/expansion.h"
#include "core/stats/level_shares.h"
#include "core/stats/levels.h"
#include "core/stats/measure.h"
#include "core/stats/measurer.h"
#include "core/stats/planes.h"
#include "core/stats/radial_profile.h"
#include "core/stats/run_tables.h"
#include "core/stats/series.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

struct member {
    MPI_Comm comm;
    int rank;
    const struct sl_config *cfg;
    struct sl_tables tables;
    struct sl_summary summary;
    struct sl_measured last;
    struct sl_energies energies;
    struct sl_level_shares shares;
    struct sl_measurer measurer;
    double parseval;
    int snapshots;
};

/* ---- snapshots ---- */

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Number in the name of a snapshot of this campaign, or, taken, of what the run measured in its
 * place, -1 for another file. */
static int number_of(const char *name, const struct sl_config *cfg, bool taken)
{
    size_t n = strlen(cfg->campaign);
    int number, used = 0;
    if (strncmp(name, cfg->campaign, n) != 0) return -1;
    if (sscanf(name + n, taken ? SL_RUN_TABLES_ENDING("%9d") "%n" : "_hdf5_plt_cnt_%9d%n", &number,
               &used) != 1 ||
        used == 0)
        return -1;
    return name[n + (size_t)used] == '\0' && number >= 0 ? number : -1;
}

static int nothing_there(const struct sl_config *cfg, bool others)
{
    if (cfg->statistics_in_run)
        return SL_FAIL(SL_EINPUT,
                       "snapshots holds no tables of %s, which the run measures "
                       "(statistics.in_run: true); nearest: false, where there are snapshots",
                       cfg->campaign);
    return SL_FAIL(SL_EINPUT, "snapshots holds no snapshot of %s%s", cfg->campaign,
                   others ? ", but tables that the run measured; nearest: statistics.in_run: true"
                          : "");
}

/* Whether all is there that a run which ended has left in the place of snapshots. */
static int check_written(const struct sl_config *cfg)
{
    struct sl_sealed list;
    bool there;
    SL_TRY(sl_run_tables_written(&list, &there));
    int code = SL_OK;
    for (size_t i = 0; i < list.n && code == SL_OK; i++) {
        const char *path = list.file[i].path, *name = strrchr(path, '/');
        if (name && number_of(name + 1, cfg, true) >= 0 && access(path, F_OK) != 0)
            code = SL_FAIL(SL_EINPUT,
                           "%s, which the run has written (written.tsv), is missing; nearest: a "
                           "new run in another directory",
                           path);
    }
    sl_sealed_release(&list);
    return code;
}

/* Numbers of all snapshots, ascending; *number is the caller's to free. */
static int list_snapshots(const struct sl_config *cfg, int **number, int *n)
{
    DIR *dir = opendir("snapshots");
    SL_CHECK(dir, sl_file_status(errno), "cannot read the directory snapshots: %s",
             strerror(errno));
    int room = 0, code = SL_OK;
    bool others = false;
    struct dirent *entry;
    while (code == SL_OK && (code = sl_dir_next(dir, "snapshots", &entry)) == SL_OK && entry) {
        int found = number_of(entry->d_name, cfg, cfg->statistics_in_run);
        others |= number_of(entry->d_name, cfg, !cfg->statistics_in_run) >= 0;
        if (found < 0) continue;
        if (*n == room) {
            room = 2 * room + 64;
            int *more = realloc(*number, (size_t)room * sizeof *more);
            if (!more)
                code = SL_FAIL(SL_EMEM, "out of memory");
            else
                *number = more;
        }
        if (code == SL_OK) (*number)[(*n)++] = found;
    }
    closedir(dir);
    SL_TRY(code);
    if (*n == 0) return nothing_there(cfg, others);
    if (cfg->statistics_in_run) SL_TRY(check_written(cfg));
    qsort(*number, (size_t)*n, sizeof **number, compare_numbers);
    return SL_OK;
}

/* Rank 0 looks, all get the same list. */
static int share_list(struct member *m, int **number, int *n)
{
    int code = m->rank == 0 ? list_snapshots(m->cfg, number, n) : SL_OK;
    SL_TRY(sl_agree(m->comm, code));
    MPI_Bcast(n, 1, MPI_INT, 0, m->comm);
    if (m->rank > 0) *number = malloc((size_t)*n * sizeof **number);
    SL_TRY(sl_agree(m->comm, *number ? SL_OK : SL_FAIL(SL_EMEM, "out of memory")));
    MPI_Bcast(*number, *n, MPI_INT, 0, m->comm);
    return SL_OK;
}

static int check_box(const struct member *m, const char *path, const struct sl_snapshot_info *info)
{
    SL_CHECK(info->dim == sl_config_dim(m->cfg), SL_EINPUT, "%s has %d dimensions, the run has %d",
             path, info->dim, sl_config_dim(m->cfg));
    for (int d = 0; d < info->dim; d++)
        SL_CHECK(info->cells[d] == m->cfg->mesh_cells[d], SL_EINPUT,
                 "%s has %lld cells along axis %d, the run has %lld", path,
                 (long long)info->cells[d], d, (long long)m->cfg->mesh_cells[d]);
    return SL_OK;
}

/* Tables that the leaves themselves make: blocks of the maps, and maps of a finer grid. On rank
 * 0. */
static int measure_leaves(struct member *m, const struct sl_snapshot *snapshot,
                          const struct sl_fields *like)
{
    for (int axis = 0; axis < 3; axis++)
        if (m->cfg->statistics_map_axes >> axis & 1)
            SL_TRY(sl_levels_blocks(m->cfg, snapshot, sl_show_map_level(m->cfg), axis, like->number,
                                    &m->tables));
    return sl_planes_maps(m->cfg, snapshot, like, &m->tables);
}

/* Own planes of the wanted fields on the grid of statistics.level, one after the other. */
static int read_planes(struct member *m, const struct sl_snapshot *snapshot, struct sl_slab *slab)
{
    const struct sl_snapshot_info *info = sl_snapshot_about(snapshot);
    struct sl_measurer *to = &m->measurer;
    SL_TRY(sl_measurer_grid(to, info->dim, info->cells, info->lo, info->hi, slab));
    int64_t lo[3] = {0, 0, slab->z0}, hi[3] = {slab->n[0], slab->n[1], slab->z0 + slab->nz};
    return sl_planes_read(m->cfg, snapshot, (int)m->cfg->statistics_level, lo, hi, to->fields);
}

static double when_of(const struct member *m, const struct sl_snapshot_info *about)
{
    return sl_measurer_when(m->cfg, about->time, about->time_unit, about->scale_factor);
}

/* Likewise, what all ranks measure together. */
static int measure_shells(struct member *m, const struct sl_snapshot *snapshot,
                          const struct sl_fields *like)
{
    if (!sl_config_has_gas(m->cfg)) return SL_OK;
    double when = when_of(m, sl_snapshot_about(snapshot));
    if (m->cfg->mesh_levels > 0) SL_TRY(sl_level_shares_add(m->comm, snapshot, when, &m->shares));
    return sl_radial_profile_measure(m->comm, m->cfg, snapshot, like, &m->tables);
}

/* Where the particles of a snapshot are, and its path, which is borrowed. */
struct picture {
    int number;
    char path[SL_PATH_MAX];
    struct sl_particle_source particles;
    struct sl_snapshot_info about;
    struct sl_slab slab;
    struct sl_fields f;
};

/* Local. The fields of a snapshot, and what it says of itself. */
static int read_fields(struct member *m, const struct sl_snapshot *snapshot, struct picture *p)
{
    p->about = *sl_snapshot_about(snapshot);
    p->particles = (struct sl_particle_source){.path = p->path};
    const bool move = sl_config_wants(m->cfg, SL_SOURCE_particles);
    const struct sl_moment moment = {p->number, p->about.time, p->about.scale_factor,
                                     move ? &p->particles : NULL};
    int code = check_box(m, p->path, &p->about);
    if (code == SL_OK) code = read_planes(m, snapshot, &p->slab);
    sl_measurer_fields(&m->measurer, &p->slab, &moment, &p->f);
    if (code == SL_OK && m->rank == 0) code = measure_leaves(m, snapshot, &p->f);
    return code;
}

/* The same of a file, and what its leaves tell; collective. */
static int read_snapshot(struct member *m, struct picture *p)
{
    struct sl_snapshot *snapshot = NULL;
    int code = sl_snapshot_name(p->path, "snapshots", m->cfg->campaign, p->number);
    if (code == SL_OK) code = sl_snapshot_open(p->path, &snapshot);
    if (code == SL_OK) code = read_fields(m, snapshot, p);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) code = measure_shells(m, snapshot, &p->f);
    if (snapshot) sl_snapshot_close(snapshot);
    return code;
}

/* Of a snapshot whose tables are there; local. */
static int add_measured(struct member *m, double time, double when, const struct sl_measured *now)
{
    m->last = *now;
    m->parseval = fmax(m->parseval, now->parseval);
    m->snapshots++;
    return sl_energies_add(&m->energies, time, when, now);
}

static int measure_snapshot(struct member *m, int number)
{
    struct picture p = {.number = number};
    struct sl_measured now;
    SL_TRY(read_snapshot(m, &p));
    SL_TRY(sl_measurer_measure(&m->measurer, &p.f, &m->tables, &now));
    return sl_agree(m->comm, add_measured(m, p.about.time, when_of(m, &p.about), &now));
}

/* What the run has measured itself; rank 0 has the tables. */
static int take_snapshot(struct member *m, int number)
{
    struct sl_run_tables t;
    if (m->rank > 0) return SL_OK;
    SL_TRY(sl_run_tables_read(m->cfg, "snapshots", number, &m->tables, &t));
    return add_measured(m, t.time, t.when, &t.measured);
}

static int measure_or_take(struct member *m, int number)
{
    return m->cfg->statistics_in_run ? sl_agree(m->comm, take_snapshot(m, number))
                                     : measure_snapshot(m, number);
}

/* What the last snapshot adds to the summary. */
static void summarise(struct member *m)
{
    static const char *const name[] = {
#define NAME(name, about) "slope_" #name,
        SL_SPECTRUM_LIST(NAME)
#undef NAME
    };
    const struct sl_measured *last = &m->last;
#define ADD(name, unit, ...)                                                                       \
    if (!isnan(last->name)) sl_summary_add(&m->summary, #name, last->name, 0, unit);
    SL_NUMBER_LIST(ADD)
#undef ADD
    for (int i = 0; i < SL_SPECTRA; i++)
        if (last->slope[i].points > 0)
            sl_summary_add(&m->summary, name[i], last->slope[i].exponent, last->slope[i].error,
                           "1");
}

/* Tables of all snapshots together. */
static int make_series(struct member *m)
{
    struct sl_measurer *of = &m->measurer;
    int code =
        sl_measurer_has_linear(m->cfg) ? sl_expansion_growth(&of->linear, &m->tables) : SL_OK;
    if (code == SL_OK) code = sl_energies_table(&m->energies, &m->tables);
    if (code == SL_OK)
        code = sl_level_shares_table(&m->shares, (int)m->cfg->mesh_levels, &m->tables);
    if (code == SL_OK) code = sl_halo_history_table(&of->haloes, &m->tables);
    return code;
}

static int measure_snapshots(struct member *m)
{
    int *number = NULL, n = 0;
    int code = share_list(m, &number, &n);
    if (code == SL_OK)
        code = sl_measurer_open(m->comm, m->cfg, n > 0 && !m->cfg->statistics_in_run, &m->measurer);
    for (int i = 0; i < n && code == SL_OK; i++)
        code = measure_or_take(m, number[i]);
    if (code == SL_OK) code = sl_agree(m->comm, make_series(m));
    if (code == SL_OK) summarise(m);
    sl_measurer_close(&m->measurer);
    free(number);
    return code;
}

static int measure_history(struct member *m)
{
    struct sl_series series;
    SL_TRY(sl_series_read("history.tsv", &series));
    int code = SL_OK;
    if (sl_config_has_gas(m->cfg))
        code = sl_decay_measure(&series, m->cfg->statistics_decay, &m->tables, &m->summary);
    if (code == SL_OK) code = sl_levels_measure(&series, &m->tables);
    if (code == SL_OK)
        code = sl_expansion_energies(&series, m->cfg->fluid_gamma, &m->tables, &m->summary);
    if (code == SL_OK && m->cfg->statistics_average > 0)
        code = sl_average_measure(&series, m->cfg->statistics_average, &m->summary);
    sl_series_release(&series);
    return code;
}

/* ---- files ---- */

static void say_unit(const struct sl_scale *scale, bool temperature, char unit[SL_TABLE_UNIT])
{
    char text[SL_TABLE_UNIT];
    (temperature ? sl_scale_say_temperature : sl_scale_say)(scale, unit, text, sizeof text);
    memcpy(unit, text, sizeof text);
}

/* Of a map of the temperature all values have its unit. */
static void say_table(const struct sl_config *cfg, struct sl_table *t)
{
    static const char words[] = "; rho_m: comoving mean density of matter";
    bool temperature = t->matrix && strstr(t->name, "_temperature_"), matter = false;
    double a = sl_table_noted(t, "scale_factor");
    const struct sl_scale scale = sl_scale_at(cfg, a > 0 ? a : -1);
    for (int c = 0; c < t->ncol; c++) {
        say_unit(&scale, temperature, t->column[c].unit);
        matter |= strstr(t->column[c].unit, "rho_m") != NULL;
    }
    size_t used = strlen(t->about);
    if (matter && used + sizeof words <= sizeof t->about)
        snprintf(t->about + used, sizeof t->about - used, "%s", words);
}

/* What code units are in CGS, or of a universe, where the run has physical units. */
static void say_units(struct member *m)
{
    const struct sl_scale scale = sl_scale_at(m->cfg, -1);
    for (int i = 0; i < m->tables.n; i++)
        say_table(m->cfg, &m->tables.table[i]);
    for (int i = 0; i < m->summary.n; i++)
        say_unit(&scale, false, m->summary.row[i].unit);
}

static int fill_hdf(const struct member *m, hid_t file)
{
    SL_TRY(sl_h5_put_text(file, "description",
                          "statistics of one run; every dataset says its units and what it is"));
    SL_TRY(sl_hdf_provenance(file, m->cfg));
    SL_TRY(sl_hdf_real(file, "largest_parseval_error", m->parseval));
    SL_TRY(sl_summary_write_hdf(&m->summary, file));
    for (int i = 0; i < m->tables.n; i++)
        SL_TRY(sl_table_write_hdf(&m->tables.table[i], file));
    return SL_OK;
}

static int write_hdf(const struct member *m)
{
    struct sl_hdf h;
    SL_TRY(sl_hdf_create("stats.h5", 0, &h));
    int code = fill_hdf(m, h.file);
    if (code == SL_OK) return sl_hdf_commit(&h);
    sl_hdf_abandon(&h);
    return code;
}

static int write_all(struct member *m)
{
    say_units(m);
    SL_TRY(sl_mkdir_all("stats"));
    unlink("stats/summary.csv"); /* of an earlier time: what is there from now on is not complete */
    SL_TRY(write_hdf(m));
    for (int i = 0; i < m->tables.n; i++)
        SL_TRY(sl_table_write_csv(&m->tables.table[i], "stats", SL_FLUSHED)); /* summary.csv ends */
    return sl_summary_write_csv(&m->summary, "stats/summary.csv");
}

int sl_member_stats(MPI_Comm comm, const struct sl_config *cfg)
{
    struct member *m = calloc(1, sizeof *m);
    int code = sl_agree(comm, m ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code != SL_OK) {
        free(m);
        return code;
    }
    m->comm = comm;
    m->cfg = cfg;
    MPI_Comm_rank(comm, &m->rank);
    code = sl_agree(comm, m->rank == 0 ? measure_history(m) : SL_OK);
    if (code == SL_OK) code = measure_snapshots(m);
    if (code == SL_OK) code = sl_agree(comm, m->rank == 0 ? write_all(m) : SL_OK);
    if (code == SL_OK && m->rank == 0)
        sl_log(SL_LOG_NOTE, "stats: %d snapshots, %d tables, largest Parseval error %.2g",
               m->snapshots, m->tables.n, m->parseval);
    sl_tables_release(&m->tables);
    sl_energies_release(&m->energies);
    sl_level_shares_release(&m->shares);
    free(m);
    return code;
}
