/* reduce.c - see reduce.h. */
#include "core/stats/reduce.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/tie.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/measure/table.h"
#include "core/stats/curves.h"
#include "core/stats/ensemble.h"
#include "core/stats/response.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "core/sys/text.h"

struct line {
    const struct sl_quantity *quantity;
    struct sl_spread spread;
    int members;
};

/* One group: its members and what came out. */
struct group {
    const struct sl_members *members;
    int n;
    char **path; /* owned list of borrowed paths: its members */
    int *unit;   /* owned, [n]: which realisation each is, 0 .. units - 1 */
    int units;
    bool paired; /* two of them are a pair */
    enum sl_tie tie;
    const char *key;            /* borrowed */
    uint64_t seed;              /* of the bootstrap */
    struct sl_summary *summary; /* owned, [n] */
    struct line *line;          /* owned, [nline]: quantities of the ensemble */
    int nline;
    struct sl_tables tables;
    struct sl_summary jackknife;
    char out[SL_PATH_MAX]; /* directory to write */
};

static void group_release(struct group *g)
{
    free(g->path);
    free(g->unit);
    free(g->summary);
    free(g->line);
    sl_tables_release(&g->tables);
}

static int member_file(const struct group *g, int i, const char *file, char *path)
{
    char stats[SL_PATH_MAX];
    SL_TRY(sl_path_join(stats, g->path[i], "stats"));
    return sl_path_join(path, stats, file);
}

static uint32_t name_hash(const char *text)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x01000193u; /* FNV-1a */
    return hash;
}

/* ---- lines of keys ---- */

static bool is_line(const char *at, const char *line, size_t n)
{
    return strncmp(at, line, n) == 0 && (at[n] == '\n' || at[n] == '\0');
}

/* Whether a text has a line of n letters; *at: where it is looked for first, as lines of two keys
 * mostly stand in one order, and then what follows it. */
static bool find_line(const char *text, const char *line, size_t n, const char **at)
{
    const char *found = *at;
    if (!is_line(found, line, n))
        for (found = text; *found && !is_line(found, line, n); found += *found == '\n')
            found += strcspn(found, "\n");
    if (!*found) return false;
    *at = found + n + (found[n] == '\n');
    return true;
}

static bool has_line(const char *text, const char *line)
{
    const char *at = text;
    return find_line(text, line, strlen(line), &at);
}

/* Whether a key has a file. */
static bool names_file(const char *text, const char *key)
{
    char none[64];
    snprintf(none, sizeof none, "%s \"\"", key);
    return strstr(text, key) && !has_line(text, none);
}

/* What gives the members of a group amplitudes or modes in common that chance should give them. */
static enum sl_tie tie_of(const struct group *g)
{
    const char *key = g->key;
    bool universe = has_line(key, "problem: cosmology");
    bool file = names_file(key, "ic.noise:") || names_file(key, "ic.file:");
    return sl_tie_of(universe && file, universe && has_line(key, "ic.fixed: true"),
                     universe && !has_line(key, "ic.low_modes: 0"), g->paired);
}

static int reduce_tables(struct group *g)
{
    char **name;
    int n, code = SL_OK;
    struct sl_curves curves = {
        {g->n, g->path, g->unit, g->units}, &g->tables, &g->jackknife, g->tie != SL_TIE_none, 0};
    SL_TRY(sl_group_files(g->path[0], &name, &n));
    for (int i = 0; i < n && code == SL_OK; i++)
        code = sl_curves_reduce(&curves, name[i]);
    sl_group_files_release(name, n);
    if (code == SL_OK && curves.refused > 0)
        sl_log(SL_LOG_NOTE, "%s: %s", g->out, sl_tie_why(g->tie));
    return code;
}

/* ---- quantities ---- */

static int read_summaries(struct group *g)
{
    char path[SL_PATH_MAX];
    g->summary = calloc((size_t)g->n, sizeof *g->summary);
    SL_CHECK(g->summary, SL_EMEM, "out of memory");
    for (int i = 0; i < g->n; i++) {
        SL_TRY(member_file(g, i, "summary.csv", path));
        SL_TRY(sl_summary_read_csv(path, &g->summary[i]));
    }
    return SL_OK;
}

