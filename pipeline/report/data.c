/* data.c - see report/data.h. */
#include "pipeline/report/data.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/config/keys.h"
#include "core/config/names.h"
#include "core/config/scale.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/disk.h"
#include "pipeline/campaign/target.h"

enum { RECORD_MAX = 1 << 20, RECIPE_MAX = 16 << 20, JOURNAL_MAX = 1 << 30 };

bool sl_report_bad(enum sl_work_state state)
{
    return state == SL_WORK_failed || state == SL_WORK_diverged || state == SL_WORK_stalled;
}

static void path_of(char path[PATH_MAX], const struct sl_report *r, const char *member,
                    const char *file)
{
    if (member)
        snprintf(path, PATH_MAX, "%s/members/%s/%s", r->dir, member, file);
    else
        snprintf(path, PATH_MAX, "%s/%s", r->dir, file);
}

static bool exists(const char *path)
{
    struct stat s;
    return !stat(path, &s);
}

/* ---- run.yaml ------------------------------------------------------------------------------- */

static void keys_release(struct sl_keys *k)
{
    sl_buffer_release(&k->text);
    free(k->key_value);
    *k = (struct sl_keys){0};
}

/* A text stands in quotes. */
static char *unquoted(char *value)
{
    size_t n = strlen(value);
    if (n < 2 || value[0] != '"' || value[n - 1] != '"') return value;
    value[n - 1] = '\0';
    return value + 1;
}

static int keys_read(struct sl_keys *k, const char *path)
{
    SL_TRY(sl_buffer_read(&k->text, path, RECORD_MAX));
    int lines = 0;
    for (const char *s = k->text.s; *s; s++)
        lines += *s == '\n';
    k->key_value = calloc((size_t)lines + 1, 2 * sizeof *k->key_value);
    SL_CHECK(k->key_value, SL_EMEM, "no memory for %s", path);
    int number = 0;
    for (char *save = k->text.s, *line; (line = strsep(&save, "\n"));) {
        char *colon = strstr(line, ": ");
        number++;
        if (*line == '#' || !colon) continue;
        *colon = '\0';
        SL_CHECK(sl_key_find(line) >= 0, SL_EINPUT,
                 "%s:%d: unknown key '%s': nothing of sluice wrote this line", path, number,
                 sl_quote(line).text);
        k->key_value[2 * k->n] = line;
        k->key_value[2 * k->n++ + 1] = unquoted(colon + 2 + strspn(colon + 2, " "));
    }
    return SL_OK;
}

static const char *key_of(const struct sl_keys *k, const char *key)
{
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->key_value[2 * i], key)) return k->key_value[2 * i + 1];
    return "";
}

const char *sl_report_key(const struct sl_report_member *m, const char *key)
{
    return key_of(&m->keys, key);
}

double sl_report_list_number(const char *list, int i)
{
    const char *s = list + strspn(list, "[ ");
    for (; i > 0; i--) {
        s = strchr(s, ',');
        if (!s) return NAN;
        s++;
    }
    char *end;
    double v = strtod(s, &end);
    return end == s ? NAN : v;
}

bool sl_report_expands(const struct sl_report_member *m)
{
    return !strcmp(sl_report_key(m, "time.unit"), "redshift");
}

double sl_report_speed(const struct sl_report_member *m, double scale_factor)
{
    return sl_report_clock(m) == 'z' && scale_factor > 0 ? 100 / scale_factor : 1;
}

double sl_report_kelvin(const struct sl_report_member *m, double scale_factor)
{
    double speed = sl_report_speed(m, scale_factor),
           helium = sl_report_list_number(sl_report_key(m, "cosmology.helium"), 0);
    if (sl_report_clock(m) != 'z' || !(scale_factor > 0)) return 1;
    if (!isfinite(helium)) helium = 0;
    return speed * speed * sl_scale_kelvin(helium);
}

double sl_report_gauss(const struct sl_report_member *m, double scale_factor)
{
    if (sl_report_clock(m) != 'z' || !(scale_factor > 0)) return 1;
    return m->field * pow(scale_factor, -2.5);
}

char sl_report_clock(const struct sl_report_member *m)
{
    return sl_report_expands(m) || sl_show_has(sl_report_show(m)->what, "universe") ? 'z' : 't';
}

