/* driver.c - see driver.h. */
#include "core/run/driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/stats_memory.h"
#include "core/cosmo/expansion.h"
#include "core/cosmo/schedule.h"
#include "core/exact/compare.h"
#include "core/exact/sample.h"
#include "core/io/checkpoint.h"
#include "core/io/file_series.h"
#include "core/io/history.h"
#include "core/io/particle_rows.h"
#include "core/io/snapshot.h"
#include "core/particles/backend.h"
#include "core/particles/store.h"
#include "core/run/guard.h"
#include "core/run/restore.h"
#include "core/run/start.h"
#include "core/run/totals.h"
#include "core/state/field.h"
#include "core/state/leaves.h"
#include "core/state/problem.h"
#include "core/stats/in_run.h"
#include "core/step/backend.h"
#include "core/step/ratio.h"
#include "core/step/room.h"
#include "core/step/sim.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/interval.h"
#include "core/sys/laps.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"
#include "core/sys/watchdog.h"

#define HISTORY_FILE   "history.tsv"
#define PROGRESS_FILE  "progress.json"
#define WRITTEN_FILE   "written.tsv"
#define VERIFY_FILE    "verify.tsv"
#define SNAPSHOT_DIR   "snapshots"
#define CHECKPOINT_DIR "checkpoints"

struct run {
    const struct sl_driver *ask;
    struct sl_driver_end *end; /* borrowed, what the caller learns */
    const struct sl_config *cfg;
    MPI_Comm comm;
    int rank;
    struct sl_sim *sim;
    struct sl_state *state; /* of sim */
    struct sl_history *history;
    struct sl_guard guard;
    struct sl_sealed sealed;      /* owned; files written so far, on rank 0 */
    struct sl_file_series series; /* on rank 0 */
    struct sl_provenance provenance;
    double began;        /* wall time of the first step of this attempt */
    double first_time;   /* time then */
    double moved;        /* steps of all particles since then: each counts by itself */
    double saved;        /* wall time of the last checkpoint, or of the start */
    double write_time;   /* longest write of a checkpoint so far, -1: none yet */
    double step_time;    /* longest step so far */
    double stepping;     /* wall time of all steps of this attempt, regrids with them */
    double start_regrid; /* wall time of the regrids that made the first mesh */
    double old_stepping, old_gravity; /* of the attempts before; what gravity took of their steps */
    double progress_written;          /* wall time of the last progress.json */
    double interval;                  /* wall time between checkpoints, 0: none by time */
    double announced;                 /* the interval that the log tells */
    int64_t saved_step;               /* step of the newest checkpoint, -1: none */

    struct sl_checkpoint_nodes *nodes; /* owned; NULL before the first checkpoint */
    struct sl_in_run *in_run;          /* owned; NULL: nothing was measured yet */
    bool tight;                        /* no room for that but where a device has the particles */
    struct sl_output *output;          /* owned; being written while the steps go on, NULL: none */
    int64_t begun;                     /* outputs so far */
    int64_t asked;                     /* that of the requests of the last step */
    struct saving {
        bool set;     /* it is a checkpoint, else a snapshot */
        double start; /* wall time */
        double held;  /* wall time that the steps waited for it */
        int64_t step; /* of the state */
    } saving;
    double output_time;  /* longest output so far */
    double measure_time; /* longest measuring so far (statistics.in_run) */
};

double sl_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- when ------------------------------------------------------------------------------------ */

/* Code time of a scale factor; one that is that of the end but for rounding is the end. */
static double due_at(const struct sl_state *state, double a)
{
    double last = state->expansion->end;
    if (fabs(a / last - 1) < 1e-9) return state->end;
    return a > last ? HUGE_VAL : sl_expansion_tau(state->expansion, a);
}

/* Code time of the n-th output of a kind. One that falls on the end but for rounding is the end. */
static double due(const struct sl_state *state, int64_t n, double interval)
{
    double t = (double)n * interval * state->time_unit;
    if (interval <= 0 || n == 0) return n == 0 ? 0 : HUGE_VAL;
    if (state->expansion) return due_at(state, state->expansion->start * exp((double)n * interval));
    return fabs(t - state->end) < 1e-9 * fmin(interval * state->time_unit, state->end) ? state->end
                                                                                       : t;
}

typedef double due_fn(const struct sl_state *state, int64_t n);