/* Values of a quantity in the realisations that have it, of a pair the mean; x has room for all. */
static int collect(const struct group *g, const char *name, double *x)
{
    int n = 0;
    for (int u = 0; u < g->units; u++) {
        double sum = 0;
        int members = 0;
        for (int i = u; i < g->n; i++) { /* none comes before the first members of units */
            const struct sl_quantity *q =
                g->unit[i] == u ? sl_summary_find(&g->summary[i], name) : NULL;
            if (q && isfinite(q->value)) sum += q->value, members++;
        }
        if (members) x[n++] = sum / members;
    }
    return n;
}

/* One line per quantity of the first member that two members have at least. */
static int spreads(struct group *g)
{
    double *x = malloc((size_t)g->n * sizeof *x);
    g->line = calloc(SL_QUANTITIES, sizeof *g->line);
    int code = x && g->line ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    for (int i = 0; code == SL_OK && i < g->summary[0].n; i++) {
        struct line *l = &g->line[g->nline];
        l->quantity = &g->summary[0].row[i];
        l->members = collect(g, l->quantity->name, x);
        if (l->members < 2) continue;
        code = sl_ensemble_spread(l->members, x, g->seed, name_hash(l->quantity->name), &l->spread);
        g->nline += code == SL_OK;
    }
    free(x);
    return code;
}

static int print_summary(const struct group *g, FILE *out)
{
    fprintf(out,
            "# mean over members, standard error, percentiles of the members, 95 %% bootstrap "
            "interval of the mean\n# bootstrap resamples: %d, seed: %llu\n"
            "quantity",
            SL_BOOTSTRAP, (unsigned long long)g->seed);
#define HEAD(name, column, about)  fputs("," column, out);
#define VALUE(name, column, about) fprintf(out, ",%.10g", g->line[i].spread.name);
    SL_SPREAD_LIST(HEAD)
    fputs(",members,unit\n", out);
    for (int i = 0; i < g->nline; i++) {
        fputs(g->line[i].quantity->name, out);
        SL_SPREAD_LIST(VALUE)
        fprintf(out, ",%d,%s\n", g->line[i].members, g->line[i].quantity->unit);
    }
    return SL_OK;
#undef HEAD
#undef VALUE
}

static int print_members(const struct group *g, FILE *out)
{
    fprintf(out, "# one line per member, one column per quantity\nmember");
    for (int q = 0; q < g->summary[0].n; q++)
        fprintf(out, ",%s", g->summary[0].row[q].name);
    fputc('\n', out);
    for (int i = 0; i < g->n; i++) {
        const char *path = g->path[i], *slash = strrchr(path, '/');
        fputs(slash ? slash + 1 : path, out);
        for (int q = 0; q < g->summary[0].n; q++) {
            const struct sl_quantity *found =
                sl_summary_find(&g->summary[i], g->summary[0].row[q].name);
            fprintf(out, ",%.10g", found ? found->value : NAN);
        }
        fputc('\n', out);
    }
    return SL_OK;
}

/* ---- files ---- */

static int write_printed(const struct group *g, const char *name,
                         int (*print)(const struct group *, FILE *))
{
    char *text = NULL, path[SL_PATH_MAX];
    size_t size = 0;
    SL_TRY(sl_path_join(path, g->out, name));
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "out of memory");
    int code = print(g, out);
    if (fclose(out) != 0 && code == SL_OK) code = SL_FAIL(SL_EMEM, "out of memory");
    if (code == SL_OK) code = sl_file_replace(path, text, size, SL_DURABLE);
    free(text);
    return code;
}

