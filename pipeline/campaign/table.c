/* table.c - see table.h. */
#include "pipeline/campaign/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/campaign/progress.h"
#include "pipeline/campaign/use.h"
#include "pipeline/campaign/whole.h"

enum { NARROW = 40, USUAL = 80, WIDE = 160 };

void sl_look_of(FILE *out, struct sl_look *look)
{
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR"), *wide = getenv("COLUMNS");
    struct winsize size = {0};
    bool tty = isatty(fileno(out));
    look->live = tty && term && strcmp(term, "dumb") != 0;
    look->colour = look->live && !(plain && *plain);
    if (tty) ioctl(fileno(out), TIOCGWINSZ, &size);
    look->width = size.ws_col ? size.ws_col : wide && *wide ? (int)strtol(wide, NULL, 10) : USUAL;
    look->height = size.ws_row ? size.ws_row : 24;
    if (look->width < NARROW) look->width = NARROW;
    if (look->width > WIDE) look->width = WIDE;
}

void sl_table_time(double seconds, char text[32])
{
    long s = seconds >= 0 && seconds < 1e9 ? (long)(seconds + 0.5) : -1;
    if (s < 0)
        snprintf(text, 32, "?");
    else if (s >= 86400)
        snprintf(text, 32, "%ldd %02ld:%02ld", s / 86400, s / 3600 % 24, s / 60 % 60);
    else
        snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void sl_table_bytes(double bytes, char text[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    while (bytes >= 999.5 && i < 5) {
        bytes /= 1000;
        i++;
    }
    snprintf(text, 32, bytes < 9.95 && i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}

static const char *paint(const struct sl_look *look, enum sl_work_state kind)
{
    if (!look->colour) return "";
    switch (kind) {
    case SL_WORK_done:
        return "\033[32m";
    case SL_WORK_running:
        return "\033[36m";
    case SL_WORK_failed:
    case SL_WORK_stalled:
    case SL_WORK_diverged:
        return "\033[31m";
    case SL_WORK_stopped:
        return "\033[33m";
    default:
        return "\033[2m";
    }
}

static const char *unpaint(const struct sl_look *look)
{
    return look->colour ? "\033[0m" : "";
}

static void bar(char *text, int width, double fraction, double half)
{
    int full = (int)(fraction * width), more = (int)((fraction + half) * width + 1e-9) - full;
    for (int i = 0; i < width; i++)
        text[i] = i < full ? '#' : i < full + more ? '+' : '.';
    text[width] = '\0';
}

/* ---- the time that is left ------------------------------------------------------------------- */

static double member_fraction(const struct sl_campaign_state *st, int i, struct sl_progress *p)
{
    char home[SL_PATH_MAX];
    const struct sl_stage_state *sim = &st->member[i].stage[SL_STAGE_sim];
    memset(p, 0, sizeof *p);
    if (sim->state == SL_WORK_done) return 1;
    if (sim->attempts == 0 || sl_campaign_home(home, st->campaign, i) != SL_OK) return 0;
    return sl_progress_read(home, p) == SL_OK ? sl_progress_fraction(p) : 0;
}

static double spent(const struct sl_campaign_state *st, int i)
{
    double sum = 0;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        const struct sl_stage_state *stage = &st->member[i].stage[s];
        double seconds = stage->seconds;
        if (stage->state == SL_WORK_running) seconds += sl_disk_now() - stage->begin;
        sum += seconds * st->campaign->member[i].ranks[s];
    }
    return sum;
}

/* Rank-seconds of one whole member per cell: from finished ones, else from those under way. */
static double price(const struct sl_campaign_state *st, double *fraction)
{
    double cost = 0, work = 0;
    for (int pass = 0; pass < 2 && work == 0; pass++)
        for (int i = 0; i < st->n; i++) {
            bool done = sl_campaign_state_member(st, i) == SL_WORK_done;
            if (pass == 0 ? !done : fraction[i] < 0.02) continue;
            cost += spent(st, i);
            work += st->campaign->member[i].cells * fraction[i];
        }
    return work > 0 ? cost / work : -1;
}

double sl_table_left(const struct sl_campaign_state *st, int cores)
{
    double *fraction = calloc((size_t)st->n + 1, sizeof *fraction), left = 0, longest = 0;
    struct sl_progress p;
    if (!fraction) return -1;
    for (int i = 0; i < st->n; i++)
        fraction[i] = member_fraction(st, i, &p);
    double each = price(st, fraction);
    for (int i = 0; i < st->n; i++) {
        const struct sl_member *row = &st->campaign->member[i];
        if (sl_campaign_state_ends(sl_campaign_state_member(st, i))) continue;
        double rest = (1 - fraction[i]) * row->cells * each;
        left += rest;
        int ranks = row->ranks[SL_STAGE_sim];
        if (ranks > 0 && rest / ranks > longest) longest = rest / ranks;
    }
    free(fraction);
    if (each < 0) return left < 0 || st->count[SL_WORK_done] < st->n ? -1 : 0;
    return left / cores > longest ? left / cores : longest;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int stage_line(FILE *out, const struct sl_look *look, const struct sl_campaign_state *st,
                      int stage)
{
    int of = 0, count[SL_WORK_COUNT] = {0}, wide = look->width - 46;
    char text[WIDE + 1], more[80] = "";
    for (int i = 0; i < st->n; i++) {
        if (!sl_member_has(&st->campaign->member[i], stage)) continue;
        enum sl_work_state whole = sl_campaign_state_member(st, i);
        if (whole == SL_WORK_surplus) continue;
        of++;
        count[st->member[i].stage[stage].state]++;
    }
    if (of == 0) return 0;
    size_t used = 0;
    for (int k = 0; k < SL_WORK_COUNT; k++)
        if (count[k] && k != SL_WORK_done && k != SL_WORK_waiting && used < sizeof more - 24)
            used += (size_t)snprintf(more + used, sizeof more - used, " %d %s", count[k],
                                     sl_campaign_state_name((enum sl_work_state)k));
    bar(text, wide, (double)count[SL_WORK_done] / of, (double)count[SL_WORK_running] / of);
    fprintf(out, "  %-6s[%s%s%s] %6d/%-6d%s\n", sl_stage_name(stage), paint(look, SL_WORK_done),
            text, unpaint(look), count[SL_WORK_done], of, more);
    return 1;
}

static void add_pace(struct sl_pace_now *sum, const struct sl_progress *p)
{
    sum->cells += p->rate;
    sum->particles += p->particle_steps;
    if (p->redshift < 0) return;
    sum->first = p->redshift > sum->first ? p->redshift : sum->first;
    sum->last = sum->last < 0 || p->redshift < sum->last ? p->redshift : sum->last;
}

struct sl_pace_now sl_table_pace(const struct sl_campaign_state *st)
{
    struct sl_pace_now sum = {0, 0, -1, -1};
    char home[SL_PATH_MAX];
    struct sl_progress p;
    for (int i = 0; i < st->n; i++)
        if (st->member[i].stage[SL_STAGE_sim].state == SL_WORK_running &&
            sl_campaign_home(home, st->campaign, i) == SL_OK && sl_progress_read(home, &p) == SL_OK)
            add_pace(&sum, &p);
    return sum;
}

json_t *sl_table_pace_json(const struct sl_campaign_state *st)
{
    struct sl_pace_now p = sl_table_pace(st);
    json_t *at = p.first < 0 ? json_null() : json_pack("[f, f]", p.first, p.last);
    return json_pack("{s:f, s:f, s:o}", "cells_per_s", p.cells, "particle_steps_per_s", p.particles,
                     "redshift", at);
}

struct sl_halo_count sl_table_haloes(const struct sl_campaign_state *st)
{
    struct sl_halo_count c = {0, 0, 0, 0};
    for (int i = 0; i < st->n; i++) {
        long long n = st->member[i].haloes;
        if (n < 0) continue;
        c.least = c.members == 0 || n < c.least ? n : c.least;
        c.most = n > c.most ? n : c.most;
        c.sum += n;
        c.members++;
    }
    return c;
}

json_t *sl_table_haloes_json(const struct sl_campaign_state *st)
{
    struct sl_halo_count c = sl_table_haloes(st);
    if (c.members == 0) return json_null();
    return json_pack("{s:i, s:I, s:I, s:I}", "members", c.members, "least", (json_int_t)c.least,
                     "most", (json_int_t)c.most, "sum", (json_int_t)c.sum);
}

/* "5.2e+06 cells/s, 3e+06 particle-steps/s": what there is of both; "" of neither. */
static void say_rates(double cells, double particles, char *text, size_t size)
{
    char of[40] = "";
    if (cells > 0) snprintf(of, sizeof of, "%.3g cells/s", cells);
    if (particles > 0)
        snprintf(text, size, "%s%s%.3g particle-steps/s", of, *of ? ", " : "", particles);
    else
        snprintf(text, size, "%s", of);
}

/* "15 haloes in the last snapshots of 3 members, 5 to 7 in each"; false where none was looked
 * for. */
static bool say_haloes(const struct sl_campaign_state *st, char *text, size_t size)
{
    struct sl_halo_count c = sl_table_haloes(st);
    int n = snprintf(text, size, "%lld halo%s in the last snapshot%s of %d member%s", c.sum,
                     c.sum == 1 ? "" : "es", c.members == 1 ? "" : "s", c.members,
                     c.members == 1 ? "" : "s");
    if (c.members > 1)
        snprintf(text + n, size - (size_t)n, ", %lld to %lld in each", c.least, c.most);
    return c.members > 0;
}

void sl_table_summary(const struct sl_campaign_state *st, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%d/%d done", st->count[SL_WORK_done], st->n);
    for (int k = 0; k < SL_WORK_COUNT; k++)
        if (st->count[k] && k != SL_WORK_done && used < size)
            used += (size_t)snprintf(text + used, size - used, ", %d %s", st->count[k],
                                     sl_campaign_state_name((enum sl_work_state)k));
}

/* Of the running members: the shortest interval and the longest write; 0 when none tells. */
static void look_at_checkpoints(const struct sl_campaign_state *st, double *every, double *write)
{
    struct sl_progress p;
    *every = *write = 0;
    for (int i = 0; i < st->n; i++) {
        if (st->member[i].stage[SL_STAGE_sim].state != SL_WORK_running) continue;
        member_fraction(st, i, &p);
        *every = p.every > 0 && (*every == 0 || p.every < *every) ? p.every : *every;
        *write = p.write > *write ? p.write : *write;
    }
}

/* "a checkpoint every 0:12:00, which takes 0.3 s" of the running members; false when none tells. */
static bool checkpoints(const struct sl_campaign_state *st, char *text, size_t size)
{
    double every, write;
    char time[32];
    look_at_checkpoints(st, &every, &write);
    sl_table_time(every, time);
    snprintf(text, size,
             "a checkpoint every %s, longest write %.2g s; %d run%s lost in %.3g hours of them",
             time, write, st->lost, st->lost == 1 ? "" : "s", st->run_seconds / 3600);
    return every > 0 && write > 0;
}

json_t *sl_table_checkpoints(const struct sl_campaign_state *st)
{
    double every, write;
    look_at_checkpoints(st, &every, &write);
    return json_pack("{s:f, s:f, s:i, s:f}", "every_s", every, "write_s", write, "runs_lost",
                     st->lost, "run_s", st->run_seconds);
}

json_t *sl_table_left_out(const struct sl_campaign_state *st)
{
    struct sl_site site;
    if (st->bad_nodes.n == 0 || sl_site_read(&site, NULL) != SL_OK) return json_array();
    return sl_nodes_json(&st->bad_nodes, &site, sl_disk_now());
}

static bool left_out(const struct sl_campaign_state *st, char *text, size_t size)
{
    struct sl_site site;
    if (st->bad_nodes.n == 0 || sl_site_read(&site, NULL) != SL_OK) return false;
    sl_nodes_sentence(&st->bad_nodes, &site, sl_disk_now(), text, size);
    return *text;
}

/* Stages of the campaign that failed or are still to be done. */
static int whole_lines(FILE *out, const struct sl_look *look, const struct sl_campaign_state *st)
{
    int lines = 0;
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++) {
        struct sl_whole w;
        sl_whole_look(st, (enum sl_stage)s, &w);
        if (!w.wanted || w.state == SL_WORK_done) continue;
        fprintf(out, "  %s%s %s%s%.*s%s\n", paint(look, w.state), sl_stage_name(s),
                sl_campaign_state_name(w.state), *w.why ? ": " : "", look->width, w.why,
                unpaint(look));
        lines++;
    }
    return lines;
}

static int head(FILE *out, const struct sl_look *look, const struct sl_campaign_state *st,
                int cores)
{
    char counts[200], use[300], left[32], rate[96];
    struct sl_pace_now pace = sl_table_pace(st);
    int lines = 2;
    sl_table_summary(st, counts, sizeof counts);
    sl_table_time(sl_table_left(st, cores), left);
    say_rates(pace.cells, pace.particles, rate, sizeof rate);
    bool busy = st->count[SL_WORK_done] < st->n;
    fprintf(out, "%.*s: %s\n", look->width / 3, st->campaign->name, counts);
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        lines += stage_line(out, look, st, s);
    lines += whole_lines(out, look, st);
    fprintf(out, "  spent %.3g core hours%s%s%s%s\n", st->rank_seconds / 3600, *rate ? "  " : "",
            rate, busy ? "  left " : "", busy ? left : "");
    sl_use_say(st, use, sizeof use);
    if (*use) {
        fprintf(out, "  %s\n", use);
        lines++;
    }
    if (checkpoints(st, counts, sizeof counts)) {
        fprintf(out, "  %s\n", counts);
        lines++;
    }
    if (say_haloes(st, counts, sizeof counts)) {
        fprintf(out, "  %s\n", counts);
        lines++;
    }
    if (left_out(st, counts, sizeof counts)) {
        fprintf(out, "  nodes left out: %s; `sluice readmit` lets them back in\n", counts);
        lines++;
    }
    return lines;
}

/* "time 0.31 of 1 crossing", "z = 12.3 to 0, a = 0.0752" */
static void say_time(const struct sl_progress *p, char *text, size_t size)
{
    if (p->redshift < 0)
        snprintf(text, size, "time %.4g of %.4g %s", p->time, p->end, p->unit);
    else if (p->redshift_end >= 0 && p->scale_factor > 0)
        snprintf(text, size, "z = %.4g to %.4g, a = %.3g", p->redshift, p->redshift_end,
                 p->scale_factor);
    else
        snprintf(text, size, "z = %.4g", p->redshift);
}

/* The run of a member that is under way. */
static void say_run(const struct sl_progress *p, char *text, size_t size)
{
    char time[96], rates[96], left[32];
    say_time(p, time, sizeof time);
    say_rates(p->rate, p->particle_steps, rates, sizeof rates);
    sl_table_time(p->eta, left);
    snprintf(text, size, "step %lld, %s left, %s%s%s%s%s", p->step, left, time, *rates ? ", " : "",
             rates, *p->backend ? " on " : "", p->backend);
}

static void member_line(FILE *out, const struct sl_look *look, const struct sl_campaign_state *st,
                        int i)
{
    struct sl_progress p;
    char text[32], run[400], line[1024];
    enum sl_work_state kind = sl_campaign_state_member(st, i);
    double fraction = member_fraction(st, i, &p);
    int stage = sl_campaign_state_next(st, i);
    const struct sl_member *row = &st->campaign->member[i];
    bar(text, 10, kind == SL_WORK_done ? 1 : fraction, 0);
    int n = snprintf(line, sizeof line, "%c %-9s %-5s [%s] %3.0f%%", sl_campaign_state_letter(kind),
                     row->id, stage < 0 ? "" : sl_stage_name(stage), text, 100 * fraction);
    if (kind == SL_WORK_running && stage == SL_STAGE_sim && p.step >= 0) {
        say_run(&p, run, sizeof run);
        n += snprintf(line + n, sizeof line - (size_t)n, " %s", run);
    } else {
        n += snprintf(line + n, sizeof line - (size_t)n, " %s", sl_campaign_state_name(kind));
        if (st->member[i].haloes >= 0)
            n += snprintf(line + n, sizeof line - (size_t)n, ", %lld halo%s", st->member[i].haloes,
                          st->member[i].haloes == 1 ? "" : "es");
    }
    const char *why = st->member[i].why;
    bool bad = kind != SL_WORK_done && kind != SL_WORK_running && why;
    snprintf(line + n, sizeof line - (size_t)n, "  %s", bad ? why : row->label);
    fprintf(out, "  %s%.*s%s\n", paint(look, kind), look->width - 3, line, unpaint(look));
}

static void log_line(FILE *out, const struct sl_member *row, const struct sl_progress *p)
{
    char time[96], left[32], rates[96], end[32] = "";
    time_t at = (time_t)(sl_disk_now() + p->eta);
    struct tm clock;
    say_time(p, time, sizeof time);
    sl_table_time(p->eta, left);
    say_rates(p->rate, p->particle_steps, rates, sizeof rates);
    if (p->eta >= 0 && localtime_r(&at, &clock))
        strftime(end, sizeof end, p->eta < 43200 ? ", ends about %H:%M" : ", ends about %F %H:%M",
                 &clock);
    fprintf(out, "%s sim step %lld, %s (%.0f %%)%s%s, left %s%s\n", row->id, p->step, time,
            100 * sl_progress_fraction(p), *rates ? ", " : "", rates, left, end);
}

void sl_table_log(FILE *out, const struct sl_campaign_state *st, double every, double *last)
{
    enum { ROWS = 16 };
    int shown = 0, more = 0;
    if (every <= 0 || sl_disk_now() - *last < every) return;
    *last = sl_disk_now();
    for (int i = 0; i < st->n; i++) {
        struct sl_progress p;
        if (st->member[i].stage[SL_STAGE_sim].state != SL_WORK_running) continue;
        member_fraction(st, i, &p);
        if (p.step < 0)
            continue;
        else if (shown++ < ROWS)
            log_line(out, &st->campaign->member[i], &p);
        else
            more++;
    }
    if (more) fprintf(out, "and %d more at work\n", more);
    fflush(out);
}

static bool worth_a_line(const struct sl_campaign_state *st, int i)
{
    enum sl_work_state k = sl_campaign_state_member(st, i);
    return k == SL_WORK_running || k == SL_WORK_failed || k == SL_WORK_stalled ||
           k == SL_WORK_diverged || (k == SL_WORK_stopped && st->member[i].why);
}

int sl_table_print(FILE *out, const struct sl_look *look, const struct sl_campaign_state *st,
                   int cores, bool (*which)(const struct sl_campaign_state *, int), int rows)
{
    int lines = head(out, look, st, cores), shown = 0, hidden = 0;
    if (!which) which = worth_a_line;
    for (int i = 0; i < st->n; i++) {
        if (!which(st, i)) continue;
        if (shown < rows) {
            member_line(out, look, st, i);
            shown++;
        } else {
            hidden++;
        }
    }
    if (hidden) fprintf(out, "  ... and %d more\n", hidden);
    return lines + shown + (hidden ? 1 : 0);
}

void sl_table_redraw(FILE *out, const struct sl_look *look, const char *text, int *lines)
{
    if (*lines) fprintf(out, "\033[%dA", *lines);
    *lines = 0;
    for (const char *line = text; *line && *lines < look->height - 1; ++*lines) {
        size_t n = strcspn(line, "\n");
        fprintf(out, "%.*s\033[K\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    fputs("\033[J", out);
    fflush(out);
}

json_t *sl_table_counts(const struct sl_campaign_state *state)
{
    json_t *o = json_object();
    for (int k = 0; k < SL_WORK_COUNT; k++)
        json_object_set_new(o, sl_campaign_state_name((enum sl_work_state)k),
                            json_integer(state->count[k]));
    return o;
}
