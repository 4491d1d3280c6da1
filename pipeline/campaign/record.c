/* record.c - see record.h. */
#include "pipeline/campaign/record.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/keys.h"
#include "core/sys/crc32c.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"
#include "core/sys/text.h"

#define WRITTEN "written.tsv" /* by the run: its history and snapshots (core/sys/sealed.h) */

enum { RECORD_MAX = 64 << 20, RUN_MAX = 1 << 22, ACCOUNT_MAX = 1 << 18 };

/* What a stage leaves behind: files, those of a pattern, or whole directories; what must exist
 * comes first. */
struct product {
    enum sl_stage stage;
    bool must;
    const char *path;
    bool start; /* where no stage ic has left it */
};
static const struct product products[] = {
    {SL_STAGE_ic, true, "ic.h5", false},
    {SL_STAGE_ic, false, "spectrum_*.csv", false},
    {SL_STAGE_sim, true, "history.tsv", false},
    {SL_STAGE_sim, true, "snapshots", false},
    {SL_STAGE_sim, false, "progress.json", false},
    {SL_STAGE_sim, false, WRITTEN, false},
    {SL_STAGE_sim, false, "verify.tsv", false},
    {SL_STAGE_sim, false, "sample_*.csv", false},
    {SL_STAGE_sim, false, "spectrum_*.csv", true},
    {SL_STAGE_stats, true, "stats.h5", false},
    {SL_STAGE_stats, false, "stats", false},
    {SL_STAGE_own, true, "own", false},
    {SL_STAGE_ensemble, true, "ensemble", false},
    {SL_STAGE_summary, true, "summary", false},
    {SL_STAGE_report, true, "report/index.html", false},
    {SL_STAGE_report, false, "report", false},
};

int sl_record_path(char path[SL_PATH_MAX], const char *home, enum sl_stage stage)
{
    return sl_disk_join(path, "%s/attempts/%s.end.json", home, sl_stage_name(stage));
}

bool sl_record_exists(const char *home, enum sl_stage stage)
{
    char path[SL_PATH_MAX];
    return sl_record_path(path, home, stage) == SL_OK && sl_disk_exists(path);
}

static bool is_field(const char *path)
{
    return strcmp(path, "ic.h5") == 0 || strncmp(path, "snapshots/", 10) == 0;
}

/* Tables, pictures and NAME_NNNN, which a snapshot is called, are what folders are looked through
 * for. */
static bool is_read_by_name(const char *name)
{
    const char *number = strrchr(name, '_');
    bool snapshot = number && number[1 + strspn(number + 1, "0123456789")] == '\0';
    return snapshot || fnmatch("*.csv", name, 0) == 0 || fnmatch("*.png", name, 0) == 0;
}

/* What a run says of itself. No stage reads it, and the record holds the text: a bad one costs no
 * run. */
static bool is_account(const char *path)
{
    return strcmp(path, "progress.json") == 0 || strcmp(path, WRITTEN) == 0;
}

struct list {
    const char *home;
    json_t *array;
    const json_t *before, *earlier; /* borrowed; identities, products of the records before */
    struct sl_sealed written;       /* owned; what the run says that it wrote */
    bool again;                     /* it vouches for all products, and there are no others */
};

static const json_t *find_row(const json_t *array, const char *path)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row)
    {
        const char *have = json_string_value(json_object_get(row, "path"));
        if (have && strcmp(have, path) == 0) return row;
    }
    return NULL;
}