static int hdf_summary(const struct group *g, hid_t file)
{
    hid_t group = sl_h5_group(file, "summary");
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group summary");
    hsize_t size = sizeof g->line->spread / sizeof(double);
    int code = SL_OK;
    for (int i = 0; i < g->nline && code == SL_OK; i++)
        code = sl_hdf_dataset(group, g->line[i].quantity->name, 1, &size, &g->line[i].spread.mean,
                              g->line[i].quantity->unit,
                              "mean, standard error, median, 16 %, 84 %, ends of the 95 % "
                              "bootstrap interval of the mean");
    H5Gclose(group);
    return code;
}

static int fill_hdf(const struct group *g, hid_t file)
{
    const char *key = g->key;
    SL_TRY(sl_h5_put_text(file, "description", "ensemble of runs that differ in their seed only"));
    SL_TRY(sl_h5_put_text(file, "recipe", key));
    SL_TRY(sl_hdf_build(file));
    SL_TRY(sl_hdf_integer(file, "members", g->n));
    SL_TRY(sl_hdf_integer(file, "bootstrap_seed", (int64_t)g->seed));
    SL_TRY(sl_hdf_integer(file, "bootstrap_resamples", SL_BOOTSTRAP));
    SL_TRY(hdf_summary(g, file));
    for (int i = 0; i < g->tables.n; i++)
        SL_TRY(sl_table_write_hdf(&g->tables.table[i], file));
    return SL_OK;
}

static int write_hdf(const struct group *g)
{
    char path[SL_PATH_MAX];
    struct sl_hdf h;
    SL_TRY(sl_path_join(path, g->out, "ensemble.h5"));
    SL_TRY(sl_hdf_create(path, 0, &h));
    int code = fill_hdf(g, h.file);
    if (code == SL_OK) return sl_hdf_commit(&h);
    sl_hdf_abandon(&h);
    return code;
}

static int is_answer(const struct dirent *entry)
{
    return strncmp(entry->d_name, "response_", 9) == 0 || strncmp(entry->d_name, "ratio_", 6) == 0;
}

static int is_matrix(const struct dirent *entry)
{
    return strncmp(entry->d_name, "covariance_", 11) == 0 ||
           strncmp(entry->d_name, "correlation_matrix_", 19) == 0;
}

/* Removes files of an earlier time, which are not made again. */
static int remove_old(const char *dir, int is(const struct dirent *))
{
    char path[SL_PATH_MAX];
    struct dirent **entry = NULL;
    int n = scandir(dir, &entry, is, NULL), code = SL_OK;
    SL_CHECK(n >= 0, sl_file_status(errno), "cannot read %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (code == SL_OK) code = sl_path_join(path, dir, entry[i]->d_name);
        if (code == SL_OK && unlink(path) != 0)
            code = SL_FAIL(SL_EIO, "cannot remove %s: %s", path, strerror(errno));
        free(entry[i]);
    }
    free(entry);
    return code;
}

static int write_group(const struct group *g)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_mkdir_all(g->out));
    SL_TRY(sl_path_join(path, g->out, "summary.csv"));
    unlink(path); /* of an earlier time: what is there from now on is not complete */
    if (g->tie != SL_TIE_none) SL_TRY(remove_old(g->out, is_matrix));
    SL_TRY(write_hdf(g));
    for (int i = 0; i < g->tables.n; i++)
        SL_TRY(sl_table_write_csv(&g->tables.table[i], g->out, SL_DURABLE));
    SL_TRY(sl_path_join(path, g->out, "jackknife.csv"));
    if (g->jackknife.n > 0) SL_TRY(sl_summary_write_csv(&g->jackknife, path));
    SL_TRY(write_printed(g, "members.csv", print_members));
    return write_printed(g, "summary.csv", print_summary);
}

/* ---- groups ---- */

/* Each pair is one realisation; of a pair that is alone each member is one, which tell of its
 * scatter. */
static int group_init(const struct sl_members *m, int number, struct group *g)
{
    struct sl_group of;
    memset(g, 0, sizeof *g);
    g->members = m;
    g->seed = 1;
    SL_TRY(sl_group_make(m, number, &of));
    g->paired = of.units < of.n;
    g->units = of.units > 1 ? of.units : of.n;
    for (int i = 0; i < of.n && of.units == 1; i++)
        of.unit[i] = i;
    g->n = of.n;
    g->path = of.path;
    g->unit = of.unit;
    g->key = of.key;
    of.path = NULL, of.unit = NULL; /* they are the group's now */
    sl_group_release(&of);
    return SL_OK;
}