static double due_history(const struct sl_state *state, int64_t n)
{
    return due(state, n, state->cfg->output_history);
}

static double due_snapshot(const struct sl_state *state, int64_t n)
{
    const struct sl_config *cfg = state->cfg;
    if (!state->expansion || n == 0) return due(state, n, cfg->output_snapshot);
    double a = sl_schedule_snapshot(cfg, &state->expansion->u, n);
    return a == HUGE_VAL ? HUGE_VAL : due_at(state, a);
}

static bool at_end(const struct run *r)
{
    return !(r->state->time < r->state->end) || r->state->step >= r->cfg->time_max_steps;
}

static double next_stop(const struct run *r)
{
    const struct sl_state *state = r->state;
    if (state->schedule) return state->end; /* steps have their places; snapshots end some */
    double t =
        fmin(due_snapshot(state, state->next_snapshot), due_history(state, state->next_history));
    return fmin(t, state->end);
}

/* Whether the n-th output of a kind is to be written now; then n moves on to the next. */
static bool take(const struct run *r, due_fn *when, bool each_step, int64_t *n)
{
    bool now = each_step || at_end(r) || r->state->time >= when(r->state, *n);
    if (now) (*n)++;
    while (!each_step && when(r->state, *n) <= r->state->time && r->state->time < r->state->end)
        (*n)++;
    return now;
}

/* Expected time between failures of the nodes of this run. */
static double mtbf(const struct sl_config *cfg)
{
    double nodes = cfg->resources_nodes > 1 ? (double)cfg->resources_nodes : 1;
    return cfg->run_mtbf > 0 ? cfg->run_mtbf : cfg->resources_mtbf / nodes;
}

