/* export_tables.c - the statistics of all members, one table per statistic with columns for member
 * and time; see export.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/show/export.h"

enum { TABLES = 128, NAME_MAX_TABLE = 100 };

struct table {
    char name[NAME_MAX_TABLE],
        *head;  /* owned: the names of its columns as they stand in the files */
    bool timed; /* of snapshots */
    FILE *out;
    char path[SL_PATH_MAX], part[SL_PATH_MAX];
};

struct tables {
    const struct sl_report *r;
    const char *dir;
    struct table table[TABLES];
    int n;
};

/* One file of a member. */
struct source {
    char name[NAME_MAX_TABLE], snapshot[16]; /* "spectrum_velocity", "0003" or "" */
    char *text, *body;                       /* owned; what follows the comments */
    char time[40], redshift[40];
};

static void note_value(const char *line, const char *key, char out[40])
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) == 0)
        snprintf(out, 40, "%.*s", (int)strcspn(line + n, "\r\n"), line + n);
}

/* Splits "spectrum_velocity_0003.csv"; false: it is no table of numbers. */
static bool name_source(const char *file, struct source *s)
{
    size_t n = strlen(file), digits = 0;
    if (n < 5 || n >= sizeof s->name || strcmp(file + n - 4, ".csv") != 0) return false;
    if (strcmp(file, "summary.csv") == 0) return false;
    n -= 4;
    while (digits < n && isdigit((unsigned char)file[n - 1 - digits]))
        digits++;
    bool timed =
        digits >= 4 && digits < sizeof s->snapshot && n > digits + 1 && file[n - digits - 1] == '_';
    snprintf(s->snapshot, sizeof s->snapshot, "%.*s", timed ? (int)digits : 0, file + n - digits);
    snprintf(s->name, sizeof s->name, "%.*s", (int)(timed ? n - digits - 1 : n), file);
    return true;
}

/* Past the comments; false for a matrix, which has no names. */
static bool find_body(struct source *s)
{
    char *at = s->text;
    for (; *at == '#'; at += strcspn(at, "\n"), at += *at == '\n') {
        note_value(at, "# time: ", s->time);
        note_value(at, "# redshift: ", s->redshift);
    }
    s->body = at;
    return isalpha((unsigned char)*at) && strncmp(at, "nan", 3) != 0 && strncmp(at, "inf", 3) != 0;
}

/* ---- the files that are written ---- */

static void print_cell(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] != '\0';
    if (quote) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quote) fputc('"', out);
}

static void print_head(const struct tables *all, const struct table *t, const struct source *s)
{
    for (const char *at = s->text; at < s->body; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, "# unit ", 7) == 0 || at == s->text)
            fprintf(t->out, "%.*s\n", (int)strcspn(at, "\n"), at);
    fputs("member", t->out);
    for (int i = 0; i < all->r->varieds; i++) {
        fputc(',', t->out);
        print_cell(t->out, all->r->varied[i]);
    }
    if (t->timed) fputs(",snapshot,time", t->out);
    if (t->timed && s->redshift[0]) fputs(",redshift", t->out);
    fprintf(t->out, ",%s\n", t->head);
}

static int open_table(struct tables *all, const struct source *s, struct table *t, int twins)
{
    char end[16] = "";
    if (twins > 0) snprintf(end, sizeof end, "-%d", twins + 1);
    SL_TRY(sl_disk_join(t->path, "%s/%s%s.csv", all->dir, s->name, end));
    SL_TRY(sl_disk_join(t->part, "%s.part", t->path));
    SL_TRY(sl_file_replaceable(t->path));
    t->out = fopen(t->part, "we");
    SL_CHECK(t->out, SL_EIO, "cannot write %s: %s", t->part, strerror(errno));
    print_head(all, t, s);
    return SL_OK;
}