/* A member that is alone in its group has no error bars: it is left out, which is said. */
static int group_compute(const struct sl_members *m, const char *campaign, int number,
                         struct group *g)
{
    char name[64] = "ensemble";
    SL_TRY(group_init(m, number, g));
    if (m->ngroup > 1) snprintf(name, sizeof name, "ensemble/group-%d", number + 1);
    SL_TRY(sl_path_join(g->out, campaign, name));
    SL_TRY(read_summaries(g));
    if (g->n < 2) {
        sl_log(SL_LOG_NOTE, "%s: no other member differs from it in the seed only: no error bars",
               g->path[0]);
        return SL_OK;
    }
    g->tie = tie_of(g);
    SL_TRY(reduce_tables(g));
    return spreads(g);
}

/* Takes the lines out of `common` that a group's key does not have. */
static void keep_common(char *common, const char *key)
{
    char *to = common;
    const char *at = key;
    for (const char *from = common; *from;) {
        size_t n = strcspn(from, "\n"), all = n + (from[n] == '\n');
        if (find_line(key, from, n, &at)) {
            memmove(to, from, all);
            to += all;
        }
        from += all;
    }
    *to = '\0';
}

/* The lines that the keys of all members have; owned. */
static int common_lines(const struct sl_members *m, char **common)
{
    int seen = 1;
    *common = strdup(m->key[0]);
    SL_CHECK(*common, SL_EMEM, "out of memory");
    for (int i = 0; i < m->n; i++)
        if (m->group[i] == seen) {
            keep_common(*common, m->key[i]);
            seen++;
        }
    return SL_OK;
}

