/* kept.c - see kept.h. */
#include "pipeline/campaign/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/inputs.h"
#include "core/sys/keys.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/disk.h"
#include "pipeline/campaign/advice.h"

enum { TABLE_MAX = 1 << 26 };

/* ---- the table: lines "path in the recipe <tab> name in inputs/" --------------------------------- */

static int table_path(char path[SL_PATH_MAX], const char *dir)
{
    return sl_disk_join(path, "%s/slots/inputs.tsv", dir);
}

/* The table as text, "" when there is none; the caller's to free. */
static int table_read(const char *dir, char **text)
{
    char path[SL_PATH_MAX];
    size_t size;
    SL_TRY(table_path(path, dir));
    if (sl_disk_exists(path)) return sl_file_read(path, TABLE_MAX, text, &size);
    *text = calloc(1, 1);
    SL_CHECK(*text, SL_EMEM, "no memory for the table of inputs");
    return SL_OK;
}

/* Name of the copy of value, NULL when there is none; *length: of the name. */
static const char *table_find(const char *text, const char *value, size_t *length)
{
    size_t n = strlen(value);
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, value, n) == 0 && line[n] == '\t') {
            *length = strcspn(line + n + 1, "\n");
            return line + n + 1;
        }
    return NULL;
}

static int table_add(const char *dir, const char *value, const char *name)
{
    char path[SL_PATH_MAX], *old, *text = NULL;
    SL_TRY(table_path(path, dir));
    SL_TRY(table_read(dir, &old));
    int n = asprintf(&text, "%s%s\t%s\n", old, value, name);
    free(old);
    SL_CHECK(n >= 0, SL_EMEM, "no memory for the table of inputs");
    int code = sl_file_replace(path, text, (size_t)n, SL_DURABLE);
    free(text);
    return code;
}

/* ---- copies -------------------------------------------------------------------------------------- */

static int copy_bytes(int from, int to, const char *path)
{
    for (ssize_t n; (n = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) != 0;)
        SL_CHECK(n > 0 || errno == EINTR, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    return SL_OK;
}

/* Copies a file to a temporary name, renames it when it is complete. */
static int copy_file(const char *source, const char *target)
{
    char part[SL_PATH_MAX];
    SL_TRY(sl_disk_join(part, "%s.part", target));
    int from = open(source, O_RDONLY | O_CLOEXEC);
    SL_CHECK(from >= 0, SL_EIO, "cannot open %s: %s", source, strerror(errno));
    int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    int code = to >= 0 ? copy_bytes(from, to, part)
                       : SL_FAIL(SL_EIO, "cannot write %s: %s", part, strerror(errno));
    close(from);
    if (to >= 0) {
        int closed = sl_close_synced(to, part);
        if (code == SL_OK) code = closed;
    }
    if (code == SL_OK && rename(part, target) != 0)
        code = SL_FAIL(SL_EIO, "cannot rename %s: %s", part, strerror(errno));
    if (code == SL_OK) return sl_sync_parent(target);
    unlink(part);
    return code;
}

int sl_kept_source(const char *value, struct sl_mark at, char source[SL_PATH_MAX])
{
    char base[SL_PATH_MAX];
    if (*value == '/' || !sl_disk_exists(at.file)) return sl_disk_join(source, "%s", value);
    SL_TRY(sl_path_parent(base, at.file));
    if (strcmp(base, ".") == 0) return sl_disk_join(source, "%s", value);
    return sl_disk_join(source, "%s/%s", base, value);
}

/* Where a path of the recipe leads; refused, with the place of its key, when that cannot be read. */
static int find(const char *key, const char *value, struct sl_mark at, char source[SL_PATH_MAX])
{
    struct stat st;
    if (strpbrk(value, "\t\n")) return SL_FAIL_AT(at, "%s: a path with a tab or a new line", key);
    SL_TRY(sl_kept_source(value, at, source));
    if (stat(source, &st) != 0 || access(source, R_OK) != 0)
        return SL_FAIL_AT(at, "%s: cannot read %s: %s", key, source, strerror(errno));
    if (!S_ISREG(st.st_mode)) return SL_FAIL_AT(at, "%s: %s is not a regular file", key, source);
    return SL_OK;
}

static int keep(const char *dir, const char *key, const char *value, struct sl_mark at)
{
    char source[SL_PATH_MAX], target[SL_PATH_MAX], name[SL_TEXT_MAX + 16];
    uint64_t size;
    uint32_t sum;
    SL_TRY(find(key, value, at, source));
    SL_CHECK(realpath(source, target), SL_EIO, "cannot find %s: %s", source, strerror(errno));
    if (sl_disk_sum(target, &size, &sum) != SL_OK)
        return SL_FAIL_AT(at, "%s: %s", key, sl_error_text());
    const char *last = strrchr(value, '/');
    snprintf(name, sizeof name, "%08" PRIx32 "-%s", sum, last ? last + 1 : value);
    SL_TRY(sl_disk_join(source, "%s", target));
    SL_TRY(sl_disk_own(dir, "inputs"));
    SL_TRY(sl_disk_join(target, "%s/inputs", dir));
    SL_TRY(sl_mkdir_all(target));
    SL_TRY(sl_disk_join(target, "%s/inputs/%s", dir, name));
    SL_TRY(sl_check_room(dir, size));
    if (!sl_disk_exists(target)) SL_TRY(copy_file(source, target));
    return table_add(dir, value, name);
}

/* ---- the paths of a member ----------------------------------------------------------------------- */

/* The value of a path key that names an input, NULL otherwise: what an ic stage writes is none. */
static char *input_of(int key, struct sl_config *cfg)
{
    const struct sl_key *k = &sl_keys[key];
    if (k->type != SL_TYPE_TEXT || k->kind != SL_TEXT_path) return NULL;
    if (key == SL_KEY_run_input && sl_config_needs_ic(cfg)) return NULL;
    char *value = (char *)cfg + k->at;
    return *value ? value : NULL;
}

typedef int input_fn(const char *dir, const char *key, const char *value, struct sl_mark at);

/* Calls f for every input of every member; without a sweep of paths the first stands for all. */
static int each_input(const char *dir, struct sl_recipe *recipe, input_fn *f)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    bool swept = false;
    for (int key = 0; key < SL_KEY_COUNT; key++)
        swept |= sl_keys[key].kind == SL_TEXT_path && sl_recipe_sweeps(recipe, key);
    struct sl_config cfg;
    for (int64_t i = 0; i < (swept ? sl_recipe_count(recipe) : 1); i++) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        for (int key = 0; key < SL_KEY_COUNT; key++) {
            const char *value = input_of(key, &cfg);
            if (value) SL_TRY(f(dir, sl_keys[key].path, value, in->row[key].node->at));
        }
    }
    return SL_OK;
}

