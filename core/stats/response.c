/* response.c - see response.h. */
#include "core/stats/response.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/key_id.h"
#include "core/config/keys.h"
#include "core/stats/stack.h"
#include "core/sys/status.h"

enum { POINTS = 3, KEY = 64 };

/* What is compared: groups and, for a derivative, their weights. */
struct stencil {
    int n, group[POINTS], order;  /* group[0]: the one that it is of */
    double weight[POINTS], value; /* weight[j]: of the difference of group j to group[0] */
};

/* One swept key, or the ratios (key ""). */
struct sweep {
    char key[KEY];
    int n;
    struct stencil *stencil; /* owned */
};

/* Groups of two seeds at least, with their tables of the file at hand. */
struct many {
    int n;
    int *number;            /* owned, [n]: as groups.csv has it */
    struct sl_group *group; /* owned, [n] */
    double *value;          /* owned, [n]: of the key at hand; not a number without it */
    struct sl_stack *stack; /* owned, [n]; n 0: not read */
    const char *file;
};

/* ---- groups and keys ---- */

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

/* Whether a line is "key: ..". */
static bool is_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ':';
}

/* The number that a key has in the lines of a group, not a number without one. */
static double value_of(const char *lines, const char *key)
{
    for (const char *at = lines; *at; at = next_line(at)) {
        char *end;
        if (!is_of(at, key)) continue;
        double x = strtod(at + strlen(key) + 1, &end);
        return *end == '\n' || *end == '\0' ? x : NAN;
    }
    return NAN;
}

/* Whether two groups have the same lines but for that of a key. */
static bool differ_in_alone(const char *a, const char *b, const char *key)
{
    while (*a || *b) {
        if (is_of(a, key)) {
            a = next_line(a);
        } else if (is_of(b, key)) {
            b = next_line(b);
        } else {
            size_t n = (size_t)(next_line(a) - a);
            if (n == 0 || (size_t)(next_line(b) - b) != n || strncmp(a, b, n) != 0) return false;
            a += n, b += n;
        }
    }
    return true;
}

/* Takes the values of a key; whether they differ. */
static bool is_swept(struct many *m, const char *key)
{
    bool differs = false;
    for (int g = 0; g < m->n; g++) {
        m->value[g] = value_of(m->group[g].key, key);
        differs |= isfinite(m->value[g]) && isfinite(m->value[0]) && m->value[g] != m->value[0];
    }
    return differs;
}

/* ---- stencils ---- */

/* The groups beside one along a key, -1 for none, and how many there are in the row. */
static void neighbours(const struct many *m, const char *key, int g, int side[2], int *others)
{
    double x = m->value[g], best[2] = {-INFINITY, INFINITY};
    side[0] = side[1] = -1;
    *others = 0;
    for (int h = 0; h < m->n; h++) {
        double y = m->value[h];
        if (!isfinite(y) || y == x || !differ_in_alone(m->group[g].key, m->group[h].key, key))
            continue;
        ++*others;
        int up = y > x;
        if (up ? y < best[1] : y > best[0]) best[up] = y, side[up] = h;
    }
}

/* The derivative at a group; n 0 where there is none. */
static struct stencil derivative(const struct many *m, const char *key, int g)
{
    int side[2], others;
    struct stencil s = {.group = {g}, .value = m->value[g]};
    if (!isfinite(s.value)) return s;
    neighbours(m, key, g, side, &others);
    double down = side[0] < 0 ? 0 : s.value - m->value[side[0]];
    double up = side[1] < 0 ? 0 : m->value[side[1]] - s.value;
    if (side[0] >= 0 && side[1] >= 0) {
        s.n = POINTS, s.order = 2;
        s.group[1] = side[0], s.weight[1] = -up / (down * (up + down));
        s.group[2] = side[1], s.weight[2] = down / (up * (up + down));
    } else if (others == 1 && side[1] >= 0) {
        s.n = 2, s.order = 1;
        s.group[1] = side[1], s.weight[1] = 1 / up;
    }
    return s;
}

static int sweep_make(const struct many *m, const char *key, struct sweep *s)
{
    snprintf(s->key, sizeof s->key, "%s", key);
    s->stencil = calloc((size_t)m->n + 1, sizeof *s->stencil);
    SL_CHECK(s->stencil, SL_EMEM, "out of memory for %d groups", m->n);
    for (int g = 0; g < m->n; g++) {
        struct stencil one = *key ? derivative(m, key, g) : (struct stencil){2, {g, 0}, 0, {0}, 0};
        if (one.n > 0 && (*key || g > 0)) s->stencil[s->n++] = one;
    }
    return SL_OK;
}

