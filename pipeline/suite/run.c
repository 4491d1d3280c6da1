/* run.c - see suite/run.h. */
#include "pipeline/suite/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/cores.h"
#include "pipeline/launch/place.h"

const char *const sl_suite_common = "campaign: verify\n"
                                    "problem: wave\n"
                                    "mesh.cells: [64]\n"
                                    "time.end: 1\n"
                                    "verify: true\n"
                                    "output.snapshot: 0\n"
                                    "output.history: 1e9\n"
                                    "output.checkpoint: 0\n";

/* ---- running --------------------------------------------------------------------------------- */

void sl_suite_add_keys(struct sl_args *args, const char *keys)
{
    for (const char *at = keys; *at;) {
        size_t length = strcspn(at, " ");
        sl_args_add(args, "%.*s", (int)length, at);
        at += length + strspn(at + length, " ");
    }
}

/* Whether the problem of the run starts from a file that sluice-ic makes. */
static bool needs_ic(const char *keys)
{
    static const struct {
        const char *name;
        int ic;
    } problems[] = {
#define SUITE_PROBLEM(name, ic, about) {#name, ic},
        SL_PROBLEM_NAMES(SUITE_PROBLEM)};
    const char *at = strstr(keys, "problem=");
    size_t n = at ? strcspn(at + strlen("problem="), " ") : 0;
    for (size_t i = 0; n > 0 && i < sizeof problems / sizeof *problems; i++)
        if (strlen(problems[i].name) == n &&
            strncmp(at + strlen("problem="), problems[i].name, n) == 0)
            return problems[i].ic;
    return false;
}

static int launch(struct sl_suite_run *r)
{
    char program[SL_PATH_MAX];
    int out = fileno(r->log);
    struct sl_child child = {
        .dir = r->dir, .mpi_dir = r->dir, .out = out, .err = out, .on_death = SIGTERM};
    /* each program is a single rank: Open MPI starts no daemon for it, which is half of the time of
     * a short run */
    SL_CHECK(setenv("OMPI_MCA_ess_singleton_isolated", "1", 0) == 0, SL_EMEM, "no memory");
    SL_TRY(sl_place_program(r->programs > 1 ? "sluice-ic" : "sluice-sim", program, sizeof program));
    sl_args_add(&child.args, "%s", program);
    sl_args_add(&child.args, "run.yaml");
    sl_suite_add_keys(&child.args, r->keys);
    int code = sl_child_start(&child, &r->pid);
    if (code != SL_OK) r->pid = 0;
    sl_args_release(&child.args);
    return code;
}

static char *text_of(const char *dir, const char *name)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t n;
    if (sl_path_join(path, dir, name) != SL_OK || access(path, R_OK) != 0) return NULL;
    return sl_file_read(path, 64u << 20, &text, &n) == SL_OK ? text : NULL;
}

static void read_results(struct sl_suite_run *r)
{
    char path[SL_PATH_MAX];
    r->verify = text_of(r->dir, "verify.tsv");
    if (sl_path_join(path, r->dir, "history.tsv") == SL_OK && access(path, R_OK) == 0)
        sl_csv_read(&r->history, path, SL_CSV_HISTORY);
}

static int start_next(struct sl_suite_runs *runs)
{
    char path[SL_PATH_MAX];
    struct sl_suite_run *r = runs->run[runs->started];
    SL_TRY(sl_disk_join(r->dir, "%s/%03d", runs->dir, runs->started));
    SL_TRY(sl_mkdir_all(r->dir));
    SL_TRY(sl_path_join(path, r->dir, "run.yaml"));
    SL_TRY(sl_file_replace(path, sl_suite_common, strlen(sl_suite_common), SL_VOLATILE));
    SL_TRY(sl_path_join(path, r->dir, "log"));
    r->log = fopen(path, "we");
    SL_CHECK(r->log, SL_EIO, "cannot write %s", path);
    SL_TRY(launch(r));
    runs->started++;
    runs->busy++;
    return SL_OK;
}

static int ended(struct sl_suite_runs *runs, struct sl_suite_run *r, int status)
{
    r->pid = 0;
    r->code = sl_child_code(status);
    r->programs = r->code == 0 ? r->programs - 1 : 0;
    if (r->programs > 0) return launch(r);
    runs->busy--;
    fclose(r->log);
    r->log = NULL;
    read_results(r);
    if (r->code != 0) runs->keep = true;
    return SL_OK;
}

/* Waits until a program ended. */
static int wait_one(struct sl_suite_runs *runs)
{
    int status;
    struct rusage use;
    pid_t pid = wait4(-1, &status, 0, &use);
    SL_CHECK(pid > 0, SL_EIO, "lost the runs in %s", runs->dir);
    for (int i = 0; i < runs->started; i++) {
        if (runs->run[i]->pid != pid) continue;
        runs->run[i]->seconds += (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
        return ended(runs, runs->run[i], status);
    }
    return SL_OK;
}

static void run_free(struct sl_suite_run *r)
{
    if (!r) return;
    if (r->log) fclose(r->log);
    free(r->keys);
    free(r->verify);
    sl_csv_release(&r->history);
    free(r);
}

static int add(struct sl_suite_runs *runs, const char *keys, struct sl_suite_run **out)
{
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->run[i]->keys, keys) == 0) {
            *out = runs->run[i];
            return SL_OK;
        }
    struct sl_suite_run *r = calloc(1, sizeof *r);
    void *more = realloc(runs->run, ((size_t)runs->n + 1) * sizeof *runs->run);
    if (more) runs->run = more;
    if (r) r->keys = strdup(keys);
    if (!r || !more || !r->keys) {
        run_free(r);
        return SL_FAIL(SL_EMEM, "no memory for a run of the suite");
    }
    r->programs = needs_ic(keys) ? 2 : 1;
    runs->run[runs->n++] = *out = r;
    return SL_OK;
}