/* After the start and after each checkpoint: what was measured may have changed. */
static void choose_interval(struct run *r)
{
    const struct sl_config *cfg = r->cfg;
    r->interval = cfg->output_checkpoint;
    if (cfg->output_checkpoint != SL_INTERVAL_AUTO) return;
    r->interval = sl_interval_auto(r->write_time, mtbf(cfg), cfg->resources_walltime);
    if (r->rank != 0 || r->write_time < 0) return;
    if (fabs(r->interval - r->announced) < 0.2 * r->announced) return;
    r->announced = r->interval;
    sl_log(
        SL_LOG_NOTE,
        "checkpoints every %.4g s: a write takes %.2g s, a failure is expected every %.3g h, the "
        "wall-time limit is %.4g h",
        r->interval, r->write_time, mtbf(cfg) / 3600, cfg->resources_walltime / 3600);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* JSON has no infinity and no NaN. */
static const char *json_number(char out[32], double x)
{
    snprintf(out, 32, "%.17g", x);
    return isfinite(x) ? out : "null";
}

/* Share of the run that is done at a time: in an expanding universe steps are about as long in ln
 * a. */
static double share_at(const struct sl_state *state, double time)
{
    const struct sl_expansion *e = state->expansion;
    double share =
        e ? log(sl_expansion_a(e, time) / e->start) / log(sl_expansion_a(e, state->end) / e->start)
          : time / state->end;
    return isfinite(share) ? share : 1;
}

/* Where a universe that expands is, and goes: by the redshifts of keys. */
static void say_redshift(const struct run *r, char *text, size_t size)
{
    double end = r->cfg->time_end;
    *text = '\0';
    if (!r->state->expansion) return;
    double z = fmax(sl_state_redshift(r->state), end); /* less by rounding alone */
    snprintf(text, size, ",\"redshift\":%.6g,\"redshift_end\":%.6g,\"scale_factor\":%.6g", z, end,
             1 / (1 + z));
}

static void say_particles(const struct run *r, double elapsed, char *text, size_t size)
{
    const struct sl_particles *p = r->state->particles;
    *text = '\0';
    if (p)
        snprintf(text, size, ",\"particles\":%" PRId64 ",\"particle_steps_per_s\":%.6g", p->all,
                 elapsed > 0 ? r->moved / elapsed : 0);
}

/* What gravity took of the steps of this attempt, as of struct sl_source_use; -1: there is none. */
static double gravity_time(const struct run *r)
{
    const struct sl_source_use *use = sl_sources_find(r->sim, "self_gravity");
    return use ? use->spent : -1;
}

/* Of all attempts. */
static void say_gravity(const struct run *r, char *text, size_t size)
{
    double took = gravity_time(r);
    *text = '\0';
    if (took >= 0)
        snprintf(text, size, ",\"steps_s\":%.9g,\"gravity_s\":%.9g", r->old_stepping + r->stepping,
                 r->old_gravity + took);
}

static int write_progress(struct run *r, const char *state)
{
    const struct sl_state *s = r->state;
    char text[1024], eta[32] = "null", dt[32], redshift[96], particles[96], gravity[64];
    double now = sl_wall(), elapsed = now - r->began;
    double cells = (double)sl_leaves_global(s) * (double)sl_field_cells(s->mesh);
    double share = share_at(s, s->time), gone = share - share_at(s, r->first_time);
    double rate = elapsed > 0 ? (double)r->sim->updates / elapsed : 0;
    if (gone > 0) snprintf(eta, sizeof eta, "%.1f", (1 - share) / gone * elapsed);
    say_redshift(r, redshift, sizeof redshift);
    say_particles(r, elapsed, particles, sizeof particles);
    say_gravity(r, gravity, sizeof gravity);
    int length = snprintf(
        text, sizeof text,
        "{\"v\":1,\"step\":%" PRId64 ",\"time\":%.17g,\"end\":%.17g,\"unit\":\"%s\","
        "\"unit_value\":%.17g,\"share\":%.6f%s,\"dt\":%s,\"cells\":%.0f,\"cells_per_s\":%.6g%s%s,"
        "\"elapsed_s\":%.1f,\"eta_s\":%s,\"repaired\":%" PRId64 ",\"floored\":%" PRId64
        ",\"checkpoint_step\":%" PRId64 ",\"checkpoint_every_s\":%.4g,"
        "\"checkpoint_write_s\":%.4g,\"backend\":\"%s\",\"state\":\"%s\"}\n",
        s->step, s->time, s->end, sl_choice_name("time.unit", r->cfg->time_unit), s->time_unit,
        share, redshift, json_number(dt, s->dt), cells, rate, particles, gravity,
        now - r->ask->started, eta, s->cells_repaired, s->cells_floored, r->saved_step, r->interval,
        fmax(r->write_time, 0), r->sim->work->backend->name, state);
    r->progress_written = now;
    return sl_file_replace(PROGRESS_FILE, text, (size_t)length, SL_VOLATILE);
}

/* progress.json is for people only: that it cannot be written is logged, and the run goes on. */
static void report_progress(struct run *r, const char *state, bool at_once)
{
    if (r->rank != 0 || (!at_once && sl_wall() < r->progress_written + 1)) return;
    if (write_progress(r, state) != SL_OK) sl_log(SL_LOG_WARN, "%s", sl_error_text());
}

/* The number of a name in a text that this file wrote; 0: it is not there. */
static double said(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    double x = at ? strtod(at + strlen(name), NULL) : 0;
    return x > 0 && isfinite(x) ? x : 0;
}

/* What the attempts before told, which the next progress.json replaces. */
static void read_progress(struct run *r)
{
    enum { LONG = 65536 };
    char *text = NULL;
    size_t n;
    if (sl_file_read(PROGRESS_FILE, LONG, &text, &n) != SL_OK) return;
    r->old_stepping = said(text, "\"steps_s\":");
    r->old_gravity = said(text, "\"gravity_s\":");
    free(text);
}

/* Likewise: the snapshots below `end`. sealed: as sl_file_series_write has it; no checkpoint may
 * hold lists, which change. */
static void list_snapshots(struct run *r, int64_t end, struct sl_sealed *sealed)
{
    if (r->rank == 0 &&
        sl_file_series_write(&r->series, SNAPSHOT_DIR, r->cfg->campaign, end, sealed) != SL_OK)
        sl_log(SL_LOG_WARN, "%s", sl_error_text());
}

/* ---- output beside the steps ----------------------------------------------------------------- */

/* Records the duration and the step of an output that just completed. */
static void record_output(struct run *r)
{
    /* it goes on between steps only, two of which may pass while it could */
    double now = sl_wall(), took = fmax(now - r->saving.start - 2 * r->step_time, r->saving.held);
    r->output_time = fmax(r->output_time, took);
    if (!r->saving.set) {
        list_snapshots(r, r->state->next_snapshot, NULL);
        return;
    }
    r->saved = now;
    r->write_time = fmax(r->write_time, took);
    r->saved_step = r->saving.step;
    choose_interval(r);
}

/* A checkpoint that only was due may fail: the run has older ones and goes on. */
static int tolerate(struct run *r, int code)
{
    if (code == SL_OK || code == SL_EDIVERGED || !r->saving.set) return code;
    if (r->rank == 0)
        sl_log(SL_LOG_WARN, "no checkpoint at step %" PRId64 ": %s", r->saving.step,
               sl_error_text());
    r->saved = sl_wall();
    return SL_OK;
}

/* Writes the next piece of the output that has begun. */
static int write_piece(struct run *r)
{
    sl_watchdog_phase(r->saving.set ? "writing a checkpoint" : "writing a snapshot");
    double start = sl_wall();
    int code = sl_output_next(&r->output);
    r->saving.held += sl_wall() - start;
    if (code == SL_OK && !r->output) record_output(r);
    return code;
}

static int write_rest(struct run *r)
{
    int code = SL_OK;
    while (code == SL_OK && r->output)
        code = write_piece(r);
    return code;
}

/* Before the fields are fetched again, and before the run ends. */
static int settle(struct run *r)
{
    return tolerate(r, write_rest(r));
}

/* ---- the state must be good ------------------------------------------------------------------ */

static int look(struct run *r, struct sl_totals *t)
{
    if (sl_sim_on_device(r->sim) && sl_sources_fetch(r->sim)) SL_TRY(settle(r));
    SL_TRY(sl_run_totals(r->sim, t));
    return sl_guard_look(&r->guard, r->state, t);
}

/* ---- outputs that are due -------------------------------------------------------------------- */

/* What sources showed is not that of later times. */
static void hide(struct run *r)
{
    for (struct sl_state *s = r->state; s; s = s->finer)
        s->potential = NULL;
}

/* What sources show is kept by the copy of the state that is written. */
static int begin_snapshot(struct run *r, int64_t number, bool beside)
{
    SL_TRY(sl_sources_show(r->sim));
    int code =
        sl_snapshot_begin(r->state, SNAPSHOT_DIR, number, &r->provenance, beside, &r->output);
    hide(r);
    return code;
}

/* The state must hold still until an output is over: it does where the steps leave its fields
 * alone. No checkpoint is written of a state that is not good: the last one stays. */
static int begin_output(struct run *r, bool set, int64_t number)
{
    bool beside = sl_sim_on_device(r->sim);
    struct sl_totals t;
    if (set) SL_TRY(look(r, &t));
    SL_TRY(settle(r));
    sl_watchdog_phase(set ? "beginning a checkpoint" : "beginning a snapshot");
    r->saving = (struct saving){set, sl_wall(), 0, r->state->step};
    r->begun++;
    int code = set ? sl_history_flush(r->history, r->state) : SL_OK;
    if (code == SL_OK) code = sl_sim_pull(r->sim);
    if (code == SL_OK)
        code = set ? sl_checkpoint_begin(r->state, CHECKPOINT_DIR, (int)r->cfg->output_keep, beside,
                                         &r->nodes, &r->output)
                   : begin_snapshot(r, number, beside);
    r->saving.held = sl_wall() - r->saving.start;
    return code;
}

/* Where nothing can go on beside it, it is written whole at once. */
static int put_output(struct run *r, bool set, int64_t number)
{
    SL_TRY(begin_output(r, set, number));
    return sl_sim_on_device(r->sim) ? SL_OK : write_rest(r);
}

/* What a snapshot would be read for, at once; of a state that is good. Of that particles alone are
 * measured, which are brought here where they are asked for. */
static int measure(struct run *r, int64_t number)
{
    struct sl_totals t;
    SL_TRY(look(r, &t));
    SL_TRY(settle(r));
    sl_watchdog_phase("measuring");
    double start = sl_wall();
    sl_laps_begin();
    int code = r->in_run ? SL_OK : sl_in_run_new(r->comm, r->cfg, r->tight, &r->in_run);
    if (code == SL_OK) code = sl_in_run_measure(r->in_run, r->state, SNAPSHOT_DIR, number);
    r->measure_time = fmax(r->measure_time, sl_wall() - start);
    if (code == SL_OK && r->rank == 0) sl_laps_tell("measured");
    return code;
}

static int verify(struct run *r)
{
    char *text = NULL;
    sl_watchdog_phase("comparing with the exact solution");
    SL_TRY(sl_sim_pull(r->sim));
    SL_TRY(sl_sources_show(r->sim));
    int code = sl_compare_print(r->state, &text);
    hide(r);
    SL_TRY(code);
    if (r->rank == 0) {
        fputs(text, stdout);
        code = sl_file_replace(VERIFY_FILE, text, strlen(text), SL_DURABLE);
        if (code == SL_OK)
            code = sl_sealed_set(&r->sealed, VERIFY_FILE, (int64_t)strlen(text),
                                 sl_crc32c(0, text, strlen(text)), false);
    }
    free(text);
    return sl_agree(r->comm, code);
}

/* ---- stopping -------------------------------------------------------------------------------- */

enum { SIGNALLED = 1, OUT_OF_TIME = 2, SAVE = 4, BUSY = 8 }; /* SL_SIM_REQUESTS bits */

/* What this rank wants after the next step. All ranks learn of it with the signals of that step. */
static unsigned requests(const struct run *r)
{
    unsigned request = *r->ask->stopped ? SIGNALLED : 0;
    if (sl_output_busy(r->output)) request |= BUSY;
    if (r->rank != 0) return request; /* the clock of rank 0 counts */
    double now = sl_wall(), limit = r->cfg->resources_walltime;
    double spare =
        1 + 3 * r->step_time + 2 * fmax(r->write_time, 0) + r->measure_time + 0.02 * limit;
    if (r->output) spare += fmax(r->output_time, now - r->saving.start);
    if (now - r->ask->started > limit - spare) request |= OUT_OF_TIME;
    if (r->interval > 0 && now - r->saved > r->interval && !(r->output && r->saving.set))
        request |= SAVE;
    return request;
}

/* Where the wall time of this attempt went. */
static void account(const struct run *r)
{
    char regrids[48] = "", gravity[48] = "";
    double now = sl_wall(), output = now - r->began - r->stepping, pulls = gravity_time(r);
    if (r->rank != 0) return;
    if (r->cfg->mesh_levels > 0)
        snprintf(regrids, sizeof regrids, " (regrids %.3g s)",
                 r->sim->spent.regrid - r->start_regrid);
    if (pulls >= 0) snprintf(gravity, sizeof gravity, " (gravity %.3g s)", pulls);
    sl_log(SL_LOG_NOTE, "%.3g s until the first step, %.3g s of steps%s%s, %.3g s of output",
           r->began - r->ask->started, r->stepping, regrids, gravity, output);
}

/* A last checkpoint, which must not fail. */
static int save(struct run *r)
{
    SL_TRY(begin_output(r, true, 0));
    SL_TRY(write_rest(r));
    account(r);
    report_progress(r, "checkpointed", true);
    return SL_OK;
}

static int stop(struct run *r, unsigned request)
{
    SL_TRY(save(r));
    return SL_FAIL(SL_EAGAIN, "stopped %s at step %" PRId64 " with a checkpoint",
                   request & SIGNALLED ? "by a signal" : "before the wall-time limit",
                   r->state->step);
}

/* ---- what is due at a time ------------------------------------------------------------------- */

/* Whether nothing is kept of the start: a run that goes nowhere ends there. */
static bool is_left_out(const struct run *r, int64_t number)
{
    return number == 0 && !r->cfg->output_start && !at_end(r);
}

/* Whether what is due at the present time is measured. */
static bool measures_next(const struct run *r)
{
    const struct sl_state *s = r->state;
    return r->cfg->statistics_in_run && !is_left_out(r, s->next_snapshot) &&
           (at_end(r) || s->time >= due_snapshot(s, s->next_snapshot));
}

/* Measuring may take longer than a run has that is told to stop, by a signal of the last step or by
 * the clock: its checkpoint comes first, and the next attempt measures. The clock counts once a
 * step was taken, so that each attempt gets further. All ranks at once. */
static int stop_before_measuring(struct run *r)
{
    unsigned request = requests(r) & (SIGNALLED | (r->stepping > 0 ? OUT_OF_TIME : 0));
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, &request, 1, MPI_UNSIGNED, MPI_BOR, r->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "ranks cannot agree whether to stop");
    if (!request) return SL_OK;
    r->state->outputs_due = 1;
    return stop(r, request);
}

