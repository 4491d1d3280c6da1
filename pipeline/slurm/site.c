/* site.c - see slurm/site.h. */
#include "pipeline/slurm/site.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "core/sys/yaml.h"
#include "pipeline/slurm/call.h"

static const double ask_limit = 30;

struct row {
    const char *key, *text, *about, *choices; /* choices: NULL where any text goes */
    long long least, most;
    size_t at;
    bool number;
};

static const struct row rows[] = {
#define INT_ROW(member, text, least, most, about)                                                  \
    {#member, #text, about, NULL, least, most, offsetof(struct sl_site, member), true},
#define TEXT_ROW(member, text, about)                                                              \
    {#member, text, about, NULL, 0, 0, offsetof(struct sl_site, member), false},
#define WORD_ROW(member, text, choices, about)                                                     \
    {#member, text, about, choices, 0, 0, offsetof(struct sl_site, member), false},
    SL_SITE_LIST(INT_ROW, TEXT_ROW, WORD_ROW)
#undef INT_ROW
#undef TEXT_ROW
#undef WORD_ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (const char *c = choices; *c; c += strspn(c, " ")) {
        size_t word = strcspn(c, " ");
        if (n == word && strncmp(c, text, n) == 0) return true;
        c += word;
    }
    return false;
}

static int set(struct sl_site *site, const struct row *row, const char *text)
{
    char *at = (char *)site + row->at, *end;
    if (!row->number) {
        SL_CHECK(strlen(text) < SL_SITE_TEXT && !strpbrk(text, "\n\r"), SL_EINPUT,
                 "%s: a text of one line and below %d bytes is wanted", row->key, SL_SITE_TEXT);
        SL_CHECK(!row->choices || is_choice(row->choices, text), SL_EINPUT,
                 "%s: '%s' is none of %s", row->key, sl_quote(text).text, row->choices);
        snprintf(at, SL_SITE_TEXT, "%s", text);
        return SL_OK;
    }
    long long value = strtoll(text, &end, 10);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value = *text == 't';
        end = "";
    }
    SL_CHECK(*text && *end == '\0' && value >= row->least && value <= row->most, SL_EINPUT,
             "%s: a whole number from %lld to %lld is wanted", row->key, row->least, row->most);
    memcpy(at, &value, sizeof value);
    return SL_OK;
}

void sl_site_default(struct sl_site *site)
{
    memset(site, 0, sizeof *site);
    for (int i = 0; i < ROWS; i++)
        if (set(site, &rows[i], rows[i].text) != SL_OK) SL_BUG("default of site.%s", rows[i].key);
}

/* ---- the file -------------------------------------------------------------------------------- */

int sl_site_path(char path[SL_PATH_MAX])
{
    const char *file = getenv("SLUICE_SITE"), *config = getenv("XDG_CONFIG_HOME");
    if (file && *file) return sl_disk_join(path, "%s", file);
    if (config && *config == '/') return sl_disk_join(path, "%s/sluice/site.yaml", config);
    const char *home = getenv("HOME");
    SL_CHECK(home && *home, SL_EUSAGE, "neither SLUICE_SITE nor XDG_CONFIG_HOME nor HOME is set");
    return sl_disk_join(path, "%s/.config/sluice/site.yaml", home);
}

/* Modules of the file are loaded in every job: who may write it may run programs in them. */
static int check_owner(const char *path)
{
    struct stat st;
    SL_CHECK(stat(path, &st) == 0, SL_EIO, "cannot look at %s", path);
    SL_CHECK((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & (S_IWGRP | S_IWOTH)),
             SL_EGUARD, "%s must belong to you and be writable by nobody else (chmod go-w)", path);
    return SL_OK;
}

static int read_row(struct sl_site *site, const struct sl_node *n)
{
    struct sl_nearest near = {.word = n->name};
    SL_CHECK(n->kind == SL_NODE_SCALAR, SL_EINPUT, "%s:%d: %s takes one value", n->at.file,
             n->at.line, n->name);
    for (int i = 0; i < ROWS; i++) {
        sl_nearest_try(&near, rows[i].key);
        if (strcmp(rows[i].key, n->name) != 0) continue;
        int code = set(site, &rows[i], n->text);
        if (code == SL_OK) return SL_OK;
        char text[512];
        snprintf(text, sizeof text, "%s", sl_error_text());
        return SL_FAIL_AT(n->at, "%s", text);
    }
    return SL_FAIL_AT(n->name_at, "unknown key '%s'%s%s", sl_quote(n->name).text,
                      near.best ? "; did you mean " : "", near.best ? near.best : "");
}

int sl_site_read(struct sl_site *site, bool *found)
{
    char path[SL_PATH_MAX];
    struct sl_yaml *doc;
    sl_site_default(site);
    if (found) *found = false;
    SL_TRY(sl_site_path(path));
    if (!sl_disk_exists(path)) return SL_OK;
    SL_TRY(check_owner(path));
    SL_TRY(sl_yaml_read(path, &doc));
    int code = !doc->root || doc->root->kind == SL_NODE_MAP
                   ? SL_OK
                   : SL_FAIL(SL_EINPUT, "%s: lines \"key: value\" are wanted", path);
    for (const struct sl_node *n = doc->root ? doc->root->first : NULL; n && code == SL_OK;
         n = n->next)
        code = read_row(site, n);
    sl_yaml_free(doc);
    if (code == SL_OK && found) *found = true;
    return code;
}

void sl_site_each(const struct sl_site *site,
                  void (*each)(const char *key, const char *text, bool number, void *user),
                  void *user)
{
    for (int i = 0; i < ROWS; i++) {
        const char *at = (const char *)site + rows[i].at;
        char number[32];
        long long value = 0;
        if (rows[i].number) memcpy(&value, at, sizeof value);
        snprintf(number, sizeof number, "%lld", value);
        each(rows[i].key, rows[i].number ? number : at, rows[i].number, user);
    }
}

struct printer {
    struct sl_buffer *to;
    int row;
};

static void print_row(const char *key, const char *text, bool number, void *user)
{
    struct printer *p = user;
    sl_buffer_add(p->to, "%s: ", key);
    if (!number) sl_buffer_add(p->to, "\"");
    for (const char *c = text; *c; c++)
        sl_buffer_add(p->to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    const struct row *row = &rows[p->row++];
    sl_buffer_add(p->to, "%s  # %s", number ? "" : "\"", row->about);
    if (row->choices) sl_buffer_add(p->to, ": %s", row->choices);
    sl_buffer_add(p->to, "\n");
}

void sl_site_print(const struct sl_site *site, struct sl_buffer *text)
{
    struct printer p = {.to = text};
    sl_buffer_add(text, "# What this cluster is like, for sluice; `sluice site` wrote it.\n");
    sl_site_each(site, print_row, &p);
}

/* ---- asking Slurm ---------------------------------------------------------------------------- */

/* Value of "Key = value" in what `scontrol show config` prints; "" when it is not there. */
static void config_value(const char *text, const char *key, char *value, size_t size)
{
    *value = '\0';
    for (const char *line = text; line && *line;) {
        size_t n = strcspn(line, "\n"), k = strlen(key);
        if (strncmp(line, key, k) == 0 && (line[k] == ' ' || line[k] == '=')) {
            const char *p = line + k + strspn(line + k, " =");
            snprintf(value, size, "%.*s", (int)(line + n - p), p);
            return;
        }
        line += n + (line[n] == '\n');
    }
}

static int ask(struct sl_answer *answer, const char *program, const char *a, const char *b)
{
    struct sl_args args = {.n = 0};
    sl_args_add(&args, "%s", program);
    if (a) sl_args_add(&args, "%s", a);
    if (b) sl_args_add(&args, "%s", b);
    int code = sl_slurm_call(&args, ask_limit, answer);
    sl_args_release(&args);
    return code;
}

/* "max_array_tasks=500" within SchedulerParameters; 0 when it is not there. */
static long long parameter(const char *list, const char *name)
{
    const char *at = strstr(list, name);
    size_t n = strlen(name);
    return at && at[n] == '=' ? strtoll(at + n + 1, NULL, 10) : 0;
}

/* "CR_CORE_MEMORY,CR_PACK_NODES": whether memory is shared out among jobs. */
static const char *memory_of(const char *list)
{
    return strcasestr(list, "_memory") ? "mem-per-cpu" : "none";
}

void sl_site_learn_config(struct sl_site *site, const char *text, struct sl_buffer *notes)
{
    static const char *const shown[] = {"SLURM_VERSION", "MaxJobCount", "MinJobAge",
                                        "PreemptMode",   "KillWait",    "SlurmdTimeout"};
    char value[1024];
    config_value(text, "MaxArraySize", value, sizeof value);
    if (*value) site->max_array = strtoll(value, NULL, 10);
    config_value(text, "SchedulerParameters", value, sizeof value);
    long long tasks = parameter(value, "max_array_tasks");
    if (tasks > 1 && tasks < site->max_array) site->max_array = tasks;
    config_value(text, "JobRequeue", value, sizeof value);
    if (*value) site->requeue = *value != '0';
    config_value(text, "MaxMemPerNode", value, sizeof value);
    site->node_memory = strtoll(value, NULL, 10); /* or UNLIMITED */
    config_value(text, "SelectTypeParameters", value, sizeof value);
    if (*value) snprintf(site->memory, sizeof site->memory, "%s", memory_of(value));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        config_value(text, shown[i], value, sizeof value);
        if (*value) sl_buffer_add(notes, "%s %s\n", shown[i], value);
    }
}

/* A whole word of a list; "pmix" is also what "pmix_v4" stands for. */
static bool lists(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if ((at == text || strchr(" \n\t,:", at[-1])) && (!at[n] || strchr(" \n\t,_", at[n])))
            return true;
    return false;
}

void sl_site_learn_mpi(struct sl_site *site, const char *text, struct sl_buffer *notes)
{
    static const char *const good[] = {"cray_shasta", "pmi2", "pmix"}; /* the last found counts */
    bool any = false;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!lists(text, good[i])) continue;
        snprintf(site->mpi, sizeof site->mpi, "%s", good[i]);
        sl_buffer_add(notes, "%s%s", any ? ", " : "srun can use ", good[i]);
        any = true;
    }
    sl_buffer_add(notes, any ? "\n" : "srun lists no way that MPI libraries know\n");
}

