/* mpi_dir.c - see mpi_dir.h. */
#include "pipeline/launch/mpi_dir.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "pipeline/base/disk.h"

/* Where Open MPI would make its own. */
static const char *base(void)
{
    static const char *const names[] = {SL_MPI_DIR_NAME, "TMPDIR", "TEMP", "TMP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return "/tmp";
}

/* Open MPI refuses ours beside these. */
static bool chosen(void)
{
    return getenv("OMPI_MCA_orte_local_tmpdir_base") || getenv("OMPI_MCA_orte_remote_tmpdir_base");
}

/* The key of a dead attempt comes from a file: none leads anywhere else. */
static int name(char path[SL_PATH_MAX], const char *key)
{
    SL_CHECK(*key && !strchr(key, '/'), SL_EINPUT, "'%s' is no token", key);
    return sl_disk_join(path, "%s/sluice-mpi-%s", base(), key);
}

int sl_mpi_dir_make(char path[SL_PATH_MAX], const struct sl_launch *launch, const char *key)
{
    *path = '\0';
    if (!sl_launch_here(launch) || chosen()) return SL_OK;
    SL_TRY(name(path, key));
    return sl_mkdir_all(path);
}

void sl_mpi_dir_remove(const char *key)
{
    char path[SL_PATH_MAX];
    if (name(path, key) == SL_OK) sl_disk_remove(path);
}