/* ---- one file ---- */

/* Each realisation is one seed, a pair its mean. */
static int stack_of(struct many *m, int g)
{
    const struct sl_group *of = &m->group[g];
    const struct sl_realisations all = {of->n, of->path, of->unit, of->units};
    return m->stack[g].n > 0 ? SL_OK : sl_stack_read(&all, m->file, &m->stack[g]);
}

/* Whether tables of two groups have the same rows and columns. */
static bool alike(const struct sl_stack *a, const struct sl_stack *b)
{
    if (a->nrow != b->nrow || a->ncol != b->ncol) return false;
    for (int c = 0; c < a->ncol; c++)
        if (strcmp(a->table[0].column[c].name, b->table[0].column[c].name) != 0) return false;
    for (int r = 0; r < a->nrow; r++) {
        double x = *sl_stack_at(a, 0, r, 0), y = *sl_stack_at(b, 0, r, 0);
        if (!(fabs(x - y) <= 1e-9 * fabs(x) + 1e-300)) return false;
    }
    return true;
}

/* The realisation of another group that is of the same seed and halves of a pair, -1 for none. */
static int find_seed(const struct sl_group *g, long long seed, int halves)
{
    for (int u = 0; u < g->units; u++)
        if (g->seed[u] == seed && g->halves[u] == halves) return u;
    return -1;
}

/* unit[POINTS * i + j]: the realisation of the i-th seed in group j of a stencil, for the seeds
 * that all have; how many there are, 0 where the tables do not match. */
static int match(const struct many *m, const struct stencil *s, int *unit)
{
    const struct sl_group *of = &m->group[s->group[0]];
    int found = 0;
    for (int j = 1; j < s->n; j++)
        if (!alike(&m->stack[s->group[0]], &m->stack[s->group[j]])) return 0;
    for (int u = 0; u < of->units; u++) {
        int *at = &unit[POINTS * found], there = 1;
        at[0] = u;
        for (int j = 1; j < s->n; j++) {
            at[j] = find_seed(&m->group[s->group[j]], of->seed[u], of->halves[u]);
            there += at[j] >= 0;
        }
        found += there == s->n;
    }
    return found;
}

/* Of one seed: the derivative, or the ratio; not a number where that has none. */
static double of_seed(const struct many *m, const struct stencil *s, const int *unit, int r, int c)
{
    double y[POINTS], sum = 0;
    for (int j = 0; j < s->n; j++) {
        y[j] = *sl_stack_at(&m->stack[s->group[j]], unit[j], r, c);
        sum += s->weight[j] * (y[j] - y[0]);
    }
    if (s->order > 0) return sum;
    return y[1] != 0 ? y[0] / y[1] : NAN;
}

/* Mean and standard error over the seeds that have a number; out[0]: the mean of the quantity
 * itself where a derivative is made. */
static void over_seeds(const struct many *m, const struct stencil *s, const int *unit, int seeds,
                       int r, int c, double *out)
{
    double sum = 0, square = 0, itself = 0;
    int n = 0;
    for (int i = 0; i < seeds; i++) {
        double x = of_seed(m, s, &unit[POINTS * i], r, c);
        if (isnan(x)) continue;
        n++;
        double before = x - sum;
        sum += before / n; /* the mean until now */
        square += before * (x - sum);
        itself += *sl_stack_at(&m->stack[s->group[0]], unit[POINTS * i], r, c);
    }
    if (s->order > 0) *out++ = n > 0 ? itself / n : NAN;
    out[0] = n > 0 ? sum : NAN;
    out[1] = n > 1 ? sqrt(square / (n - 1) / n) : NAN;
}

enum { BEFORE_RESPONSE = 4, BEFORE_RATIO = 3 };