/* "gpu:2", "gpu:a100:4(S:0-1),nvme:1": the number of GPUs, and their type when it has one. */
static long long parse_gpus(const char *gres, char type[SL_SITE_TEXT])
{
    const char *at = strstr(gres, "gpu:");
    *type = '\0';
    if (!at || (at > gres && at[-1] != ',')) return 0;
    at += 4;
    if (*at < '0' || *at > '9') {
        snprintf(type, SL_SITE_TEXT, "%.*s", (int)strcspn(at, ":,("), at);
        at += strcspn(at, ":,(");
        at += *at == ':';
    }
    return strtoll(at, NULL, 10);
}

/* Is this the partition that jobs go to? The default one is printed with a star. */
static bool is_ours(const char *partition, const char *chosen)
{
    size_t n = strcspn(partition, "*");
    return *chosen ? strlen(chosen) == n && strncmp(partition, chosen, n) == 0 : partition[n];
}

/* A campaign that leaves out every node that there is would wait for a day. */
static void keep_nodes(struct sl_site *site, long long nodes)
{
    if (nodes == 1) site->exclude_after = 0;
    if (nodes > 1 && site->exclude_max > nodes / 2) site->exclude_max = nodes / 2;
}

/* partition|nodes|cores|time limit|generic resources|sharing|MiB of a node */
void sl_site_learn_nodes(struct sl_site *site, char *text, struct sl_buffer *notes)
{
    enum { FIELDS = 7 };
    char *save = text;
    long long ours = 0, most = 0;
    for (char *line; (line = strsep(&save, "\n"));) {
        char *field[FIELDS], type[SL_SITE_TEXT], *rest = line;
        int n = 0;
        while (n < FIELDS && (field[n] = strsep(&rest, "|")))
            n++;
        if (n < FIELDS) continue;
        long long cores = strtoll(field[2], NULL, 10), gpus = parse_gpus(field[4], type);
        bool whole = strncmp(field[5], "EXCLUSIVE", 9) == 0;
        if (cores > 0 && (site->cores == 0 || cores < site->cores)) site->cores = cores;
        if (gpus > site->gpus) site->gpus = gpus;
        sl_buffer_add(notes, "partition %s: %s nodes of %lld cores, %s%s%s%s\n", field[0], field[1],
                      cores, field[3], gpus ? ", " : "", gpus ? field[4] : "",
                      whole ? ", jobs get whole nodes" : "");
        if (whole) site->pack = 0;
        if (!is_ours(field[0], site->partition)) continue;
        ours += strtoll(field[1], NULL, 10);
        long long memory = strtoll(field[6], NULL, 10);
        if (memory > most) most = memory;
        if (strchr(field[6], '+'))
            most = LLONG_MAX; /* some have more, and it is not told how much */
    }
    if (most > 1 && most < LLONG_MAX && (site->node_memory == 0 || most < site->node_memory))
        site->node_memory = most;
    keep_nodes(site, ours);
}