/* What changes when a file is written anew, on whatever clock. */
static void identity(const struct stat *st, char *text, size_t size)
{
    snprintf(text, size, "%jd %jd %lld.%09ld %lld.%09ld", (intmax_t)st->st_ino,
             (intmax_t)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
             (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

/* Was the file there, just as it is, before the attempt? Then it is not of this attempt: what an
 * earlier one has left is deleted, what somebody else has put there stays, and is no product. */
static bool is_stale(const struct list *list, const char *path, const char *full)
{
    char now[128];
    struct stat st;
    const char *was = json_string_value(json_object_get(list->before, path));
    if (!was || lstat(full, &st) != 0) return false;
    identity(&st, now, sizeof now);
    if (strcmp(now, was) != 0) return false;
    if (find_row(list->earlier, path)) unlink(full);
    return true;
}

/* What a run wrote must be so; of other fields none is its own, but for the second names of
 * snapshots and the lists of them. */
static int compare_written(const struct list *list, const char *path, uint64_t size, uint32_t crc,
                           bool *own)
{
    const struct sl_sealed_file *f = sl_sealed_find(&list->written, path);
    bool beside = fnmatch("*.series", path, 0) == 0 || fnmatch("*.vtkhdf", path, 0) == 0;
    *own = f || list->written.n == 0 || !is_field(path) || beside;
    SL_CHECK(!f || ((uint64_t)f->size == size && f->crc == crc), SL_EGUARD,
             "%s is not what the run wrote", path);
    return SL_OK;
}

/* Nothing where it is no text, or a long one. */
static void keep_text(json_t *row, const char *full)
{
    char *text;
    size_t size;
    if (sl_file_read(full, ACCOUNT_MAX, &text, &size) != SL_OK) return;
    json_object_set_new(row, "text", json_stringn(text, size));
    free(text);
}

/* *row: NULL for a file that is no product. */
static int sum_row(const struct list *list, const char *path, const char *full, json_t **row)
{
    char sum[16];
    uint64_t size;
    uint32_t crc;
    bool own;
    *row = NULL;
    SL_TRY(sl_disk_sum(full, &size, &crc));
    SL_TRY(compare_written(list, path, size, crc, &own));
    if (!own) return SL_OK;
    snprintf(sum, sizeof sum, "%08" PRIx32, crc);
    *row = json_pack("{s:s, s:I, s:s}", "path", path, "size", (json_int_t)size, "crc32c", sum);
    SL_CHECK(*row, SL_EMEM, "no memory for the list of products");
    if (is_account(path)) keep_text(*row, full);
    return SL_OK;
}

static int add_file(const char *path, void *user)
{
    struct list *list = user;
    char full[SL_PATH_MAX];
    json_t *row;
    if (strstr(path, ".tmp-") || find_row(list->array, path)) return SL_OK;
    SL_TRY(sl_disk_join(full, "%s/%s", list->home, path));
    if (is_stale(list, path, full)) return SL_OK;
    SL_TRY(sum_row(list, path, full, &row));
    SL_CHECK(!row || json_array_append_new(list->array, row) == 0, SL_EMEM,
             "no memory for the list of products");
    return SL_OK;
}

struct match {
    const char *pattern;
    int (*each)(const char *path, void *user);
    void *user;
};

static int call_matching(const char *home, const struct match *m)
{
    struct dirent **entry;
    int n = scandir(home, &entry, NULL, alphasort), code = SL_OK;
    for (int i = 0; i < n; i++) {
        if (code == SL_OK && fnmatch(m->pattern, entry[i]->d_name, 0) == 0)
            code = m->each(entry[i]->d_name, m->user);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    return code;
}

/* Calls each() for the files of a product that are there. */
static int each_file(const char *home, const struct product *p,
                     int (*each)(const char *path, void *user), void *user)
{
    char full[SL_PATH_MAX];
    struct stat st;
    const struct match match = {p->path, each, user};
    if (strchr(p->path, '*')) return call_matching(home, &match);
    SL_TRY(sl_disk_join(full, "%s/%s", home, p->path));
    if (lstat(full, &st) != 0) return SL_OK;
    return S_ISDIR(st.st_mode) ? sl_disk_walk(home, p->path, each, user) : each(p->path, user);
}

static int add_product(const struct product *p, struct list *list)
{
    size_t before = json_array_size(list->array);
    if (p->start && sl_record_exists(list->home, SL_STAGE_ic)) return SL_OK;
    SL_TRY(each_file(list->home, p, add_file, list));
    SL_CHECK(!p->must || json_array_size(list->array) > before, SL_EGUARD,
             "the program ended well but %s is missing", p->path);
    return SL_OK;
}

static int collect(struct list *list, enum sl_stage stage)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (products[i].stage == stage) SL_TRY(add_product(&products[i], list));
    return SL_OK;
}

struct look {
    const char *home;
    json_t *found;
};

static int look_at(const char *path, void *user)
{
    const struct look *look = user;
    char full[SL_PATH_MAX], text[128];
    struct stat st;
    SL_TRY(sl_disk_join(full, "%s/%s", look->home, path));
    if (lstat(full, &st) != 0) return SL_OK;
    identity(&st, text, sizeof text);
    json_object_set_new(look->found, path, json_string(text));
    return SL_OK;
}

json_t *sl_record_before(const char *home, enum sl_stage stage)
{
    struct look look = {home, json_object()};
    /* a run goes on with its files, and gnuplot writes into those that are there */
    bool anew = stage != SL_STAGE_sim && stage != SL_STAGE_report;
    for (size_t i = 0; anew && i < sizeof products / sizeof *products; i++)
        if (products[i].stage == stage) each_file(home, &products[i], look_at, &look);
    return look.found;
}

static int store(const char *path, const json_t *record)
{
    char *text = json_dumps(record, JSON_INDENT(1));
    SL_CHECK(text, SL_EMEM, "no memory for an end-record");
    int code = sl_file_replace(path, text, strlen(text), SL_DURABLE);
    free(text);
    return code;
}

static bool decides(const char *line)
{
    return !sl_key_line_is_means(line);
}

/* Commands and what they are given may change when a member is done (settings.h). */
static bool is_no_command(const char *line)
{
    return strncmp(line, "stages.", 7) != 0 && strncmp(line, "resources.own.", 14) != 0;
}

/* Checksum of the lines of a run.yaml that are wanted. */
static int sum_run(const char *home, const char *path, bool (*wanted)(const char *), char sum[16])
{
    char full[SL_PATH_MAX], *text;
    size_t size;
    uint32_t crc = 0;
    SL_TRY(sl_disk_join(full, "%s/%s", home, path));
    SL_CHECK(sl_disk_exists(full), SL_EGUARD, "%s is missing", path);
    SL_TRY(sl_file_read(full, RUN_MAX, &text, &size));
    for (size_t at = 0, n; at < size; at += n) {
        const char *end = memchr(text + at, '\n', size - at);
        n = end ? (size_t)(end - text) - at + 1 : size - at;
        if (wanted(text + at)) crc = sl_crc32c(crc, text + at, n);
    }
    free(text);
    snprintf(sum, 16, "%08" PRIx32, crc);
    return SL_OK;
}

/* The run.yaml that the stages of a member read. */
static int add_input(const char *home, enum sl_stage stage, json_t *record)
{
    char path[SL_PATH_MAX], sum[16], settings[16];
    SL_TRY(sl_disk_join(path, "%s/run.yaml", home));
    if ((int)stage >= SL_MEMBER_STAGES || !sl_disk_exists(path)) return SL_OK;
    SL_TRY(sum_run(home, "run.yaml", decides, sum));
    SL_TRY(sum_run(home, "run.yaml", is_no_command, settings));
    json_object_set_new(
        record, "inputs",
        json_pack("[{s:s, s:s, s:s}]", "path", "run.yaml", "crc32c", sum, "settings", settings));
    return SL_OK;
}

static int verify_input(const char *home, const json_t *row)
{
    const char *path = json_string_value(json_object_get(row, "path"));
    const char *want = json_string_value(json_object_get(row, "crc32c"));
    char sum[16];
    SL_CHECK(path && want && strcmp(path, "run.yaml") == 0, SL_EGUARD, "the end-record is damaged");
    SL_TRY(sum_run(home, path, decides, sum));
    SL_CHECK(strcmp(sum, want) == 0, SL_EGUARD,
             "%s is damaged: checksum %s of its lines, the record says %s", path, sum, want);
    return SL_OK;
}

static int load_file(const char *path, json_t **record)
{
    char *text;
    size_t size;
    SL_TRY(sl_file_read(path, RECORD_MAX, &text, &size));
    *record = json_loadb(text, size, 0, NULL);
    free(text);
    SL_CHECK(*record, SL_EGUARD, "the end-record %s is damaged", path);
    return SL_OK;
}

static int load(const char *home, enum sl_stage stage, json_t **record)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_record_path(path, home, stage));
    SL_CHECK(sl_disk_exists(path), SL_EGUARD, "stage %s is not done (no %s)", sl_stage_name(stage),
             path);
    return load_file(path, record);
}

struct past {
    char attempts[SL_PATH_MAX];
    json_t *rows;
};

/* A record that cannot be read says nothing. */
static int add_past(const char *name, void *user)
{
    const struct past *past = user;
    char path[SL_PATH_MAX];
    json_t *record;
    SL_TRY(sl_disk_join(path, "%s/%s", past->attempts, name));
    if (load_file(path, &record) != SL_OK) return SL_OK;
    json_array_extend(past->rows, json_object_get(record, "products"));
    json_decref(record);
    return SL_OK;
}

/* What the record says, and those that were set aside: what their attempts left is nobody
 * else's. */
static int load_past(const char *home, enum sl_stage stage, json_t **rows)
{
    char pattern[64];
    struct past past = {.rows = *rows = json_array()};
    const struct match match = {pattern, add_past, &past};
    snprintf(pattern, sizeof pattern, "%s.end.json*", sl_stage_name(stage));
    SL_TRY(sl_disk_join(past.attempts, "%s/attempts", home));
    return call_matching(past.attempts, &match);
}

static int load_written(struct list *list)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(path, "%s/" WRITTEN, list->home));
    return sl_disk_exists(path) ? sl_sealed_load(&list->written, path) : SL_OK;
}

