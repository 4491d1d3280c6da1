/* cuda.c - the backend of CUDA devices, host part: tables, messages, and the order of calls.
 *
 * The whole time loop stays on the device. What comes to the host in a step are the signals, the
 * messages to other ranks, and boundary values that only the problem knows. While messages travel
 * the device makes the interior tiles of a stage; the rest follows on a stream of higher priority,
 * so that no tile waits for the last interior one.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EINPUT, SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    struct device behind sim->work->device
 * MPI     collective over mesh->comm unless a function says local. Messages go from device to
 *         device through NCCL where it is found and no two ranks share a device, else through an
 *         MPI that says that it reaches into devices, else through pinned memory
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu
 */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/mesh/exchange.h"
#include "core/step/backend.h"
#include "core/step/level_ghosts.h"
#include "core/step/repair_rounds.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/library.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"
#include "core/transfer/register.h"
#include "gpu/cuda.h"
#include "gpu/flux_register.h"
#include "gpu/node.h"

/* Whether levels come and go. */
static bool has_levels(const struct sl_sim *sim)
{
    return sim->state.cfg->mesh_levels > 0;
}

struct device *sl_cuda_device(const struct sl_sim *sim)
{
    return sim->work->device;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The entries of the ghost cell at[]: one, and one more for each set of axes along which it may lie
 * beside the upper face of the box, where its neighbours along the other axes have it, too. Returns
 * their number; list may be NULL. */
static int ghost_put(const struct sl_mesh *m, const int at[3], struct sl_device_ghost *list)
{
    int n = 0;
    for (int edges = 0; edges < (m->spec.staggered ? 8 : 1); edges++) {
        int dir = SL_DIR_HERE, from[3], fits = 1;
        for (int a = 0; a < 3; a++) {
            int end = m->g[a] + m->n[a], edge = edges >> a & 1;
            if (edge && (a >= m->dim || at[a] != end)) fits = 0;
            int shift = at[a] < m->g[a] ? -1 : at[a] < end || edge ? 0 : 1;
            dir += sl_dir_step(a) * shift;
            from[a] = at[a] - shift * m->n[a];
        }
        if (!fits || dir == SL_DIR_HERE) continue;
        if (list)
            list[n] = (struct sl_device_ghost){(at[2] * m->nt[1] + at[1]) * m->nt[0] + at[0],
                                               (from[2] * m->nt[1] + from[1]) * m->nt[0] + from[0],
                                               dir, edges};
        n++;
    }
    return n;
}

/* 0: a cell across a face of its block and next to it, 1: another one that touches the block, 2:
 * one further away. */
static int place_of(const struct sl_mesh *m, const int at[3])
{
    int out = 0, far = 0;
    for (int a = 0; a < 3; a++) {
        int end = m->g[a] + m->n[a];
        out += at[a] < m->g[a] || at[a] >= end;
        far += at[a] < m->g[a] - 1 || at[a] > end;
    }
    return far > 0 ? 2 : out > 1;
}

/* Entries of the ghost cells that place_of puts there; list may be NULL. Returns their number. */
static int ghosts_list(const struct sl_mesh *m, int place, struct sl_device_ghost *list)
{
    int n = 0;
    for (int k = 0; k < m->nt[2]; k++)
        for (int j = 0; j < m->nt[1]; j++)
            for (int i = 0; i < m->nt[0]; i++) {
                const int at[3] = {i, j, k};
                if (place_of(m, at) == place) n += ghost_put(m, at, list ? list + n : NULL);
            }
    return n;
}

static int ghosts_make(const struct sl_mesh *m, struct sl_device_spec *s)
{
    struct sl_device_ghost *list;
    s->nnext = ghosts_list(m, 0, NULL);
    s->ntouch = s->nnext + ghosts_list(m, 1, NULL);
    s->nghost = s->ntouch + ghosts_list(m, 2, NULL);
    SL_TRY(sl_alloc("ghost cells", (size_t)s->nghost, sizeof *list, &list));
    s->ghost = list;
    for (int place = 0; place < 3; place++)
        list += ghosts_list(m, place, list);
    return SL_OK;
}

static int edges_make(const struct sl_mesh *m, struct sl_device_spec *s)
{
    int *edges;
    SL_TRY(sl_alloc("blocks at upper faces", (size_t)m->nblock, sizeof *edges, &edges));
    s->edges = edges;
    for (int b = 0; b < m->nblock; b++)
        edges[b] = sl_upper_edges(m->blocks[b].at_edge);
    return SL_OK;
}

static int walls_make(const struct sl_mesh *m, struct sl_device_spec *s)
{
    unsigned *walls;
    SL_TRY(sl_alloc("blocks at walls", (size_t)m->nblock, sizeof *walls, &walls));
    s->walls = walls;
    for (int b = 0; b < m->nblock; b++)
        walls[b] = sl_mesh_walls(m, b);
    return SL_OK;
}

/* in: the boxes are those that a block receives, else those that it sends. */
static int links_make(const struct sl_mesh *m, const struct sl_side *side, int in, int *n,
                      const struct sl_device_link **out)
{
    struct sl_device_link *list;
    SL_TRY(sl_alloc("device links", (size_t)side->nlink, sizeof *list, &list));
    *out = list;
    *n = side->nlink;
    size_t start = 0;
    for (int i = 0; i < side->nlink; i++) {
        const struct sl_boxes *boxes = sl_boxes_of(m, m->exchange, side->link[i].block);
        const struct sl_box *box = &(in ? boxes->to : boxes->from)[side->link[i].dir];
        list[i].block = side->link[i].block;
        for (int a = 0; a < 3; a++)
            list[i].lo[a] = box->lo[a], list[i].n[a] = box->n[a];
        list[i].start = start;
        list[i].cells = box->cells;
        start += box->cells;
    }
    return SL_OK;
}

static struct sl_device_face face_of(const struct sl_mesh *m, int block, int axis, int upper)
{
    struct sl_device_face f = {.block = block, .axis = axis, .upper = upper};
    int hi[3];
    f.boundary = m->spec.boundary[2 * axis + upper];
    sl_boundary_cells(m, block, axis, upper, m->spec.staggered, f.lo, hi);
    for (int a = 0; a < 3; a++)
        f.n[a] = hi[a] - f.lo[a];
    return f;
}

static size_t cells_of(const struct sl_device_face *f)
{
    return (size_t)f->n[0] * (size_t)f->n[1] * (size_t)f->n[2];
}

static void block_faces(const struct sl_mesh *m, int block, struct device *d, size_t *given)
{
    int side[3][2], n = d->nface;
    for (int s = 0; s < 6; s++)
        side[s / 2][s % 2] = s / 2 < m->dim && m->blocks[block].at_edge[s] ? n++ : -1;
    for (int s = 0; s < 6; s++) {
        if (side[s / 2][s % 2] < 0) continue;
        struct sl_device_face f = face_of(m, block, s / 2, s % 2);
        memcpy(f.side, side, sizeof side);
        f.start = *given;
        if (f.boundary == SL_BOUNDARY_fixed) *given += cells_of(&f);
        d->face[d->nface++] = f;
    }
}

static int faces_make(const struct sl_mesh *m, struct device *d, size_t *given)
{
    SL_TRY(sl_alloc("device faces", 6 * (size_t)m->nblock, sizeof *d->face, &d->face));
    for (int b = 0; b < m->nblock; b++)
        block_faces(m, b, d, given);
    return SL_OK;
}

static void spec_start(const struct sl_sim *sim, struct sl_device_spec *s)
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_scheme *scheme = &sim->work->scheme;
    s->dim = m->dim, s->nvar = sim->state.layout.nvar;
    s->nblock = m->nblock, s->nleaf = m->nleaf;
    for (int a = 0; a < 3; a++)
        s->n[a] = m->n[a], s->g[a] = m->g[a], s->nt[a] = m->nt[a];
    s->gas = sim->state.gas, s->layout = sim->state.layout;
    s->theta = scheme->theta, s->dual_eta = scheme->dual_eta;
    memcpy(s->gravity, scheme->gravity, sizeof s->gravity);
    struct sl_transfer_level level = sl_step_transfer_level(sim);
    s->lifts = sl_nest_work(&level, s->work);
    s->integrator = sim->state.cfg->fluid_integrator;
    s->method = scheme->method, s->limiter = sim->state.cfg->fluid_limiter,
    s->solver = scheme->solver;
    s->waves = scheme->waves != NULL, s->cools = scheme->cools;
    s->levels = has_levels(sim);
    s->near = &m->exchange->near[0][0];
}

