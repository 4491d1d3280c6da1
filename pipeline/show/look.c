/* look.c - see look.h. */
#include "pipeline/show/look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "pipeline/base/csv.h"
#include "pipeline/base/json.h"
#include "pipeline/campaign/campaign.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/place.h"

enum { ANSWER = 4 << 20, TEXT = 1 << 28 };

static json_t *new_look(const char *kind)
{
    return json_pack("{s:s, s:{}, s:[], s:[]}", "kind", kind, "facts", "parts", "wrong");
}

static void fact(json_t *o, const char *name, json_t *value)
{
    json_object_set_new(json_object_get(o, "facts"), name, value ? value : json_null());
}

static void wrong(json_t *o, const char *text)
{
    json_array_append_new(json_object_get(o, "wrong"), sl_json_text(text));
}

/* ---- HDF5 ---- */

static int ask_program(const char *path, char *text, int *code)
{
    char program[SL_PATH_MAX];
    struct sl_child child = {.err = open("/dev/null", O_WRONLY | O_CLOEXEC), .on_death = 15};
    int status = sl_place_program("sluice-stats", program, sizeof program);
    sl_args_add(&child.args, "%s", program);
    sl_args_add(&child.args, "--inspect");
    sl_args_add(&child.args, "%s", path);
    if (status == SL_OK) status = sl_child_capture(&child, text, ANSWER, code);
    sl_args_release(&child.args);
    if (child.err >= 0) close(child.err);
    return status;
}

static int look_hdf(const char *path, json_t **out)
{
    int code = 0;
    char *text = calloc(1, ANSWER);
    SL_CHECK(text, SL_EMEM, "out of memory");
    int status = ask_program(path, text, &code);
    if (status == SL_OK && code == 0) *out = json_loads(text, 0, NULL);
    free(text);
    SL_TRY(status);
    if (*out) return SL_OK;
    SL_CHECK(code == SL_EINPUT, code ? code : SL_EIO, "sluice-stats could not look at %s", path);
    *out = new_look("HDF5 file");
    wrong(*out, "it cannot be opened: it is cut short or damaged");
    return SL_OK;
}

/* ---- tables ---- */

/* "time[code]" of a history, "# unit k: h/Mpc" of a CSV. */
static void add_column(json_t *o, const struct sl_csv *t, int column)
{
    const char *name = t->name[column];
    size_t n = strcspn(name, "[");
    char unit[80] = "", key[160];
    if (name[n]) snprintf(unit, sizeof unit, "%.*s", (int)strcspn(name + n + 1, "]"), name + n + 1);
    snprintf(key, sizeof key, "unit %.100s: ", name);
    for (int i = 0; i < t->comments; i++)
        if (strncmp(t->comment[i], key, strlen(key)) == 0)
            snprintf(unit, sizeof unit, "%.70s", t->comment[i] + strlen(key));
    json_t *shown = json_stringn(name, n);
    json_t *part = json_pack("{s:o}", "name", shown ? shown : sl_json_text(name));
    if (*unit) json_object_set_new(part, "units", sl_json_text(unit));
    json_array_append_new(json_object_get(o, "parts"), part);
}

static int look_table(const char *path, enum sl_csv_kind kind, const char *what, json_t **out)
{
    struct sl_csv t;
    *out = new_look(what);
    if (sl_csv_read(&t, path, kind) != SL_OK) {
        wrong(*out, sl_error_text());
        return SL_OK;
    }
    if (t.comments > 0 && kind == SL_CSV_NAMED) fact(*out, "about", sl_json_text(t.comment[0]));
    fact(*out, "rows", json_integer(t.rows));
    fact(*out, "columns", json_integer(t.columns));
    for (int c = 0; t.name && c < t.columns; c++)
        add_column(*out, &t, c);
    if (kind == SL_CSV_HISTORY && t.rows > 0 && sl_csv_column(&t, "time") == 0) {
        fact(*out, "from", sl_json_text(sl_csv_text(&t, 0, 0)));
        fact(*out, "to", sl_json_text(sl_csv_text(&t, t.rows - 1, 0)));
    }
    sl_csv_release(&t);
    return SL_OK;
}

/* ---- JSON ---- */

