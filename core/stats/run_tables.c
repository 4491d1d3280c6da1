/* run_tables.c - see run_tables.h. */
#include "core/stats/run_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/keys.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

enum { PART = 4, SLOPE = 4 };

static int path_of(const struct sl_config *cfg, const char *dir, int number, char path[SL_PATH_MAX])
{
    char name[SL_TEXT_MAX + 32];
    snprintf(name, sizeof name, "%s" SL_RUN_TABLES_ENDING("%04d"), cfg->campaign, number);
    return sl_path_join(path, dir, name);
}

/* ---- numbers: the same list there and back ---- */

typedef int number_fn(hid_t at, const char *name, int n, double *value);

static int put(hid_t at, const char *name, int n, double *value)
{
    return sl_h5_put_reals(at, name, n, value);
}

static int parts(hid_t at, number_fn *f, struct sl_measured *m)
{
    static const char *const name[SL_PARTED] = {"part_velocity", "part_kinetic", "part_magnetic"};
    for (int i = 0; i < SL_PARTED; i++) {
        struct sl_parts *p = &m->part[i];
        double value[PART] = {p->measured, p->whole, p->solenoidal, p->compressive};
        SL_TRY(f(at, name[i], PART, value));
        *p = (struct sl_parts){value[0] != 0, value[1], value[2], value[3]};
    }
    return SL_OK;
}

static int slopes(hid_t at, number_fn *f, struct sl_measured *m)
{
    static const char *const name[SL_SPECTRA] = {
#define NAME(name, about) "slope_" #name,
        SL_SPECTRUM_LIST(NAME)
#undef NAME
    };
    for (int i = 0; i < SL_SPECTRA; i++) {
        struct sl_power_law *p = &m->slope[i];
        double value[SLOPE] = {p->exponent, p->error, p->scatter, p->points};
        SL_TRY(f(at, name[i], SLOPE, value));
        *p = (struct sl_power_law){value[0], value[1], value[2], (int)value[3]};
    }
    return SL_OK;
}

static int numbers(hid_t at, number_fn *f, struct sl_run_tables *r)
{
    struct sl_measured *m = &r->measured;
    SL_TRY(f(at, "time", 1, &r->time));
    SL_TRY(f(at, "time_of_recipe", 1, &r->when));
    SL_TRY(f(at, "largest_parseval_error", 1, &m->parseval));
#define NUMBER(name, ...) SL_TRY(f(at, #name, 1, &m->name));
    SL_NUMBER_LIST(NUMBER)
#undef NUMBER
    SL_TRY(parts(at, f, m));
    return slopes(at, f, m);
}

/* ---- lists of words, a line each ---- */

/* Word i of n for fn; the text is the caller's to free. */
typedef const char *word_fn(const void *of, int i);

static int put_words(hid_t at, const char *name, int n, word_fn *word, const void *of)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "out of memory");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s\n", word(of, i));
    int code = fclose(out) == 0 ? sl_h5_put_text(at, name, text)
                                : SL_FAIL(SL_EMEM, "out of memory for %s", name);
    free(text);
    return code;
}

/* Cuts the next line off, NULL: there is none. */
static char *next_word(char **at)
{
    char *word = *at, *end = strchr(word, '\n');
    if (!end) return NULL;
    *end = '\0';
    *at = end + 1;
    return word;
}

static const char *table_name(const void *of, int i)
{
    return ((const struct sl_tables *)of)->table[i].name;
}

static const char *column_name(const void *of, int i)
{
    return ((const struct sl_table *)of)->column[i].name;
}

static const char *column_unit(const void *of, int i)
{
    return ((const struct sl_table *)of)->column[i].unit;
}

static const char *note_key(const void *of, int i)
{
    return ((const struct sl_table *)of)->note[i].key;
}

/* ---- out ---- */

/* Of a matrix the first column tells the unit of all. */
static int named(const struct sl_table *t)
{
    return t->matrix ? 1 : t->ncol;
}

static int put_about(hid_t set, const struct sl_table *t)
{
    double note[SL_TABLE_NOTES];
    for (int i = 0; i < t->nnote; i++)
        note[i] = t->note[i].value;
    SL_TRY(sl_h5_put_text(set, "description", t->about));
    SL_TRY(sl_hdf_integer(set, "matrix", t->matrix));
    SL_TRY(put_words(set, "columns", named(t), column_name, t));
    SL_TRY(put_words(set, "column_units", named(t), column_unit, t));
    SL_TRY(sl_hdf_integer(set, "notes", t->nnote));
    if (t->nnote == 0) return SL_OK;
    SL_TRY(put_words(set, "note_names", t->nnote, note_key, t));
    return sl_h5_put_reals(set, "note_values", t->nnote, note);
}