static int verify_folders(const char *home, enum sl_stage stage, const json_t *array);
static int verify_input(const char *home, const json_t *row);

/* Are the products those files that the run says it wrote, and what it says of itself? */
static int all_vouched_for(const struct list *list, enum sl_stage stage)
{
    size_t i;
    json_t *row;
    SL_CHECK(list->written.n > 0, SL_EGUARD, "there is no " WRITTEN);
    for (i = 0; i < list->written.n; i++)
        SL_CHECK(find_row(list->array, list->written.file[i].path), SL_EGUARD, "%s is missing",
                 list->written.file[i].path);
    json_array_foreach(list->array, i, row)
    {
        const char *path = json_string_value(json_object_get(row, "path"));
        SL_CHECK(is_account(path) || sl_sealed_find(&list->written, path), SL_EGUARD,
                 "nothing but the record told the checksum of %s", path);
    }
    return verify_folders(list->home, stage, list->array);
}

static int list_products(struct list *list, enum sl_stage stage)
{
    int code = stage == SL_STAGE_sim ? load_written(list) : SL_OK;
    if (code == SL_OK) code = collect(list, stage);
    if (code == SL_OK && list->again) code = all_vouched_for(list, stage);
    sl_sealed_release(&list->written);
    return code;
}

static int write_record(const char *home, enum sl_stage stage, json_t *about, const json_t *before,
                        bool again)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_record_path(path, home, stage));
    json_t *earlier, *array = json_array();
    json_t *record =
        json_pack("{s:i, s:s, s:f}", "v", 1, "stage", sl_stage_name(stage), "t", sl_disk_now());
    int code = load_past(home, stage, &earlier);
    struct list list = {home, array, before, earlier, {0}, again};
    if (code == SL_OK) code = list_products(&list, stage);
    if (code == SL_OK) code = add_input(home, stage, record);
    if (about) json_object_update(record, about);
    json_object_set_new(record, "products", array);
    if (code == SL_OK) code = store(path, record);
    json_decref(record);
    json_decref(earlier);
    return code;
}