static int write_outputs(struct run *r)
{
    struct sl_state *state = r->state;
    int64_t number = state->next_snapshot;
    if (measures_next(r)) SL_TRY(stop_before_measuring(r));
    state->outputs_due = 0;
    if (take(r, due_history, r->cfg->output_history <= 0, &state->next_history)) {
        struct sl_totals t;
        sl_watchdog_phase("writing the history");
        SL_TRY(look(r, &t));
        SL_TRY(sl_history_add(r->history, state, &t));
    }
    if (!take(r, due_snapshot, false, &state->next_snapshot) || is_left_out(r, number))
        return SL_OK;
    return r->cfg->statistics_in_run ? measure(r, number) : put_output(r, false, number);
}

/* ---- the loop, and what it answers ----------------------------------------------------------- */

/* What the clock, a signal or an output that got further asked for when the step began; all ranks
 * at once. */
static int answer(struct run *r)
{
    unsigned request = r->sim->requested;
    bool asked = r->output && r->asked == r->begun;
    if (asked && !(request & BUSY)) SL_TRY(tolerate(r, write_piece(r)));
    if (request & (SIGNALLED | OUT_OF_TIME)) return stop(r, request);
    return request & SAVE ? tolerate(r, put_output(r, true, 0)) : SL_OK;
}

