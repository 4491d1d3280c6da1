/* history.c - see history.h. */
#include "core/io/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/scale.h"
#include "core/cosmo/expansion.h"
#include "core/mesh/hierarchy.h"
#include "core/state/field.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/mem.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

enum { HISTORY_CAP = 1 << 30 };
/* Names come first, as programs that read tables expect them; histories of older programs begin
 * with the second line. */
#define NAMES_BEGIN "time["
#define FIRST_LINE  "# sluice history 1\n"

struct sl_history {
    int fd;
    int64_t size; /* of the file, and the checksum of that */
    uint32_t crc;
    char path[SL_PATH_MAX];
};

double sl_history_source(const struct sl_state *state, const struct sl_totals *t, const char *name)
{
    const struct sl_component *c = &state->component;
    for (int i = 0; i < c->ncolumn; i++)
        if (strcmp(c->column[i].name, name) == 0) return t->source[i];
    return NAN;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Columns for the cells of each level: a uniform mesh has none. */
static int level_columns(const struct sl_state *state)
{
    return state->cfg->mesh_levels > 0 ? 1 + (int)state->cfg->mesh_levels : 0;
}

/* The file holds this text. */
static void hold(struct sl_history *h, const char *text, size_t n)
{
    h->size = (int64_t)n;
    h->crc = sl_crc32c(0, text, n);
}

static void add_head(FILE *f, const struct sl_scale *scale, const char *name, const char *unit)
{
    char text[128];
    sl_scale_say(scale, unit, text, sizeof text);
    fprintf(f, "%s%s[%s]", ftell(f) > 0 ? "\t" : "", name,
            strncmp(text, "code", 4) == 0 ? "code" : text);
}

/* What the code units of a universe are (core/cosmo/expansion.h): they are not keys. */
static void add_universe(FILE *f, const struct sl_state *state)
{
    double l, rho, v;
    if (!state->expansion) return;
    sl_expansion_units(state->expansion, 1, &l, &rho, &v);
    fprintf(f,
            "# units supercomoving: length %.7g cm comoving, density %.7g g/cm^3 comoving, "
            "velocity %.7g cm/s of a v, time %.7g s of dt / a^2, energy %.7g erg of a^2 E\n",
            l, rho, v, l / v, rho * l * l * l * v * v);
}

static int write_head(const struct sl_state *state, struct sl_history *h,
                      const struct sl_provenance *p)
{
    const char *path = h->path;
    const struct sl_scale scale = sl_scale_of(state->cfg);
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    SL_CHECK(f, SL_EMEM, "no memory for the head of %s", path);
#define HEAD(name, unit, about)                         add_head(f, &scale, #name, unit);
#define HEAD_OF_STATE(name, unit, about, format, value) HEAD(name, unit, about)
    SL_HISTORY_CLOCK_LIST(HEAD_OF_STATE)
    if (state->layout.nvar > 0) {
        SL_HISTORY_LIST(HEAD)
    }
    if (state->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(HEAD)
    }
    for (int i = 0; i < state->component.ncolumn; i++)
        add_head(f, &scale, state->component.column[i].name, state->component.column[i].unit);
    if (state->expansion) {
        SL_HISTORY_EXPANSION_LIST(HEAD)
    }
    SL_HISTORY_LAST_LIST(HEAD_OF_STATE)
#undef HEAD_OF_STATE
#undef HEAD
    for (int l = 0; l < level_columns(state); l++)
        fprintf(f, "\tcells_level_%d[1]", l);
    fputs("\n" FIRST_LINE, f);
    add_universe(f, state);
    for (int i = 0; i < p->n; i++)
        if (p->item[i].repeatable) fprintf(f, "# %s %s\n", p->item[i].key, p->item[i].value);
    SL_CHECK(fclose(f) == 0, SL_EMEM, "no memory for the head of %s", path);
    int code = sl_file_replace(path, text, n, SL_DURABLE);
    hold(h, text, n);
    free(text);
    return code;
}

/* Length of the file up to the first line that is of a later step, or not whole. */
static size_t good_length(const char *text, int64_t step)
{
    const char *at = text;
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        if (*at == '#' || *at == 't') continue;
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab || strtoll(tab + 1, NULL, 10) > step) break;
    }
    return (size_t)(at - text);
}

static int check_head(const char *path, const char *text)
{
    SL_CHECK(strncmp(text, NAMES_BEGIN, strlen(NAMES_BEGIN)) == 0 ||
                 strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0,
             SL_EINPUT, "%s is not a history of this program", path);
    return SL_OK;
}

