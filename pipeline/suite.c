/* suite.c - see suite.h. */
#include "pipeline/suite.h"
#include "pipeline/json.h"

#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys/file.h"
#include "core/sys/status.h"
#include "pipeline/child.h"
#include "pipeline/place.h"

enum kind { below, above, ratio, same };
enum cost { quick, long_ };

struct row {
    const char *group;
    enum cost cost;
    const char *what, *scheme, *run, *other;
    enum kind kind;
    const char *key;
    double limit;
    const char *peers;
};

#define quick_cost quick
#define long_cost  long_
static const struct row rows[] = {
#define SL_SUITE_ROW(group, cost, what, scheme, run, other, kind, key, limit, peers)               \
    {#group, cost##_cost, what, scheme, run, other, kind, key, limit, peers},
#include "pipeline/suite.def"
#undef SL_SUITE_ROW
};
enum { NROW = sizeof rows / sizeof *rows };

/* What every run starts from; a row's keys come after it. */
static const char *const common = "campaign: verify\n"
                                  "problem: wave\n"
                                  "mesh.cells: [64]\n"
                                  "time.end: 1\n"
                                  "verify: true\n"
                                  "output.snapshot: 0\n"
                                  "output.history: 1e9\n"
                                  "output.checkpoint: 0\n";

/* One run of the simulation: done once, however many rows look at it. */
struct run {
    const char *keys;
    int code; /* exit code; -1: not run yet */
    char dir[SL_PATH_MAX];
    char *verify, *history; /* owned: the files' text, NULL when there is none */
};

struct suite {
    char dir[SL_PATH_MAX], program[SL_PATH_MAX];
    struct run run[2 * NROW];
    int nrun;
    bool keep; /* a run failed: its directory stays */
};

/* ---- running ---------------------------------------------------------------------------------- */

static void add_keys(struct sl_args *args, const char *keys)
{
    for (const char *at = keys; *at;) {
        size_t length = strcspn(at, " ");
        sl_args_add(args, "%.*s", (int)length, at);
        at += length + strspn(at + length, " ");
    }
}

static int start(const struct suite *s, struct run *r, int out)
{
    struct sl_child child = {.dir = r->dir, .out = out, .err = out, .on_death = 15};
    pid_t pid;
    int status;
    sl_args_add(&child.args, "%s", s->program);
    sl_args_add(&child.args, "run.yaml");
    add_keys(&child.args, r->keys);
    int code = sl_child_start(&child, &pid);
    sl_args_release(&child.args);
    if (code != SL_OK) return code;
    SL_CHECK(waitpid(pid, &status, 0) == pid, SL_EIO, "lost the run in %s", r->dir);
    r->code = sl_child_code(status);
    return SL_OK;
}

static char *text_of(const char *dir, const char *name)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t n;
    if (sl_path_join(path, dir, name) != SL_OK || access(path, R_OK) != 0) return NULL;
    return sl_file_read(path, 64u << 20, &text, &n) == SL_OK ? text : NULL;
}

static int perform(struct suite *s, struct run *r)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(r->dir, "%s/%03d", s->dir, (int)(r - s->run)));
    SL_TRY(sl_mkdir_all(r->dir));
    SL_TRY(sl_path_join(path, r->dir, "run.yaml"));
    SL_TRY(sl_file_replace(path, common, strlen(common), SL_VOLATILE));
    SL_TRY(sl_path_join(path, r->dir, "log"));
    FILE *log = fopen(path, "w");
    SL_CHECK(log, SL_EIO, "cannot write %s", path);
    int code = start(s, r, fileno(log));
    fclose(log);
    SL_TRY(code);
    r->verify = text_of(r->dir, "verify.tsv");
    r->history = text_of(r->dir, "history.tsv");
    if (r->code != 0) s->keep = true;
    return SL_OK;
}

/* The run with these keys, which is made when no row before needed it. */
static int run_of(struct suite *s, const char *keys, struct run **out)
{
    for (int i = 0; i < s->nrun; i++)
        if (strcmp(s->run[i].keys, keys) == 0) {
            *out = &s->run[i];
            return SL_OK;
        }
    *out = &s->run[s->nrun++];
    (*out)->keys = keys;
    return perform(s, *out);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Number `column` of the line of verify.tsv that begins with name. */
static double verify_value(const char *text, const char *name, size_t length, int column)
{
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, name, length) != 0 || at[length] != '\t') continue;
        at += length + 1;
        for (; column > 0 && at; column--)
            at = strchr(at, '\t') ? strchr(at, '\t') + 1 : NULL;
        return at ? strtod(at, NULL) : NAN;
    }
    return NAN;
}

/* Which column of history.tsv, whose head is "# time[code]\tstep[1] ...", has the name; -1: none. */
static int history_column(const char *text, const char *name)
{
    const char *at = strstr(text, "\n# time[");
    size_t length = strlen(name);
    int column = 0;
    if (!at) return -1;
    for (at += 3; *at && *at != '\n'; column++) {
        if (strncmp(at, name, length) == 0 && at[length] == '[') return column;
        at += strcspn(at, "\t\n");
        at += *at == '\t';
    }
    return -1;
}

static double field(const char *line, int column)
{
    for (; column > 0; column--)
        line += strcspn(line, "\t\n") + 1;
    return strtod(line, NULL);
}