int sl_record_write(const char *home, enum sl_stage stage, json_t *about, const json_t *before)
{
    return write_record(home, stage, about, before, false);
}

/* What a record that can be read says of run.yaml must hold. */
static int same_inputs(const char *home, enum sl_stage stage)
{
    json_t *record, *row;
    size_t i;
    int code = SL_OK;
    if (load(home, stage, &record) != SL_OK) return SL_OK;
    json_array_foreach(json_object_get(record, "inputs"), i, row)
    {
        if (code == SL_OK) code = verify_input(home, row);
    }
    json_decref(record);
    return code;
}

int sl_record_remake(const char *home, enum sl_stage stage)
{
    char path[SL_PATH_MAX], why[400];
    SL_TRY(sl_record_path(path, home, stage));
    int code = stage == SL_STAGE_sim ? same_inputs(home, stage)
                                     : SL_FAIL(SL_EGUARD, "its products are told by it alone");
    if (code == SL_OK) code = write_record(home, stage, NULL, NULL, true);
    if (code == SL_OK) {
        sl_log(SL_LOG_WARN, "%s was damaged and is made again from " WRITTEN ": all files fit",
               path);
        return SL_OK;
    }
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(code, "%s is damaged, and cannot be made again: %s", path, why);
}

static int verify_size(const char *full, const char *path, json_int_t want)
{
    struct stat st;
    SL_CHECK(lstat(full, &st) == 0, SL_EGUARD, "%s is missing", path);
    SL_CHECK(S_ISREG(st.st_mode), SL_EGUARD, "%s is not a regular file", path);
    SL_CHECK((json_int_t)st.st_size == want, SL_EGUARD, "%s has %lld bytes, its record says %lld",
             path, (long long)st.st_size, (long long)want);
    return SL_OK;
}