static int look_journal(const char *text, json_t **out)
{
    long facts = 0, damaged = 0;
    *out = new_look("journal of a campaign");
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        json_t *line = json_loadb(at, strcspn(at, "\n"), 0, NULL);
        facts++;
        damaged += !line;
        json_decref(line);
    }
    fact(*out, "facts", json_integer(facts));
    if (damaged > 0) wrong(*out, "lines of it are no JSON");
    return SL_OK;
}

/* Facts of these names; one that is not there is left out. */
static void facts_of(json_t *o, const json_t *whole, const char *const *name)
{
    for (; *name; name++)
        if (json_object_get(whole, *name))
            fact(o, *name, json_incref(json_object_get(whole, *name)));
}

/* What ParaView reads: the snapshots and their times. */
static void look_series(const json_t *whole, json_t **out)
{
    const json_t *files = json_object_get(whole, "files");
    size_t i, n = json_array_size(files);
    json_t *file;
    *out = new_look("series: the snapshots of a run with their times, for ParaView");
    fact(*out, "snapshots", json_integer((json_int_t)n));
    if (n > 0) {
        fact(*out, "from", json_incref(json_object_get(json_array_get(files, 0), "time")));
        fact(*out, "to", json_incref(json_object_get(json_array_get(files, n - 1), "time")));
    }
    json_array_foreach(files, i, file) json_array_append_new(
        json_object_get(*out, "parts"), json_pack("{s:O?}", "name", json_object_get(file, "name")));
}

static void look_progress(const json_t *whole, json_t **out)
{
    static const char *const names[] = {"state",
                                        "step",
                                        "time",
                                        "end",
                                        "unit",
                                        "unit_value",
                                        "redshift",
                                        "redshift_end",
                                        "scale_factor",
                                        "cells",
                                        "cells_per_s",
                                        "particles",
                                        "particle_steps_per_s",
                                        "steps_s",
                                        "gravity_s",
                                        "elapsed_s",
                                        "eta_s",
                                        "dt",
                                        "repaired",
                                        "floored",
                                        "checkpoint_step",
                                        NULL};
    *out = new_look(
        "progress of a run: time, end and dt in code units, of which unit_value are one time.unit");
    facts_of(*out, whole, names);
}

static int look_json(const char *text, json_t **out)
{
    json_t *whole = json_loads(text, 0, NULL);
    const char *stage = json_string_value(json_object_get(whole, "stage"));
    if (!whole && text[1] != '\n') return look_journal(text, out);
    if (!whole) {
        *out = new_look("JSON");
        wrong(*out, "it is no JSON: cut short or damaged");
        return SL_OK;
    }
    if (json_object_get(whole, "file-series-version")) {
        look_series(whole, out);
    } else if (json_object_get(whole, "checkpoint_step")) {
        look_progress(whole, out);
    } else if (!stage) {
        *out = new_look("JSON");
    } else {
        static const char *const names[] = {"campaign", "member",  "stage",
                                            "attempt",  "seconds", NULL};
        *out = new_look("record of a stage");
        facts_of(*out, whole, names);
        size_t i;
        json_t *product;
        json_array_foreach(json_object_get(whole, "products"), i, product)
            json_array_append_new(json_object_get(*out, "parts"),
                                  json_pack("{s:O?}", "name", json_object_get(product, "path")));
    }
    json_decref(whole);
    return SL_OK;
}

/* ---- checkpoints ---- */

static void look_manifest(const char *text, size_t n, json_t **out)
{
    static const char *const names[] = {"recipe", "step", "time", "ranks", "code"};
    char want[32];
    const size_t line = strlen("crc32c 00000000\n");
    *out = new_look("checkpoint");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char key[24];
        snprintf(key, sizeof key, "\n%s ", names[i]);
        const char *at = strstr(text, key);
        if (!at) continue;
        at += strlen(key);
        char value[200];
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\n"), at);
        if (strcmp(names[i], "time") == 0)
            fact(*out, names[i], json_real(strtod(value, NULL))); /* hexadecimal in the file */
        else
            fact(*out, names[i], sl_json_text(value));
    }
    snprintf(want, sizeof want, "crc32c %08x\n",
             n > line ? (unsigned)sl_crc32c(0, text, n - line) : 0);
    if (n <= line || strcmp(text + n - line, want) != 0)
        wrong(*out, "MANIFEST is damaged: its checksum does not hold");
}