static int keep_new(const char *dir, const char *key, const char *value, struct sl_mark at)
{
    char *text;
    size_t length;
    SL_TRY(table_read(dir, &text));
    bool have = table_find(text, value, &length) != NULL;
    free(text);
    return have ? SL_OK : keep(dir, key, value, at);
}

int sl_kept_copy(const char *dir, struct sl_recipe *recipe)
{
    return each_input(dir, recipe, keep_new);
}

static int find_only(const char *dir, const char *key, const char *value, struct sl_mark at)
{
    char source[SL_PATH_MAX];
    (void)dir;
    return find(key, value, at, source);
}

int sl_kept_check(struct sl_recipe *recipe)
{
    SL_TRY(each_input(NULL, recipe, find_only));
    return sl_advice_universe(recipe);
}

int sl_kept_resolve(const char *dir, struct sl_config *cfg)
{
    char *text, copy[SL_PATH_MAX];
    SL_TRY(table_read(dir, &text));
    int code = SL_OK;
    for (int key = 0; key < SL_KEY_COUNT && code == SL_OK; key++) {
        char *value = input_of(key, cfg);
        size_t length;
        const char *name = value ? table_find(text, value, &length) : NULL;
        if (!name) continue;
        snprintf(copy, sizeof copy, "../../inputs/%.*s", (int)length, name);
        if (strlen(copy) < SL_TEXT_MAX)
            memcpy(value, copy, strlen(copy) + 1);
        else
            code = SL_FAIL(SL_EINPUT, "%s: the name of the file is too long", sl_keys[key].path);
    }
    free(text);
    return code;
}

static int verify(const char *home, const char *value)
{
    static const char place[] = "../../inputs/";
    char path[SL_PATH_MAX], sum[16];
    uint64_t size;
    uint32_t crc;
    if (strncmp(value, place, sizeof place - 1) != 0) return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/%s", home, value));
    SL_TRY(sl_disk_sum(path, &size, &crc));
    snprintf(sum, sizeof sum, "%08" PRIx32 "-", crc);
    SL_CHECK(strncmp(value + sizeof place - 1, sum, strlen(sum)) == 0, SL_EINPUT,
             "%s is damaged: it has not the checksum of its name", path);
    return SL_OK;
}

int sl_kept_verify(const char *home, struct sl_config *cfg)
{
    for (int key = 0; key < SL_KEY_COUNT; key++) {
        const char *value = input_of(key, cfg);
        if (value) SL_TRY(verify(home, value));
    }
    return SL_OK;
}