static int verify_sum(const char *full, const char *path, const char *want)
{
    uint64_t size;
    uint32_t crc;
    char sum[16];
    SL_TRY(sl_disk_sum(full, &size, &crc));
    snprintf(sum, sizeof sum, "%08" PRIx32, crc);
    SL_CHECK(strcmp(sum, want) == 0, SL_EGUARD, "%s is damaged: checksum %s, its record says %s",
             path, sum, want);
    return SL_OK;
}

/* Does a part of the path lead out of where it begins? A name such as mach3..10.csv does not. */
static bool climbs(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    return false;
}

/* The text that the record holds of an account, if it is the one that was summed up. */
static const char *text_of(const json_t *row)
{
    char sum[16];
    const char *text = json_string_value(json_object_get(row, "text"));
    const char *want = json_string_value(json_object_get(row, "crc32c"));
    if (!text || !want) return NULL;
    snprintf(sum, sizeof sum, "%08" PRIx32, sl_crc32c(0, text, strlen(text)));
    return strcmp(sum, want) == 0 ? text : NULL;
}

/* Makes an account again, or does without it where its record, of an older version, does not hold
 * it: then the row changes. */
static bool mend_account(const char *full, json_t *row)
{
    const char *text = text_of(row);
    const char *what = sl_disk_exists(full) ? "damaged" : "missing";
    if (text && sl_file_replace(full, text, strlen(text), SL_DURABLE) == SL_OK) {
        sl_log(SL_LOG_WARN, "%s was %s and is made again from the record of the run", full, what);
        return false;
    }
    sl_log(SL_LOG_WARN, "%s is %s: what the run said of itself there is not known", full, what);
    if (text || (unlink(full) != 0 && errno != ENOENT)) return false;
    return json_object_set_new(row, "deleted", json_real(sl_disk_now())) == 0;
}

static bool is_as_it_was(const char *full, const json_t *row)
{
    const char *path = json_string_value(json_object_get(row, "path"));
    const char *sum = json_string_value(json_object_get(row, "crc32c"));
    json_int_t size = json_integer_value(json_object_get(row, "size"));
    return verify_size(full, path, size) == SL_OK && verify_sum(full, path, sum) == SL_OK;
}