/* Whether the next step may end with other blocks: an output that still reads the old ones is
 * written to its end first. */
static bool may_regrid(const struct sl_sim *sim)
{
    return sl_ratio_regrids(sim);
}

static int advance(struct run *r)
{
    if (may_regrid(r->sim)) SL_TRY(settle(r));
    double before = r->state->time, start = sl_wall();
    sl_watchdog_phase("step");
    r->sim->request = requests(r);
    r->asked = r->begun;
    SL_TRY(sl_sim_step(r->sim, next_stop(r)));
    double took = sl_wall() - start;
    r->step_time = fmax(r->step_time, took);
    r->stepping += took;
    if (r->state->particles) r->moved += (double)r->state->particles->all;
    SL_CHECK(r->state->time > before && isfinite(r->state->dt) && r->state->dt > 0, SL_EDIVERGED,
             "step %" PRId64 " took the time from %.17g to %.17g, the next may take %g",
             r->state->step, before, r->state->time, r->state->dt);
    return SL_OK;
}

/* The mesh that the last regrid asked for has no room: the run ends, with a checkpoint from which
 * it goes on where there is more. */
static int check_room(struct run *r)
{
    char text[1024];
    if (!r->state->regrid_due) return SL_OK;
    int code = sl_room_refusal(r->sim);
    snprintf(text, sizeof text, "%s", sl_error_text());
    SL_TRY(settle(r));
    SL_TRY(save(r));
    return SL_FAIL(code, "stopped at step %" PRId64 " with a checkpoint: %s", r->state->step, text);
}