static void columns(const struct sl_stack *s, bool ratio, struct sl_table *t)
{
    const struct sl_table *like = &s->table[0];
    static const char *const head[2][BEFORE_RESPONSE] = {{"group", "value", "order", "members"},
                                                         {"group", "over", "members"}};
    static const char *const end[2][3] = {{"mean", "response", "error"}, {"ratio", "error"}};
    int before = ratio ? BEFORE_RATIO : BEFORE_RESPONSE, each = ratio ? 2 : 3;
    for (int i = 0; i < before; i++)
        sl_table_column(t, i, head[ratio][i], "1");
    sl_table_column(t, before, like->column[0].name, like->column[0].unit);
    for (int c = 1; c < s->ncol; c++)
        for (int i = 0; i < each; i++) {
            char name[SL_TABLE_NAME], unit[SL_TABLE_UNIT];
            snprintf(name, sizeof name, "%.50s_%s", like->column[c].name, end[ratio][i]);
            snprintf(unit, sizeof unit, "%.36s%s", ratio ? "1" : like->column[c].unit,
                     !ratio && i > 0 ? " per value" : "");
            sl_table_column(t, before + 1 + (c - 1) * each + i, name, unit);
        }
}

/* Rows of one stencil from `row` on. */
static void fill(const struct many *m, const struct stencil *s, const int *unit, int seeds,
                 struct sl_table *t, int row)
{
    const struct sl_stack *of = &m->stack[s->group[0]];
    bool ratio = s->order == 0;
    int each = ratio ? 2 : 3;
    for (int r = 0; r < of->nrow; r++) {
        double *out = sl_table_at(t, row + r, 0);
        *out++ = m->number[s->group[0]];
        *out++ = ratio ? m->number[s->group[1]] : s->value;
        if (!ratio) *out++ = s->order;
        *out++ = seeds;
        *out++ = *sl_stack_at(of, 0, r, 0);
        for (int c = 1; c < of->ncol; c++, out += each)
            over_seeds(m, s, unit, seeds, r, c, out);
    }
}

/* response_<key>_<table> or ratio_<table>; false where that is too long. */
static bool name_of(const struct sweep *s, const char *file, char name[SL_TABLE_NAME])
{
    int stem = (int)strlen(file) - 4; /* .csv */
    int n = *s->key ? snprintf(name, SL_TABLE_NAME, "response_%s_%.*s", s->key, stem, file)
                    : snprintf(name, SL_TABLE_NAME, "ratio_%.*s", stem, file);
    return n < SL_TABLE_NAME;
}

static int add_table(const struct sweep *s, const struct sl_stack *like, const char *name, int rows,
                     struct sl_tables *tables, struct sl_table **t)
{
    bool ratio = !*s->key;
    int ncol = ratio ? BEFORE_RATIO + 2 * like->ncol - 1 : BEFORE_RESPONSE + 3 * like->ncol - 2;
    if (ratio)
        SL_TRY(sl_tables_add(tables, name, rows, ncol, t,
                             "ratio of each group to the first, of the same seeds: mean and "
                             "standard error over them, of: %.300s",
                             like->table[0].about));
    else
        SL_TRY(sl_tables_add(tables, name, rows, ncol, t,
                             "derivative to %s (value), of the same seeds: mean and standard error "
                             "over them; order 2: from the groups on either side, 1: from two "
                             "alone; of: %.250s",
                             s->key, like->table[0].about));
    columns(like, ratio, *t);
    return SL_OK;
}

/* unit: room for POINTS of each realisation of a group, for each stencil; seeds of each. */
static int compare(struct many *m, const struct sweep *s, int *unit, int *seeds, size_t each,
                   struct sl_tables *tables)
{
    const struct sl_stack *first = NULL;
    char name[SL_TABLE_NAME];
    struct sl_table *t;
    int rows = 0;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->stencil[i].n; j++)
            SL_TRY(stack_of(m, s->stencil[i].group[j]));
        const struct sl_stack *of = &m->stack[s->stencil[i].group[0]];
        seeds[i] = match(m, &s->stencil[i], unit + each * (size_t)i);
        if (seeds[i] < 2 || (first && !alike(first, of))) seeds[i] = 0;
        if (seeds[i] == 0) continue;
        if (!first) first = of;
        rows += of->nrow;
    }
    if (!first || !name_of(s, m->file, name)) return SL_OK;
    SL_TRY(add_table(s, first, name, rows, tables, &t));
    for (int i = 0, row = 0; i < s->n; i++) {
        if (seeds[i] == 0) continue;
        fill(m, &s->stencil[i], unit + each * (size_t)i, seeds[i], t, row);
        row += first->nrow;
    }
    return SL_OK;
}

