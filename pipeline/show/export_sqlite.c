/* export_sqlite.c - a campaign as an SQLite database; see export.h. */
#include "pipeline/show/export.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/file.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA user_version = 1; BEGIN;"
    "CREATE TABLE campaign (name TEXT, recipe_sha256 TEXT, recipe TEXT);"
    "CREATE TABLE member (id TEXT PRIMARY KEY, state TEXT, attempts INTEGER, steps REAL, wall_s "
    "REAL,"
    " core_hours REAL, cells_per_s REAL, mass_drift REAL, energy_drift REAL,"
    " particle_steps_per_s REAL, gravity_share REAL);"
    "CREATE TABLE parameter (member TEXT REFERENCES member, key TEXT, value TEXT,"
    " PRIMARY KEY (member, key));"
    "CREATE TABLE attempt (member TEXT REFERENCES member, stage TEXT, number INTEGER, result TEXT,"
    " code INTEGER, host TEXT, start REAL, seconds REAL, cause TEXT);"
    "CREATE TABLE result (member TEXT REFERENCES member, quantity TEXT, value REAL, error REAL,"
    " unit TEXT, PRIMARY KEY (member, quantity));"
    "CREATE TABLE ensemble (grp INTEGER, what TEXT, quantity TEXT, mean REAL, standard_error REAL, "
    "median REAL,"
    " p16 REAL, p84 REAL, bootstrap_lo REAL, bootstrap_hi REAL, members INTEGER, unit TEXT, "
    "PRIMARY KEY (grp, quantity));"
    "CREATE TABLE journal (line INTEGER PRIMARY KEY, time REAL, what TEXT, member TEXT, stage TEXT,"
    " fact TEXT);";

/* A row in the making: values are bound in order, never printed into the statement. */
struct row {
    sqlite3_stmt *insert;
    int next;
};

static void add_text(struct row *row, const char *s)
{
    sqlite3_bind_text(row->insert, ++row->next, s, -1, SQLITE_TRANSIENT);
}

static void add_number(struct row *row, double v)
{
    row->next++;
    if (isfinite(v)) sqlite3_bind_double(row->insert, row->next, v); /* else it stays NULL */
}

static int end_row(struct row *row)
{
    int e = sqlite3_step(row->insert);
    sqlite3_reset(row->insert);
    sqlite3_clear_bindings(row->insert);
    row->next = 0;
    return e == SQLITE_DONE ? SL_OK
                            : SL_FAIL(SL_EIO, "%s", sqlite3_errmsg(sqlite3_db_handle(row->insert)));
}

static int begin(sqlite3 *db, const char *insert, struct row *row)
{
    *row = (struct row){0};
    SL_CHECK(sqlite3_prepare_v2(db, insert, -1, &row->insert, NULL) == SQLITE_OK, SL_EIO, "%s",
             sqlite3_errmsg(db));
    return SL_OK;
}

static int put_campaign(struct row *row, const struct sl_report *r)
{
    add_text(row, r->name);
    add_text(row, r->recipe_hash);
    add_text(row, r->recipe.s);
    return end_row(row);
}

static int put_members(struct row *row, const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++) {
        const struct sl_report_member *m = &r->member[i];
        add_text(row, m->id);
        add_text(row, sl_campaign_state_name(m->state));
        add_number(row, m->attempts);
        add_number(row, m->steps);
        add_number(row, m->wall);
        add_number(row, m->core_hours);
        add_number(row, m->cells_per_s);
        add_number(row, m->mass_drift);
        add_number(row, m->energy_drift);
        add_number(row, m->particle_steps_per_s);
        add_number(row, m->gravity_share);
        SL_TRY(end_row(row));
    }
    return SL_OK;
}

static int put_parameters(struct row *row, const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        for (int k = 0; k < r->member[i].keys.n; k++) {
            add_text(row, r->member[i].id);
            add_text(row, r->member[i].keys.key_value[2 * k]);
            add_text(row, r->member[i].keys.key_value[2 * k + 1]);
            SL_TRY(end_row(row));
        }
    return SL_OK;
}

static int put_attempts(struct row *row, const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        for (int k = 0; k < r->member[i].attempts; k++) {
            const struct sl_report_attempt *a = &r->member[i].attempt[k];
            add_text(row, r->member[i].id);
            add_text(row, a->stage);
            add_number(row, a->number);
            add_text(row, a->result);
            add_number(row, a->code);
            add_text(row, a->host);
            add_number(row, a->start);
            add_number(row, a->wall);
            add_text(row, a->cause);
            SL_TRY(end_row(row));
        }
    return SL_OK;
}