/* The table that the file belongs to: members whose columns differ have one of their own. */
static int find_table(struct tables *all, const struct source *s, struct table **out)
{
    size_t n = strcspn(s->body, "\r\n");
    bool timed = s->snapshot[0] != '\0';
    int twins = 0;
    for (int i = 0; i < all->n; i++) {
        struct table *t = &all->table[i];
        if (strcmp(t->name, s->name) != 0) continue;
        *out = t;
        if (t->timed == timed && strlen(t->head) == n && strncmp(t->head, s->body, n) == 0)
            return SL_OK;
        twins++;
    }
    SL_CHECK(all->n < TABLES, SL_EINPUT, "more than %d statistics", TABLES);
    struct table *t = *out = &all->table[all->n];
    snprintf(t->name, sizeof t->name, "%s", s->name);
    t->timed = timed;
    t->head = strndup(s->body, n);
    SL_CHECK(t->head, SL_EMEM, "no memory for the export");
    all->n++;
    return open_table(all, s, t, twins);
}

static void print_rows(const struct tables *all, const struct table *t, const struct source *s,
                       const struct sl_report_member *m)
{
    const char *at = s->body + strcspn(s->body, "\n");
    for (at += *at == '\n'; *at; at += *at == '\n') {
        size_t n = strcspn(at, "\r\n");
        fputs(m->id, t->out);
        for (int i = 0; i < all->r->varieds; i++) {
            fputc(',', t->out);
            print_cell(t->out, sl_report_key(m, all->r->varied[i]));
        }
        if (t->timed) fprintf(t->out, ",%s,%s", s->snapshot, s->time);
        if (t->timed && s->redshift[0]) fprintf(t->out, ",%s", s->redshift);
        fprintf(t->out, ",%.*s\n", (int)n, at);
        at += strcspn(at, "\n");
    }
}

static int add_file(struct tables *all, const struct sl_report_member *m, const char *path,
                    const char *file)
{
    struct source s = {.text = NULL};
    struct table *t;
    size_t n;
    if (!name_source(file, &s)) return SL_OK;
    SL_TRY(sl_file_read(path, (size_t)1 << 30, &s.text, &n));
    int code = SL_OK;
    if (find_body(&s)) {
        code = find_table(all, &s, &t);
        if (code == SL_OK) print_rows(all, t, &s, m);
    }
    free(s.text);
    return code;
}

static int add_member(struct tables *all, const struct sl_report_member *m)
{
    char dir[SL_PATH_MAX], path[SL_PATH_MAX];
    struct dirent **list;
    SL_TRY(sl_disk_join(dir, "%s/members/%s/stats", all->r->dir, m->id));
    int n = m->summary.rows > 0 ? scandir(dir, &list, NULL, alphasort) : 0, code = SL_OK;
    for (int i = 0; i < n; i++) {
        if (code == SL_OK) code = sl_disk_join(path, "%s/%s", dir, list[i]->d_name);
        if (code == SL_OK) code = add_file(all, m, path, list[i]->d_name);
        free(list[i]);
    }
    if (n > 0) free(list);
    return code;
}

/* None appears unless all were written; a rename that fails leaves those before it. */
static int close_tables(struct tables *all, int code)
{
    for (int i = 0; i < all->n; i++) {
        struct table *t = &all->table[i];
        bool bad = t->out && ferror(t->out) != 0;
        if (t->out && fclose(t->out) != 0) bad = true;
        if (bad && code == SL_OK) code = SL_FAIL(SL_EIO, "cannot write %s", t->part);
    }
    for (int i = 0; i < all->n; i++) {
        struct table *t = &all->table[i];
        if (code != SL_OK)
            unlink(t->part);
        else if (rename(t->part, t->path) != 0)
            code = SL_FAIL(SL_EIO, "cannot rename %s: %s", t->part, strerror(errno));
        free(t->head);
    }
    return code;
}

int sl_export_tables(const struct sl_report *r, const char *dir)
{
    struct tables *all = calloc(1, sizeof *all);
    SL_CHECK(all, SL_EMEM, "no memory for the export");
    all->r = r;
    all->dir = dir;
    int code = sl_mkdir_all(dir);
    for (int i = 0; i < r->members && code == SL_OK; i++)
        code = add_member(all, &r->member[i]);
    code = close_tables(all, code);
    free(all);
    return code;
}