static int compare_file(struct many *m, const struct sweep *s, int n, struct sl_tables *tables)
{
    size_t each = 0;
    for (int g = 0; g < m->n; g++)
        if (POINTS * (size_t)m->group[g].units > each) each = POINTS * (size_t)m->group[g].units;
    int *unit = calloc(each * (size_t)m->n + 1, sizeof *unit);
    int *seeds = calloc((size_t)m->n + 1, sizeof *seeds), code = SL_OK;
    if (!unit || !seeds) code = SL_FAIL(SL_EMEM, "out of memory");
    for (int i = 0; i < n && code == SL_OK; i++)
        code = compare(m, &s[i], unit, seeds, each, tables);
    for (int g = 0; g < m->n; g++) {
        sl_stack_release(&m->stack[g]);
        m->stack[g] = (struct sl_stack){.n = 0};
    }
    free(unit);
    free(seeds);
    return code;
}

/* ---- all of it ---- */

/* A table that only some groups have is not compared. */
static bool all_have(const struct many *m, const char *file, char ***name, const int *n)
{
    for (int g = 1; g < m->n; g++) {
        bool has = false;
        for (int i = 0; i < n[g] && !has; i++)
            has = strcmp(name[g][i], file) == 0;
        if (!has) return false;
    }
    return true;
}

static int list_files(const struct many *m, char ***name, int *n)
{
    for (int g = 0; g < m->n; g++)
        SL_TRY(sl_group_files(m->group[g].path[0], &name[g], &n[g]));
    return SL_OK;
}

static int compare_files(struct many *m, const struct sweep *s, int n, struct sl_tables *tables)
{
    char ***name = calloc((size_t)m->n + 1, sizeof *name);
    int *files = calloc((size_t)m->n + 1, sizeof *files);
    int code = name && files ? list_files(m, name, files) : SL_FAIL(SL_EMEM, "out of memory");
    for (int i = 0; code == SL_OK && i < files[0]; i++) {
        m->file = name[0][i];
        if (!sl_stack_is_against_time(m->file) && all_have(m, m->file, name, files))
            code = compare_file(m, s, n, tables);
    }
    for (int g = 0; g < m->n && name && files; g++)
        sl_group_files_release(name[g], files[g]);
    free(name);
    free(files);
    return code;
}

/* The ratios, and a sweep for each key of real numbers that groups differ in. */
static int make_sweeps(struct many *m, struct sweep *s, int *n)
{
    *n = 1;
    SL_TRY(sweep_make(m, "", &s[0]));
    for (int k = 0; k < SL_KEY_COUNT; k++)
        if (sl_keys[k].type == SL_TYPE_REAL && strlen(sl_keys[k].path) < KEY &&
            is_swept(m, sl_keys[k].path))
            SL_TRY(sweep_make(m, sl_keys[k].path, &s[(*n)++]));
    return SL_OK;
}

static int groups_make(const struct sl_members *members, struct many *m)
{
    size_t room = (size_t)members->ngroup + 1;
    m->number = calloc(room, sizeof *m->number);
    m->group = calloc(room, sizeof *m->group);
    m->value = calloc(room, sizeof *m->value);
    m->stack = calloc(room, sizeof *m->stack);
    SL_CHECK(m->number && m->group && m->value && m->stack, SL_EMEM, "out of memory for %d groups",
             members->ngroup);
    for (int i = 0; i < members->ngroup; i++) {
        struct sl_group *g = &m->group[m->n];
        SL_TRY(sl_group_make(members, i, g));
        if (g->units < 2)
            sl_group_release(g);
        else
            m->number[m->n++] = i + 1;
    }
    return SL_OK;
}

static void many_release(struct many *m)
{
    for (int g = 0; g < m->n; g++)
        sl_group_release(&m->group[g]);
    free(m->number);
    free(m->group);
    free(m->value);
    free(m->stack);
}

int sl_response_reduce(const struct sl_members *members, struct sl_tables *tables)
{
    struct many m = {.n = 0};
    int n = 0;
    struct sweep *s = calloc(SL_KEY_COUNT + 1, sizeof *s);
    int code = s ? groups_make(members, &m) : SL_FAIL(SL_EMEM, "out of memory");
    if (code == SL_OK && m.n > 1) code = make_sweeps(&m, s, &n);
    if (code == SL_OK && m.n > 1) code = compare_files(&m, s, n, tables);
    for (int i = 0; s && i <= SL_KEY_COUNT; i++)
        free(s[i].stencil);
    many_release(&m);
    free(s);
    return code;
}