/* *count: of those that were not what the run wrote. */
static int mend_accounts(const char *home, json_t *record, int *count, bool *changed)
{
    char full[SL_PATH_MAX];
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(record, "products"), i, row)
    {
        const char *path = json_string_value(json_object_get(row, "path"));
        if (!path || !is_account(path) || json_object_get(row, "deleted")) continue;
        SL_TRY(sl_disk_join(full, "%s/%s", home, path));
        if (is_as_it_was(full, row)) continue;
        *changed |= mend_account(full, row);
        ++*count;
    }
    return SL_OK;
}

int sl_record_mend(const char *home, enum sl_stage stage, int *count)
{
    char place[SL_PATH_MAX];
    json_t *record;
    bool changed = false;
    SL_TRY(sl_record_path(place, home, stage));
    if (!sl_record_exists(home, stage)) return SL_OK;
    if (load(home, stage, &record) != SL_OK) {
        if (sl_record_remake(home, stage) == SL_OK)
            ++*count;
        else
            sl_log(SL_LOG_WARN, "%s", sl_error_text());
        return SL_OK;
    }
    int code = mend_accounts(home, record, count, &changed);
    if (code == SL_OK && changed) code = store(place, record);
    json_decref(record);
    return code;
}

static int verify_row(const char *home, const json_t *row, enum sl_record_check how)
{
    const char *path = json_string_value(json_object_get(row, "path"));
    const char *sum = json_string_value(json_object_get(row, "crc32c"));
    char full[SL_PATH_MAX];
    SL_CHECK(path && sum && *path != '/' && !climbs(path), SL_EGUARD, "the end-record is damaged");
    bool all = how == SL_CHECK_NEEDED || how == SL_CHECK_READ;
    bool deleted = json_object_get(row, "deleted");
    if (is_account(path) && (deleted || how != SL_CHECK_SUM)) return SL_OK;
    if (deleted) return all ? SL_FAIL(SL_EGUARD, "%s was deleted by clean", path) : SL_OK;
    if (how == SL_CHECK_TABLES && is_field(path)) return SL_OK;
    SL_TRY(sl_disk_join(full, "%s/%s", home, path));
    SL_TRY(verify_size(full, path, json_integer_value(json_object_get(row, "size"))));
    return how == SL_CHECK_NEEDED ? SL_OK : verify_sum(full, path, sum);
}

/* ---- what lies among the products and is none ------------------------------------------------ */

/* The second name of a snapshot, what a writer that was killed has left, and what is hidden: of
 * editors and of NFS. */
static bool is_ignored(const char *name)
{
    static const char *const names[] = {"*.vtkhdf", "*.vtkhdf.tmp", "*.tmp.room", "*.tmp-*", ".*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], name, 0) == 0) return !is_read_by_name(name);
    return false;
}

static int refuse_stray(const char *path, void *user)
{
    const json_t *named = user;
    const char *slash = strrchr(path, '/');
    char shown[SL_PATH_MAX];
    if (json_object_get(named, path) || is_ignored(slash ? slash + 1 : path)) return SL_OK;
    sl_text_escape(path, false, shown, sizeof shown);
    return SL_FAIL(SL_EGUARD, "%s is in no record: move it away", shown);
}

static int walk_folders(const char *home, enum sl_stage stage, json_t *named)
{
    char full[SL_PATH_MAX];
    struct stat st;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *p = &products[i];
        if (p->stage != stage) continue;
        SL_TRY(sl_disk_join(full, "%s/%s", home, p->path));
        if (stat(full, &st) == 0 && S_ISDIR(st.st_mode))
            SL_TRY(sl_disk_walk_all(home, p->path, refuse_stray, named));
    }
    return SL_OK;
}

static int verify_folders(const char *home, enum sl_stage stage, const json_t *array)
{
    size_t i;
    json_t *row;
    if (stage == SL_STAGE_report) return SL_OK; /* no stage reads the page */
    if (json_array_size(array) == 0)
        return SL_OK; /* a record that sums nothing up, where one may */
    json_t *named = json_object();
    SL_CHECK(named, SL_EMEM, "no memory for the list of products");
    json_array_foreach(array, i, row)
        json_object_set(named, json_string_value(json_object_get(row, "path")), row);
    int code = walk_folders(home, stage, named);
    json_decref(named);
    return code;
}