const struct sl_show *sl_report_show(const struct sl_report_member *m)
{
    static const char *const names[] = {
#define NAME(name, ic, about) #name,
        SL_PROBLEM_NAMES(NAME)
#undef NAME
    };
    const char *problem = sl_report_key(m, "problem");
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(names[i], problem)) return sl_show_of(i);
    return sl_show_of(-1);
}

void sl_report_unit(const struct sl_report_member *m, const char *unit, const char *otherwise,
                    char text[96])
{
    static const char *const keys[] = {"units.length", "units.density", "units.velocity"};
    double cgs[3];
    bool all = true;
    for (int i = 0; i < 3; i++) {
        cgs[i] = sl_report_list_number(sl_report_key(m, keys[i]), 0);
        all &= cgs[i] > 0;
    }
    const char *cells = sl_report_key(m, "mesh.cells");
    struct sl_scale scale = {.length = all ? cgs[0] : 0, .density = cgs[1], .velocity = cgs[2]};
    while (isfinite(sl_report_list_number(cells, scale.dim)))
        scale.dim++;
    char words[80];
    sl_scale_say(&scale, all ? unit : otherwise, words, sizeof words);
    text[0] = '\0';
    if (*words) snprintf(text, 96, " (%s)", words);
}

bool sl_report_driven(const struct sl_report_member *m)
{
    return sl_report_list_number(sl_report_key(m, "driving.power"), 0) > 0 ||
           sl_report_list_number(sl_report_key(m, "driving.acceleration"), 0) > 0;
}

double sl_report_value(const struct sl_report_member *m, const char *quantity)
{
    return sl_csv_number(&m->summary, sl_csv_row(&m->summary, quantity),
                         sl_csv_column(&m->summary, "value"));
}

const struct sl_report_member *sl_report_first(const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        if (r->member[i].keys.n) return &r->member[i];
    return &r->member[0];
}

int sl_report_finished(const struct sl_report *r)
{
    for (int g = 0; g < r->groups; g++)
        if (r->group[g].first >= 0) return r->group[g].first;
    return -1;
}

bool sl_report_differs(const struct sl_report *r, const char *key)
{
    for (int i = 0; i < r->varieds; i++)
        if (!strcmp(r->varied[i], key)) return true;
    return false;
}

/* ---- records of attempts and progress ------------------------------------------------------- */

/* *record: NULL where the file is missing or damaged; one that cannot be read though it is there is
 * an error. */
static int record_read(const char *path, json_t **record)
{
    struct sl_buffer t = {0};
    *record = NULL;
    int code = sl_buffer_read(&t, path, RECORD_MAX);
    if (code == SL_OK) *record = json_loadb(t.s, t.n, 0, NULL);
    sl_buffer_release(&t);
    return code == SL_EINPUT || (code == SL_EIO && sl_disk_missing(path)) ? SL_OK : code;
}

