/* child.h - starts programs: argument lists, never a shell; each in a process group of its own and
 * told to end when the one that started it dies.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUNAVAIL when a program is not found, SL_EIO, SL_EMEM
 * Owns    nothing; the child is the caller's to wait for
 * MPI     local; no MPI call is made here
 * Where   host, Linux (prctl, /proc)
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_LAUNCH_CHILD_H
#define SL_PIPELINE_LAUNCH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "pipeline/base/disk.h"

enum { SL_ARGS_MAX = 96 };

/* Argument list built piece by piece; the texts are its own. */
struct sl_args {
    char *list[SL_ARGS_MAX + 1];
    int n;
    bool full;
};

void sl_args_add(struct sl_args *args, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sl_args_release(struct sl_args *args);

struct sl_child {
    struct sl_args args; /* args.list[0] is looked up in PATH when it holds no slash */
    const char *dir;     /* working directory, NULL: the present one */
    const char *token;   /* SLUICE_TASK of the child; NULL: none */
    const char *devices; /* CUDA_VISIBLE_DEVICES of the child; NULL or "": as ours */
    /* where its Open MPI keeps what its ranks share (mpi_dir.h); NULL or "": as ours */
    const char *mpi_dir;
    int out, err; /* descriptors of its output, -1: as ours */
    int on_death; /* signal it gets when we die */
};

int sl_child_start(const struct sl_child *child, pid_t *pid);

/* Runs a program to its end; its standard output comes back in text[size], cut where it does not
 * fit, its exit code in *code. */
int sl_child_capture(const struct sl_child *child, char *text, size_t size, int *code);

/* Blocks n signals of this process, which sigtimedwait then takes from set; old (may be NULL): what
 * was blocked before. Not a hangup that is ignored, as behind nohup. */
void sl_child_block(const int *list, int n, sigset_t *set, sigset_t *old);

/* SL_EUNAVAIL unless PATH has the program. */
int sl_child_find(const char *program);

/* "exit code 3 (sentence)" or "killed by signal 9 (Killed)" of a status of wait(). */
void sl_child_ending(int status, char *text, size_t size);
/* Exit code as a shell would give it: 128 + signal for a signal. */
int sl_child_code(int status);

#endif