/* The lines of a group's key that not all groups have. */
static void differing(const char *key, const char *common, char *out, size_t room)
{
    size_t used = 0;
    const char *next = common;
    out[0] = '\0';
    for (const char *at = key; *at && used < room;) {
        size_t n = strcspn(at, "\n");
        if (n > 0 && !find_line(common, at, n, &next))
            used +=
                (size_t)snprintf(out + used, room - used, "%s%.*s", used ? "; " : "", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static int print_groups(const struct group *g, FILE *out)
{
    const struct sl_members *m = g->members;
    char *common;
    SL_TRY(common_lines(m, &common));
    fprintf(out, "# groups of members that differ in their seed only; what: the keys in which "
                 "groups differ\ngroup,member,what\n");
    for (int i = 0; i < m->n; i++) {
        char what[2048];
        const char *slash = strrchr(m->path[i], '/');
        differing(m->key[i], common, what, sizeof what);
        for (char *c = what; *c; c++)
            if (*c == ',') *c = ' ';
        fprintf(out, "%d,%s,%s\n", m->group[i] + 1, slash ? slash + 1 : m->path[i], what);
    }
    free(common);
    return SL_OK;
}

/* One group has none; that of an ensemble of several would be read as its own. */
static int remove_groups(const char *dir)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_path_join(path, dir, "groups.csv"));
    SL_CHECK(unlink(path) == 0 || errno == ENOENT, SL_EIO, "cannot remove %s: %s", path,
             strerror(errno));
    return SL_OK;
}

static int write_all(const char *campaign, const struct sl_members *m, const struct group *g,
                     const struct sl_tables *answers)
{
    for (int i = 0; i < m->ngroup; i++)
        if (g[i].n >= 2) SL_TRY(write_group(&g[i]));
    struct group all = {.members = m};
    SL_TRY(sl_path_join(all.out, campaign, "ensemble"));
    SL_TRY(sl_mkdir_all(all.out));
    SL_TRY(remove_old(all.out, is_answer));
    if (m->ngroup == 1 && g[0].n >= 2) return remove_groups(all.out);
    for (int i = 0; i < answers->n; i++)
        SL_TRY(sl_table_write_csv(&answers->table[i], all.out, SL_DURABLE));
    return write_printed(&all, "groups.csv", print_groups);
}

int sl_reduce(const char *campaign, const struct sl_members *m)
{
    SL_CHECK(m->n >= 1, SL_EINPUT, "no member with finished statistics found in %s", campaign);
    struct group *g = calloc((size_t)m->ngroup, sizeof *g);
    SL_CHECK(g, SL_EMEM, "out of memory for %d groups", m->ngroup);
    int code = SL_OK;
    for (int i = 0; i < m->ngroup && code == SL_OK; i++)
        code = group_compute(m, campaign, i, &g[i]);
    struct sl_tables answers = {.n = 0};
    if (code == SL_OK) code = sl_response_reduce(m, &answers);
    if (code == SL_OK) code = write_all(campaign, m, g, &answers);
    sl_tables_release(&answers);
    for (int i = 0; i < m->ngroup; i++)
        group_release(&g[i]);
    free(g);
    return code;
}

/* ---- target ---- */

static const char *target_quantity(int target)
{
    return target == SL_TARGET_mach_rms ? "mach_rms_end"
                                        : sl_choice_name("ensemble.target", target);
}

/* What is known of a group; all[t] stays set as long as every group has target t. */
static void look_at_group(const struct group *g, const struct sl_config *cfg, double *x, bool *all,
                          struct sl_target_state *s)
{
    for (int t = 0; t < SL_TARGETS; t++)
        all[t] = all[t] && collect(g, target_quantity(t), x) > 0;
    int n = collect(g, target_quantity(cfg->ensemble_target), x);
    double error = n < cfg->ensemble_min ? INFINITY
                   : cfg->ensemble_stop == SL_STOP_sequence
                       ? sl_ensemble_sequence_error(n, x)
                       : sl_ensemble_target_error(n, x, (int)cfg->ensemble_min);
    s->error = fmax(s->error, error);
    if (n == 0) s->lacking += g->n;
}

static int look_at_groups(const struct sl_members *m, const struct sl_config *cfg, bool *all,
                          struct sl_target_state *s)
{
    double *x = malloc((size_t)m->n * sizeof *x);
    int code = x ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    for (int i = 0; i < m->ngroup && code == SL_OK; i++) {
        struct group g;
        code = group_init(m, i, &g);
        if (code == SL_OK) code = read_summaries(&g);
        if (code == SL_OK) look_at_group(&g, cfg, x, all, s);
        group_release(&g);
    }
    free(x);
    return code;
}

static int target_distance(int a, int b)
{
    return sl_text_distance(sl_choice_name("ensemble.target", a),
                            sl_choice_name("ensemble.target", b));
}

/* Each behind those that are nearer. */
static void list_targets(const bool *all, struct sl_target_state *s)
{
    for (int t = 0; t < SL_TARGETS; t++) {
        int at = s->nhave;
        if (!all[t]) continue;
        for (; at > 0 &&
               target_distance(s->target, t) < target_distance(s->target, (int)s->have[at - 1]);
             at--)
            s->have[at] = s->have[at - 1];
        s->have[at] = (enum sl_target)t;
        s->nhave++;
    }
}

int sl_reduce_check_target(const struct sl_members *m, struct sl_target_state *out)
{
    struct sl_target_state state = {.error = INFINITY, .members = m->n};
    bool all[SL_TARGETS];
    struct sl_config cfg;
    char path[SL_PATH_MAX];
    *out = state;
    if (m->n < 1) return SL_OK;
    SL_TRY(sl_path_join(path, m->path[0], "run.yaml"));
    SL_TRY(sl_config_read(path, NULL, 0, &cfg));
    if (cfg.ensemble_target == SL_TARGET_none) return SL_OK;
    state.error = 0;
    state.target = (enum sl_target)cfg.ensemble_target;
    memset(all, true, sizeof all);
    SL_TRY(look_at_groups(m, &cfg, all, &state));
    list_targets(all, &state);
    state.reached = state.error <= cfg.ensemble_relative_error;
    *out = state;
    return SL_OK;
}
