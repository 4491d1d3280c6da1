/* input_files.c - see input_files.h. */
#include "pipeline/campaign/input_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/command.h"
#include "core/config/config.h"
#include "core/config/inputs.h"
#include "core/config/keys.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/buffer.h"
#include "pipeline/base/disk.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/seal.h"
#include "pipeline/launch/child.h"

enum { TABLE_MAX = 1 << 26 };
static const char head[] = "# sluice inputs 2";

/* ---- the table: lines "path in the recipe <tab> name in inputs/" ----------------------------- */

static int table_path(char path[SL_PATH_MAX], const char *dir)
{
    return sl_disk_join(path, "%s/slots/inputs.tsv", dir);
}

/* The table as text, "" when there is none; the caller's to free. */
static int table_read(const char *dir, char **text)
{
    char path[SL_PATH_MAX];
    SL_TRY(table_path(path, dir));
    if (sl_disk_exists(path)) return sl_seal_read(path, TABLE_MAX, head, '\t', text);
    *text = calloc(1, 1);
    SL_CHECK(*text, SL_EMEM, "no memory for the table of inputs");
    return SL_OK;
}

/* Name of the copy of value that was taken last, NULL when there is none; *length: of the name. */
static const char *table_find(const char *text, const char *value, size_t *length)
{
    size_t n = strlen(value);
    const char *found = NULL;
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, value, n) == 0 && line[n] == '\t') {
            *length = strcspn(line + n + 1, "\n");
            found = line + n + 1;
        }
    return found;
}

/* ---- one that is damaged or gone: the copies tell the ends of their paths -------------------- */

static const char any_folder[] = "*/";

/* The part of the name of a copy behind its checksum, NULL for another file. */
static const char *end_of_copy(const char *name)
{
    enum { SUM = 8 };
    return strspn(name, "0123456789abcdef") == SUM && name[SUM] == '-' ? name + SUM + 1 : NULL;
}

/* Lines "*" "/" END <tab> NAME; refused where two copies have one end. */
static int table_guess(const char *dir, struct sl_buffer *text)
{
    char path[SL_PATH_MAX], place[SL_TEXT_MAX + 16];
    size_t length;
    SL_TRY(sl_disk_join(path, "%s/inputs", dir));
    DIR *d = opendir(path);
    int code = SL_OK;
    for (struct dirent *e; d && code == SL_OK && (e = readdir(d));) {
        const char *end = end_of_copy(e->d_name);
        if (!end) continue;
        snprintf(place, sizeof place, "%s%s", any_folder, end);
        if (table_find(text->s, place, &length))
            code = SL_FAIL(SL_EINPUT,
                           "%s/slots/inputs.tsv is damaged or gone, and inputs/ has several copies "
                           "of %s: put that table back from a copy of the campaign",
                           dir, end);
        else
            sl_buffer_add(text, "%s\t%s\n", place, e->d_name);
    }
    if (d) closedir(d);
    if (code == SL_OK && text->failed) code = SL_FAIL(SL_EMEM, "no memory for the table of inputs");
    return code;
}

/* As table_find, in either. */
static const char *find_copy(const char *text, const char *value, size_t *length)
{
    char place[SL_TEXT_MAX + 16];
    const char *last = strrchr(value, '/'), *found = table_find(text, value, length);
    if (found || strncmp(text, any_folder, sizeof any_folder - 1) != 0) return found;
    snprintf(place, sizeof place, "%s%s", any_folder, last ? last + 1 : value);
    return table_find(text, place, length);
}

/* The table, or what can be told without it. */
static int table_read_any(const char *dir, char **text)
{
    char path[SL_PATH_MAX];
    struct sl_buffer guess = {.s = NULL};
    SL_TRY(table_path(path, dir));
    int code = table_read(dir, text);
    if (code != SL_EINPUT && (code != SL_OK || sl_disk_exists(path))) return code;
    if (code == SL_OK) free(*text);
    sl_buffer_add(&guess, "%s", "");
    code = table_guess(dir, &guess);
    if (code == SL_OK)
        *text = guess.s;
    else
        sl_buffer_release(&guess);
    return code;
}