/* Lines "limit|limit": the smallest number that is given. */
void sl_site_learn_limits(struct sl_site *site, const char *text, struct sl_buffer *notes)
{
    long long least = 0;
    for (const char *p = text; *p;) {
        char *end;
        long long value = strtoll(p, &end, 10);
        if (end != p && value > 0 && (least == 0 || value < least)) least = value;
        p = end == p ? p + 1 : end;
    }
    if (least == 0) return;
    site->max_submit = least;
    sl_buffer_add(notes, "accounting lets %lld tasks be submitted\n", least);
}

static void learn_mpi(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    if (ask(&a, "srun", "--mpi=list", NULL) == SL_OK && a.code == 0) {
        sl_buffer_bytes(&a.out, a.err.s ? a.err.s : "", a.err.n); /* 22.05 prints it as a message */
        if (a.out.s) sl_site_learn_mpi(site, a.out.s, notes);
    }
    sl_answer_release(&a);
    if (sl_child_find("mpirun") != SL_OK) snprintf(site->launch, sizeof site->launch, "srun");
}

static void learn_nodes(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    site->cores = site->gpus = 0; /* of the nodes that are there now */
    if (ask(&a, "sinfo", "--noheader", "--format=%P|%D|%c|%l|%G|%h|%m") == SL_OK && a.code == 0 &&
        a.out.s)
        sl_site_learn_nodes(site, a.out.s, notes);
    sl_answer_release(&a);
}