static int look_checkpoint(const char *path, json_t **out)
{
    char *text;
    size_t n;
    SL_TRY(sl_file_read(path, TEXT, &text, &n));
    look_manifest(text, n, out);
    free(text);
    return SL_OK;
}

static int look_directory(const char *path, json_t **out)
{
    char manifest[SL_PATH_MAX];
    SL_TRY(sl_path_join(manifest, path, "MANIFEST"));
    if (sl_disk_exists(manifest)) return look_checkpoint(manifest, out);
    if (!sl_campaign_is(path))
        return SL_FAIL(SL_EINPUT, "%s is a directory, and no campaign", path);
    struct sl_campaign c;
    SL_TRY(sl_campaign_open(path, &c));
    *out = new_look("campaign");
    fact(*out, "name", sl_json_text(c.name));
    fact(*out, "members", json_integer(c.n));
    if (sl_campaign_check_recipes(&c) != SL_OK) wrong(*out, sl_error_text());
    sl_campaign_release(&c);
    return SL_OK;
}

/* ---- what others read ---- */

/* X(name or its ending, or first bytes, what it is): pictures, pages, logs and lists that have no
 * numbers to hold against anything. */
#define KIND_LIST(X)                                                                               \
    X("\x89PNG\r\n", "picture (PNG)")                                                              \
    X("GIF89a", "film (GIF)")                                                                      \
    X("%PDF-", "picture (PDF)")                                                                    \
    X("<?xml", "picture (SVG)")                                                                    \
    X("<!DOCTYPE html>", "report: a browser shows it")                                             \
    X(".log", "log")                                                                               \
    X(".gp", "commands of gnuplot that draw a figure")                                             \
    X("SQLite format 3", "database of the results (SQLite)")                                       \
    X("settings", "what sluice set has changed of a campaign")                                     \
    X("checks.txt", "the checks of a report and what they found")                                  \
    X("inputs.tsv", "table of the copies of the files that a recipe names")                        \
    X("queue.txt", "what Slurm last answered about the jobs of a campaign")                        \
    X("# sluice slots ", "table of the members of a campaign")                                     \
    X("# sluice written ", "list of what a run has written")                                       \
    X("members/", "list of members")                                                               \
    X("# lines for the parameter file", "lines for the parameter file of the code to start")       \
    X("% lines for the parameter file", "lines for the parameter file of the code to start")       \
    X("! lines for the namelist of RAMSES", "lines for the namelist of RAMSES")

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *kind_of(const char *path, const char *text)
{
    const char *end = strrchr(path, '.'), *name = last_of(path);
    static const struct kind {
        const char *begin, *what;
    } kinds[] = {
#define ROW(begin, what) {begin, what},
        KIND_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(text, kinds[i].begin, strlen(kinds[i].begin)) ||
            (end && !strcmp(end, kinds[i].begin)) || !strcmp(name, kinds[i].begin))
            return kinds[i].what;
    return NULL;
}

