/* provenance.c - see provenance.h. */
#include "core/io/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build_info.h"
#include "core/cell/fn.h"
#include "core/config/config.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

void sl_provenance_add(struct sl_provenance *p, bool repeatable, const char *key, const char *fmt,
                       ...)
{
    if (p->n == SL_PROVENANCE_MAX) SL_BUG("more than %d provenance keys", SL_PROVENANCE_MAX);
    char *value = p->item[p->n].value;
    snprintf(p->item[p->n].key, sizeof p->item[p->n].key, "%s", key);
    va_list args;
    va_start(args, fmt);
    vsnprintf(value, SL_PROVENANCE_TEXT, fmt, args);
    va_end(args);
    for (char *c = value; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    p->item[p->n++].repeatable = repeatable;
}

const char *sl_provenance_get(const struct sl_provenance *p, const char *key)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->item[i].key, key) == 0) return p->item[i].value;
    return "";
}

static int file_crc(const char *path, uint32_t *crc)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, sl_file_status(errno), "cannot open %s: %s", path, strerror(errno));
    size_t size = (size_t)1 << 20;
    char *buffer = malloc(size);
    ssize_t n = -1;
    for (*crc = 0; buffer && (n = read(fd, buffer, size)) > 0;)
        *crc = sl_crc32c(*crc, buffer, (size_t)n);
    free(buffer);
    close(fd);
    SL_CHECK(n == 0, SL_EIO, "cannot read %s", path);
    return SL_OK;
}

static void add_libraries(struct sl_provenance *p)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    unsigned major, minor, release;
    MPI_Get_library_version(mpi, &length);
    char *end = strpbrk(mpi, ",\n");
    if (end) *end = '\0';
    H5get_libversion(&major, &minor, &release);
    sl_provenance_add(p, false, "mpi", "%s", mpi);
    sl_provenance_add(p, false, "hdf5", "%u.%u.%u", major, minor, release);
}

static void add_start(struct sl_provenance *p, int ranks)
{
    char host[128] = "", when[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    sl_provenance_add(p, false, "host", "%s", host);
    sl_provenance_add(p, false, "ranks", "%d", ranks);
    sl_provenance_add(p, false, "started", "%s", when);
}

static int add_input(struct sl_provenance *p, const char *path)
{
    uint32_t crc = 0;
    if (!*path) return SL_OK;
    SL_TRY(file_crc(path, &crc));
    sl_provenance_add(p, true, "input", "%s", path);
    sl_provenance_add(p, true, "input_crc32c", "%08" PRIx32, crc);
    return SL_OK;
}

/* The file a run starts from, "" when it starts from a formula. */
static const char *input_of(const struct sl_config *cfg)
{
#define NEEDS_IC(name, ic, about) ic,
    static const int needs_ic[] = {SL_PROBLEM_NAMES(NEEDS_IC)};
#undef NEEDS_IC
    if (cfg->run_input[0]) return cfg->run_input;
    if (sl_config_without_ic(cfg)) return cfg->ic_file;
    return needs_ic[cfg->problem] ? "ic.h5" : "";
}

static int make(int ranks, const struct sl_config *cfg, struct sl_provenance *p)
{
    const char *dirty = strstr(SL_BUILD_COMMIT, "-dirty");
    sl_provenance_add(p, true, "campaign", "%s", cfg->campaign);
    sl_provenance_add(p, true, "member", "%s", cfg->run_member);
    sl_provenance_add(p, true, "recipe_hash", "%s", cfg->run_recipe_hash);
    sl_provenance_add(p, true, "problem", "%s", sl_choice_name("problem", cfg->problem));
    sl_provenance_add(p, true, "seed", "%" PRId64, cfg->seed);
    sl_provenance_add(p, true, "code", "sluice %s", SL_BUILD_COMMIT);
    sl_provenance_add(p, true, "code_modified", "%s", dirty ? "yes" : "no");
    sl_provenance_add(p, true, "compiler", "%s", SL_BUILD_COMPILER);
    sl_provenance_add(p, true, "flags", "%s", SL_BUILD_FLAGS);
    sl_provenance_add(p, true, "arithmetic", "%zu bits", 8 * sizeof(sl_real));
    SL_TRY(add_input(p, input_of(cfg)));
    add_libraries(p);
    add_start(p, ranks);
    return SL_OK;
}

int sl_provenance_make(MPI_Comm comm, const struct sl_config *cfg, struct sl_provenance *out)
{
    struct sl_provenance p = {.n = 0};
    int rank, size, code = SL_OK;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0) code = make(size, cfg, &p);
    SL_TRY(sl_agree(comm, code));
    MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, comm);
    *out = p;
    return SL_OK;
}