/* The first n bytes of the file, with a zero behind them; *text is the caller's to free. */
static int read_first(const char *path, size_t n, char **text)
{
    SL_TRY(sl_alloc("the history", n + 1, 1, text));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int code = fd >= 0
                   ? sl_pread_all(fd, *text, n, 0, path)
                   : SL_FAIL(sl_file_status(errno), "cannot open %s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    if (code != SL_OK) free(*text);
    return code;
}

/* text: what stays of the file. It may have changed since it was compared, and what replaces it
 * must be what was sealed. */
static int cut_sealed(const char *path, const struct sl_sealed_file *f, const char *text)
{
    SL_CHECK(sl_crc32c(0, text, (size_t)f->size) == f->crc, SL_EIO,
             "%s is not what the checkpoint sealed", path);
    return sl_file_replace(path, text, (size_t)f->size, SL_DURABLE);
}

/* The checkpoint that was read knows a file's length and checksum, and has compared them: what came
 * later is cut off, as it is made again, and where nothing came later no more than the head is
 * read. */
static int go_on_sealed(struct sl_history *h, const struct sl_sealed_file *f, int64_t size)
{
    char *text = NULL;
    int64_t head = (int64_t)strlen(FIRST_LINE);
    bool cut = f->size < size;
    SL_TRY(read_first(h->path, (size_t)(cut || f->size < head ? f->size : head), &text));
    int code = check_head(h->path, text);
    if (code == SL_OK && cut) code = cut_sealed(h->path, f, text);
    free(text);
    h->size = f->size, h->crc = f->crc;
    return code;
}

/* Without one the step says where lines are of later. */
static int go_on_unsealed(struct sl_history *h, int64_t step)
{
    char *text;
    size_t n;
    SL_TRY(sl_file_read(h->path, HISTORY_CAP, &text, &n));
    int code = check_head(h->path, text);
    size_t good = good_length(text, step);
    if (code == SL_OK && good < n) code = sl_file_replace(h->path, text, good, SL_DURABLE);
    hold(h, text, good);
    free(text);
    return code;
}

static int go_on(const struct sl_state *state, struct sl_history *h, const struct sl_provenance *p)
{
    const struct sl_sealed_file *f = state->sealed ? sl_sealed_find(state->sealed, h->path) : NULL;
    struct stat now;
    if (stat(h->path, &now) != 0) {
        SL_CHECK(sl_file_missing(errno), SL_EIO, "cannot look at %s: %s", h->path, strerror(errno));
        sl_log(SL_LOG_WARN, "%s is gone: the times before step %" PRId64 " are lost", h->path,
               state->step);
        return write_head(state, h, p);
    }
    bool sealed = f && S_ISREG(now.st_mode) && f->size <= now.st_size;
    return sealed ? go_on_sealed(h, f, now.st_size) : go_on_unsealed(h, state->step);
}

/* Tells the run's list of files what the history is by now. */
static int seal(const struct sl_history *h, const struct sl_state *state)
{
    return state->sealed ? sl_sealed_set(state->sealed, h->path, h->size, h->crc, true) : SL_OK;
}

static int open_here(const struct sl_state *state, const char *path, bool resumed,
                     const struct sl_provenance *p, struct sl_history **out)
{
    struct sl_history *h = calloc(1, sizeof *h);
    SL_CHECK(h, SL_EMEM, "no memory for the history");
    int code = sl_path_join(h->path, "", path);
    if (code == SL_OK) code = sl_file_sweep(path);
    if (code == SL_OK) code = resumed ? go_on(state, h, p) : write_head(state, h, p);
    if (code == SL_OK) code = seal(h, state);
    if (code == SL_OK) {
        h->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
        if (h->fd < 0) code = SL_FAIL(SL_EIO, "cannot open %s: %s", path, strerror(errno));
    }
    if (code == SL_OK)
        *out = h;
    else
        free(h);
    return code;
}

int sl_history_open(const struct sl_state *state, const char *path, bool resumed,
                    const struct sl_provenance *p, struct sl_history **out)
{
    *out = NULL;
    int code = state->mesh->rank == 0 ? open_here(state, path, resumed, p, out) : SL_OK;
    return sl_agree(state->mesh->comm, code);
}

static int add_line(struct sl_history *h, const struct sl_state *state, const struct sl_totals *t)
{
    char line[2048];
    int n = 0;
#define OF_STATE(name, unit, about, format, value)                                                 \
    n += snprintf(line + n, sizeof line - (size_t)n, n ? "\t" format : format, value);
    SL_HISTORY_CLOCK_LIST(OF_STATE)
#define VALUE(name, unit, about)                                                                   \
    n += snprintf(line + n, sizeof line - (size_t)n, "\t%.17g", t->name);
    if (state->layout.nvar > 0) {
        SL_HISTORY_LIST(VALUE)
    }
    if (state->layout.magnetic >= 0) {
        SL_HISTORY_MHD_LIST(VALUE)
    }
    for (int i = 0; i < state->component.ncolumn; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%.17g", t->source[i]);
    if (state->expansion) {
        SL_HISTORY_EXPANSION_LIST(VALUE)
    }
#undef VALUE
    SL_HISTORY_LAST_LIST(OF_STATE)
#undef OF_STATE
    for (int l = 0; l < level_columns(state); l++)
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%" PRId64,
                      state->hierarchy->count[l] * (int64_t)sl_field_cells(state->mesh));
    n += snprintf(line + n, sizeof line - (size_t)n, "\n");
    SL_TRY(sl_write_all(h->fd, line, (size_t)n, h->path));
    h->size += n;
    h->crc = sl_crc32c(h->crc, line, (size_t)n);
    return seal(h, state);
}

int sl_history_add(struct sl_history *h, const struct sl_state *state, const struct sl_totals *t)
{
    return sl_agree(state->mesh->comm, h ? add_line(h, state, t) : SL_OK);
}

int sl_history_flush(struct sl_history *h, const struct sl_state *state)
{
    int code = SL_OK;
    if (h && fsync(h->fd) != 0)
        code = SL_FAIL(SL_EIO, "cannot flush %s: %s", h->path, strerror(errno));
    return sl_agree(state->mesh->comm, code);
}

void sl_history_close(struct sl_history *h)
{
    if (!h) return;
    close(h->fd);
    free(h);
}