void sl_input_files_mend(const char *dir)
{
    char path[SL_PATH_MAX], *text;
    struct sl_buffer guess = {.s = NULL};
    if (table_path(path, dir) != SL_OK) return;
    bool there = sl_disk_exists(path);
    if (there && sl_seal_read(path, TABLE_MAX, head, '\t', &text) == SL_OK) {
        free(text);
        return;
    }
    sl_buffer_add(&guess, "%s", "");
    int code = table_guess(dir, &guess);
    if (code != SL_OK)
        sl_log(SL_LOG_WARN, "%s", sl_error_text());
    else if ((there || *guess.s) && sl_seal_write(path, head, guess.s) == SL_OK)
        sl_log(SL_LOG_WARN, "%s was %s and is made again from the names in inputs/", path,
               there ? "damaged" : "missing");
    else if (there || *guess.s)
        sl_log(SL_LOG_WARN, "%s is %s; the names in inputs/ are used instead", path,
               there ? "damaged" : "missing");
    sl_buffer_release(&guess);
}

static int table_add(const char *dir, const char *value, const char *name)
{
    char path[SL_PATH_MAX], *old, *text = NULL;
    SL_TRY(table_path(path, dir));
    SL_TRY(table_read(dir, &old));
    int n = asprintf(&text, "%s%s\t%s\n", old, value, name);
    free(old);
    SL_CHECK(n >= 0, SL_EMEM, "no memory for the table of inputs");
    int code = sl_seal_write(path, head, text);
    free(text);
    return code;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* What is left of an open file, by way of memory. */
static int copy_rest(int from, int to, const char *source, const char *path)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    SL_CHECK(chunk, SL_EMEM, "no memory to copy %s", source);
    ssize_t n;
    int code = SL_OK;
    while (code == SL_OK && ((n = read(from, chunk, CHUNK)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) code = sl_write_all(to, chunk, (size_t)n, path);
    if (code == SL_OK && n < 0)
        code = SL_FAIL(SL_EIO, "cannot read %s: %s", source, strerror(errno));
    free(chunk);
    return code;
}

/* The system copies what it can: not from one file system to another, and not everywhere on NFS. */
static int copy_bytes(int from, int to, const char *source, const char *path)
{
    ssize_t n;
    do
        n = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0);
    while (n > 0 || (n < 0 && errno == EINTR));
    return copy_rest(from, to, source, path);
}

/* Copies a file to a temporary name, renames it when it is complete. What can be started can still
 * be. */
static int copy_file(const char *source, const char *target)
{
    char part[SL_PATH_MAX];
    SL_TRY(sl_disk_join(part, "%s.part", target));
    int from = open(source, O_RDONLY | O_CLOEXEC);
    SL_CHECK(from >= 0, SL_EIO, "cannot open %s: %s", source, strerror(errno));
    mode_t mode = access(source, X_OK) == 0 ? 0777 : 0666;
    int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    int code = to >= 0 ? copy_bytes(from, to, source, part)
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

int sl_input_files_source(const char *value, struct sl_mark at, char source[SL_PATH_MAX])
{
    char base[SL_PATH_MAX];
    if (*value == '/' || !sl_disk_exists(at.file)) return sl_disk_join(source, "%s", value);
    SL_TRY(sl_path_parent(base, at.file));
    if (strcmp(base, ".") == 0) return sl_disk_join(source, "%s", value);
    return sl_disk_join(source, "%s/%s", base, value);
}

/* What a recipe names: the value of a key that is a path, or a word of a command. */
enum role { ROLE_FILE, ROLE_WORD, ROLE_PROGRAM };
struct named {
    const char *key, *value, *command; /* command: of which it is a word */
    struct sl_mark at;
    enum role role;
};

/* Where a path of the recipe leads; refused, with the place of its key, when that cannot be
 * read. */
static int find_file(const struct named *n, char source[SL_PATH_MAX])
{
    struct stat st;
    if (strpbrk(n->value, "\t\n"))
        return SL_FAIL_AT(n->at, "%s: a path with a tab or a new line", n->key);
    SL_TRY(sl_input_files_source(n->value, n->at, source));
    if (stat(source, &st) != 0 || access(source, R_OK) != 0)
        return SL_FAIL_AT(n->at, "%s: cannot read %s: %s", n->key, source, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return SL_FAIL_AT(n->at, "%s: %s is not a regular file", n->key, source);
    return SL_OK;
}

/* A name that only a script has. */
static bool is_script_name(const char *word)
{
    static const char *const ends[] = {".py", ".sh", ".R", ".jl", ".pl", ".rb", ".m", ".gp"};
    const char *end = strrchr(word, '.');
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0) return true;
    return false;
}

/* A program is a file that can be started, or a name that PATH finds. */
static int check_program(const struct named *n, const char *source)
{
    if (*source && access(source, X_OK) != 0)
        return SL_FAIL_AT(
            n->at, "%s: %s may not be started: chmod +x, or name what runs it, as in python3 %s",
            n->key, source, n->value);
    if (!*source && sl_child_find(n->value) != SL_OK)
        return SL_FAIL_AT(
            n->at, "%s: there is no program '%s': no such file next to the recipe, nor in PATH",
            n->key, sl_quote(n->value).text);
    return SL_OK;
}

/* A word of a command; source is "" where it names no file and need not. */
static int find_word(const struct named *n, char source[SL_PATH_MAX])
{
    struct stat st;
    bool program = n->role == ROLE_PROGRAM;
    bool must = is_script_name(n->value) || (program && strchr(n->value, '/'));
    *source = '\0';
    if (!*n->value || *n->value == '-' || sl_command_has_place(n->value)) return SL_OK;
    SL_TRY(sl_input_files_source(n->value, n->at, source));
    bool file = stat(source, &st) == 0 && S_ISREG(st.st_mode);
    if (file || must) SL_TRY(find_file(n, source));
    if (!file) *source = '\0';
    return program ? check_program(n, source) : SL_OK;
}

static int find(const struct named *n, char source[SL_PATH_MAX])
{
    return n->role == ROLE_FILE ? find_file(n, source) : find_word(n, source);
}

/* The first of several files, NAME.0.hdf5: the others are looked for beside it. */
static bool is_first_of_many(const char *source)
{
    const char *end = strrchr(source, '.');
    return end && end - source > 2 && strncmp(end - 2, ".0", 2) == 0;
}

/* A program is copied where it is a script: others look for what belongs to them beside
 * themselves. */
static bool stays(const struct named *n, const char *source)
{
    char mark[2] = "";
    if (n->role == ROLE_FILE)
        return strcmp(n->key, sl_keys[SL_KEY_ic_file].path) == 0 && is_first_of_many(source);
    if (n->role != ROLE_PROGRAM) return false;
    int fd = open(source, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, mark, 2) : 0;
    if (fd >= 0) close(fd);
    return got != 2 || memcmp(mark, "#!", 2) != 0;
}

/* The path from the root of a file, whose last part is taken as it is: a link to a program may mean
 * another by its name. */
static int absolute(const char *source, char path[SL_PATH_MAX])
{
    char parent[SL_PATH_MAX], place[SL_PATH_MAX];
    const char *last = strrchr(source, '/');
    SL_TRY(sl_path_parent(parent, source));
    SL_CHECK(realpath(parent, place), SL_EIO, "cannot find %s: %s", parent, strerror(errno));
    return sl_disk_join(path, "%s/%s", place, last ? last + 1 : source);
}

/* The copy of a file with this checksum. */
static void name_copy(const struct named *n, uint32_t sum, char name[SL_TEXT_MAX + 16])
{
    const char *last = strrchr(n->value, '/');
    snprintf(name, SL_TEXT_MAX + 16, "%08" PRIx32 "-%s", sum, last ? last + 1 : n->value);
}

/* Says which file stands for a path, unless that is known. */
static int note(const char *dir, const char *value, const char *name)
{
    char *text;
    size_t length;
    SL_TRY(table_read(dir, &text));
    const char *have = table_find(text, value, &length);
    bool known = have && strlen(name) == length && strncmp(have, name, length) == 0;
    free(text);
    return known ? SL_OK : table_add(dir, value, name);
}

static int keep(const char *dir, const struct named *n)
{
    char source[SL_PATH_MAX], target[SL_PATH_MAX], name[SL_TEXT_MAX + 16];
    uint64_t size;
    uint32_t sum;
    SL_TRY(find(n, source));
    if (!*source) return SL_OK;
    if (stays(n, source)) {
        SL_TRY(absolute(source, target));
        return note(dir, n->value, target);
    }
    SL_CHECK(realpath(source, target), SL_EIO, "cannot find %s: %s", source, strerror(errno));
    if (sl_disk_sum(target, &size, &sum) != SL_OK)
        return SL_FAIL_AT(n->at, "%s: %s", n->key, sl_error_text());
    name_copy(n, sum, name);
    SL_TRY(sl_disk_join(source, "%s", target));
    SL_TRY(sl_disk_own(dir, "inputs"));
    SL_TRY(sl_disk_join(target, "%s/inputs", dir));
    SL_TRY(sl_mkdir_all(target));
    SL_TRY(sl_disk_join(target, "%s/inputs/%s", dir, name));
    SL_TRY(sl_check_room(dir, size));
    bool starts = access(source, X_OK) == 0; /* chmod +x leaves the name of the copy as it was */
    if (access(target, starts ? X_OK : F_OK) != 0) SL_TRY(copy_file(source, target));
    return note(dir, n->value, name);
}

/* ---- the paths of a member ------------------------------------------------------------------- */

/* The value of a path key that names an input, NULL otherwise: what an ic stage writes is none. */
static char *input_of(int key, struct sl_config *cfg)
{
    const struct sl_key *k = &sl_keys[key];
    if (k->type != SL_TYPE_TEXT || k->kind != SL_TEXT_path) return NULL;
    if (key == SL_KEY_run_input && sl_config_needs_ic(cfg)) return NULL;
    char *value = (char *)cfg + k->at;
    return *value ? value : NULL;
}

void sl_input_files_from_here(const struct sl_inputs *in, struct sl_config *cfg)
{
    char path[SL_PATH_MAX];
    for (int key = 0; key < SL_KEY_COUNT; key++) {
        char *value = input_of(key, cfg);
        if (value && in->row[key].node &&
            sl_input_files_source(value, in->row[key].node->at, path) == SL_OK &&
            strlen(path) < SL_TEXT_MAX)
            memcpy(value, path, strlen(path) + 1);
    }
}

/* The command of a key of stages.*, NULL otherwise. */
static char *command_of(int key, struct sl_config *cfg)
{
    char *value = sl_key_is_command(&sl_keys[key]) ? (char *)cfg + sl_keys[key].at : NULL;
    return value && *value ? value : NULL;
}

typedef int named_fn(const char *dir, const struct named *n);

/* Calls f for what a key names in the configuration of a member. */
static int each_of_key(const char *dir, const struct sl_inputs *in, int key, struct sl_config *cfg,
                       named_fn *f)
{
    struct sl_command c;
    char *value = input_of(key, cfg), *command = command_of(key, cfg);
    struct named n = {.key = sl_keys[key].path, .value = value, .role = ROLE_FILE};
    if (value || command) n.at = in->row[key].node->at;
    if (value) return f(dir, &n);
    if (!command) return SL_OK;
    SL_TRY(sl_command_split(command, &c));
    n.command = command;
    for (int i = 0; i < c.n; i++) {
        n.value = c.word[i];
        n.role = i ? ROLE_WORD : ROLE_PROGRAM;
        SL_TRY(f(dir, &n));
    }
    return SL_OK;
}

/* Calls f for all that every member names; without a sweep of paths the first stands for all. only:
 * of this key, -1 of all. */
static int each_named(const char *dir, struct sl_recipe *recipe, int only, named_fn *f)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    bool swept = false;
    for (int key = 0; key < SL_KEY_COUNT; key++)
        swept |= (sl_keys[key].kind == SL_TEXT_path || sl_key_is_command(&sl_keys[key])) &&
                 sl_recipe_sweeps(recipe, key);
    struct sl_config cfg;
    int64_t step = dir ? 1 : sl_recipe_step(recipe); /* NULL: it is only looked at them */
    for (int64_t i = 0; i < (swept ? sl_recipe_count(recipe) : 1); i += step) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        for (int key = 0; key < SL_KEY_COUNT; key++)
            if (only < 0 || key == only) SL_TRY(each_of_key(dir, in, key, &cfg, f));
    }
    return SL_OK;
}

