/* detect.c - see detect.h. */
#include "pipeline/slurm/detect.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/slurm/call.h"

static const double ask_limit = 30;

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

void sl_slurm_learn_config(struct sl_site *site, const char *text, struct sl_buffer *notes)
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

void sl_slurm_learn_mpi(struct sl_site *site, const char *text, struct sl_buffer *notes)
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
void sl_slurm_learn_nodes(struct sl_site *site, char *text, struct sl_buffer *notes)
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
            most = LLONG_MAX; /* some have more, and it is not said how much */
    }
    if (most > 1 && most < LLONG_MAX && (site->node_memory == 0 || most < site->node_memory))
        site->node_memory = most;
    keep_nodes(site, ours);
}

/* Lines "limit|limit": the smallest number that is given. */
void sl_slurm_learn_limits(struct sl_site *site, const char *text, struct sl_buffer *notes)
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
        if (a.out.s) sl_slurm_learn_mpi(site, a.out.s, notes);
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
        sl_slurm_learn_nodes(site, a.out.s, notes);
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
        sl_slurm_learn_limits(site, a.out.s, notes);
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

int sl_slurm_detect(struct sl_site *site, struct sl_buffer *notes)
{
    struct sl_answer a;
    int code = ask(&a, "scontrol", "show", "config");
    if (code == SL_OK && a.code != 0)
        code = SL_FAIL(SL_EUNAVAIL, "Slurm does not answer: %.300s", sl_answer_line(&a));
    if (code == SL_OK) sl_slurm_learn_config(site, a.out.s, notes);
    sl_answer_release(&a);
    SL_TRY(code);
    learn_mpi(site, notes);
    learn_nodes(site, notes);
    learn_accounting(site, notes);
    return SL_OK;
}