static double record_number(const json_t *record, const char *name)
{
    const json_t *v = json_object_get(record, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void record_text(const json_t *record, const char *name, char *to, size_t capacity)
{
    const char *s = json_string_value(json_object_get(record, name));
    snprintf(to, capacity, "%s", s ? s : "");
}

/* The host of an attempt stands in its claim. */
static int attempt_host(const struct sl_report *r, const char *member, struct sl_report_attempt *a)
{
    char file[64], path[PATH_MAX];
    json_t *claim;
    snprintf(file, sizeof file, "attempts/%s.%d.json", a->stage, a->number);
    path_of(path, r, member, file);
    SL_TRY(record_read(path, &claim));
    record_text(claim, "host", a->host, sizeof a->host);
    json_decref(claim);
    return SL_OK;
}

/* Takes in the fact that an attempt ended. */
static int attempt_add(const struct sl_fact *fact, void *user)
{
    struct sl_report *r = user;
    int row = *fact->member ? sl_campaign_find(&r->campaign, fact->member) : -1;
    if (fact->what != SL_FACT_end || (*fact->member && row < 0)) return SL_OK;
    struct sl_report_member *m = row < 0 ? &r->whole : &r->member[row];
    void *more = realloc(m->attempt, ((size_t)m->attempts + 1) * sizeof *m->attempt);
    SL_CHECK(more, SL_EMEM, "no memory for attempts");
    m->attempt = more;
    struct sl_report_attempt *a = &m->attempt[m->attempts++];
    *a = (struct sl_report_attempt){.number = fact->n, .code = fact->code, .wall = fact->seconds};
    a->start = fact->t - fact->seconds;
    snprintf(a->stage, sizeof a->stage, "%s", fact->stage);
    snprintf(a->result, sizeof a->result, "%s", fact->result);
    snprintf(a->cause, sizeof a->cause, "%s", fact->text);
    return row >= 0 ? attempt_host(r, m->id, a) : SL_OK;
}

/* Where the members stand, and every attempt. */
static int journal_read(struct sl_report *r)
{
    struct sl_campaign_state state;
    int64_t offset = 0;
    SL_TRY(sl_journal_read(r->dir, &offset, attempt_add, r, NULL));
    SL_TRY(sl_campaign_state_open(&r->campaign, &state));
    for (int i = 0; i < r->members; i++) {
        enum sl_work_state kind = r->member[i].state = sl_campaign_state_member(&state, i);
        r->member[i].measured = sl_campaign_state_is_measured(&state, i);
        r->measured += r->member[i].measured;
        r->done += kind == SL_WORK_done;
        r->bad += sl_report_bad(kind);
        r->open += !sl_campaign_state_ends(kind);
    }
    memcpy(r->use, state.use, sizeof r->use);
    sl_target_say(&state, r->target, sizeof r->target);
    sl_campaign_state_release(&state);
    return SL_OK;
}

static int progress_read(const struct sl_report *r, struct sl_report_member *m)
{
    char path[PATH_MAX];
    json_t *record;
    path_of(path, r, m->id, "progress.json");
    SL_TRY(record_read(path, &record));
    m->steps = record_number(record, "step");
    m->cells = record_number(record, "cells");
    m->cells_per_s = record_number(record, "cells_per_s");
    m->particle_steps_per_s = record_number(record, "particle_steps_per_s");
    m->gravity_share = record_number(record, "gravity_s") / record_number(record, "steps_s");
    m->repaired = record_number(record, "repaired");
    m->floored = record_number(record, "floored");
    m->time_unit = record_number(record, "unit_value");
    json_decref(record);
    return SL_OK;
}

/* ---- history -------------------------------------------------------------------------------- */

static double drift_of(const struct sl_csv *t, const char *name)
{
    int c = sl_csv_column(t, name);
    double first = sl_csv_number(t, 0, c), worst = t->rows && c >= 0 ? 0 : NAN;
    for (long i = 0; c >= 0 && i < t->rows; i++)
        worst = fmax(worst, fabs(sl_csv_number(t, i, c) / first - 1));
    return worst;
}

/* Energies that the total one of the gas exchanges with, and the sign with which their sum is
 * kept. */
static const struct {
    const char *column;
    int sign, potential;
} exchanged[] = {{"energy_potential", 1, 1},
                 {"energy_external", 1, 1},
                 {"cooling_energy", 1, 0},
                 {"driving_energy", -1, 0},
                 {"jeans_floor_energy", -1, 0}};
enum { EXCHANGED = sizeof exchanged / sizeof *exchanged };

/* What the gas has gained in a row of the history and nothing has lost. */
static double unexplained(const struct sl_csv *t, long row)
{
    int total = sl_csv_column(t, "energy_total");
    double sum = sl_csv_number(t, row, total) - sl_csv_number(t, 0, total);
    for (int k = 0; k < EXCHANGED; k++) {
        int c = sl_csv_column(t, exchanged[k].column);
        if (c < 0) continue;
        sum += exchanged[k].sign * (sl_csv_number(t, row, c) - sl_csv_number(t, 0, c));
    }
    return fabs(sum);
}

/* What the change of energy is measured by: with a potential its energy and the kinetic one, which
 * fall and rise, else all energy. */
static double energy_measure(const struct sl_csv *t, long row, bool potential)
{
    double most =
        sl_csv_number(t, row, sl_csv_column(t, potential ? "energy_kinetic" : "energy_total"));
    for (int k = 0; k < EXCHANGED && potential; k++) {
        int c = sl_csv_column(t, exchanged[k].column);
        if (c >= 0) most = fmax(most, fabs(sl_csv_number(t, row, c)));
    }
    return most;
}

/* Of a sum that rounding changes, nothing below that is a change. */
static double energy_drift(const struct sl_csv *t)
{
    int total = sl_csv_column(t, "energy_total");
    bool potential = false;
    double worst = 0, most = 0;
    if (total < 0 || t->rows == 0) return NAN;
    for (int k = 0; k < EXCHANGED; k++)
        potential |= exchanged[k].potential && sl_csv_column(t, exchanged[k].column) >= 0;
    for (long i = 0; i < t->rows; i++) {
        double change = unexplained(t, i), rounding = 1e-12 * sl_csv_number(t, i, total);
        worst = fmax(worst, potential && change < rounding ? 0 : change);
        most = fmax(most, energy_measure(t, i, potential));
    }
    return most > 0 ? worst / most : 0;
}

/* The volume of the box, and the longest side of a cell of the finest level. */
static void sizes_of(const struct sl_report_member *m, double *volume, double *side)
{
    const char *box = sl_report_key(m, "mesh.box"), *cells = sl_report_key(m, "mesh.cells");
    double levels = sl_report_list_number(sl_report_key(m, "mesh.levels"), 0);
    *volume = 1;
    *side = 0;
    for (int a = 0; isfinite(sl_report_list_number(cells, a)); a++) {
        double length = sl_report_list_number(box, 2 * a + 1) - sl_report_list_number(box, 2 * a);
        *volume *= length;
        *side = fmax(*side, length / sl_report_list_number(cells, a));
    }
    if (levels > 0) *side = ldexp(*side, -(int)levels);
}

static double largest_of(const struct sl_csv *t, const char *name)
{
    double most = NAN;
    for (long i = 0; i < t->rows; i++)
        most = fmax(most, sl_csv_number(t, i, sl_csv_column(t, name)));
    return most;
}

static double divergence_of(const struct sl_csv *t, const struct sl_report_member *m)
{
    bool transport = !strcmp(sl_report_key(m, "fluid.mhd"), "ct");
    double volume, side, energy = largest_of(t, "energy_magnetic"),
                         most = largest_of(t, transport ? "divergence_max" : "divergence_mean");
    sizes_of(m, &volume, &side);
    return energy > 0 ? most * side / sqrt(2 * energy / volume) : NAN;
}

static double mean_density(const struct sl_csv *t, const struct sl_report_member *m)
{
    double volume, side, mass = sl_csv_number(t, 0, sl_csv_column(t, "mass"));
    sizes_of(m, &volume, &side);
    return mass > 0 ? mass / volume : NAN;
}

/* Code units of a field are such that its pressure is B^2 / 2 in those of pressure. */
static double field_unit(const struct sl_csv *t)
{
    static const char mark[] = "units supercomoving:";
    double density, velocity;
    for (int i = 0; i < t->comments; i++)
        if (!strncmp(t->comment[i], mark, sizeof mark - 1) &&
            sscanf(t->comment[i] + sizeof mark - 1,
                   " length %*f cm comoving, density %lf g/cm^3 comoving, velocity %lf", &density,
                   &velocity) == 2)
            return sqrt(4 * acos(-1) * density) * velocity;
    return NAN;
}

static int history_read(struct sl_report *r, struct sl_report_member *m)
{
    struct sl_csv t;
    char path[PATH_MAX];
    path_of(path, r, m->id, "history.tsv");
    m->density = m->field = m->mass_drift = m->energy_drift = m->divergence = m->cooled = NAN;
    SL_TRY(sl_csv_try(&t, path, SL_CSV_HISTORY));
    if (!t.name) return SL_OK;
    m->rows = (double)t.rows;
    m->cooled =
        t.rows > 1 ? fabs(sl_csv_number(&t, t.rows - 1, sl_csv_column(&t, "cooling_energy"))) : NAN;
    m->mass_drift = drift_of(&t, "mass");
    m->energy_drift = energy_drift(&t);
    m->divergence = divergence_of(&t, m);
    m->density = mean_density(&t, m);
    m->field = field_unit(&t);
    if (sl_csv_column(&t, "scale_factor") >= 0) m->energy_drift = NAN;
    if (r->provenance.comments)
        sl_csv_release(&t);
    else
        r->provenance = t;
    return SL_OK;
}

/* ---- members -------------------------------------------------------------------------------- */

static double ranks_of(const struct sl_report_member *m, const char *stage)
{
    char key[48];
    snprintf(key, sizeof key, "resources.%s.ranks", stage);
    double own = strtod(sl_report_key(m, key), NULL); /* or auto */
    return fmax(1, own > 0 ? own : strtod(sl_report_key(m, "resources.ranks"), NULL));
}

static void costs(struct sl_report *r, struct sl_report_member *m)
{
    for (int i = 0; i < m->attempts; i++) {
        const struct sl_report_attempt *a = &m->attempt[i];
        if (!(a->wall > 0)) continue;
        m->wall += a->wall;
        m->core_hours += a->wall * ranks_of(m, a->stage) / 3600;
        if (isnan(r->start) || a->start < r->start) r->start = a->start;
        if (isnan(r->end) || a->start + a->wall > r->end) r->end = a->start + a->wall;
    }
    r->core_hours += m->core_hours;
}

static int member_read(struct sl_report *r, struct sl_report_member *m)
{
    char path[PATH_MAX];
    path_of(path, r, m->id, "run.yaml");
    if (exists(path)) SL_TRY(keys_read(&m->keys, path));
    path_of(path, r, m->id, "stats/summary.csv");
    if (exists(path)) SL_TRY(sl_csv_read(&m->summary, path, SL_CSV_NAMED));
    path_of(path, r, m->id, "verify.tsv");
    if (exists(path)) SL_TRY(sl_csv_read(&m->verify, path, SL_CSV_HISTORY));
    SL_TRY(progress_read(r, m));
    SL_TRY(history_read(r, m));
    costs(r, m);
    return SL_OK;
}

static int members_list(struct sl_report *r)
{
    r->member = calloc((size_t)r->campaign.n, sizeof *r->member);
    SL_CHECK(r->member, SL_EMEM, "no memory for members");
    r->members = r->campaign.n;
    for (int i = 0; i < r->members; i++) {
        r->member[i].id = r->campaign.member[i].id;
        r->member[i].label = r->campaign.member[i].label;
    }
    return SL_OK;
}

/* Adds a key to the list of those that differ between members. */
static int varied_add(struct sl_report *r, const char *key)
{
    void *more = realloc(r->varied, ((size_t)r->varieds + 1) * sizeof *r->varied);
    SL_CHECK(more, SL_EMEM, "no memory for keys");
    r->varied = more;
    r->varied[r->varieds++] = key;
    return SL_OK;
}

/* Whether all members that have values have this one. */
static bool same_value(const struct sl_report *r, const char *key, const char *value)
{
    for (int i = 0; i < r->members; i++)
        if (r->member[i].keys.n && strcmp(sl_report_key(&r->member[i], key), value)) return false;
    return true;
}

/* Blocks that nobody swept follow the number of cells. */
static int varied_find(struct sl_report *r)
{
    const struct sl_keys *keys = &sl_report_first(r)->keys;
    for (int i = 0; i < keys->n; i++) {
        const char *key = keys->key_value[2 * i];
        bool follows = !strcmp(key, "mesh.block") && !strstr(sl_report_first(r)->label, key);
        if (strncmp(key, "run.", 4) && !follows && !same_value(r, key, keys->key_value[2 * i + 1]))
            SL_TRY(varied_add(r, key));
    }
    return SL_OK;
}

/* ---- snapshots that have statistics --------------------------------------------------------- */

static int int_order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The snapshot that a file of statistics belongs to, -1 for others. */
static int snapshot_of(const char *file)
{
    int number, end = 0;
    size_t n = strcspn(file, "0123456789");
    if (!n || file[n - 1] != '_' || strlen(file) > 64) return -1;
    return sscanf(file + n, "%d.csv%n", &number, &end) == 1 && end && !file[n + (size_t)end]
               ? number
               : -1;
}

static int snapshot_add(struct sl_report_snapshots *s, int number)
{
    for (int i = 0; i < s->n; i++)
        if (s->number[i] == number) return SL_OK;
    int *more = realloc(s->number, ((size_t)s->n + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for snapshots");
    s->number = more;
    s->number[s->n++] = number;
    return SL_OK;
}

/* Those of the tables in a directory, none where it is not there. */
static int snapshots_list(const char *path, struct sl_report_snapshots *s)
{
    DIR *d = opendir(path);
    SL_CHECK(d || errno == ENOENT || errno == ENOTDIR, SL_EIO, "cannot list %s: %s", path,
             strerror(errno));
    if (!d) return SL_OK;
    int code = SL_OK;
    for (struct dirent *e; !code && (e = readdir(d));) {
        int number = snapshot_of(e->d_name);
        if (number >= 0) code = snapshot_add(s, number);
    }
    closedir(d);
    if (s->n) qsort(s->number, (size_t)s->n, sizeof *s->number, int_order);
    return code;
}

int sl_report_last(const struct sl_report_snapshots *s)
{
    return s->n ? s->number[s->n - 1] : 0;
}

static int parseval_read(const struct sl_report *r, struct sl_report_member *m)
{
    static const char *const names[] = {"velocity", "density", "energy", "magnetic"};
    m->parseval = NAN;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[80], path[PATH_MAX];
        struct sl_csv t;
        snprintf(file, sizeof file, "stats/spectrum_%s_%04d.csv", names[i],
                 sl_report_last(&m->snapshots));
        path_of(path, r, m->id, file);
        SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
        if (!t.name) continue;
        m->parseval = fmax(m->parseval, fabs(sl_csv_note(&t, "parseval_error")));
        sl_csv_release(&t);
    }
    return SL_OK;
}

static int member_snapshots(const struct sl_report *r, struct sl_report_member *m)
{
    char path[PATH_MAX];
    path_of(path, r, m->id, "stats");
    if (m->measured) SL_TRY(snapshots_list(path, &m->snapshots));
    return parseval_read(r, m);
}

static int group_snapshots(const struct sl_report *r, struct sl_report_group *g)
{
    char path[PATH_MAX];
    if (!*g->dir && g->first < 0) return SL_OK;
    if (*g->dir)
        path_of(path, r, NULL, g->dir);
    else
        path_of(path, r, r->member[g->first].id, "stats");
    return snapshots_list(path, &g->snapshots);
}

static int snapshots_find(struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        SL_TRY(member_snapshots(r, &r->member[i]));
    for (int i = 0; i < r->groups; i++)
        SL_TRY(group_snapshots(r, &r->group[i]));
    return SL_OK;
}

/* ---- the campaign --------------------------------------------------------------------------- */

static void hash(const struct sl_buffer *t, char hex[65])
{
    SHA2_CTX sha;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)t->s, t->n);
    SHA256Final(digest, &sha);
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static int campaign_read(struct sl_report *r)
{
    char path[PATH_MAX];
    SL_TRY(sl_campaign_recipe(&r->campaign, path));
    if (!sl_disk_exists(path)) SL_TRY(sl_campaign_check_recipes(&r->campaign));
    SL_TRY(sl_buffer_read(&r->recipe, path, RECIPE_MAX));
    hash(&r->recipe, r->recipe_hash);
    path_of(path, r, NULL, "journal.jsonl");
    if (exists(path)) SL_TRY(sl_buffer_read(&r->journal, path, JOURNAL_MAX));
    SL_TRY(members_list(r));
    SL_TRY(journal_read(r));
    for (int i = 0; i < r->members; i++)
        SL_TRY(member_read(r, &r->member[i]));
    SL_TRY(varied_find(r));
    SL_TRY(sl_report_groups_read(r));
    return snapshots_find(r);
}

int sl_report_read(struct sl_report *r, const char *dir)
{
    *r = (struct sl_report){.start = NAN, .end = NAN};
    SL_TRY(sl_campaign_open(dir, &r->campaign));
    r->dir = r->campaign.dir;
    r->name = r->campaign.name;
    r->whole.id = "campaign";
    int code = campaign_read(r);
    if (code) sl_report_release(r);
    return code;
}

void sl_report_release(struct sl_report *r)
{
    for (int i = 0; i < r->members; i++) {
        keys_release(&r->member[i].keys);
        free(r->member[i].snapshots.number);
        sl_csv_release(&r->member[i].summary);
        sl_csv_release(&r->member[i].verify);
        free(r->member[i].attempt);
    }
    free(r->member);
    free(r->whole.attempt);
    sl_buffer_release(&r->recipe);
    sl_buffer_release(&r->journal);
    for (int i = 0; i < r->groups; i++) {
        sl_csv_release(&r->group[i].summary);
        free(r->group[i].snapshots.number);
    }
    free(r->group);
    sl_csv_release(&r->provenance);
    free(r->varied);
    sl_campaign_release(&r->campaign);
    *r = (struct sl_report){0};
}