typedef int word_fn(const struct named *n, char path[SL_TEXT_MAX]);

/* The command of n with what f makes of each word, where that is not "", in its place. */
static int replace_words(struct named n, word_fn *f, char value[SL_TEXT_MAX])
{
    struct sl_command c;
    const char *word[SL_COMMAND_WORDS];
    char path[SL_COMMAND_WORDS][SL_TEXT_MAX];
    SL_TRY(sl_command_split(n.command, &c));
    for (int i = 0; i < c.n; i++) {
        n.value = c.word[i];
        n.role = i ? ROLE_WORD : ROLE_PROGRAM;
        SL_TRY(f(&n, path[i]));
        word[i] = *path[i] ? path[i] : c.word[i];
    }
    if (sl_command_join(word, c.n, value) == SL_OK) return SL_OK;
    return SL_FAIL_AT(n.at, "%s: %s", n.key, sl_error_text());
}

static int absolute_word(const struct named *n, char path[SL_TEXT_MAX])
{
    char source[SL_PATH_MAX], full[SL_PATH_MAX] = "";
    SL_TRY(find(n, source));
    if (*source) SL_TRY(absolute(source, full));
    if (snprintf(path, SL_TEXT_MAX, "%s", full) < SL_TEXT_MAX) return SL_OK;
    return SL_FAIL_AT(n->at, "%s: %s is too long", n->key, full);
}

