/* batch_options.c - see batch_options.h. */
#include "core/sys/batch_options.h"

#include <stdio.h>
#include <string.h>

static const char *const allowed[] = {"mail-type",
                                      "mail-user",
                                      "reservation",
                                      "begin",
                                      "licenses",
                                      "nice",
                                      "priority",
                                      "exclude",
                                      "exclusive",
                                      "prefer",
                                      "contiguous",
                                      "switches",
                                      "distribution",
                                      "ntasks-per-node",
                                      "ntasks-per-core",
                                      "threads-per-core",
                                      "core-spec",
                                      "thread-spec",
                                      "hint",
                                      "mem-bind",
                                      "cpu-freq",
                                      "gpu-freq",
                                      "tmp",
                                      "network",
                                      "power",
                                      "bb",
                                      "wckey",
                                      "comment"};

/* Options that are keys of the recipe. */
static const struct {
    const char *option, *key;
} keys[] = {{"account", "slurm.account"},
            {"partition", "slurm.partition"},
            {"qos", "slurm.qos"},
            {"constraint", "slurm.constraint"},
            {"gres", "slurm.gres"},
            {"gpus", "resources.gpus"},
            {"gpus-per-node", "resources.gpus"},
            {"mem", "resources.memory"},
            {"mem-per-cpu", "resources.memory"},
            {"nodes", "resources.nodes"},
            {"ntasks", "resources.ranks"},
            {"time", "resources.walltime"}};

bool sl_batch_option_next(const char **at, char word[SL_BATCH_WORD])
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " ");
    snprintf(word, SL_BATCH_WORD, "%.*s", (int)n, *at);
    *at += n;
    return n > 0;
}

static bool is_allowed(const char *name)
{
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(name, allowed[i]) == 0) return true;
    return false;
}

/* Those that sluice joins with its own: the next word would be taken for the value. */
static bool wants_value(const char *name)
{
    return strcmp(name, "comment") == 0 || strcmp(name, "exclude") == 0;
}

static const char *key_of(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(name, keys[i].option) == 0) return keys[i].key;
    return NULL;
}

bool sl_batch_options_fault(const char *list, char text[3 * SL_BATCH_WORD])
{
    char word[SL_BATCH_WORD], name[SL_BATCH_WORD];
    while (sl_batch_option_next(&list, word)) {
        if (strncmp(word, "--", 2) != 0 || word[2] == '\0' || word[2] == '=') {
            snprintf(text, 3 * SL_BATCH_WORD, "'%s': write --name=value", word);
            return true;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        bool alone = strchr(word, '=') == NULL && wants_value(name);
        if (alone) snprintf(text, 3 * SL_BATCH_WORD, "'%s': write --%s=value", word, name);
        if (alone) return true;
        if (is_allowed(name)) continue;
        const char *key = key_of(name);
        snprintf(text, 3 * SL_BATCH_WORD, "'--%s' %s%s", name,
                 key ? "is given by " : "is sluice's own, or none that may be added",
                 key ? key : "");
        return true;
    }
    return false;
}