static int spec_make(const struct sl_sim *sim, struct device *d, struct sl_device_spec *s)
{
    const struct sl_exchange *x = sim->state.mesh->exchange;
    SL_TRY(ghosts_make(sim->state.mesh, s));
    SL_TRY(edges_make(sim->state.mesh, s));
    SL_TRY(walls_make(sim->state.mesh, s));
    SL_TRY(links_make(sim->state.mesh, &x->out, 0, &s->nout, &s->out));
    SL_TRY(links_make(sim->state.mesh, &x->in, 1, &s->nin, &s->in));
    SL_TRY(faces_make(sim->state.mesh, d, &s->given_cells));
    s->face = d->face, s->nface = d->nface;
    return SL_OK;
}

static int ghost_messages_side(const struct sl_side *from, struct sl_cuda_side *to)
{
    SL_TRY(sl_cuda_side_new(to, from->nmessage, from->cells));
    for (int i = 0; i < from->nmessage; i++)
        to->message[i] = (struct sl_cuda_message){from->message[i].peer, from->message[i].start,
                                                  from->message[i].cells};
    return SL_OK;
}

static int ghost_messages_make(const struct sl_exchange *x, struct sl_cuda_messages *messages)
{
    messages->tag = SL_CUDA_GHOSTS;
    SL_TRY(ghost_messages_side(&x->out, &messages->out));
    SL_TRY(ghost_messages_side(&x->in, &messages->in));
    return sl_cuda_messages_ready(messages);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* What the kernels do not know is refused, not left out. */
static int check(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    SL_CHECK(m->block_cells < INT_MAX / 2, SL_EINPUT,
             "resources.backend: cuda needs blocks of less than 2^30 cells");
    SL_CHECK((uint64_t)m->nblock * m->block_cells < UINT32_MAX, SL_EINPUT,
             "resources.backend: cuda needs less than 2^32 cells on a rank");
    return SL_OK;
}

/* The state, and for a run of one level the copies that its steps make: those of levels wait until
 * the level takes a step (repair_ready), so that old and new levels fit beside each other while the
 * mesh changes. */
static int fields_make(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    struct sl_device *on = sl_cuda_device(sim)->on;
    const char *text = sl_device_field_new(on, &w->now);
    if (!text && !has_levels(sim)) text = sl_device_field_new(on, &w->next);
    if (!text && w->keeps_mass)
        text = sl_device_values_new(on, sl_step_kicked_values(sim), &w->kicked);
    SL_CHECK(!text, SL_EMEM, "CUDA: %s", text);
    return SL_OK;
}

/* Beyond an edge of the box, ghost cells follow from those of the same block that another block
 * has. */
static int beside_walls(const struct sl_sim *sim, int block)
{
    int wall = 0;
    for (int side = 0; side < 2 * sim->state.mesh->dim; side++)
        wall |= sim->state.mesh->blocks[block].at_edge[side];
    return wall && !sim->work->ghost.faces_only;
}

/* Blocks that keep fluxes for the coarser level by kernels that look along the faces, into blocks
 * beside. */
static void ask_fine_sides(const struct sl_sim *sim, int *is_asked)
{
    if (sl_device_keeps_across(sl_cuda_device(sim)->on)) return;
    for (int i = 0; sim->nest && i < sim->nest->nfine; i++)
        is_asked[sim->nest->fine[i].block] = 1;
}

int sl_cuda_asked_make(const struct sl_sim *sim, const struct sl_nest *finer)
{
    int blocks = sim->state.mesh->nblock, m = 0, *list;
    int here = finer ? finer->nprolong[0] + finer->nprolong[1] : 0;
    SL_TRY(sl_alloc("blocks whose ghost cells are read", (size_t)blocks, 2 * sizeof *list, &list));
    int *is_asked = list + blocks;
    for (int i = 0; i < here; i++)
        is_asked[finer->prolong[i].coarse] = 1;
    for (int i = 0; finer && i < finer->ncoarse; i++)
        is_asked[finer->coarse[i].block] = 1;
    ask_fine_sides(sim, is_asked);
    for (int b = 0; b < blocks; b++)
        if (beside_walls(sim, b)) list[m++] = b, is_asked[b] = 0;
    int walls = m;
    for (int b = 0; b < blocks; b++)
        if (is_asked[b]) list[m++] = b;
    const char *text = sl_device_asked(sl_cuda_device(sim)->on, list, m, walls);
    free(list);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

static int open_on(struct sl_sim *sim, int id)
{
    struct sl_step *w = sim->work;
    struct device *d;
    struct sl_device_spec spec = {.id = id};
    SL_TRY(check(sim));
    SL_TRY(sl_alloc("device", 1, sizeof *d, &d));
    w->device = d;
    d->id = id;
    spec_start(sim, &spec);
    int code = spec_make(sim, d, &spec);
    if (code == SL_OK) code = ghost_messages_make(sim->state.mesh->exchange, &d->ghosts);
    d->given = spec.given_cells;
    d->faces = sim->state.layout.face;
    const char *text = code == SL_OK ? sl_device_new(&spec, &d->on) : NULL;
    free((void *)(uintptr_t)spec.ghost);
    free((void *)(uintptr_t)spec.edges);
    free((void *)(uintptr_t)spec.walls);
    free((void *)(uintptr_t)spec.out);
    free((void *)(uintptr_t)spec.in);
    SL_TRY(code);
    SL_CHECK(!text, SL_EMEM, "CUDA: %s", text);
    SL_TRY(sl_cuda_asked_make(sim, NULL));
    if (sim->nest) SL_TRY(sl_cuda_nest_make(sim));
    if (sim->state.u && !has_levels(sim)) sl_device_pin(d->on, sim->state.u);
    return fields_make(sim);
}

/* local. Whether the MPI library says that it takes pointers into device memory. */
static int mpi_reaches(void)
{
    int (*query)(void);
    return sl_library_find(RTLD_DEFAULT, "MPIX_Query_cuda_support", &query) && query() == 1;
}

/* How messages travel. alone: no other rank has this rank's device. */
static int route(struct sl_sim *sim, int alone)
{
    struct device *d = sl_cuda_device(sim);
    MPI_Comm comm = sim->state.mesh->comm;
    int direct = mpi_reaches();
    SL_TRY(sl_nccl_of(comm, alone, &d->nccl));
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, &direct, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS,
             SL_EMPI, "cannot ask the ranks for their MPI");
    d->direct = !d->nccl && direct;
    if (d->nccl || d->direct) sl_device_direct(d->on);
    if (sim->state.mesh->rank == 0)
        sl_log(SL_LOG_NOTE, "cuda: messages between ranks go %s",
               d->nccl     ? "from device to device (NCCL)"
               : d->direct ? "from device to device (MPI)"
                           : "through the host");
    return SL_OK;
}

/* Gives back what is only needed in a step of a level. */
static void scratch_give(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    if (!d || !d->on) return;
    sl_device_field_free(d->on, sim->work->third);
    sl_device_flags_free(d->on);
    sim->work->third = sim->work->flags = NULL;
}

static void mass_give(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    for (int i = 0; i < 2 && d && d->on; i++) {
        sl_device_field_free(d->on, sim->work->mass[i]);
        sim->work->mass[i] = NULL;
    }
}

/* The levels that were make room for the ones to come: their steps are over. What is free before
 * that was made for levels before them. */
static void levels_give(struct sl_sim *root)
{
    if (root->work->next) sl_device_spare_drop(sl_cuda_device(root)->on);
    for (struct sl_sim *s = root; s; s = s->finer) {
        scratch_give(s);
        mass_give(s);
        if (!s->work->next) continue;
        sl_device_field_free(sl_cuda_device(s)->on, s->work->next);
        s->work->next = NULL;
    }
}

/* As of the root, on whose device the level is. */
static int open_level(struct sl_sim *sim, const struct device *root)
{
    levels_give(sim->root);
    SL_TRY(open_on(sim, root->id));
    struct device *d = sl_cuda_device(sim);
    d->nccl = root->nccl, d->direct = root->direct;
    if (d->nccl || d->direct) sl_device_direct(d->on);
    return SL_OK;
}

static int open_cuda(struct sl_sim *sim)
{
    int id, alone;
    if (sim->root != sim) return open_level(sim, sl_cuda_device(sim->root));
    SL_TRY(sl_node_device(sim->state.mesh->comm, sl_device_count(), &id, &alone));
    SL_TRY(sl_agree(sim->state.mesh->comm, open_on(sim, id)));
    return sim->state.mesh->size > 1 ? route(sim, alone) : SL_OK;
}

static void close_cuda(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_step *w = sim->work;
    if (!d) return;
    if (d->on) {
        sl_device_field_free(d->on, w->now);
        sl_device_field_free(d->on, w->next);
        sl_device_field_free(d->on, w->third);
        sl_device_field_free(d->on, w->kicked);
        mass_give(sim);
    }
    sl_cuda_gravity_free(d->gravity);
    sl_cuda_particles_free(d->particles);
    sl_device_free(d->on);
    sl_cuda_messages_release(&d->ghosts);
    sl_cuda_messages_release(&d->prolong);
    sl_cuda_messages_release(&d->cover);
    sl_cuda_messages_release(&d->reflux);
    sl_cuda_messages_release(&d->rim);
    sl_cuda_messages_release(&d->edges);
    sl_cuda_messages_release(&d->cover_faces);
    sl_level_buffers_free(w->buffers);
    w->buffers = NULL;
    free(d->face);
    free(d->start);
    free(d);
    w->device = NULL;
}

static int push(struct sl_sim *sim)
{
    DEVICE(sl_device_push(sl_cuda_device(sim)->on, sim->work->now, sim->state.u));
    return SL_OK;
}

static int pull(const struct sl_sim *sim)
{
    struct sl_device *on = sl_cuda_device(sim)->on;
    DEVICE(sl_device_pull(on, sim->work->now, sim->state.u));
    DEVICE(sl_device_matched_copy(on));
    sl_cuda_matched(sim);
    return sim->state.particles ? sl_cuda_particles_pull(sim) : SL_OK;
}

/* ---- ghost cells ----------------------------------------------------------------------------- */

/* Values that the problem prescribes; NaN says that it left the mirror image: a wall. */
static void given_face(const struct sl_sim *sim, const struct sl_device_face *f, sl_real *value)
{
    const struct sl_ghost_arg *arg = &sim->work->ghost;
    double lo[3], hi[3];
    for (int k = f->lo[2]; k < f->lo[2] + f->n[2]; k++)
        for (int j = f->lo[1]; j < f->lo[1] + f->n[1]; j++)
            for (int i = f->lo[0]; i < f->lo[0] + f->n[0]; i++, value += arg->nvar) {
                sl_mesh_cell(sim->state.mesh, f->block, k, j, i, lo, hi);
                value[0] = (sl_real)NAN;
                arg->fixed(arg->data, lo, hi, arg->time, value);
            }
}

static void given_make(const struct sl_sim *sim, struct device *d)
{
    sl_real *value = sl_device_given(d->on);
    for (int i = 0; i < d->nface; i++)
        if (d->face[i].boundary == SL_BOUNDARY_fixed)
            given_face(sim, &d->face[i], value + d->face[i].start * (size_t)sim->state.layout.nvar);
}

/* Makes the interior of a stage, unless it is NULL; leaves the stream for what messages bring in
 * use. */
static int interior(struct device *d, const struct sl_device_stage *s)
{
    if (!s) return SL_OK;
    sl_device_stream_use(d->on, 1);
    DEVICE(sl_device_stream_join(d->on));
    sl_device_stream_use(d->on, 0);
    DEVICE(sl_device_advance(d->on, s, SL_DEVICE_INTERIOR));
    sl_device_stream_use(d->on, 1);
    return SL_OK;
}

/* Sends what the ghost cells of other ranks copy. Messages from device to device travel beside the
 * interior of a stage. */
static int messages_go(const struct sl_mesh *m, struct device *d, int nvar, const sl_real *u,
                       const struct sl_device_stage *s)
{
    SL_TRY(sl_cuda_messages_room(d, &d->ghosts, nvar));
    DEVICE(sl_device_pack(d->on, nvar, u));
    int beside = s && d->nccl;
    sl_device_stream_use(d->on, beside);
    if (beside) DEVICE(sl_device_stream_join(d->on));
    int code = sl_cuda_messages_begin(m->comm, d, &d->ghosts, nvar);
    sl_device_stream_use(d->on, 0);
    return code;
}

/* Messages of this rank, and what the device does meanwhile: copies between its blocks, and the
 * interior of stage s, unless it is NULL; then what messages bring is to follow on the stream for
 * that, which is left in use. */
static int exchange(const struct sl_mesh *m, struct device *d, int nvar,
                    enum sl_device_copies copies, sl_real *u, const struct sl_device_stage *s)
{
    SL_TRY(messages_go(m, d, nvar, u, s));
    if (copies != SL_DEVICE_COPIES_ALL && d->faces > 0)
        DEVICE(sl_device_local(d->on, nvar, d->faces, SL_DEVICE_COPIES_TOUCH, u));
    DEVICE(sl_device_local(d->on, nvar, 0, copies, u));
    SL_TRY(interior(d, s));
    return sl_cuda_messages_end(d, &d->ghosts, nvar);
}

/* Ghost cells of the state (flags: 0), or of the flags of a repair, which are zero at a fixed
 * boundary. The values that the problem gives must not change while the device still reads those of
 * the stage before. copies, s: as of exchange. */
static int ghosts_and(const struct sl_sim *sim, int state, enum sl_device_copies copies, sl_real *u,
                      const struct sl_device_stage *s)
{
    struct device *d = sl_cuda_device(sim);
    int nvar = state ? sim->state.layout.nvar : 1;
    struct sl_mirror x = {-1, -1, -1, -1};
    if (state) x = sl_boundary_mirror(&sim->work->ghost);
    SL_TRY(exchange(sim->state.mesh, d, nvar, copies, u, s));
    if (state && d->given > 0) {
        DEVICE(sl_device_wait(d->on));
        given_make(sim, d);
    }
    DEVICE(sl_device_unpack(d->on, nvar, u));
    DEVICE(sl_device_boundary(d->on, nvar, x, state, u));
    return SL_OK;
}

int sl_cuda_exchange(const struct sl_sim *sim, int nvar, sl_real *u)
{
    struct device *d = sl_cuda_device(sim);
    SL_TRY(exchange(sim->state.mesh, d, nvar, SL_DEVICE_COPIES_ALL, u, NULL));
    DEVICE(sl_device_unpack(d->on, nvar, u));
    return SL_OK;
}

static int ghosts(const struct sl_sim *sim, int state, sl_real *u)
{
    return ghosts_and(sim, state, SL_DEVICE_COPIES_ALL, u, NULL);
}

/* Copies that prolongation to the finer level reads: the layer next to faces is enough, but for
 * fields at faces, and where kernels of kept fluxes read ghost cells, too. */
static enum sl_device_copies copies_to_prolong(const struct sl_sim *sim)
{
    bool next = sim->state.layout.face < 0 && sl_device_keeps_across(sl_cuda_device(sim)->on);
    return next ? SL_DEVICE_COPIES_ASKED_NEXT : SL_DEVICE_COPIES_ASKED;
}

static int ghosts_now(struct sl_sim *sim, enum sl_ghosts which)
{
    enum sl_device_copies copies = SL_DEVICE_COPIES_ALL;
    if (which == SL_GHOSTS_PROLONG) copies = copies_to_prolong(sim);
    if (which == SL_GHOSTS_NEXT && sim->state.layout.face < 0) copies = SL_DEVICE_COPIES_NEXT;
    return ghosts_and(sim, 1, copies, sim->work->now, NULL);
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void per_dx_of(const struct sl_sim *sim, sl_real per_dx[3])
{
    for (int a = 0; a < 3; a++)
        per_dx[a] = a < sim->state.mesh->dim && sim->state.mesh->nblock > 0
                        ? (sl_real)(1 / sim->state.mesh->blocks[0].dx[a])
                        : 0;
}

static struct sl_device_stage stage_of(const struct sl_sim *sim, const struct sl_stage *stage,
                                       const sl_real *in, sl_real *out)
{
    struct sl_device_stage s = {.u0 = sim->work->now, .u = in, .out = out, .b = stage->b};
    s.from = stage->from_old ? s.u0 : in;
    s.first_order = stage->first_order;
    s.axis = stage->axis;
    s.dt = (sl_real)stage->dt;
    s.last = stage->last;
    s.mass = stage->mass, s.mass_before = stage->mass_before;
    s.ch = sim->work->scheme.gas.ch;
    s.damp = stage->damp;
    per_dx_of(sim, s.per_dx);
    for (int a = 0; a < sim->state.mesh->dim && sim->state.mesh->nblock > 0; a++)
        s.dt_dx[a] = (sl_real)(stage->dt / sim->state.mesh->blocks[0].dx[a]);
    return s;
}

static int signal_take(const struct sl_sim *sim, struct sl_signal *all)
{
    double s[3];
    DEVICE(sl_device_signal_take(sl_cuda_device(sim)->on, s));
    sl_cuda_matched(sim);
    *all = sl_signal_join(*all, (struct sl_signal){(sl_real)s[0], (sl_real)s[1], (sl_real)s[2]});
    return SL_OK;
}

/* The finer level is interpolated between the states at the beginning and the end of a step, not
 * those between stages. */
static enum sl_device_copies copies_of(const struct sl_sim *sim, const struct sl_device_stage *s)
{
    if (!s->across) return SL_DEVICE_COPIES_ALL;
    if (s->u == s->u0) return copies_to_prolong(sim);
    bool across = sl_device_keeps_across(sl_cuda_device(sim)->on);
    return across ? SL_DEVICE_COPIES_WALLS : SL_DEVICE_COPIES_ASKED;
}

/* Ghost cells and the rest of a stage whose interior is made meanwhile; leaves the stream for what
 * messages bring in use. */
static int cells_in_parts(struct sl_sim *sim, const struct sl_device_stage *s, sl_real *in)
{
    SL_TRY(ghosts_and(sim, 1, copies_of(sim, s), in, s));
    DEVICE(sl_device_advance(sl_cuda_device(sim)->on, s, SL_DEVICE_REST));
    return SL_OK;
}

/* The same bits in parts or at once. */
static int cells(struct sl_sim *sim, const struct sl_device_stage *s, sl_real *in)
{
    struct sl_device *on = sl_cuda_device(sim)->on;
    if (sl_device_overlaps(on, s)) {
        int code = cells_in_parts(sim, s, in);
        sl_device_stream_use(on, 0);
        SL_TRY(code);
        DEVICE(sl_device_stream_join(on));
        return SL_OK;
    }
    SL_TRY(ghosts_and(sim, 1, copies_of(sim, s), in, NULL));
    DEVICE(sl_device_advance(on, s, SL_DEVICE_ALL));
    return SL_OK;
}

/* Whether nobody but the fluxes of a stage reads its ghost cells, but in blocks that are listed
 * (sl_cuda_asked_make): no repair does, and no side of a block keeps its fluxes in a run of one
 * level. */
static int reads_across(const struct sl_sim *sim)
{
    const struct sl_device *on = sl_cuda_device(sim)->on;
    bool alone = !sim->coarser && !sim->finer;
    bool needed = sim->work->checked > 0 || (sl_device_keeps_fluxes(on) && alone);
    return !needed && sl_device_reads_across(on);
}

static int advance(struct sl_sim *sim, const struct sl_stage *stage, sl_real *in, sl_real *out,
                   struct sl_signal *all)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_device_stage s = stage_of(sim, stage, in, out);
    s.across = reads_across(sim);
    SL_TRY(cells(sim, &s, in));
    DEVICE(sl_device_finish(d->on, &s));
    bool ends = stage->last || sl_step_parts(sim) > 1;
    return ends || sim->work->checked > 0 ? signal_take(sim, all) : SL_OK;
}

static int register_take(struct sl_sim *sim, const struct sl_flux_register_side *fine, int nfine,
                         const struct sl_flux_register_side *coarse, int ncoarse, size_t start,
                         size_t values)
{
    struct sl_flux_register_side *side;
    SL_TRY(sl_alloc("list of sides", (size_t)(nfine + ncoarse), sizeof *side, &side));
    for (int i = 0; i < nfine; i++)
        side[i] = fine[i];
    for (int i = 0; i < ncoarse; i++) {
        side[nfine + i] = coarse[i];
        side[nfine + i].start += start;
    }
    const char *text =
        sl_device_register_set(sl_cuda_device(sim)->on, side, nfine + ncoarse, start, values);
    free(side);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

static int register_set(struct sl_sim *sim, struct sl_flux_register_side *fine, int nfine,
                        struct sl_flux_register_side *coarse, int ncoarse)
{
    const int *n = sim->state.mesh->n;
    SL_TRY(sl_register_check(sim->state.mesh, sim->state.cfg->fluid_integrator, fine, nfine));
    SL_TRY(sl_register_check(sim->state.mesh, sim->state.cfg->fluid_integrator, coarse, ncoarse));
    size_t values = sl_flux_register_assign(n, sim->state.layout.nflow, fine, nfine),
           start = values;
    values += sl_flux_register_assign(n, sim->state.layout.nflow, coarse, ncoarse);
    return register_take(sim, fine, nfine, coarse, ncoarse, start, values);
}

/* As core/transfer/edge_register.h. */
static int edges_set(struct sl_sim *sim, const int *fine, int nfine, const int *coarse, int ncoarse)
{
    int *block, n = nfine + ncoarse;
    SL_CHECK(n == 0 || (sim->state.layout.face >= 0 && sim->state.mesh->dim > 1), SL_EINPUT,
             "the electric field along edges is kept with fluid.mhd: ct and more than one axis");
    SL_TRY(sl_alloc("list of edges", (size_t)n, sizeof *block, &block));
    for (int i = 0; i < n; i++)
        block[i] = i < nfine ? fine[i] : coarse[i - nfine];
    const char *text = sl_device_edges_set(sl_cuda_device(sim)->on, block, nfine, n);
    free(block);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

static int register_clear(struct sl_sim *sim)
{
    DEVICE(sl_device_register_clear(sl_cuda_device(sim)->on));
    return SL_OK;
}

static int register_accept(struct sl_sim *sim)
{
    DEVICE(sl_device_register_accept(sl_cuda_device(sim)->on));
    return SL_OK;
}

static int signal_of(struct sl_sim *sim, sl_real *u, struct sl_signal *all)
{
    sl_real per_dx[3];
    per_dx_of(sim, per_dx);
    DEVICE(sl_device_signal(sl_cuda_device(sim)->on, per_dx, u));
    return signal_take(sim, all);
}

/* ---- repairs --------------------------------------------------------------------------------- */

/* What only the steps of a level need, others give back. */
static void others_give(struct sl_sim *sim)
{
    for (struct sl_sim *s = sim->root; s; s = s->finer)
        if (s != sim) scratch_give(s);
}

/* The copies that steps make of the state, and the flags of repairs where one is near. */
static int copies_make(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    struct device *d = sl_cuda_device(sim);
    struct sl_device *on = d->on;
    const char *text = NULL;
    if (!w->next) text = sl_device_field_new(on, &w->next);
    if (!text && !w->third) text = sl_device_field_new(on, &w->third);
    if (!text && w->checked > 0) text = sl_device_flags(on, &w->flags);
    int turns = w->checked > 0 || sl_step_parts(sim) > 1; /* second copy of the mass */
    for (int i = 0; i <= turns && w->keeps_mass && !text; i++)
        if (!w->mass[i]) text = sl_device_values_new(on, sl_step_mass_values(sim), &w->mass[i]);
    SL_CHECK(!text, SL_EMEM, "CUDA: %s", text);
    return sl_cuda_messages_room(d, &d->ghosts, sim->state.layout.nvar); /* while all agree on it */
}

static int repair_ready(struct sl_sim *sim)
{
    if (!sim->work->third) others_give(sim);
    return sl_agree(sim->state.mesh->comm, copies_make(sim));
}

/* What a repair works on. */
struct repair_job {
    const struct sl_sim *sim;
    struct sl_device *on;
    struct sl_device_stage stage;
};

static int flag_cells(void *of, int64_t *count)
{
    const struct repair_job *w = of;
    long long n;
    DEVICE(sl_device_flag(w->on, w->stage.out, &n));
    *count = n;
    return SL_OK;
}

static int remake_cells(void *of)
{
    const struct repair_job *w = of;
    SL_TRY(ghosts(w->sim, 0, w->sim->work->flags));
    DEVICE(sl_device_remake(w->on, &w->stage));
    return SL_OK;
}

static int lost_cells(void *of, int64_t *count)
{
    const struct repair_job *w = of;
    long long n;
    DEVICE(sl_device_lost(w->on, w->stage.out, &n));
    *count = n;
    return SL_OK;
}

static int floor_cells(void *of, int64_t *count)
{
    const struct repair_job *w = of;
    long long n;
    DEVICE(sl_device_floor(w->on, &w->stage, &n));
    *count = n;
    return SL_OK;
}

static int repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
                  int64_t *repaired, int64_t *floored)
{
    static const struct sl_repair_cells cells = {flag_cells, remake_cells, lost_cells, floor_cells};
    struct repair_job w = {sim, sl_cuda_device(sim)->on, stage_of(sim, stage, in, out)};
    DEVICE(sl_device_flags(w.on, &sim->work->flags));
    return sl_repair_rounds(sim, &cells, &w, repaired, floored);
}

static int room(const struct sl_sim *sim, double *taken, double *spare)
{
    (void)sim;
    DEVICE(sl_device_room(taken, spare));
    return SL_OK;
}

/* ---- the history ----------------------------------------------------------------------------- */

/* What the divergence of a field reads beside a block, the edge of its level, too. */
static int ghosts_of_totals(struct sl_sim *sim)
{
    sim->work->ghost.time = sim->state.time;
    if (sim->coarser) SL_TRY(sl_level_ghosts_prolong(sim, sim->work->now));
    return ghosts(sim, 1, sim->work->now);
}

static int totals(const struct sl_sim *sim, double *sum, double *least)
{
    const struct sl_totals_of a = sl_sim_totals_of(sim, 0);
    struct sl_sim *of = (struct sl_sim *)(uintptr_t)sim; /* its ghost cells alone change */
    if (sim->state.layout.magnetic >= 0) SL_TRY(ghosts_of_totals(of));
    DEVICE(sl_device_totals(sl_cuda_device(sim)->on, &a, sim->work->now, sum, least));
    return SL_OK;
}

/* ---- a random force -------------------------------------------------------------------------- */

int sl_cuda_starts(struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct device *d = sl_cuda_device(sim);
    if (d->start) return SL_OK;
    SL_TRY(sl_alloc("places of blocks", 3 * (size_t)m->nblock, sizeof *d->start, &d->start));
    for (int b = 0; b < m->nblock; b++)
        for (int a = 0; a < 3; a++)
            d->start[3 * b + a] = (int)m->blocks[b].at[a] * m->n[a];
    return SL_OK;
}

static struct sl_device_force force_of(const struct device *d, const struct sl_force *from)
{
    struct sl_device_force f = {.version = from->version, .at = d->start};
    for (int a = 0; a < 3; a++) {
        f.reach[a] = from->reach[a], f.cells[a] = from->cells[a];
        f.cosine[a] = from->cosine[a], f.sine[a] = from->sine[a];
    }
    for (int part = 0; part < 2; part++)
        f.even[part] = from->even[part], f.odd[part] = from->odd[part];
    return f;
}

static int force_most(struct sl_sim *sim, struct sl_force_most *most)
{
    double out[2] = {0, 0};
    DEVICE(sl_device_force_most(sl_cuda_device(sim)->on, sim->work->now, out));
    most->rho = fmax(most->rho, out[0]);
    most->momentum = fmax(most->momentum, out[1]);
    return SL_OK;
}

static int force_sums(struct sl_sim *sim, const struct sl_force *from, const double *magic,
                      struct sl_sum *sum)
{
    struct device *d = sl_cuda_device(sim);
    long long part[2 * SL_DRIVE_SUMS] = {0};
    SL_TRY(sl_cuda_starts(sim));
    struct sl_device_force f = force_of(d, from);
    DEVICE(sl_device_force_sums(d->on, &f, sim->work->now, magic, part));
    for (int i = 0; i < 2 * SL_DRIVE_SUMS; i++)
        sum[i / 2].part[i % 2] += part[i];
    return SL_OK;
}

static int force_kick(struct sl_sim *sim, const struct sl_force *from, sl_real lambda,
                      const sl_real mean[3])
{
    struct device *d = sl_cuda_device(sim);
    SL_TRY(sl_cuda_starts(sim));
    struct sl_device_force f = force_of(d, from);
    DEVICE(sl_device_force_kick(d->on, &f, lambda, mean, sim->work->now));
    return SL_OK;
}

/* ---- source terms --------------------------------------------------------------------------- */

static int source(struct sl_sim *sim, struct sl_source_pass *pass)
{
    struct device *d = sl_cuda_device(sim);
    long long sum[2] = {0, 0};
    double most = 0;
    SL_TRY(sl_cuda_starts(sim));
    struct sl_device_source what = {.body = pass->body,
                                    .args = pass->args->of,
                                    .size = pass->args->size,
                                    .table = pass->args->table,
                                    .ntable = pass->args->ntable,
                                    .cell = sl_source_cell_of(sim),
                                    .magic = pass->magic,
                                    .at = d->start};
    memcpy(what.lo, sim->state.mesh->spec.lo, sizeof what.lo);
    DEVICE(sl_device_source(d->on, &what, sim->work->now, &most, sum));
    pass->most = fmax(pass->most, most);
    for (int i = 0; i < 2; i++)
        pass->sum.part[i] += sum[i];
    sl_step_changed(sim);
    return SL_OK;
}

static int diffuse(struct sl_sim *sim, const struct sl_diffuse_stage *stage)
{
    struct sl_device_diffuse what = {.p = sl_diffuse_of(sim, stage),
                                     .mix = stage->mix,
                                     .begin = stage->begin,
                                     .now = sim->work->now,
                                     .next = sim->work->next};
    DEVICE(sl_device_diffuse(sl_cuda_device(sim)->on, &what));
    return SL_OK;
}

static int describe(const struct sl_sim *sim, struct sl_backend_device *out)
{
    (void)sim;
    sl_device_name(out->name, sizeof out->name, out->id);
    return SL_OK;
}

const struct sl_backend sl_backend_cuda = {.name = "cuda",
                                           .found = sl_device_count,
                                           .open = open_cuda,
                                           .close = close_cuda,
                                           .describe = describe,
                                           .push = push,
                                           .pull = pull,
                                           .advance = advance,
                                           .signal = signal_of,
                                           .register_set = register_set,
                                           .edges_set = edges_set,
                                           .register_clear = register_clear,
                                           .register_accept = register_accept,
                                           .prolong = sl_cuda_prolong,
                                           .cover = sl_cuda_cover,
                                           .reflux = sl_cuda_reflux,
                                           .ghosts = ghosts_now,
                                           .settle = sl_cuda_settle,
                                           .flag = sl_cuda_flag,
                                           .move = sl_cuda_move,
                                           .room = room,
                                           .repair_ready = repair_ready,
                                           .repair = repair,
                                           .totals = totals,
                                           .force_most = force_most,
                                           .force_sums = force_sums,
                                           .force_kick = force_kick,
                                           .source = source,
                                           .diffuse = diffuse};