/* As path_of_copy will name it: a checksum is as long as any other. */
static int copied_word(const struct named *n, char path[SL_TEXT_MAX])
{
    char source[SL_PATH_MAX], name[SL_TEXT_MAX + 16];
    SL_TRY(find(n, source));
    if (*source && stays(n, source)) return absolute_word(n, path);
    name_copy(n, 0, name);
    bool copied = *source != '\0';
    int length =
        snprintf(path, SL_TEXT_MAX, "%s%s", copied ? "../../inputs/" : "", copied ? name : "");
    if (length < SL_TEXT_MAX) return SL_OK;
    return SL_FAIL_AT(n->at, "%s: the name of %s is too long", n->key, source);
}

/* Whether all can be found; a command, with the paths of its copies, must still be one. */
static int find_only(const char *dir, const struct named *n)
{
    char source[SL_PATH_MAX], value[SL_TEXT_MAX];
    (void)dir;
    SL_TRY(find(n, source));
    return n->role == ROLE_PROGRAM ? replace_words(*n, copied_word, value) : SL_OK;
}

static int keep_new(const char *dir, const struct named *n)
{
    char *text;
    size_t length;
    SL_TRY(table_read_any(dir, &text));
    bool have = find_copy(text, n->value, &length) != NULL;
    free(text);
    return have ? SL_OK : keep(dir, n);
}