/* The last value of a column, or its relative change since the first. */
static double history_value(const char *text, const char *name, bool drift)
{
    const char *first = NULL, *last = NULL;
    int column = text ? history_column(text, name) : -1;
    for (const char *at = text; column >= 0 && at && *at;) {
        if (*at != '#' && *at != '\n') {
            first = first ? first : at;
            last = at;
        }
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!last) return NAN;
    double a = field(first, column), b = field(last, column);
    return drift ? (first == last ? NAN : fabs(b - a) / fabs(a)) : b;
}

static double value_of(const struct run *r, const char *key)
{
    size_t length = strlen(key);
    if (r->code != 0) return NAN;
    if (strncmp(key, "history.", 8) == 0) return history_value(r->history, key + 8, false);
    if (strncmp(key, "drift.", 6) == 0) return history_value(r->history, key + 6, true);
    bool max = length > 4 && strcmp(key + length - 4, ".max") == 0;
    return verify_value(r->verify, key, max ? length - 4 : length, max);
}

/* ---- judging ---------------------------------------------------------------------------------- */

static int measure(struct suite *s, const struct row *row, double *value)
{
    struct run *run, *other;
    SL_TRY(run_of(s, row->run, &run));
    *value = value_of(run, row->key);
    if (row->kind != ratio && row->kind != same) return SL_OK;
    SL_TRY(run_of(s, row->other, &other));
    double b = value_of(other, row->key);
    *value = row->kind == ratio ? *value / b : *value == b ? 0 : fabs(*value - b) / fabs(b);
    return SL_OK;
}

static bool holds(const struct row *row, double value)
{
    return row->kind == above ? value >= row->limit : value <= row->limit;
}

static bool wanted(const struct row *row, int n, char **names, bool all)
{
    if (row->cost == long_ && !all) return false;
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], row->group) == 0) return true;
    return n == 0;
}

static void print_row(const struct row *row, double value)
{
    printf("%-4s %-18s %-46s %-16s %11.4g %s %-9.4g %s\n", holds(row, value) ? "ok" : "FAIL",
           row->group, row->what, row->scheme, value, row->kind == above ? ">=" : "<=", row->limit,
           row->peers);
    fflush(stdout);
}

static json_t *json_row(const struct row *row, double value)
{
    json_t *number = isfinite(value) ? json_real(value) : json_null();
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:f, s:s, s:b}", "problem", row->group, "what",
                     row->what, "scheme", row->scheme, "key", row->key, "measured", number, "sense",
                     row->kind == above ? "at least" : "at most", "limit", row->limit, "peers",
                     row->peers, "passed", holds(row, value));
}

static int go(struct suite *s, int n, char **names, bool all, json_t *list)
{
    int count = 0, failed = 0;
    for (int i = 0; i < NROW; i++) {
        double value = NAN;
        if (!wanted(&rows[i], n, names, all)) continue;
        SL_TRY(measure(s, &rows[i], &value));
        count++;
        failed += !holds(&rows[i], value);
        if (list)
            json_array_append_new(list, json_row(&rows[i], value));
        else
            print_row(&rows[i], value);
    }
    if (!list) printf("%d of %d hold\n", count - failed, count);
    SL_CHECK(failed == 0, SL_EMEMBER, "%d of %d rows of the suite miss their limit%s%s", failed,
             count, s->keep ? "; logs of the runs: " : "", s->keep ? s->dir : "");
    return SL_OK;
}

/* ---- around it -------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static int open_suite(struct suite *s)
{
    const char *base = getenv("TMPDIR");
    SL_TRY(sl_place_program("sluice-sim", s->program, sizeof s->program));
    SL_TRY(sl_disk_join(s->dir, "%s/sluice-verify.XXXXXX", base && *base ? base : "/tmp"));
    SL_CHECK(mkdtemp(s->dir), SL_EIO, "cannot make a directory like %s", s->dir);
    return SL_OK;
}

static void close_suite(struct suite *s)
{
    if (s->dir[0] && !s->keep) nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (int i = 0; i < s->nrun; i++) {
        free(s->run[i].verify);
        free(s->run[i].history);
    }
    free(s);
}

bool sl_suite_has(const char *name)
{
    for (int i = 0; i < NROW; i++)
        if (strcmp(rows[i].group, name) == 0) return true;
    return false;
}

const char *sl_suite_groups(void)
{
    static char text[1024];
    text[0] = '\0';
    for (int i = 0; i < NROW; i++) {
        size_t used = strlen(text);
        if (i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0)
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", rows[i].group);
    }
    return text;
}

int sl_suite_run(int n, char **names, bool all, bool json)
{
    for (int i = 0; i < n; i++)
        SL_CHECK(sl_suite_has(names[i]), SL_EUSAGE,
                 "%s is neither a campaign nor in the suite, which holds %s", names[i],
                 sl_suite_groups());
    struct suite *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the suite");
    json_t *list = json ? json_array() : NULL;
    int code = open_suite(s);
    if (code == SL_OK) code = go(s, n, names, all, list);
    if (json && (code == SL_OK || code == SL_EMEMBER)) {
        int told = sl_json_print(json_pack("{s:i, s:O}", "v", 1, "rows", list));
        if (told != SL_OK) code = told;
    }
    json_decref(list);
    close_suite(s);
    return code;
}
