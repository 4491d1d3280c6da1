/* verb.h - what a subcommand of sluice is: one file cmd/cmd_<verb>.c that defines
 * `const struct sl_verb sl_verb_<verb>`. The Makefile finds verbs by their file names:
 *
 *   static int run(int argc, char **argv) { .. }
 *   const struct sl_verb sl_verb_hello = {"hello", "NAME", "greets", "", run};
 *
 * Shapes  none
 * Units   none
 * Errors  run returns a status of core/sys/status.h, which becomes the exit code
 * Owns    nothing
 * MPI     none: the command line links no MPI
 * Where   host
 * Refs    none
 * Tests   tests/cli/version.sh, tests/cli/recipe.sh
 */
#ifndef SL_CMD_VERB_H
#define SL_CMD_VERB_H

/* X(name, what `sluice --help` writes above the verbs of the group), in that order. */
#define SL_VERB_GROUP_LIST(X)                                                                      \
    X(start, "start")                                                                              \
    X(watch, "watch")                                                                              \
    X(mend, "mend")                                                                                \
    X(results, "results")                                                                          \
    X(cluster, "on a cluster")                                                                     \
    X(other, "other")
#define SL_VERB_GROUP_ENUM(name, title) SL_VERB_##name,
enum sl_verb_group { SL_VERB_GROUP_LIST(SL_VERB_GROUP_ENUM) };

struct sl_verb {
    enum sl_verb_group group;
    const char *name;
    const char *usage; /* what follows the verb, e.g. "CAMPAIGN [--json]" */
    const char *about; /* one sentence for `sluice --help` */
    const char *help;  /* options, one per line; may be "" */
    /* argv[0] is the verb; returns a status, its text recorded with SL_FAIL */
    int (*run)(int argc, char **argv);
};

/* All verbs, sorted by name, ended by NULL. */
extern const struct sl_verb *const sl_verbs[];

#endif
