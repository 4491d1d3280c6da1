/* record.c - see record.h. */
#include "pipeline/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sys/status.h"

enum { RECORD_MAX = 64 << 20 };

/* What a stage leaves behind: files or whole directories; those that must exist come first. */
struct product {
    enum sl_stage stage;
    bool must;
    const char *path;
};
static const struct product products[] = {
    {SL_STAGE_ic, true, "ic.h5"},
    {SL_STAGE_sim, true, "history.tsv"},
    {SL_STAGE_sim, true, "snapshots"},
    {SL_STAGE_stats, true, "stats.h5"},
    {SL_STAGE_stats, false, "stats"},
    {SL_STAGE_ensemble, true, "ensemble"},
    {SL_STAGE_report, true, "report/index.html"},
    {SL_STAGE_report, false, "report"},
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

struct list {
    const char *home;
    json_t *array;
};

static bool listed(const json_t *array, const char *path)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row) if (strcmp(json_string_value(json_object_get(row, "path")),
                                                 path) == 0) return true;
    return false;
}

static int add_file(const char *path, void *user)
{
    struct list *list = user;
    char full[SL_PATH_MAX], sum[16];
    uint64_t size;
    uint32_t crc;
    if (strstr(path, ".tmp-") || listed(list->array, path)) return SL_OK;
    SL_TRY(sl_disk_join(full, "%s/%s", list->home, path));
    SL_TRY(sl_disk_sum(full, &size, &crc));
    snprintf(sum, sizeof sum, "%08" PRIx32, crc);
    json_t *row =
        json_pack("{s:s, s:I, s:s}", "path", path, "size", (json_int_t)size, "crc32c", sum);
    SL_CHECK(row && json_array_append_new(list->array, row) == 0, SL_EMEM,
             "no memory for the list of products");
    return SL_OK;
}

static int add_product(const struct product *p, struct list *list)
{
    char full[SL_PATH_MAX];
    struct stat st;
    size_t before = json_array_size(list->array);
    SL_TRY(sl_disk_join(full, "%s/%s", list->home, p->path));
    if (lstat(full, &st) == 0 && S_ISDIR(st.st_mode))
        SL_TRY(sl_disk_walk(list->home, p->path, add_file, list));
    else if (!p->must || sl_disk_exists(full))
        SL_TRY(sl_disk_exists(full) ? add_file(p->path, list) : SL_OK);
    SL_CHECK(!p->must || json_array_size(list->array) > before, SL_EGUARD,
             "the program ended well but %s is missing", p->path);
    return SL_OK;
}

static int collect(const char *home, enum sl_stage stage, json_t *array)
{
    struct list list = {.home = home, .array = array};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (products[i].stage == stage) SL_TRY(add_product(&products[i], &list));
    return SL_OK;
}

static int store(const char *path, const json_t *record)
{
    char *text = json_dumps(record, JSON_INDENT(1));
    SL_CHECK(text, SL_EMEM, "no memory for an end-record");
    int code = sl_file_replace(path, text, strlen(text), SL_DURABLE);
    free(text);
    return code;
}

int sl_record_write(const char *home, enum sl_stage stage, json_t *about)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_record_path(path, home, stage));
    json_t *array = json_array();
    json_t *record =
        json_pack("{s:i, s:s, s:f}", "v", 1, "stage", sl_stage_name(stage), "t", sl_disk_now());
    int code = collect(home, stage, array);
    if (about) json_object_update(record, about);
    json_object_set_new(record, "products", array);
    if (code == SL_OK) code = store(path, record);
    json_decref(record);
    return code;
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

static int verify_row(const char *home, const json_t *row, enum sl_record_check how)
{
    const char *path = json_string_value(json_object_get(row, "path"));
    const char *sum = json_string_value(json_object_get(row, "crc32c"));
    char full[SL_PATH_MAX];
    SL_CHECK(path && sum && *path != '/' && !strstr(path, ".."), SL_EGUARD,
             "the end-record is damaged");
    if (json_object_get(row, "deleted"))
        return how == SL_CHECK_SUM ? SL_OK : SL_FAIL(SL_EGUARD, "%s was deleted by clean", path);
    SL_TRY(sl_disk_join(full, "%s/%s", home, path));
    SL_TRY(verify_size(full, path, json_integer_value(json_object_get(row, "size"))));
    return how == SL_CHECK_SUM ? verify_sum(full, path, sum) : SL_OK;
}

static int load(const char *home, enum sl_stage stage, json_t **record)
{
    char path[SL_PATH_MAX], *text;
    size_t size;
    SL_TRY(sl_record_path(path, home, stage));
    SL_CHECK(sl_disk_exists(path), SL_EGUARD, "stage %s is not done (no %s)", sl_stage_name(stage),
             path);
    SL_TRY(sl_file_read(path, RECORD_MAX, &text, &size));
    *record = json_loadb(text, size, 0, NULL);
    free(text);
    SL_CHECK(*record, SL_EGUARD, "the end-record %s is damaged", path);
    return SL_OK;
}

int sl_record_verify(const char *home, enum sl_stage stage, enum sl_record_check how, int *files,
                     double *bytes)
{
    json_t *record, *row;
    size_t i;
    SL_TRY(load(home, stage, &record));
    const json_t *array = json_object_get(record, "products");
    int code = json_array_size(array) > 0 ? SL_OK : SL_FAIL(SL_EGUARD, "the end-record is damaged");
    json_array_foreach(array, i, row)
    {
        if (code == SL_OK) code = verify_row(home, row, how);
        bool counts = code == SL_OK && !json_object_get(row, "deleted");
        if (counts && files) ++*files;
        if (counts && bytes) *bytes += json_number_value(json_object_get(row, "size"));
    }
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

int sl_record_revoke(const char *home, enum sl_stage stage)
{
    char path[SL_PATH_MAX], aside[SL_PATH_MAX];
    SL_TRY(sl_record_path(path, home, stage));
    SL_TRY(sl_disk_join(aside, "%s.bad-%.0f", path, sl_disk_now()));
    SL_CHECK(rename(path, aside) == 0, SL_EIO, "cannot set aside %s: %s", path, strerror(errno));
    return sl_sync_parent(path);
}