/* What a regrid that was refused, or a stop before measuring, kept from being done. */
static int catch_up(struct run *r)
{
    bool regrid = r->state->regrid_due;
    if (!regrid && !r->state->outputs_due) return SL_OK;
    if (regrid) {
        sl_watchdog_phase("making the mesh");
        SL_TRY(sl_sim_regrid(r->sim, true));
        SL_TRY(check_room(r));
    }
    return write_outputs(r);
}

static int loop(struct run *r)
{
    while (!at_end(r)) {
        SL_TRY(advance(r));
        SL_TRY(check_room(r));
        SL_TRY(write_outputs(r));
        report_progress(r, "running", false);
        if (!at_end(r)) SL_TRY(answer(r));
    }
    return settle(r);
}

/* The state before the step that went wrong, or that in which the guard found what went wrong, for
 * people to look at; with the history until then. */
static void last_snapshot(struct run *r)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", sl_error_text());
    sl_watchdog_phase("writing the last snapshot");
    if (write_rest(r) != SL_OK && r->rank == 0) sl_log(SL_LOG_WARN, "%s", sl_error_text());
    int code = sl_sim_pull(r->sim);
    if (code == SL_OK)
        code = sl_snapshot_write(r->state, SNAPSHOT_DIR, r->state->next_snapshot, &r->provenance);
    if (code != SL_OK && r->rank == 0)
        sl_log(SL_LOG_WARN, "no snapshot of the last state: %s", sl_error_text());
    if (code == SL_OK) list_snapshots(r, r->state->next_snapshot + 1, NULL);
    if (sl_history_flush(r->history, r->state) != SL_OK && r->rank == 0)
        sl_log(SL_LOG_WARN, "%s", sl_error_text());
    report_progress(r, "diverged", true);
    sl_error_set(why);
}

