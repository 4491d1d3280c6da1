/* preflight.c - see preflight.h. */
#include "core/sys/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { NODE_MAX = 72, SEEN_MAX = 56, LINE_MAX_ = 900 };

struct place {
    char node[NODE_MAX];
    char seen[SEEN_MAX]; /* GPUs */
};

static long wanted(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static void find_place(struct place *p)
{
    const char *node = getenv("SLURMD_NODENAME"), *seen = getenv("CUDA_VISIBLE_DEVICES");
    memset(p, 0, sizeof *p);
    if (node && *node)
        snprintf(p->node, sizeof p->node, "%s", node);
    else if (gethostname(p->node, sizeof p->node - 1) != 0)
        snprintf(p->node, sizeof p->node, "?");
    snprintf(p->seen, sizeof p->seen, "%s", seen ? seen : "any"); /* not set: nothing is hidden */
}

/* ---- the checks ------------------------------------------------------------------------------ */

static int check_world(MPI_Comm comm)
{
    int size;
    long ranks = wanted("SLUICE_RANKS");
    MPI_Comm_size(comm, &size);
    if (size == ranks) return SL_OK;
    return SL_FAIL(SL_EUNAVAIL,
                   "%ld ranks were started, but MPI joined %d: the launcher and the MPI library do "
                   "not fit; `launch` and `mpi` of the site file choose others (`sluice site`)",
                   ranks, size);
}

static bool is_blind(const struct place *p)
{
    return wanted("SLUICE_GPUS") > 0 && (*p->seen == '\0' || strcmp(p->seen, "NoDevFiles") == 0);
}

static int check_gpu(const struct place *p, int rank)
{
    SL_CHECK(!is_blind(p), SL_EUNAVAIL,
             "rank %d on %s sees no GPU (CUDA_VISIBLE_DEVICES is empty) although %ld were asked "
             "for: see gpus, gpu_request and gpu_bind of the site file",
             rank, p->node, wanted("SLUICE_GPUS"));
    return SL_OK;
}

static int check_write(const struct place *p, int rank)
{
    char path[64], here[256];
    if (!getcwd(here, sizeof here)) here[0] = '\0';
    snprintf(path, sizeof path, "preflight.%d.tmp", rank);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), why = errno;
    bool whole = fd >= 0 && write(fd, path, sizeof path) == (ssize_t)sizeof path;
    if (fd >= 0 && !whole) why = errno;
    if (fd >= 0) close(fd);
    if (fd >= 0) unlink(path);
    SL_CHECK(whole, SL_EIO, "rank %d on %s cannot write in %s: %s", rank, p->node, here,
             strerror(why));
    return SL_OK;
}

static bool first_of_node(const struct place *all, int rank)
{
    for (int i = 0; i < rank; i++)
        if (strcmp(all[i].node, all[rank].node) == 0) return false;
    return true;
}

/* ---- the map --------------------------------------------------------------------------------- */

struct line {
    char text[LINE_MAX_];
    size_t used;
};

static void add(struct line *l, const char *text)
{
    size_t n = strlen(text);
    if (l->used + n + 5 > sizeof l->text) { /* room for the dots */
        if (l->used + 4 <= sizeof l->text) memcpy(l->text + l->used, " ..", 4);
        l->used = sizeof l->text;
        return;
    }
    memcpy(l->text + l->used, text, n + 1);
    l->used += n;
}

/* The dots are there: nothing more is looked up, so that the map of 10^5 ranks costs no 10^10
 * comparisons. */
static bool is_full(const struct line *l)
{
    return l->used == sizeof l->text;
}

/* "n1: ranks 0 1 on GPU 0 1" */
static void add_node(struct line *l, const struct place *all, int size, int first)
{
    char text[128];
    bool gpus = wanted("SLUICE_GPUS") > 0;
    snprintf(text, sizeof text, "%s%s:", l->used ? "; " : "", all[first].node);
    add(l, text);
    for (int i = first; i < size && !is_full(l); i++) {
        if (strcmp(all[i].node, all[first].node) != 0) continue;
        snprintf(text, sizeof text, gpus ? " %d on GPU %s" : " %d", i, all[i].seen);
        add(l, text);
    }
}

static void log_map(const struct place *all, int size)
{
    struct line l = {.used = 0};
    for (int i = 0; i < size && !is_full(&l); i++)
        if (first_of_node(all, i)) add_node(&l, all, size, i);
    sl_log(SL_LOG_NOTE, "preflight: %d ranks, by node %s", size, l.text);
}

static void note_blind(const struct place *all, int size)
{
    int blind = 0;
    while (blind < size && !is_blind(all + blind))
        blind++;
    if (blind < size)
        sl_log(SL_LOG_NOTE,
               "preflight: rank %d on %s sees no GPU although %ld were requested: on the processor",
               blind, all[blind].node, wanted("SLUICE_GPUS"));
}

int sl_preflight(MPI_Comm comm, bool needs_gpu)
{
    struct place own, *all;
    int rank, size;
    if (wanted("SLUICE_RANKS") <= 0) return SL_OK;
    SL_TRY(check_world(comm)); /* every rank sees the same sizes */
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    all = calloc((size_t)size, sizeof *all);
    int code = sl_agree(comm, all ? SL_OK : SL_FAIL(SL_EMEM, "no memory for %d ranks", size));
    if (code == SL_OK) {
        find_place(&own);
        MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, comm);
        code = needs_gpu ? check_gpu(&own, rank) : SL_OK;
        if (code == SL_OK && first_of_node(all, rank)) code = check_write(&own, rank);
        code = sl_agree(comm, code);
    }
    if (code == SL_OK && rank == 0) log_map(all, size);
    if (code == SL_OK && rank == 0 && !needs_gpu) note_blind(all, size);
    free(all);
    return code;
}
