/* sluice-ic.c - makes the initial fields of one run: sluice-ic RUN [key=value ...]
 *
 * Reads RUN, a member's run.yaml, and writes ic.h5 beside it (run.input when given).
 *
 * sluice-ic --orders NAME does run after run as it is told (core/sys/orders.h).
 *
 * sluice-ic --export CODE ic.h5 DIRECTORY writes a start of a universe for another code; on one
 * rank.
 *
 * Shapes  core/ic/turbulence_file.h, core/ic/cosmology_file.h, core/ic/start.h
 * Units   as these say
 * Errors  exit codes of core/sys/status.h; ic.h5 is complete or not there
 * Owns    nothing
 * MPI     program of any number of ranks; the file's fields do not depend on it
 * Where   host
 * Refs    none
 * Tests   tests/law/ic.sh, tests/law/cosmology.sh, tests/law/starts.sh
 */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/bcast.h"
#include "core/config/config.h"
#include "core/ic/cosmology_file.h"
#include "core/ic/start.h"
#include "core/ic/turbulence_file.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/orders.h"
#include "core/sys/peak.h"
#include "core/sys/preflight.h"
#include "core/sys/status.h"

static void stop(void)
{
    MPI_Abort(MPI_COMM_WORLD, SL_EGUARD);
}

/* The directory of the run becomes the working directory, so that paths in it are relative to it.
 */
static int enter(const char *run)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, run));
    SL_CHECK(chdir(dir) == 0, sl_file_status(errno), "cannot enter the directory %s: %s", dir,
             strerror(errno));
    return SL_OK;
}

static int make(void *context)
{
    const struct sl_config *cfg = context;
#define NEEDS_IC(name, ic, about) ic,
    static const int needs_ic[] = {SL_PROBLEM_NAMES(NEEDS_IC)};
#undef NEEDS_IC
    const char *path = cfg->run_input[0] ? cfg->run_input : "ic.h5";
    SL_CHECK(needs_ic[cfg->problem], SL_EINPUT,
             "problem %s has no random start: sluice-sim begins from its formula, there is nothing "
             "for sluice-ic to make",
             sl_choice_name("problem", cfg->problem));
    SL_CHECK(cfg->problem != SL_PROBLEM_cosmology || !cfg->ic_file[0], SL_EINPUT,
             "ic.file: %s is the start: there is nothing for sluice-ic to make", cfg->ic_file);
    if (cfg->problem == SL_PROBLEM_cosmology)
        return sl_cosmology_file_write(MPI_COMM_WORLD, cfg, path);
    return sl_turbulence_file_write(MPI_COMM_WORLD, cfg, path);
}

static int make_start(int argc, char **argv)
{
    struct sl_config cfg;
    SL_CHECK(argc >= 2 && argv[1][0] != '-', SL_EUSAGE,
             "usage: sluice-ic RUN.yaml [key=value ...], or sluice-ic --export CODE FILE DIRECTORY "
             "[grid|particles]");
    SL_TRY(sl_config_bcast(MPI_COMM_WORLD, argv[1], argv + 2, argc - 2, &cfg));
    sl_config_stage(&cfg, SL_CONFIG_ic, &cfg);
    SL_TRY(sl_agree(MPI_COMM_WORLD, enter(argv[1])));
    SL_TRY(sl_preflight(MPI_COMM_WORLD, false));
    return sl_agree_work(MPI_COMM_WORLD, make, &cfg, cfg.resources_hang);
}

static int export(int argc, char **argv)
{
    bool displaced = argc > 5 && strcmp(argv[5], "particles") == 0;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    SL_CHECK(size == 1, SL_EUSAGE, "--export runs on one rank, not on %d", size);
    return sl_start_export(argv[2], argv[3], argv[4], displaced);
}

static int whole(int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = (argc == 5 || argc == 6) && strcmp(argv[1], "--export") == 0
                   ? export(argc, argv)
                   : make_start(argc, argv);
    if (code != SL_OK && rank == 0) sl_log(SL_LOG_ERROR, "%s", sl_error_text());
    if (code == SL_OK) sl_peak_tell(MPI_COMM_WORLD);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sl_on_bug = stop;
    int code = sl_orders_or(argc, argv, whole, whole);
    MPI_Finalize();
    return code;
}