int sl_suite_runs_add(struct sl_suite_runs *runs, const char *keys)
{
    struct sl_suite_run *unused;
    return add(runs, keys, &unused);
}

int sl_suite_runs_get(struct sl_suite_runs *runs, const char *keys, struct sl_suite_run **out)
{
    SL_TRY(add(runs, keys, out));
    while ((*out)->programs > 0) {
        while (runs->busy < sl_cores() && runs->started < runs->n)
            SL_TRY(start_next(runs));
        SL_TRY(wait_one(runs));
    }
    return SL_OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

int sl_suite_runs_open(struct sl_suite_runs *runs)
{
    const char *base = getenv("TMPDIR");
    *runs = (struct sl_suite_runs){.n = 0};
    SL_TRY(sl_disk_join(runs->dir, "%s/sluice-verify.XXXXXX", base && *base ? base : "/tmp"));
    if (!mkdtemp(runs->dir)) {
        int code = SL_FAIL(SL_EIO, "cannot make a directory like %s", runs->dir);
        runs->dir[0] = '\0';
        return code;
    }
    return SL_OK;
}

static void stop(struct sl_suite_run *r)
{
    if (r->pid <= 0) return;
    kill(r->pid, SIGTERM);
    waitpid(r->pid, NULL, 0);
}

void sl_suite_runs_close(struct sl_suite_runs *runs)
{
    for (int i = 0; i < runs->started; i++)
        stop(runs->run[i]);
    if (runs->dir[0] && !runs->keep) sl_disk_remove(runs->dir);
    for (int i = 0; i < runs->n; i++)
        run_free(runs->run[i]);
    free(runs->run);
    *runs = (struct sl_suite_runs){.n = 0};
}

/* ---- reading --------------------------------------------------------------------------------- */

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

/* The largest number of a column from a line on; NAN where there is none, or one of them is
 * none. */
static double largest(const struct sl_csv *t, long line, int column)
{
    double most = line < t->rows ? -HUGE_VAL : NAN;
    for (; line < t->rows && !isnan(most); line++) {
        double value = sl_csv_number(t, line, column);
        most = value <= most ? most : value;
    }
    return most;
}

/* "column", "column@line" or "column@line+": the value in that line, else in the last one, or the
 * largest from that line on; or the relative change from that line, else from the first one, to the
 * last. */
static double history_value(const struct sl_csv *t, const char *key, bool drift)
{
    char name[64], *end = NULL;
    const char *at = key + strcspn(key, "@");
    snprintf(name, sizeof name, "%.*s", (int)(at - key), key);
    int column = sl_csv_column(t, name);
    long line = *at ? strtol(at + 1, &end, 10) : drift ? 0 : t->rows - 1;
    if (end && *end == '+') return largest(t, line, column);
    double a = sl_csv_number(t, line, column), b = sl_csv_number(t, t->rows - 1, column);
    return !drift ? a : line + 1 < t->rows ? fabs(b - a) / fabs(a) : NAN;
}

/* What the balance of energies of gas in an expanding universe lacks at the end (Layzer & Irvine):
 * the gain of total and potential energy less the integral of the potential one over ln a, over the
 * largest potential one. */
static double layzer_irvine(const struct sl_csv *t)
{
    int a = sl_csv_column(t, "scale_factor"), w = sl_csv_column(t, "energy_potential");
    int all = sl_csv_column(t, "energy_total");
    double integral = 0, most = 0, last = (double)NAN;
    if (a < 0 || w < 0 || all < 0) return last;
    for (long i = 1; i < t->rows; i++) {
        double now = sl_csv_number(t, i, w), step = log(sl_csv_number(t, i, a));
        step -= log(sl_csv_number(t, i - 1, a));
        integral += 0.5 * (now + sl_csv_number(t, i - 1, w)) * step;
        most = fmax(most, fabs(now));
        last = sl_csv_number(t, i, all) - sl_csv_number(t, 0, all) + now - sl_csv_number(t, 0, w);
    }
    return fabs(last - integral) / most;
}

/* The largest change of the momentum along an axis from the first line to the last, over (2 M
 * E_kin)^1/2 at the end: the most that the sum of m |v| may be of so much energy. */
static double momentum(const struct sl_csv *t)
{
    static const char *const axis[] = {"momentum_x", "momentum_y", "momentum_z"};
    long end = t->rows - 1;
    double most = end > 0 ? 0 : (double)NAN;
    double mass = sl_csv_number(t, end, sl_csv_column(t, "mass"));
    double energy = sl_csv_number(t, end, sl_csv_column(t, "energy_kinetic"));
    for (int d = 0; d < 3 && !isnan(most); d++) {
        int column = sl_csv_column(t, axis[d]);
        double change = fabs(sl_csv_number(t, end, column) - sl_csv_number(t, 0, column));
        most = change <= most ? most : change;
    }
    return most / sqrt(2 * mass * energy);
}

double sl_suite_run_value(const struct sl_suite_run *r, const char *key)
{
    size_t length = strlen(key);
    if (r->code != 0) return NAN;
    if (strncmp(key, "history.", 8) == 0) return history_value(&r->history, key + 8, false);
    if (strncmp(key, "drift.", 6) == 0) return history_value(&r->history, key + 6, true);
    if (strcmp(key, "layzer_irvine") == 0) return layzer_irvine(&r->history);
    if (strcmp(key, "momentum") == 0) return momentum(&r->history);
    bool max = length > 4 && strcmp(key + length - 4, ".max") == 0;
    return verify_value(r->verify, key, max ? length - 4 : length, max);
}
