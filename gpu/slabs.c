/* slabs.c - see slabs.h. */
#include "gpu/slabs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "gpu/share.h"

enum { WORDS = sizeof(double) / sizeof(sl_real) }; /* values of a message that are a number */

bool sl_cuda_slabs_serve(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    return m->size > 1 && m->dim == 3 && sl_config_around(sim->state.cfg) == SL_AROUND_periodic;
}

void sl_cuda_slabs_around(const struct sl_mesh *m, int lo[3], int wide[3])
{
    for (int d = 0; d < 3; d++) {
        int first = m->spec.cells[d], end = 0;
        for (int b = 0; b < m->nblock; b++) {
            int at = (int)m->blocks[b].at[d] * m->n[d];
            if (at < first) first = at;
            if (at + m->n[d] > end) end = at + m->n[d];
        }
        lo[d] = m->nblock > 0 ? first : 0;
        wide[d] = m->nblock > 0 ? end - first : 0;
    }
}

void sl_cuda_slabs_release(struct sl_cuda_slabs *s)
{
    free((void *)(uintptr_t)s->what.own.at);
    free((void *)(uintptr_t)s->what.mine.at);
    free((void *)(uintptr_t)s->what.theirs.at);
    sl_cuda_messages_release(&s->there);
    sl_cuda_messages_release(&s->back);
    sl_cuda_messages_release(&s->turn);
    sl_cuda_messages_release(&s->turn_back);
    *s = (struct sl_cuda_slabs){.what = {.rank = 0}};
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* The window of a rank. */
struct window {
    int lo[3], wide[3];
};

static struct window window_of(const struct sl_mesh *m, int layers)
{
    struct window w;
    sl_cuda_slabs_around(m, w.lo, w.wide);
    for (int d = 0; d < 3 && m->nblock > 0; d++)
        w.lo[d] -= layers, w.wide[d] += 2 * layers;
    return w;
}

static int wrapped(int x, int n)
{
    return x < 0 ? x + n : x < n ? x : x - n;
}

/* Sheets that are made: a list, and the numbers of a message that they take. */
struct making {
    struct sl_device_sheet *at;
    int n;
    size_t numbers;
};

/* The planes of a window that are of a rank. */
static void sheets_put(const struct sl_device_slabs *what, const struct window *w, int rank,
                       struct making *to)
{
    int cells = what->n[2], first = sl_share_first(cells, rank, what->size);
    for (int i = 0; i < w->wide[2]; i++) {
        int z = wrapped(w->lo[2] + i, cells);
        if (sl_share_of(z, cells, what->size) != rank) continue;
        to->at[to->n++] = (struct sl_device_sheet){
            to->numbers, i, z - first, {w->lo[0], w->lo[1]}, {w->wide[0], w->wide[1]}};
        to->numbers += (size_t)w->wide[0] * (size_t)w->wide[1];
    }
}

/* What was put since a number of numbers is a message. */
static void message_end(const struct making *of, size_t since, int peer, struct sl_cuda_side *side)
{
    size_t values = (of->numbers - since) * WORDS;
    if (values > 0)
        side->message[side->n++] = (struct sl_cuda_message){peer, since * WORDS, values};
    side->values = of->numbers * WORDS;
}

/* Between the own window (mine) or planes and those of each other rank. */
static void others_put(const struct sl_device_slabs *what, const struct window *all, bool mine,
                       struct making *to, struct sl_cuda_side *side)
{
    side->n = 0;
    for (int r = 0; r < what->size; r++) {
        size_t since = to->numbers;
        if (r == what->rank) continue;
        sheets_put(what, &all[mine ? what->rank : r], mine ? r : what->rank, to);
        message_end(to, since, r, side);
    }
}

static int making_new(const struct window *all, int first, int end, struct making *out)
{
    size_t n = 0;
    for (int r = first; r < end; r++)
        n += (size_t)all[r].wide[2];
    *out = (struct making){.n = 0};
    return sl_alloc("sheets of windows", n + 1, sizeof *out->at, &out->at);
}

static struct sl_device_sheets made(const struct making *m)
{
    return (struct sl_device_sheets){m->at, m->n};
}

static int sheets_make(struct sl_cuda_slabs *s, const struct window *all)
{
    struct sl_device_slabs *what = &s->what;
    struct making own, mine, theirs;
    int rank = what->rank;
    SL_TRY(making_new(all, rank, rank + 1, &own));
    what->own = made(&own);
    SL_TRY(making_new(all, rank, rank + 1, &mine));
    what->mine = made(&mine);
    SL_TRY(making_new(all, 0, what->size, &theirs));
    what->theirs = made(&theirs);
    sheets_put(what, &all[rank], rank, &own);
    others_put(what, all, true, &mine, &s->there.out);
    others_put(what, all, false, &theirs, &s->there.in);
    what->own.n = own.n, what->mine.n = mine.n, what->theirs.n = theirs.n;
    return SL_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

static int sides_new(struct sl_cuda_messages *messages, int tag, int others)
{
    messages->tag = tag;
    SL_TRY(sl_cuda_side_new(&messages->out, others, 0));
    return sl_cuda_side_new(&messages->in, others, 0);
}

/* What went comes back. */
static int back_make(const struct sl_cuda_messages *there, int tag, struct sl_cuda_messages *back)
{
    int nout = there->in.n, nin = there->out.n;
    back->tag = tag;
    SL_TRY(sl_cuda_side_new(&back->out, nout, there->in.values));
    SL_TRY(sl_cuda_side_new(&back->in, nin, there->out.values));
    for (int i = 0; i < nout; i++)
        back->out.message[i] = there->in.message[i];
    for (int i = 0; i < nin; i++)
        back->in.message[i] = there->out.message[i];
    return sl_cuda_messages_ready(back);
}

static void turn_put(struct sl_cuda_side *side, int peer, size_t numbers)
{
    size_t values = numbers * WORDS;
    if (values > 0) side->message[side->n++] = (struct sl_cuda_message){peer, side->values, values};
    side->values += values;
}

/* Own planes have rows of all others, and their planes own rows. */
static void turn_make(const struct sl_device_slabs *what, struct sl_cuda_messages *turn)
{
    const int *n = what->n;
    int own = what->rank, size = what->size;
    size_t row = 2 * ((size_t)n[0] / 2 + 1);
    turn->out.n = turn->in.n = 0;
    for (int r = 0; r < size; r++) {
        if (r == own) continue;
        turn_put(&turn->out, r,
                 row * (size_t)sl_share_count(n[2], own, size) *
                     (size_t)sl_share_count(n[1], r, size));
        turn_put(&turn->in, r,
                 row * (size_t)sl_share_count(n[2], r, size) *
                     (size_t)sl_share_count(n[1], own, size));
    }
}

static int messages_make(struct sl_cuda_slabs *s, const struct window *all)
{
    int others = s->what.size - 1;
    SL_TRY(sides_new(&s->there, SL_CUDA_WINDOWS, others));
    SL_TRY(sides_new(&s->turn, SL_CUDA_TURN, others));
    SL_TRY(sheets_make(s, all));
    turn_make(&s->what, &s->turn);
    SL_TRY(sl_cuda_messages_ready(&s->there));
    SL_TRY(sl_cuda_messages_ready(&s->turn));
    SL_TRY(back_make(&s->there, SL_CUDA_PLANES, &s->back));
    return back_make(&s->turn, SL_CUDA_TURN_BACK, &s->turn_back);
}

static int windows_gather(const struct sl_mesh *m, int layers, struct window *all)
{
    struct window own = window_of(m, layers);
    enum { NUMBERS = sizeof own / sizeof(int) };
    SL_CHECK(MPI_Allgather(&own, NUMBERS, MPI_INT, all, NUMBERS, MPI_INT, m->comm) == MPI_SUCCESS,
             SL_EMPI, "cannot tell the ranks where blocks are");
    return SL_OK;
}

/* Numbers of windows that stay on this rank. */
static size_t staying(const struct sl_cuda_slabs *s)
{
    size_t numbers = 0;
    for (int i = 0; i < s->what.own.n; i++)
        numbers += (size_t)s->what.own.at[i].n[0] * (size_t)s->what.own.at[i].n[1];
    return numbers;
}

/* The receive buffer also has what stays. */
static int room(const struct sl_sim *sim, const struct sl_cuda_messages *messages, size_t stays)
{
    const char *text = sl_device_messages(sl_cuda_device(sim)->on, messages->out.values,
                                          messages->in.values + stays * WORDS);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

/* MPI takes no longer ones. */
static int short_enough(const struct sl_sim *sim, const struct sl_cuda_side *side)
{
    for (int i = 0; i < side->n && !sl_cuda_device(sim)->nccl; i++)
        SL_CHECK(side->message[i].values <= INT_MAX, SL_EMEM,
                 "a part of the root grid is longer than a message of MPI; nearest: more ranks");
    return SL_OK;
}

static int rooms(const struct sl_sim *sim, const struct sl_cuda_slabs *s)
{
    const struct sl_cuda_messages *all[] = {&s->there, &s->back, &s->turn, &s->turn_back};
    for (int i = 0; i < 4; i++) {
        SL_TRY(short_enough(sim, &all[i]->out));
        SL_TRY(short_enough(sim, &all[i]->in));
        SL_TRY(room(sim, all[i], i < 2 ? staying(s) : 0));
    }
    return SL_OK;
}

int sl_cuda_slabs_make(const struct sl_sim *sim, int layers, const int cells[3],
                       struct sl_cuda_slabs *s)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct window *all = NULL;
    sl_cuda_slabs_release(s);
    s->what = (struct sl_device_slabs){.rank = m->rank, .size = m->size, .layers = layers};
    memcpy(s->what.n, cells, sizeof s->what.n);
    int code = sl_agree(m->comm, sl_alloc("windows of ranks", (size_t)m->size, sizeof *all, &all));
    if (code == SL_OK) code = windows_gather(m, layers, all);
    if (code == SL_OK) code = messages_make(s, all);
    if (code == SL_OK) code = rooms(sim, s);
    if (code == SL_OK) {
        memcpy(s->what.lo, all[m->rank].lo, sizeof s->what.lo);
        memcpy(s->what.wide, all[m->rank].wide, sizeof s->what.wide);
    }
    free(all);
    return sl_agree(m->comm, code);
}

/* ---- what goes ------------------------------------------------------------------------------- */

/* Numbers that come. */
static size_t came(const struct sl_cuda_messages *messages)
{
    return messages->in.values / WORDS;
}

static int agreed(const struct sl_sim *sim, int code, const char *text)
{
    if (code == SL_OK && text) code = SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text);
    return sl_agree(sim->state.mesh->comm, code);
}

static int pack(const struct sl_sim *sim, const struct sl_cuda_slabs *s, enum sl_device_matter what)
{
    struct sl_device *on = sl_cuda_device(sim)->on;
    SL_TRY(room(sim, &s->there, staying(s)));
    DEVICE(sl_device_slabs_pack(on, what, came(&s->there)));
    return SL_OK;
}

int sl_cuda_slabs_gather(const struct sl_sim *sim, const struct sl_cuda_slabs *s,
                         enum sl_device_matter what, int code)
{
    struct sl_device *on = sl_cuda_device(sim)->on;
    if (code == SL_OK) code = pack(sim, s, what);
    SL_TRY(agreed(sim, code, NULL));
    code = sl_cuda_messages_exchange(sim, &s->there, 1);
    return agreed(sim, code, code ? NULL : sl_device_slabs_add(on, what, came(&s->there)));
}

/* A step of the device before messages, which needs room for them, and one after them. */
typedef const char *device_step(struct sl_device *d);

static int turn_pack(const struct sl_sim *sim, const struct sl_cuda_messages *messages,
                     device_step *pack_modes)
{
    SL_TRY(room(sim, messages, 0));
    DEVICE(pack_modes(sl_cuda_device(sim)->on));
    return SL_OK;
}

static int turn_take(const struct sl_sim *sim, const struct sl_cuda_messages *messages,
                     device_step *take_modes)
{
    SL_TRY(sl_cuda_messages_exchange(sim, messages, 1));
    DEVICE(take_modes(sl_cuda_device(sim)->on));
    return SL_OK;
}

static int turn(const struct sl_sim *sim, const struct sl_cuda_messages *messages,
                device_step *pack_modes, device_step *take_modes, int *code)
{
    if (*code == SL_OK) *code = turn_pack(sim, messages, pack_modes);
    SL_TRY(agreed(sim, *code, NULL));
    *code = turn_take(sim, messages, take_modes);
    return SL_OK;
}

int sl_cuda_slabs_turn(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int *code)
{
    return turn(sim, &s->turn, sl_device_slabs_turn, sl_device_slabs_turned, code);
}

int sl_cuda_slabs_turn_back(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int *code)
{
    return turn(sim, &s->turn_back, sl_device_slabs_turn_back, sl_device_slabs_turned_back, code);
}

static int pack_back(const struct sl_sim *sim, const struct sl_cuda_slabs *s)
{
    SL_TRY(room(sim, &s->back, staying(s)));
    DEVICE(sl_device_slabs_pack_back(sl_cuda_device(sim)->on, came(&s->back)));
    return SL_OK;
}

static const char *put(const struct sl_sim *sim, const struct sl_cuda_slabs *s)
{
    struct sl_device *on = sl_cuda_device(sim)->on;
    const char *text = NULL;
    if (sim->state.layout.nvar > 0) text = sl_device_slabs_put(on, SL_DEVICE_GAS, came(&s->back));
    if (!text && sim->state.particles)
        text = sl_device_slabs_put(on, SL_DEVICE_PARTICLES, came(&s->back));
    return text;
}

int sl_cuda_slabs_spread(const struct sl_sim *sim, const struct sl_cuda_slabs *s, int code)
{
    if (code == SL_OK) code = pack_back(sim, s);
    SL_TRY(agreed(sim, code, NULL));
    code = sl_cuda_messages_exchange(sim, &s->back, 1);
    return agreed(sim, code, code ? NULL : put(sim, s));
}