int sl_input_files_copy(const char *dir, struct sl_recipe *recipe)
{
    return each_named(dir, recipe, -1, keep_new);
}

int sl_input_files_renew(const char *dir, struct sl_recipe *recipe, int key)
{
    SL_TRY(each_named(dir, recipe, key, find_only));
    return each_named(dir, recipe, key, keep);
}

void sl_input_files_say_set(const char *dir, const char *key, const char *command, char *text,
                            int size)
{
    char word[2 * SL_TEXT_MAX], quoted[4 * SL_TEXT_MAX];
    snprintf(word, sizeof word, "%s=%s", key, command);
    sl_command_quote(word, quoted, sizeof quoted);
    snprintf(text, (size_t)size, "sluice set %s %s", dir, quoted);
}

/* Of a script that was changed since it was copied. */
static int report_change(const char *dir, const struct named *n)
{
    char source[SL_PATH_MAX], now[16], *text;
    uint64_t size;
    uint32_t crc;
    size_t length;
    if (n->role == ROLE_FILE || find_word(n, source) != SL_OK || !*source ||
        sl_disk_sum(source, &size, &crc) != SL_OK)
        return SL_OK;
    snprintf(now, sizeof now, "%08" PRIx32 "-", crc);
    SL_TRY(table_read(dir, &text));
    const char *name = table_find(text, n->value, &length);
    if (name && *name != '/' && strncmp(name, now, strlen(now)) != 0) {
        char way[SL_PATH_MAX];
        sl_input_files_say_set(dir, n->key, n->command, way, sizeof way);
        sl_log(SL_LOG_NOTE,
               "%s has changed since the campaign was given it: `%s`, in the directory of the "
               "recipe, takes it as it is now",
               source, way);
    }
    free(text);
    return SL_OK;
}