int sl_record_verify_folders(const char *home, enum sl_stage stage)
{
    json_t *record;
    SL_TRY(load(home, stage, &record));
    int code = verify_folders(home, stage, json_object_get(record, "products"));
    json_decref(record);
    return code;
}

int sl_record_verify(const char *home, enum sl_stage stage, enum sl_record_check how, int *files,
                     double *bytes)
{
    json_t *record, *row;
    size_t i;
    SL_TRY(load(home, stage, &record));
    const json_t *array = json_object_get(record, "products");
    bool good = json_is_array(array) && (json_array_size(array) > 0 || how == SL_CHECK_TABLES);
    int code = good ? SL_OK : SL_FAIL(SL_EGUARD, "the end-record is damaged");
    json_array_foreach(array, i, row)
    {
        if (code == SL_OK) code = verify_row(home, row, how);
        bool counts = code == SL_OK && !json_object_get(row, "deleted");
        if (counts && files) ++*files;
        if (counts && bytes) *bytes += json_number_value(json_object_get(row, "size"));
    }
    json_array_foreach(json_object_get(record, "inputs"), i, row)
    {
        if (code == SL_OK) code = verify_input(home, row);
    }
    bool alone = how == SL_CHECK_READ || (how == SL_CHECK_TABLES && stage != SL_STAGE_sim);
    if (code == SL_OK && alone) code = verify_folders(home, stage, array);
    json_decref(record);
    return code;
}

/* The last stage of the member that is done; -1: none. */
static int last_stage(const char *home)
{
    int stage = SL_MEMBER_STAGES - 1;
    while (stage >= 0 && !sl_record_exists(home, (enum sl_stage)stage))
        stage--;
    return stage;
}

int sl_record_verify_settings(const char *home)
{
    char sum[16];
    json_t *record;
    int stage = last_stage(home);
    SL_CHECK(stage >= 0, SL_EGUARD, "no stage is done");
    SL_TRY(load(home, (enum sl_stage)stage, &record));
    const json_t *row = json_array_get(json_object_get(record, "inputs"), 0);
    const char *want = json_string_value(json_object_get(row, "settings"));
    int code = want ? sum_run(home, "run.yaml", is_no_command, sum)
                    : SL_FAIL(SL_EUNAVAIL, "the end-record is of an older version");
    if (code == SL_OK && strcmp(sum, want) != 0)
        code =
            SL_FAIL(SL_EGUARD, "run.yaml is damaged: checksum %s, the record says %s", sum, want);
    json_decref(record);
    return code;
}

int sl_record_forget(const char *home, enum sl_stage stage, const char *path)
{
    char place[SL_PATH_MAX];
    json_t *record, *row;
    size_t i, n = strlen(path);
    SL_TRY(sl_record_path(place, home, stage));
    SL_TRY(load(home, stage, &record));
    json_array_foreach(json_object_get(record, "products"), i, row)
    {
        const char *have = json_string_value(json_object_get(row, "path"));
        if (have && strncmp(have, path, n) == 0 && (have[n] == '\0' || have[n] == '/'))
            json_object_set_new(row, "deleted", json_real(sl_disk_now()));
    }
    int code = store(place, record);
    json_decref(record);
    return code;
}

int64_t sl_record_mark(const char *home, enum sl_stage stage)
{
    json_t *record;
    if (!sl_record_exists(home, stage) || load(home, stage, &record) != SL_OK) return -2;
    int64_t mark = json_integer_value(json_object_get(record, "members"));
    json_decref(record);
    return mark;
}

int sl_record_revoke(const char *home, enum sl_stage stage)
{
    char path[SL_PATH_MAX], aside[SL_PATH_MAX];
    SL_TRY(sl_record_path(path, home, stage));
    SL_TRY(sl_disk_join(aside, "%s.bad-%.0f", path, sl_disk_now()));
    SL_CHECK(rename(path, aside) == 0, SL_EIO, "cannot set aside %s: %s", path, strerror(errno));
    return sl_sync_parent(path);
}
