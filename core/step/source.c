/* source.c - the sources of a run, one after the other; see source.h. */
#include "core/step/source.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/step/sim.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* A sim that only holds a state, as those of tests, has none. */
static struct sl_sources *of(const struct sl_sim *sim)
{
    static struct sl_sources none;
    return sim->sources ? sim->sources : &none;
}

/* ---- what they are of the state ------------------------------------------------------------- */

static size_t size_of(const struct sl_source_use *use)
{
    return (use->row->size ? use->row->size(use->data) : 0) + (use->row->advance ? 1 : 0);
}

static size_t size(const void *run)
{
    const struct sl_sources *s = of(run);
    size_t n = 0;
    for (int i = 0; i < s->n; i++)
        n += size_of(&s->use[i]);
    return n;
}

static void save(const void *run, double *number)
{
    const struct sl_sources *s = of(run);
    for (int i = 0; i < s->n; i++) {
        const struct sl_source_use *use = &s->use[i];
        if (use->row->advance) number[0] = use->ahead;
        if (use->row->save) use->row->save(use->data, number + (use->row->advance ? 1 : 0));
        number += size_of(use);
    }
}

static void load(void *run, const double *number)
{
    struct sl_sources *s = of(run);
    for (int i = 0; i < s->n; i++) {
        struct sl_source_use *use = &s->use[i];
        if (use->row->advance) use->ahead = number[0];
        if (use->row->load) use->row->load(run, use->data, number + (use->row->advance ? 1 : 0));
        number += size_of(use);
    }
    for (int i = 0; i < s->n; i++)
        if (s->use[i].row->forget) s->use[i].row->forget(s->use[i].data);
}

_Static_assert(SL_SOURCE_COUNT *SL_SOURCE_COLUMNS <= SL_COMPONENT_COLUMNS,
               "columns of all sources have a place");

static struct sl_component component_of(struct sl_sim *sim, const struct sl_sources *s)
{
    struct sl_component c = {.of = sim, .size = size, .save = save, .load = load};
    for (int i = 0; i < s->n; i++)
        if (s->use[i].row->part) {
            s->use[i].row->part(s->use[i].data, &c.part[c.npart]);
            c.npart += c.part[c.npart].name != NULL;
        }
    for (int i = 0; i < s->n; i++)
        for (const struct sl_component_column *from = s->use[i].row->column; from->name; from++)
            c.column[c.ncolumn++] = *from;
    return c;
}

/* ---- making --------------------------------------------------------------------------------- */

/* Puts a source before those that open later. */
static void insert(struct sl_sources *s, int id)
{
#define NAME(name, ...) #name,
    static const char *const names[] = {SL_SOURCE_NAMES(NAME)};
#undef NAME
    const struct sl_source *row = sl_sources[id];
    int i = s->n++;
    for (; i > 0 && s->use[i - 1].row->place > row->place; i--)
        s->use[i] = s->use[i - 1];
    s->use[i] = (struct sl_source_use){.name = names[id], .row = row};
}

int sl_sources_new(struct sl_sim *sim, struct sl_sources **out)
{
    struct sl_sources *s = calloc(1, sizeof *s);
    SL_TRY(
        sl_agree(sim->state.mesh->comm, s ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the sources")));
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (sl_config_wants(sim->state.cfg, (enum sl_source_id)i)) insert(s, i);
    int code = SL_OK;
    for (int i = 0; i < s->n && code == SL_OK; i++)
        if (s->use[i].row->make) code = s->use[i].row->make(sim, &s->use[i].data);
    if (code == SL_OK) {
        sim->state.component = component_of(sim, s);
        *out = s;
    } else {
        sl_sources_free(s);
    }
    return code;
}

void sl_sources_free(struct sl_sources *s)
{
    for (int i = 0; s && i < s->n; i++)
        if (s->use[i].row->free) s->use[i].row->free(s->use[i].data);
    free(s);
}

const struct sl_source_use *sl_sources_find(const struct sl_sim *sim, const char *name)
{
    const struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->use[i].name, name) == 0) return &s->use[i];
    return NULL;
}

bool sl_sources_fetch(const struct sl_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->root->sources->n; i++)
        any |= sim->root->sources->use[i].row->fetches;
    return any;
}

bool sl_sources_reset_step(const struct sl_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->root->sources->n; i++)
        any |= sim->root->sources->use[i].row->resets_step;
    return any;
}

const char *sl_sources_no_device(const struct sl_config *cfg)
{
    const char *why = NULL;
    for (int i = 0; i < SL_SOURCE_COUNT && !why; i++) {
        const struct sl_source *row = sl_sources[i];
        if (!sl_config_wants(cfg, (enum sl_source_id)i)) continue;
        why = row->no_device ? row->no_device : row->lacks ? row->lacks(cfg) : NULL;
    }
    return why;
}

/* ---- in a step ------------------------------------------------------------------------------ */

/* Brings a source that is not linear to `until` after sim->state.time, where it is not there
 * yet. */
static int bring(struct sl_sim *sim, struct sl_source_use *use, double until)
{
    double dt = until - use->ahead;
    if (!(dt > 0)) return SL_OK;
    use->ahead = until;
    return use->row->advance(sim, use->data, dt);
}