static int put_table(hid_t group, const struct sl_table *t)
{
    const hsize_t shape[2] = {(hsize_t)t->nrow, (hsize_t)t->ncol};
    SL_TRY(sl_h5_put_array(group, t->name, H5T_NATIVE_DOUBLE, 2, shape, t->value));
    hid_t set = H5Dopen2(group, t->name, H5P_DEFAULT);
    SL_CHECK(set >= 0, SL_EIO, "cannot write the table %s", t->name);
    int code = put_about(set, t);
    H5Dclose(set);
    return code;
}

static int put_tables(hid_t file, const struct sl_tables *tables)
{
    hid_t group = sl_h5_group(file, "tables");
    SL_CHECK(group >= 0, SL_EIO, "cannot write %s", "the tables");
    int code = put_words(group, "order", tables->n, table_name, tables);
    for (int i = 0; i < tables->n && code == SL_OK; i++)
        code = put_table(group, &tables->table[i]);
    H5Gclose(group);
    return code;
}

static int fill(hid_t file, const struct sl_config *cfg, int number, const struct sl_tables *tables,
                const struct sl_run_tables *beside)
{
    struct sl_run_tables copy = *beside;
    SL_TRY(sl_h5_put_text(file, "description",
                          "statistics of one moment of a run, measured in place of a snapshot"));
    SL_TRY(sl_hdf_provenance(file, cfg));
    SL_TRY(sl_hdf_integer(file, "number", number));
    SL_TRY(numbers(file, put, &copy));
    return put_tables(file, tables);
}

int sl_run_tables_write(const struct sl_config *cfg, const char *dir, int number,
                        const struct sl_tables *tables, const struct sl_run_tables *beside,
                        struct sl_sealed *sealed)
{
    char path[SL_PATH_MAX];
    struct sl_hdf h;
    SL_TRY(path_of(cfg, dir, number, path));
    SL_TRY(sl_mkdir_all(dir));
    SL_TRY(sl_hdf_create(path, 0, &h));
    int code = fill(h.file, cfg, number, tables, beside);
    if (code != SL_OK) {
        sl_hdf_abandon(&h);
        return code;
    }
    SL_TRY(sl_hdf_commit(&h));
    return sealed ? sl_sealed_add(sealed, path) : SL_OK;
}

/* ---- in ---- */

static int get_notes(hid_t set, struct sl_table *t)
{
    int64_t n;
    double value[SL_TABLE_NOTES];
    char *names = NULL, *word;
    SL_TRY(sl_h5_get_ints(set, "notes", 1, &n));
    if (n == 0) return SL_OK;
    SL_CHECK(n > 0 && n <= SL_TABLE_NOTES, SL_EINPUT, "%s has %lld notes", t->name, (long long)n);
    SL_TRY(sl_h5_get_reals(set, "note_values", (int)n, value));
    SL_TRY(sl_hdf_read_text(set, "note_names", &names));
    char *at = names;
    for (int i = 0; i < n && (word = next_word(&at)); i++)
        sl_table_note(t, word, value[i]);
    free(names);
    return t->nnote == n ? SL_OK : SL_FAIL(SL_EINPUT, "%s lacks names of notes", t->name);
}

static int name_columns(char *names, char *units, struct sl_table *t)
{
    for (int c = 0; c < named(t); c++) {
        const char *name = next_word(&names), *unit = next_word(&units);
        SL_CHECK(name && unit, SL_EINPUT, "%s lacks names of columns", t->name);
        sl_table_column(t, c, name, unit);
    }
    return SL_OK;
}

static int get_columns(hid_t set, struct sl_table *t)
{
    int64_t matrix;
    char *names = NULL, *units = NULL;
    SL_TRY(sl_h5_get_ints(set, "matrix", 1, &matrix));
    t->matrix = matrix != 0;
    SL_TRY(sl_hdf_read_text(set, "columns", &names));
    int code = sl_hdf_read_text(set, "column_units", &units);
    if (code == SL_OK) code = name_columns(names, units, t);
    free(units);
    free(names);
    return code;
}

static int shape_of(hid_t set, const char *name, hsize_t shape[2])
{
    hid_t space = H5Dget_space(set);
    bool good = H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, shape, NULL) == 2 && shape[0] < INT32_MAX &&
                shape[1] >= 1 && shape[1] < INT32_MAX;
    H5Sclose(space);
    SL_CHECK(good, SL_EINPUT, "%s is no table", name);
    return SL_OK;
}

static int fill_table(hid_t set, struct sl_table *t)
{
    bool good = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->value) >= 0;
    SL_CHECK(good, SL_EINPUT, "cannot read the table %s", t->name);
    SL_TRY(get_columns(set, t));
    return get_notes(set, t);
}