void sl_input_files_log_changes(const char *dir, struct sl_recipe *recipe)
{
    each_named(dir, recipe, -1, report_change);
}

int sl_input_files_notify(struct sl_recipe *recipe)
{
    struct sl_config cfg;
    struct stat st;
    SL_TRY(sl_recipe_member(recipe, 0, &cfg));
    const struct sl_node *node = sl_recipe_inputs(recipe)->row[SL_KEY_notify_program].node;
    const char *key = sl_keys[SL_KEY_notify_program].path, *program = cfg.notify_program;
    if (!node || !*program) return SL_OK;
    bool path = *program == '/';
    if (!path && sl_child_find(program) != SL_OK)
        return SL_FAIL_AT(node->at, "%s: there is no program '%s' in PATH", key,
                          sl_quote(program).text);
    if (path && stat(program, &st) != 0)
        return SL_FAIL_AT(node->at, "%s: %s: %s", key, sl_quote(program).text, strerror(errno));
    if (path && !S_ISREG(st.st_mode))
        return SL_FAIL_AT(node->at, "%s: %s is not a regular file", key, sl_quote(program).text);
    if (path && access(program, X_OK) != 0)
        return SL_FAIL_AT(node->at, "%s: %s may not be started: chmod +x", key,
                          sl_quote(program).text);
    return SL_OK;
}

int sl_input_files_check(struct sl_recipe *recipe)
{
    SL_TRY(each_named(NULL, recipe, -1, find_only));
    SL_TRY(sl_input_files_notify(recipe));
    SL_TRY(sl_advice_inputs(recipe));
    return sl_advice_fields(recipe);
}

int sl_input_files_absolute(struct sl_recipe *recipe, int key, char value[SL_TEXT_MAX])
{
    struct sl_config cfg;
    SL_TRY(sl_recipe_member(recipe, 0, &cfg));
    struct named n = {.key = sl_keys[key].path, .command = command_of(key, &cfg)};
    *value = '\0';
    if (!n.command) return SL_OK;
    n.at = sl_recipe_inputs(recipe)->row[key].node->at;
    return replace_words(n, absolute_word, value);
}