/* ---- start and end --------------------------------------------------------------------------- */

/* Whether what the problem can be compared with is there, and holds for the forces of this run. */
static int check_verify(const struct sl_sim *sim)
{
    const struct sl_problem *p = sim->state.problem;
    const char *asked = sl_config_asked(sim->state.cfg, p->force, p->matter);
    SL_CHECK(p->exact || p->measure, SL_EINPUT, "verify: problem %s has nothing to compare with",
             p->name);
    SL_CHECK(!p->exact || !p->force || sl_sources_find(sim, p->force), SL_EINPUT,
             "verify: the exact solution of problem %s is one with the source %s; nearest: false",
             p->name, p->force);
    SL_CHECK(!p->exact || !asked, SL_EINPUT,
             "verify: the exact solution of problem %s is one without %s; nearest: false", p->name,
             asked);
    return SL_OK;
}

/* Nothing is written of a run that asks for less than it already did: its results would be of
 * another time. */
static int check_end(const struct sl_state *s, int64_t seq)
{
    const struct sl_config *cfg = s->cfg;
    const char *unit = s->expansion ? "redshift" : "time";
    SL_CHECK(s->time <= s->end, SL_EGUARD,
             "checkpoint %" PRId64 " is of %s %g, beyond time.end, %g: there is nothing to run; a "
             "later time.end goes on from it, another directory starts again",
             seq, unit, s->expansion ? sl_state_redshift(s) : s->time / s->time_unit,
             cfg->time_end);
    SL_CHECK(s->step <= cfg->time_max_steps, SL_EGUARD,
             "checkpoint %" PRId64 " is of step %" PRId64 ", beyond time.max_steps, %" PRId64
             ": there is nothing to run",
             seq, s->step, cfg->time_max_steps);
    return SL_OK;
}

/* Bytes of all ranks that measure; there: where a device has the particles. */
static double measuring(const struct run *r, bool there)
{
    double ranks = r->state->mesh->size;
    if (!r->cfg->statistics_in_run) return 0;
    return ranks * sl_stats_memory(r->cfg, (double)r->state->particles->all, ranks, there);
}

static int room_for_particles(struct run *r)
{
    const struct sl_particles *p = r->state->particles;
    double own = sl_particles_bytes(p),
           more = measuring(r, sl_particle_rows_there(p, r->state->mesh->size));
    char what[160], beside[80] = "", size[SL_ROOM_TEXT], less[160] = "fewer particles (mesh.cells)";
    if (r->cfg->statistics_in_run) {
        sl_room_text(more, size);
        snprintf(beside, sizeof beside, ", with measuring them in the run (%s),", size);
        snprintf(less, sizeof less,
                 "statistics.in_run: false, less of statistics, or fewer particles (mesh.cells)");
    }
    snprintf(what, sizeof what, "%" PRId64 " particles and their mesh%s", p->all, beside);
    SL_TRY(sl_room_takes(r->sim, own + more, what, less));
    r->tight = r->sim->room > 0 && own + measuring(r, false) > r->sim->room;
    return SL_OK;
}

static int begin(struct run *r, int64_t *seq)
{
    sl_watchdog_phase("making the mesh");
    SL_TRY(sl_sim_new(r->comm, r->cfg, &r->sim));
    r->state = &r->sim->state;
    r->state->sealed = &r->sealed;
    SL_TRY(sl_backend_log(r->sim));
    if (sl_sim_on_device(r->sim)) SL_TRY(sl_threads_share(r->comm));
    if (r->cfg->verify) SL_TRY(check_verify(r->sim));
    if (r->cfg->mesh_levels > 0) SL_TRY(sl_room_find(r->sim));
    sl_watchdog_phase("reading a checkpoint");
    SL_TRY(sl_sim_restore(r->sim, CHECKPOINT_DIR, seq));
    if (*seq >= 0) SL_TRY(check_end(r->state, *seq));
    sl_watchdog_phase("making the initial state");
    if (*seq < 0) SL_TRY(sl_sim_start(r->sim));
    if (r->state->particles) SL_TRY(room_for_particles(r));
    SL_TRY(sl_provenance_make(r->comm, r->cfg, &r->provenance));
    sl_provenance_add(&r->provenance, false, "backend", "%s", r->sim->work->backend->name);
    return sl_history_open(r->state, HISTORY_FILE, *seq >= 0, &r->provenance, &r->history);
}