static int get_table(hid_t group, const char *name, struct sl_tables *tables)
{
    char *about = NULL;
    hsize_t shape[2];
    struct sl_table *t;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    SL_CHECK(set >= 0, SL_EINPUT, "the table %s is missing", name);
    int code = shape_of(set, name, shape);
    if (code == SL_OK) code = sl_hdf_read_text(set, "description", &about);
    if (code == SL_OK)
        code = sl_tables_add(tables, name, (int)shape[0], (int)shape[1], &t, "%s", about);
    if (code == SL_OK) code = fill_table(set, t);
    free(about);
    H5Dclose(set);
    return code;
}

static int get_tables(hid_t file, struct sl_tables *tables)
{
    char *order = NULL, *name;
    hid_t group = H5Gopen2(file, "tables", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "it has no %s", "tables");
    int code = sl_hdf_read_text(group, "order", &order);
    for (char *at = order; code == SL_OK && (name = next_word(&at));)
        code = get_table(group, name, tables);
    free(order);
    H5Gclose(group);
    return code;
}

/* Whether a line "path: value" is of a key by which what was measured may differ: all that the run
 * itself may not change, and what is measured. One that this version does not have is none. */
static bool matters(const char *line, size_t length)
{
    char path[160];
    snprintf(path, sizeof path, "%.*s", (int)length, line);
    int key = sl_key_find(path);
    return key >= 0 && (sl_key_is_measured(&sl_keys[key]) || !sl_key_may_change(&sl_keys[key]));
}

/* The line of the key that another line begins with; NULL: none. */
static const char *find_key(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, line, length + 1) == 0) return text;
    return NULL;
}

/* Keys that one of the two does not have, which a later version added, are no difference. */
static int compare_keys(const char *then, const char *now)
{
    for (; *then; then += strcspn(then, "\n"), then += *then == '\n') {
        const size_t length = strcspn(then, ":\n"), n = strcspn(then, "\n");
        const char *other = matters(then, length) ? find_key(now, then, length) : NULL;
        if (!other) continue;
        const size_t m = strcspn(other, "\n");
        SL_CHECK(n == m && memcmp(then, other, n) == 0, SL_EINPUT,
                 "it was measured with %.*s, and the recipe now says %.*s; nearest: %.*s, or a "
                 "new run in another directory",
                 (int)n, then, (int)m, other, (int)n, then);
    }
    return SL_OK;
}

/* What was measured in the run cannot be measured in another way later. */
static int check_recipe(hid_t file, const struct sl_config *cfg)
{
    char *then = NULL, *now = NULL;
    SL_TRY(sl_hdf_read_text(file, "recipe", &then));
    int code = sl_config_print_results(cfg, &now);
    if (code == SL_OK) code = compare_keys(then, now);
    free(now);
    free(then);
    return code;
}

int sl_run_tables_written(struct sl_sealed *list, bool *there)
{
    static const char name[] = "written.tsv";
    *list = (struct sl_sealed){0, NULL};
    *there = access(name, F_OK) == 0;
    return *there ? sl_sealed_load(list, name) : SL_OK;
}

static int check_seal(const char *path)
{
    struct sl_sealed list;
    bool there;
    SL_TRY(sl_run_tables_written(&list, &there));
    const struct sl_sealed_file *file = sl_sealed_find(&list, path);
    int code = file ? sl_sealed_check(file) : SL_OK;
    if (there && !file)
        code = SL_FAIL(SL_EINPUT,
                       "%s is not among what the last run that ended here has written "
                       "(written.tsv): it is of an earlier run, which it then must not lie beside, "
                       "or of one that has not ended; nearest: remove it, or let the run end",
                       path);
    sl_sealed_release(&list);
    return code;
}

static int check_number(hid_t file, int number)
{
    int64_t n;
    SL_TRY(sl_h5_get_ints(file, "number", 1, &n));
    SL_CHECK(n == number, SL_EINPUT,
             "it is of moment %lld, not %d as its name says; nearest: its "
             "old name",
             (long long)n, number);
    return SL_OK;
}

static int read_all(hid_t file, const struct sl_config *cfg, int number, struct sl_tables *tables,
                    struct sl_run_tables *beside)
{
    SL_TRY(check_number(file, number));
    SL_TRY(check_recipe(file, cfg));
    SL_TRY(numbers(file, sl_h5_get_reals, beside));
    return get_tables(file, tables);
}

int sl_run_tables_read(const struct sl_config *cfg, const char *dir, int number,
                       struct sl_tables *tables, struct sl_run_tables *beside)
{
    char path[SL_PATH_MAX], why[1024];
    hid_t file;
    SL_TRY(path_of(cfg, dir, number, path));
    SL_TRY(check_seal(path));
    SL_TRY(sl_hdf_open(path, &file));
    int code = sl_hdf_close(file, read_all(file, cfg, number, tables, beside));
    if (code == SL_OK) return SL_OK;
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(code, "%s: %s", path, why);
}