/* The path by which run.yaml names what stands for value; "" where nothing does. */
static int path_of_copy(const char *text, const char *value, char path[SL_TEXT_MAX])
{
    size_t length;
    const char *name = find_copy(text, value, &length);
    *path = '\0';
    if (!name) return SL_OK;
    int n = snprintf(path, SL_TEXT_MAX, "%s%.*s", *name == '/' ? "" : "../../inputs/", (int)length,
                     name);
    SL_CHECK(n < SL_TEXT_MAX, SL_EINPUT, "the name of the file is too long");
    return SL_OK;
}

static int resolve_command(const char *text, char value[SL_TEXT_MAX])
{
    struct sl_command c;
    const char *word[SL_COMMAND_WORDS];
    char path[SL_COMMAND_WORDS][SL_TEXT_MAX];
    SL_TRY(sl_command_split(value, &c));
    for (int i = 0; i < c.n; i++) {
        SL_TRY(path_of_copy(text, c.word[i], path[i]));
        word[i] = *path[i] ? path[i] : c.word[i];
    }
    return sl_command_join(word, c.n, value);
}

static int resolve_path(const char *text, char value[SL_TEXT_MAX])
{
    char path[SL_TEXT_MAX];
    SL_TRY(path_of_copy(text, value, path));
    if (*path) memcpy(value, path, strlen(path) + 1);
    return SL_OK;
}

int sl_input_files_resolve(const char *dir, struct sl_config *cfg)
{
    char *text;
    SL_TRY(table_read_any(dir, &text));
    int code = SL_OK;
    for (int key = 0; key < SL_KEY_COUNT && code == SL_OK; key++) {
        char *value = input_of(key, cfg), *command = command_of(key, cfg);
        if (value) code = resolve_path(text, value);
        if (command) code = resolve_command(text, command);
        if (code != SL_OK) code = SL_FAIL(code, "%s: %s", sl_keys[key].path, sl_error_text());
    }
    free(text);
    return code;
}

/* path ends with the name of the copy. */
static int verify_copy(const char *path, const char *name)
{
    char sum[16];
    uint64_t size;
    uint32_t crc;
    SL_TRY(sl_disk_sum(path, &size, &crc));
    snprintf(sum, sizeof sum, "%08" PRIx32 "-", crc);
    SL_CHECK(strncmp(name, sum, strlen(sum)) == 0, SL_EINPUT,
             "%s is damaged: it has not the checksum of its name", path);
    return SL_OK;
}

static int verify(const char *home, const char *value)
{
    static const char place[] = "../../inputs/";
    char path[SL_PATH_MAX];
    if (strncmp(value, place, sizeof place - 1) != 0) return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/%s", home, value));
    return verify_copy(path, value + sizeof place - 1);
}

int sl_input_files_verify(const char *home, struct sl_config *cfg)
{
    for (int key = 0; key < SL_KEY_COUNT; key++) {
        struct sl_command c = {.n = 0};
        const char *value = input_of(key, cfg), *command = command_of(key, cfg);
        if (value) SL_TRY(verify(home, value));
        if (command) SL_TRY(sl_command_split(command, &c));
        for (int i = 0; i < c.n; i++)
            SL_TRY(verify(home, c.word[i]));
    }
    return SL_OK;
}

/* Of several paths that one copy stands for the first line alone. */
static int verify_line(const char *dir, const char *text, const char *line)
{
    char path[SL_PATH_MAX], name[SL_TEXT_MAX + 16];
    size_t length = strcspn(line, "\t\n");
    if (line[length] != '\t' || line[length + 1] == '/') return SL_OK;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
    for (const char *s = text; (s = strstr(s, name)) && s < line; s++)
        if (s[-1] == '\t' && s[strlen(name)] == '\n') return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/inputs/%s", dir, name));
    return verify_copy(path, name);
}

void sl_input_files_find_lost(const char *dir, void (*f)(void *of, const char *what), void *of)
{
    char *text;
    if (table_read_any(dir, &text) != SL_OK) {
        f(of, sl_error_text());
        return;
    }
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (verify_line(dir, text, line) != SL_OK) f(of, sl_error_text());
    free(text);
}