/* What the associations and the qualities of service of this user allow. */
static void learn_limits(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    struct sl_args args = {.n = 0};
    const struct passwd *me = getpwuid(geteuid());
    sl_args_add(&args, "sacctmgr");
    sl_args_add(&args, "--noheader");
    sl_args_add(&args, "--parsable2");
    sl_args_add(&args, "show");
    sl_args_add(&args, "assoc");
    sl_args_add(&args, "where");
    sl_args_add(&args, "user=%s", me ? me->pw_name : "");
    sl_args_add(&args, "format=MaxSubmitJobs,GrpSubmitJobs");
    if (sl_slurm_call(&args, ask_limit, &a) == SL_OK && a.code == 0 && a.out.s)
        sl_site_learn_limits(site, a.out.s, notes);
    sl_args_release(&args);
    sl_answer_release(&a);
}

static void learn_accounting(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    site->accounting = ask(&a, "sacct", "--noheader", "--starttime=now") == SL_OK && a.code == 0;
    sl_buffer_add(notes, "sacct %s\n",
                  site->accounting ? "answers" : "does not answer; not needed");
    sl_answer_release(&a);
    if (site->accounting) learn_limits(site, notes);
}

int sl_site_detect(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    int code = ask(&a, "scontrol", "show", "config");
    if (code == SL_OK && a.code != 0)
        code = SL_FAIL(SL_EUNAVAIL, "Slurm does not answer: %.300s", sl_answer_line(&a));
    if (code == SL_OK) sl_site_learn_config(site, a.out.s, notes);
    sl_answer_release(&a);
    SL_TRY(code);
    learn_mpi(site, notes);
    learn_nodes(site, notes);
    learn_accounting(site, notes);
    return SL_OK;
}