/* Units of ic_deltab, ic_velbx and their like, as core/ic/start_grafic.c has them. */
static const char *grafic_unit(const char *path)
{
    static const struct {
        const char *begin, *unit;
    } units[] = {{"ic_delta", "density contrast, 1"},
                 {"ic_vel", "km/s, proper peculiar"},
                 {"ic_pos", "Mpc/h, comoving"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strncmp(last_of(path), units[i].begin, strlen(units[i].begin))) return units[i].unit;
    return NULL;
}

/* A field of grafic2, records of Fortran: a header of 44 bytes, then a plane of floats at a
 * time. */
static bool look_grafic(const char *path, const char *text, size_t n, json_t **out)
{
    const size_t header = 44, frame = 8;
    int32_t mark, cells[3];
    if (n < header + frame) return false;
    memcpy(&mark, text, sizeof mark);
    memcpy(cells, text + sizeof mark, sizeof cells);
    if (mark != (int32_t)header || cells[0] < 1 || cells[1] < 1 || cells[2] < 1) return false;
    size_t plane = (size_t)cells[0] * (size_t)cells[1] * sizeof(float) + frame;
    *out = new_look("field of a start for another code (grafic2)");
    fact(*out, "cells", json_pack("[i, i, i]", cells[0], cells[1], cells[2]));
    if (grafic_unit(path)) fact(*out, "units", sl_json_text(grafic_unit(path)));
    if (n != header + frame + (size_t)cells[2] * plane)
        wrong(*out, "its length is not that of its header: cut short or damaged");
    return true;
}

/* ---- all ---- */

/* run.yaml and recipes: the keys at the beginning of lines that say what it is. */
static void look_recipe(const char *text, json_t **out)
{
    static const char *const names[] = {"campaign", "problem", "seed", "sweep", "sample"};
    *out = new_look("recipe: sluice check shows what it means");
    json_object_set_new(*out, "ok", json_null()); /* it alone knows whether it can be run */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char key[24], value[120];
        snprintf(key, sizeof key, "\n%s:", names[i]);
        const char *at =
            strncmp(text, key + 1, strlen(key) - 1) == 0 ? text - 1 : strstr(text, key);
        if (!at) continue;
        at += strlen(key);
        at += strspn(at, " ");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\n#"), at);
        fact(*out, names[i], sl_json_text(*value ? value : "below"));
    }
}

/* What follows the comments of a table: its names, or numbers. */
static const char *body_of(const char *text)
{
    while (*text == '#')
        text += strcspn(text, "\n"), text += *text == '\n';
    return text;
}

static bool is_map(const char *body)
{
    char *end;
    strtod(body, &end);
    return end != body && strchr(", \r\n", *end);
}

/* NAME.csv whose first line has commas. */
static bool is_csv(const char *path, const char *body)
{
    const char *end = strrchr(path, '.');
    return end && !strcmp(end, ".csv") && strcspn(body, ",") < strcspn(body, "\n");
}

static int look_text(const char *path, const char *text, size_t n, json_t **out)
{
    const char *body = body_of(text);
    if (look_grafic(path, text, n, out)) return SL_OK;
    if (strncmp(body, "variable\tL1\tLinf", 16) == 0)
        return look_table(path, SL_CSV_HISTORY, "what verify measured of a run", out);
    if (strstr(text, "\n# sluice history"))
        return look_table(path, SL_CSV_HISTORY, "history of a run", out);
    if (strncmp(body, "quantity,value,error,unit", 25) == 0)
        return look_table(path, SL_CSV_NAMED, "summary of results", out);
    if (text[0] == '#' && strstr(text, "\n# unit "))
        return look_table(path, SL_CSV_NAMED, "table", out);
    if (text[0] == '#' && strstr(text, "\n# time: ") && is_map(body) && strchr(body, ','))
        return look_table(path, SL_CSV_MATRIX, "map: a line of cells along x for each along y",
                          out);
    if (is_csv(path, body) && is_map(body))
        return look_table(path, SL_CSV_MATRIX, "matrix of numbers", out);
    if (is_csv(path, body)) return look_table(path, SL_CSV_NAMED, "table", out);
    if (text[0] == '{') return look_json(text, out);
    if (strncmp(body, "campaign:", 9) == 0) look_recipe(text, out);
    if (strstr(path, "MANIFEST")) look_manifest(text, n, out);
    return SL_OK;
}

int sl_look(const char *path, json_t **out)
{
    struct stat st;
    char head[64] = "", *text;
    size_t n;
    *out = NULL;
    if (stat(path, &st) != 0) return SL_OK;
    if (S_ISDIR(st.st_mode)) return look_directory(path, out);
    if (!S_ISREG(st.st_mode)) return SL_OK; /* opening a fifo would wait for its writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof head - 1) : 0;
    if (fd >= 0) close(fd);
    if (got >= 8 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0) return look_hdf(path, out);
    const char *kind = fd >= 0 && got >= 0 ? kind_of(path, head) : NULL;
    if (kind) *out = new_look(kind);
    if (kind || got < 0 || st.st_size > TEXT) return SL_OK;
    SL_TRY(sl_file_read(path, TEXT, &text, &n));
    int code = look_text(path, text, n, out);
    free(text);
    return code;
}