/* What the state of a checkpoint is compared with is its own. */
static int resume(struct run *r)
{
    struct sl_totals t;
    return look(r, &t);
}

static void clocks(struct run *r, int64_t seq)
{
    r->began = r->saved = sl_wall();
    r->start_regrid = r->sim->spent.regrid;
    r->first_time = r->state->time;
    r->saved_step = seq < 0 ? -1 : r->state->step;
    choose_interval(r);
    if (r->rank != 0) return;
    sl_file_sweep(PROGRESS_FILE);
    sl_file_sweep(WRITTEN_FILE);
    if (seq < 0) return;
    read_progress(r);
    char redshift[32] = "";
    if (r->state->expansion)
        snprintf(redshift, sizeof redshift, ", redshift %.4g", sl_state_redshift(r->state));
    sl_log(SL_LOG_NOTE, "goes on from checkpoint %" PRId64 ": step %" PRId64 ", time %g%s", seq,
           r->state->step, r->state->time, redshift);
}

/* Whether what is left to be known of the state is on a device, and stays there. */
static bool stays_there(const struct run *r)
{
    const struct sl_particles *p = r->state->particles;
    return r->cfg->statistics_in_run && !sl_config_has_gas(r->cfg) && p && p->on && p->on->hash;
}

static int last_hash(struct run *r)
{
    struct sl_particles *p = r->state->particles;
    uint64_t sum;
    if (!stays_there(r)) return sl_sim_hash(r->sim, &r->end->hash);
    SL_TRY(p->on->hash(p, &sum));
    p->hash = &sum;
    int code = sl_state_hash(r->state, &r->end->hash);
    p->hash = NULL;
    return code;
}

static int finish(struct run *r)
{
    SL_TRY(sl_history_flush(r->history, r->state));
    if (r->cfg->verify) SL_TRY(verify(r));
    if (!stays_there(r)) SL_TRY(sl_sim_pull(r->sim));
    SL_TRY(sl_sample_write(r->state));
    if (!r->cfg->statistics_in_run) list_snapshots(r, r->state->next_snapshot, &r->sealed);
    SL_TRY(sl_agree(r->comm, r->rank == 0 ? sl_sealed_store(&r->sealed, WRITTEN_FILE) : SL_OK));
    account(r);
    report_progress(r, "done", true);
    r->end->step = r->state->step;
    r->end->time = r->state->time;
    return last_hash(r);
}

static int whole(void *context)
{
    struct run *r = context;
    int64_t seq = -1;
    SL_TRY(begin(r, &seq));
    clocks(r, seq);
    report_progress(r, "running", true);
    int code = seq < 0 ? write_outputs(r) : resume(r);
    if (code == SL_OK) code = catch_up(r);
    if (code == SL_OK) code = loop(r);
    if (code == SL_EDIVERGED) last_snapshot(r);
    SL_TRY(code);
    return finish(r);
}

/* After a failure of all ranks: what still can be whole becomes so; the text of the failure
 * stays. */
static void abandon(struct run *r)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", sl_error_text());
    if (write_rest(r) != SL_OK && r->rank == 0) sl_log(SL_LOG_WARN, "%s", sl_error_text());
    sl_error_set(why);
}

int sl_driver_run(MPI_Comm comm, const struct sl_driver *driver, struct sl_driver_end *end)
{
    struct run r = {.ask = driver,
                    .end = end,
                    .cfg = driver->cfg,
                    .comm = comm,
                    .write_time = -1,
                    .saved_step = -1};
    MPI_Comm_rank(comm, &r.rank);
    SL_TRY(sl_agree(comm, sl_watchdog_start(driver->cfg->resources_hang)));
    int code = sl_agree_work(comm, whole, &r, driver->cfg->resources_hang);
    if (r.output) abandon(&r);
    sl_watchdog_stop();
    sl_checkpoint_nodes_free(r.nodes);
    sl_history_close(r.history);
    sl_in_run_free(r.in_run);
    sl_sim_free(r.sim);
    sl_sealed_release(&r.sealed);
    sl_file_series_release(&r.series);
    return code;
}