int sl_sources_account(struct sl_sim *sim, const char *to)
{
    struct sl_sources *s = of(sim->root);
    for (int i = 0; i < s->n; i++)
        if (s->use[i].row->account) SL_TRY(s->use[i].row->account(sim, s->use[i].data, to));
    return SL_OK;
}

/* Adds the wall time since start, of MPI_Wtime. */
static void spend(struct sl_source_use *use, double start)
{
    use->spent += MPI_Wtime() - start;
}

/* A source has acted, unless it does nothing there. */
static int acted(struct sl_sim *sim, const struct sl_source_use *use, bool did)
{
    return did ? sl_sources_account(sim, use->name) : SL_OK;
}

int sl_sources_remark(struct sl_sim *sim, void (*each)(const char *text, void *user), void *user)
{
    struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++) {
        char text[SL_SOURCE_REMARK] = "";
        if (s->use[i].row->remark) SL_TRY(s->use[i].row->remark(sim, s->use[i].data, text));
        if (*text && sim->state.mesh->rank == 0) each(text, user);
    }
    return SL_OK;
}

static void warn(const char *text, void *user)
{
    (void)user;
    sl_log(SL_LOG_WARN, "%s", text);
}

int sl_sources_start(struct sl_sim *sim)
{
    struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++) {
        s->use[i].ahead = 0;
        if (s->use[i].row->start) SL_TRY(s->use[i].row->start(sim, s->use[i].data));
    }
    return sl_sources_remark(sim, warn, NULL);
}

int sl_sources_open(struct sl_sim *sim, double dt)
{
    struct sl_sources *s = of(sim);
    SL_TRY(sl_sources_account(sim, NULL));
    for (int i = 0; i < s->n; i++) {
        struct sl_source_use *use = &s->use[i];
        double start = MPI_Wtime();
        if (use->row->open) SL_TRY(use->row->open(sim, use->data, dt));
        if (use->row->advance) SL_TRY(bring(sim, use, 0.5 * dt));
        spend(use, start);
        SL_TRY(acted(sim, use, use->row->open || use->row->advance));
    }
    return SL_OK;
}

int sl_sources_close(struct sl_sim *sim, double dt)
{
    struct sl_sources *s = of(sim);
    SL_TRY(sl_sources_account(sim, NULL));
    for (int i = s->n - 1; i >= 0; i--) {
        struct sl_source_use *use = &s->use[i];
        double start = MPI_Wtime();
        use->ahead -= dt;
        if (use->row->advance) SL_TRY(bring(sim, use, 0));
        if (use->row->close) SL_TRY(use->row->close(sim, use->data, dt));
        spend(use, start);
        SL_TRY(acted(sim, use, use->row->close || use->row->advance));
    }
    return SL_OK;
}

int sl_sources_open_level(struct sl_sim *sim, double dt)
{
    struct sl_sources *s = of(sim->root);
    for (int i = 0; i < s->n; i++) {
        struct sl_source_use *use = &s->use[i];
        if (!use->row->open_level) continue;
        SL_TRY(sl_sources_account(sim, NULL));
        double start = MPI_Wtime();
        SL_TRY(use->row->open_level(sim, use->data, dt));
        spend(use, start);
        SL_TRY(sl_sources_account(sim, use->name));
    }
    return SL_OK;
}

int sl_sources_meet(struct sl_sim *sim)
{
    struct sl_sources *s = of(sim->root);
    for (int i = s->n - 1; i >= 0; i--) {
        struct sl_source_use *use = &s->use[i];
        if (!use->row->meet) continue;
        SL_TRY(sl_sources_account(sim, NULL));
        double start = MPI_Wtime();
        SL_TRY(use->row->meet(sim, use->data));
        spend(use, start);
        SL_TRY(sl_sources_account(sim, use->name));
    }
    return SL_OK;
}

int sl_sources_remesh(struct sl_sim *sim)
{
    struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++) {
        double start = MPI_Wtime();
        if (s->use[i].row->remesh) SL_TRY(s->use[i].row->remesh(sim, s->use[i].data));
        spend(&s->use[i], start);
    }
    return SL_OK;
}

double sl_sources_limit(const struct sl_sim *sim, double dt)
{
    const struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++)
        if (s->use[i].row->limit) dt = s->use[i].row->limit(sim, s->use[i].data, dt);
    return dt;
}

/* ---- the history ---------------------------------------------------------------------------- */

int sl_sources_measure(const struct sl_sim *sim, double *out)
{
    const struct sl_sources *s = of(sim);
    for (int i = 0, n = 0; i < s->n; i++) {
        const struct sl_source *row = s->use[i].row;
        if (row->measure) SL_TRY(row->measure(sim, s->use[i].data, out + n));
        for (const struct sl_component_column *c = row->column; c->name; c++)
            n++;
    }
    return SL_OK;
}

int sl_sources_show(struct sl_sim *sim)
{
    struct sl_sources *s = of(sim);
    for (int i = 0; i < s->n; i++)
        if (s->use[i].row->show) SL_TRY(s->use[i].row->show(sim, s->use[i].data));
    return SL_OK;
}