static int put_results(struct row *row, const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++) {
        const struct sl_csv *t = &r->member[i].summary;
        for (long q = 0; q < t->rows; q++) {
            add_text(row, r->member[i].id);
            add_text(row, sl_csv_text(t, q, 0));
            add_number(row, sl_csv_number(t, q, sl_csv_column(t, "value")));
            add_number(row, sl_csv_number(t, q, sl_csv_column(t, "error")));
            add_text(row, sl_csv_text(t, q, sl_csv_column(t, "unit")));
            SL_TRY(end_row(row));
        }
    }
    return SL_OK;
}

static int put_group(struct row *row, const struct sl_report_group *g, int number)
{
    static const char *const numbers[] = {"mean", "standard_error", "median",       "p16",
                                          "p84",  "bootstrap_lo",   "bootstrap_hi", "members"};
    const struct sl_csv *t = &g->summary;
    for (long q = 0; q < t->rows; q++) {
        add_number(row, number);
        add_text(row, g->what);
        add_text(row, sl_csv_text(t, q, 0));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            add_number(row, sl_csv_number(t, q, sl_csv_column(t, numbers[i])));
        add_text(row, sl_csv_text(t, q, sl_csv_column(t, "unit")));
        SL_TRY(end_row(row));
    }
    return SL_OK;
}

static int put_ensemble(struct row *row, const struct sl_report *r)
{
    for (int i = 0; i < r->groups; i++)
        SL_TRY(put_group(row, &r->group[i], i + 1));
    return SL_OK;
}

static void add_field(struct row *row, const json_t *fact, const char *name)
{
    const char *s = json_string_value(json_object_get(fact, name));
    row->next++;
    if (s) sqlite3_bind_text(row->insert, row->next, s, -1, SQLITE_TRANSIENT);
}

static int put_journal(struct row *row, const struct sl_report *r)
{
    int code = SL_OK, line = 0;
    for (const char *s = r->journal.s, *end; s && *s && !code; s = end) {
        end = s + strcspn(s, "\n");
        json_t *fact = json_loadb(s, (size_t)(end - s), 0, NULL);
        add_number(row, ++line);
        add_number(row, json_number_value(json_object_get(fact, "t")));
        add_field(row, fact, "what");
        add_field(row, fact, "member");
        add_field(row, fact, "stage");
        sqlite3_bind_text(row->insert, ++row->next, s, (int)(end - s), SQLITE_TRANSIENT);
        code = end_row(row);
        json_decref(fact);
        end += *end == '\n';
    }
    return code;
}

static int fill(sqlite3 *db, const struct sl_report *r)
{
    static const struct {
        const char *insert;
        int (*put)(struct row *row, const struct sl_report *r);
    } tables[] = {
        {"INSERT INTO campaign VALUES (?,?,?)", put_campaign},
        {"INSERT INTO member VALUES (?,?,?,?,?,?,?,?,?,?,?)", put_members},
        {"INSERT OR REPLACE INTO parameter VALUES (?,?,?)", put_parameters},
        {"INSERT INTO attempt VALUES (?,?,?,?,?,?,?,?,?)", put_attempts},
        {"INSERT OR REPLACE INTO result VALUES (?,?,?,?,?)", put_results},
        {"INSERT OR REPLACE INTO ensemble VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", put_ensemble},
        {"INSERT INTO journal VALUES (?,?,?,?,?,?)", put_journal}};
    SL_CHECK(sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK, SL_EIO, "%s",
             sqlite3_errmsg(db));
    int code = SL_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !code; i++) {
        struct row row;
        code = begin(db, tables[i].insert, &row);
        if (!code) code = tables[i].put(&row, r);
        sqlite3_finalize(row.insert);
    }
    if (!code && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        code = SL_FAIL(SL_EIO, "%s", sqlite3_errmsg(db));
    return code;
}

int sl_export_sqlite(const struct sl_report *r, const char *path)
{
    char temporary[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.%ld.new", path, (long)getpid());
    SL_CHECK(n > 0 && (size_t)n < sizeof temporary, SL_EINPUT, "path too long: %s", path);
    SL_TRY(sl_file_replaceable(path));
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    int code = SL_OK, e = sqlite3_open_v2(temporary, &db, flags, NULL);
    if (e != SQLITE_OK) code = SL_FAIL(SL_EIO, "cannot write %s: %s", path, sqlite3_errstr(e));
    if (!code) code = fill(db, r);
    if (sqlite3_close(db) != SQLITE_OK && !code)
        code = SL_FAIL(SL_EIO, "cannot close %s", temporary);
    if (!code && rename(temporary, path))
        code = SL_FAIL(SL_EIO, "cannot write %s: %s", path, strerror(errno));
    if (code) unlink(temporary);
    return code ? code : sl_sync_parent(path);
}
