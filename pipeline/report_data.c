/* report_data.c - see report_data.h. */
#include "pipeline/report_data.h"

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

enum { RECORD_MAX = 1 << 20, RECIPE_MAX = 16 << 20, JOURNAL_MAX = 1 << 30 };

const char *sl_report_state_name(enum sl_report_state state)
{
#define STATE_NAME(name, words) #name,
    static const char *const names[] = {SL_REPORT_STATE_LIST(STATE_NAME)};
    return names[state];
}

const char *sl_report_state_words(enum sl_report_state state)
{
#define STATE_WORDS(name, words) words,
    static const char *const texts[] = {SL_REPORT_STATE_LIST(STATE_WORDS)};
    return texts[state];
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

static int keys_read(struct sl_keys *k, const char *path)
{
    SL_TRY(sl_buffer_read(&k->text, path, RECORD_MAX));
    int lines = 0;
    for (const char *s = k->text.s; *s; s++)
        lines += *s == '\n';
    k->key_value = calloc((size_t)lines + 1, 2 * sizeof *k->key_value);
    SL_CHECK(k->key_value, SL_EMEM, "no memory for %s", path);
    char *save, *line = strtok_r(k->text.s, "\n", &save);
    for (; line; line = strtok_r(NULL, "\n", &save)) {
        char *colon = strstr(line, ": ");
        if (*line == '#' || !colon) continue;
        *colon = '\0';
        k->key_value[2 * k->n] = line;
        k->key_value[2 * k->n++ + 1] = colon + 2 + strspn(colon + 2, " ");
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

double sl_report_value(const struct sl_report_member *m, const char *quantity)
{
    return sl_csv_number(&m->summary, sl_csv_row(&m->summary, quantity),
                         sl_csv_column(&m->summary, "value"));
}

const char *sl_report_provenance(const struct sl_report *r, const char *key)
{
    size_t n = strlen(key);
    for (int i = 0; i < r->provenance.comments; i++) {
        const char *line = r->provenance.comment[i];
        if (!strncmp(line, key, n) && line[n] == ' ') return line + n + 1;
    }
    return "";
}

/* ---- records of attempts and progress ------------------------------------------------------- */

static json_t *record_read(const char *path)
{
    struct sl_buffer t = {0};
    json_t *record = sl_buffer_read(&t, path, RECORD_MAX) ? NULL : json_loadb(t.s, t.n, 0, NULL);
    sl_buffer_release(&t);
    return record;
}

static double record_number(const json_t *record, const char *name)
{
    const json_t *v = json_object_get(record, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static int record_int(const json_t *record, const char *name)
{
    double v = record_number(record, name);
    return v > -1e9 && v < 1e9 ? (int)v : 0;
}

static void record_text(const json_t *record, const char *name, char *to, size_t room)
{
    const char *s = json_string_value(json_object_get(record, name));
    snprintf(to, room, "%s", s ? s : "");
}

/* The host of an attempt stands in its claim. */
static void attempt_host(const struct sl_report *r, const char *member, struct sl_report_attempt *a)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "attempts/%s.%d.json", a->stage, a->number);
    path_of(path, r, member, file);
    json_t *claim = record_read(path);
    record_text(claim, "host", a->host, sizeof a->host);
    json_decref(claim);
}

static struct sl_report_member *member_find(struct sl_report *r, const char *id)
{
    for (int lo = 0, hi = r->members; lo < hi;) {
        int mid = lo + (hi - lo) / 2, order = strverscmp(id, r->member[mid].id);
        if (!order) return &r->member[mid];
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

/* Takes in the fact that an attempt ended. */
static int attempt_add(struct sl_report *r, const json_t *fact)
{
    const char *id = json_string_value(json_object_get(fact, "member"));
    struct sl_report_member *m = id ? member_find(r, id) : NULL;
    if (!m) return SL_OK;
    void *more = realloc(m->attempt, ((size_t)m->attempts + 1) * sizeof *m->attempt);
    SL_CHECK(more, SL_EMEM, "no memory for attempts");
    m->attempt = more;
    struct sl_report_attempt *a = &m->attempt[m->attempts++];
    *a = (struct sl_report_attempt){.number = record_int(fact, "n"),
                                    .code = record_int(fact, "code"),
                                    .wall = record_number(fact, "seconds")};
    a->start = record_number(fact, "t") - a->wall;
    record_text(fact, "stage", a->stage, sizeof a->stage);
    record_text(fact, "result", a->result, sizeof a->result);
    record_text(fact, "text", a->cause, sizeof a->cause);
    attempt_host(r, m->id, a);
    return SL_OK;
}

static int journal_read(struct sl_report *r)
{
    int code = SL_OK;
    for (const char *s = r->journal.s, *end; s && *s && !code; s = end) {
        end = s + strcspn(s, "\n");
        json_t *fact = json_loadb(s, (size_t)(end - s), 0, NULL);
        const char *what = json_string_value(json_object_get(fact, "what"));
        if (what && !strcmp(what, "end")) code = attempt_add(r, fact);
        json_decref(fact);
        end += *end == '\n';
    }
    return code;
}

static bool stage_done(const struct sl_report *r, const struct sl_report_member *m,
                       const char *stage)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "attempts/%s.end.json", stage);
    path_of(path, r, m->id, file);
    return exists(path);
}

/* An attempt that stopped with its work saved is no failure. */
static bool attempt_failed(const struct sl_report_attempt *a)
{
    static const char *const good[] = {"done", "stopped", "paused"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!strcmp(a->result, good[i])) return false;
    return true;
}

static enum sl_report_state state_of(const struct sl_report *r, const struct sl_report_member *m,
                                     bool diverged)
{
    if (stage_done(r, m, "stats")) return SL_REPORT_done;
    const struct sl_report_attempt *last = m->attempts ? &m->attempt[m->attempts - 1] : NULL;
    if (diverged) return SL_REPORT_diverged;
    if (last && attempt_failed(last)) return SL_REPORT_failed;
    if (stage_done(r, m, "sim")) return SL_REPORT_simulated;
    return last ? SL_REPORT_running : SL_REPORT_waiting;
}

static bool progress_read(const struct sl_report *r, struct sl_report_member *m)
{
    char path[PATH_MAX], state[32];
    path_of(path, r, m->id, "progress.json");
    json_t *record = record_read(path);
    m->steps = record_number(record, "step");
    m->cells = record_number(record, "cells");
    m->cells_per_s = record_number(record, "cells_per_s");
    m->repaired = record_number(record, "repaired");
    m->floored = record_number(record, "floored");
    m->time_unit = record_number(record, "unit_value");
    record_text(record, "state", state, sizeof state);
    json_decref(record);
    return !strcmp(state, "diverged");
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

static void history_read(struct sl_report *r, struct sl_report_member *m)
{
    struct sl_csv t;
    char path[PATH_MAX];
    path_of(path, r, m->id, "history.tsv");
    m->mass_drift = m->energy_drift = NAN;
    if (sl_csv_read(&t, path, SL_CSV_HISTORY)) return;
    m->rows = (double)t.rows;
    m->mass_drift = drift_of(&t, "mass");
    m->energy_drift = drift_of(&t, "energy_total");
    if (r->provenance.comments)
        sl_csv_release(&t);
    else
        r->provenance = t;
}

/* ---- members -------------------------------------------------------------------------------- */

static void costs(struct sl_report *r, struct sl_report_member *m)
{
    double ranks = strtod(sl_report_key(m, "resources.ranks"), NULL);
    for (int i = 0; i < m->attempts; i++) {
        const struct sl_report_attempt *a = &m->attempt[i];
        if (!(a->wall > 0)) continue;
        m->wall += a->wall;
        m->core_hours += a->wall * fmax(ranks, 1) / 3600;
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
    m->state = state_of(r, m, progress_read(r, m));
    r->count[m->state]++;
    history_read(r, m);
    costs(r, m);
    return SL_OK;
}

static int member_order(const void *a, const void *b)
{
    const struct sl_report_member *x = a, *y = b;
    return strverscmp(x->id, y->id);
}

/* [A-Za-z0-9._-]{1,64}, no leading . or -: what the recipe allows, and safe in paths. */
static bool id_valid(const char *s)
{
    size_t n = strlen(s);
    return n && n <= 64 && *s != '.' && *s != '-' &&
           strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == n;
}

static int members_list(struct sl_report *r)
{
    char path[PATH_MAX];
    path_of(path, r, NULL, "members");
    DIR *d = opendir(path);
    if (!d) return SL_OK;
    for (struct dirent *e; (e = readdir(d));) {
        if (!id_valid(e->d_name)) continue;
        void *more = realloc(r->member, ((size_t)r->members + 1) * sizeof *r->member);
        if (!more) return closedir(d), SL_FAIL(SL_EMEM, "no memory for members");
        r->member = more;
        r->member[r->members] = (struct sl_report_member){0};
        memcpy(r->member[r->members++].id, e->d_name, strlen(e->d_name) + 1);
    }
    closedir(d);
    if (r->members) qsort(r->member, (size_t)r->members, sizeof *r->member, member_order);
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

static int varied_find(struct sl_report *r)
{
    for (int i = 0; r->members && i < r->member[0].keys.n; i++) {
        const char *key = r->member[0].keys.key_value[2 * i];
        const char *value = r->member[0].keys.key_value[2 * i + 1];
        if (!strncmp(key, "run.", 4)) continue;
        int m = 1;
        while (m < r->members && !strcmp(sl_report_key(&r->member[m], key), value))
            m++;
        if (m < r->members) SL_TRY(varied_add(r, key));
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

static int snapshot_add(struct sl_report *r, int number)
{
    for (int i = 0; i < r->snapshots; i++)
        if (r->snapshot[i] == number) return SL_OK;
    int *more = realloc(r->snapshot, ((size_t)r->snapshots + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for snapshots");
    r->snapshot = more;
    r->snapshot[r->snapshots++] = number;
    return SL_OK;
}

static int snapshots_list(struct sl_report *r, const char *member)
{
    char path[PATH_MAX];
    path_of(path, r, member, member ? "stats" : "ensemble");
    DIR *d = opendir(path);
    if (!d) return SL_OK;
    int code = SL_OK;
    for (struct dirent *e; !code && (e = readdir(d));) {
        int number = snapshot_of(e->d_name);
        if (number >= 0) code = snapshot_add(r, number);
    }
    closedir(d);
    return code;
}

static void parseval_read(const struct sl_report *r, struct sl_report_member *m)
{
    static const char *const names[] = {"velocity", "density", "energy"};
    m->parseval = NAN;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[80], path[PATH_MAX];
        struct sl_csv t;
        snprintf(file, sizeof file, "stats/spectrum_%s_%04d.csv", names[i],
                 r->snapshot[r->snapshots - 1]);
        path_of(path, r, m->id, file);
        if (!exists(path) || sl_csv_read(&t, path, SL_CSV_NAMED)) continue;
        m->parseval = fmax(m->parseval, fabs(sl_csv_note(&t, "parseval_error")));
        sl_csv_release(&t);
    }
}

static int snapshots_find(struct sl_report *r)
{
    SL_TRY(snapshots_list(r, NULL));
    for (int i = 0; i < r->members; i++)
        if (r->member[i].state == SL_REPORT_done) SL_TRY(snapshots_list(r, r->member[i].id));
    if (r->snapshots) qsort(r->snapshot, (size_t)r->snapshots, sizeof *r->snapshot, int_order);
    for (int i = 0; i < r->members; i++)
        if (r->snapshots) parseval_read(r, &r->member[i]);
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

/* The campaign's name: that of the members, or of the directory. */
static void name_set(struct sl_report *r)
{
    const char *slash = strrchr(r->dir, '/');
    const char *name = r->members ? sl_report_key(&r->member[0], "campaign") : "";
    snprintf(r->name, sizeof r->name, "%.64s", *name ? name : slash ? slash + 1 : r->dir);
}

static int campaign_read(struct sl_report *r)
{
    char path[PATH_MAX];
    path_of(path, r, NULL, "recipe.yaml");
    SL_TRY(sl_buffer_read(&r->recipe, path, RECIPE_MAX));
    hash(&r->recipe, r->recipe_hash);
    path_of(path, r, NULL, "journal.jsonl");
    if (exists(path)) SL_TRY(sl_buffer_read(&r->journal, path, JOURNAL_MAX));
    SL_TRY(members_list(r));
    SL_TRY(journal_read(r));
    for (int i = 0; i < r->members; i++)
        SL_TRY(member_read(r, &r->member[i]));
    path_of(path, r, NULL, "ensemble/summary.csv");
    r->ensemble = exists(path);
    if (r->ensemble) SL_TRY(sl_csv_read(&r->summary, path, SL_CSV_NAMED));
    name_set(r);
    SL_TRY(varied_find(r));
    return snapshots_find(r);
}

int sl_report_read(struct sl_report *r, const char *dir)
{
    *r = (struct sl_report){.start = NAN, .end = NAN};
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    SL_CHECK(n + 200 < sizeof r->dir, SL_EINPUT, "path too long: %s", dir);
    memcpy(r->dir, dir, n);
    char path[PATH_MAX];
    path_of(path, r, NULL, "recipe.yaml");
    SL_CHECK(exists(path), SL_EINPUT, "%s is no campaign directory: it holds no recipe.yaml", dir);
    int code = campaign_read(r);
    if (code) sl_report_release(r);
    return code;
}

void sl_report_release(struct sl_report *r)
{
    for (int i = 0; i < r->members; i++) {
        keys_release(&r->member[i].keys);
        sl_csv_release(&r->member[i].summary);
        free(r->member[i].attempt);
    }
    free(r->member);
    sl_buffer_release(&r->recipe);
    sl_buffer_release(&r->journal);
    sl_csv_release(&r->summary);
    sl_csv_release(&r->provenance);
    free(r->snapshot);
    free(r->varied);
    *r = (struct sl_report){0};
}
