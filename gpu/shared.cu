/* shared.cu - what all who compute on a device in this process share; see inside.cuh. */
#include <stdlib.h>
#include <string.h>

#include "gpu/inside.cuh"

/* Of tables: smaller ones find room anyhow, of larger things their owners know. */
static const size_t LEAST_ROUNDED = (size_t)1 << 20, MOST_ROUNDED = (size_t)1 << 25;

static struct shared *held;    /* one for each device of the process */
static struct shared *present; /* of the device that is in use */

/* ---- memory of the device -------------------------------------------------------------------- */

size_t room_rounded(size_t size)
{
    size_t step = 1;
    while (step <= size / 16)
        step *= 2;
    return (size + step - 1) / step * step;
}

static void pool_empty(const struct shared *s)
{
    cudaMemPool_t pool = NULL;
    if (s->pools && cudaDeviceGetDefaultMemPool(&pool, s->id) == cudaSuccess)
        cudaMemPoolTrimTo(pool, 0);
}

/* After a request that was refused: what waits for others makes way, here and in the pool. */
static void make_way(struct shared *s)
{
    (void)cudaGetLastError();
    field_rooms_drop(s);
    cudaStreamSynchronize(s->stream);
    cudaStreamSynchronize(s->other);
    pool_empty(s);
}

static cudaError_t ask(size_t bytes, void **out)
{
    return present->pools ? cudaMallocAsync(out, bytes, present->stream) : cudaMalloc(out, bytes);
}

const char *room_new(size_t size, void **out)
{
    size_t bytes = size > 0 ? size : 1;
    if (bytes >= LEAST_ROUNDED && bytes < MOST_ROUNDED) bytes = room_rounded(bytes);
    if (ask(bytes, out) == cudaSuccess) return NULL;
    make_way(present);
    TRY(ask(bytes, out));
    return NULL;
}

void room_free(const void *p)
{
    if (!p) return;
    if (present && present->pools)
        cudaFreeAsync((void *)p, present->stream);
    else
        cudaFree((void *)p);
}

const char *room_return(struct sl_device *d)
{
    PASS(wait(d));
    pool_empty(d->shared);
    return NULL;
}

const char *room_zero(size_t size, void **out)
{
    PASS(room_new(size, out));
    if (size > 0) TRY(cudaMemsetAsync(*out, 0, size, present->stream));
    return NULL;
}

const char *table(const void *from, size_t size, const void **out)
{
    void *to = NULL;
    PASS(room_new(size, &to));
    *out = to;
    if (size > 0) TRY(cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, present->stream));
    return NULL;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Memory of a field of a level. One that is given back waits for the next: where a new one is a
 * little larger or smaller, as after a regrid, a pool would cut it and later have none that is
 * large enough. New memory takes milliseconds. */
struct field_room {
    struct field_room *next;
    void *at;
    size_t size;
    bool lent;
};

/* The smallest that is free and holds so much, or half as much again. */
static struct field_room *field_room_free(struct shared *s, size_t size)
{
    struct field_room *best = NULL;
    for (struct field_room *f = s->fields; f; f = f->next)
        if (!f->lent && f->size >= size && f->size <= size + size / 2 &&
            (!best || f->size < best->size))
            best = f;
    return best;
}

/* A free one that is too small, but by less than half: of a level that grew, most often. NULL:
 * there is none. */
static struct field_room *field_room_outgrown(const struct shared *s, size_t size)
{
    for (struct field_room *f = s->fields; f; f = f->next)
        if (!f->lent && f->size < size && f->size >= size / 2) return f;
    return NULL;
}

/* Waits for what is queued. */
static void field_room_drop(struct shared *s, struct field_room *f)
{
    struct field_room **at = &s->fields;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    s->field_bytes -= f->size;
    cudaFree(f->at);
    free(f);
}

void field_rooms_drop(struct shared *s)
{
    for (struct field_room *f = s->fields, *next; f; f = next) {
        next = f->next;
        if (!f->lent) field_room_drop(s, f);
    }
}

static const char *field_room_make(struct shared *s, size_t size, struct field_room *f)
{
    while (struct field_room *outgrown = field_room_outgrown(s, size))
        field_room_drop(s, outgrown);
    f->size = room_rounded(size);
    if (cudaMalloc(&f->at, f->size) != cudaSuccess) {
        make_way(s);
        TRY(cudaMalloc(&f->at, f->size));
    }
    s->field_bytes += f->size;
    if (s->field_most < s->field_bytes) s->field_most = s->field_bytes;
    return NULL;
}

const char *field_room_take(struct shared *s, size_t size, void **out)
{
    struct field_room *f = field_room_free(s, size);
    if (!f) {
        f = (struct field_room *)calloc(1, sizeof *f);
        if (!f) return "no memory on the host";
        const char *text = field_room_make(s, size, f);
        if (text) {
            free(f);
            return text;
        }
        f->next = s->fields;
        s->fields = f;
    }
    f->lent = true;
    *out = f->at;
    return NULL;
}

void field_room_give(struct shared *s, const void *at)
{
    for (struct field_room *f = s->fields; f; f = f->next)
        if (f->at == at) f->lent = false;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* What is queued may still use the old one. */
const char *host_room(struct shared *s, enum host_room which, size_t size)
{
    if (size <= s->host_size[which] && s->host[which]) return NULL;
    size_t bytes = size + size / 4 + 64;
    TRY(cudaStreamSynchronize(s->stream));
    TRY(cudaStreamSynchronize(s->other));
    cudaFreeHost(s->host[which]);
    s->host[which] = NULL, s->host_size[which] = 0;
    TRY(cudaMallocHost(&s->host[which], bytes));
    s->host_size[which] = bytes;
    return NULL;
}

/* Not from the pool, whose memory libraries cannot hand to other processes. */
const char *message_room(struct shared *s, enum message_room which, size_t size)
{
    if (size <= s->message_size[which] && s->message[which]) return NULL;
    size_t bytes = size + size / 4 + 64;
    TRY(cudaStreamSynchronize(s->stream));
    TRY(cudaStreamSynchronize(s->other));
    cudaFree(s->message[which]);
    s->message[which] = NULL, s->message_size[which] = 0;
    if (cudaMalloc(&s->message[which], bytes) != cudaSuccess) {
        make_way(s);
        TRY(cudaMalloc(&s->message[which], bytes));
    }
    s->message_size[which] = bytes;
    return NULL;
}

/* ---- kernels --------------------------------------------------------------------------------- */

const char *kernel_room(struct shared *s, const struct launch *l, int threads, int *at_once)
{
    struct known *k = s->known;
    const void *kernel = (const void *)l->kernel;
    while (k < s->known + KNOWN && k->kernel &&
           (k->kernel != kernel || k->threads != threads || k->shared != l->shared))
        k++;
    if (k == s->known + KNOWN) k = s->known; /* the oldest makes room */
    if (k->kernel != kernel || k->threads != threads || k->shared != l->shared) {
        size_t most = l->shared;
        for (int i = 0; i < KNOWN; i++)
            if (s->known[i].kernel == kernel && s->known[i].shared > most)
                most = s->known[i].shared;
        TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
        TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&k->at_once, kernel, threads, l->shared));
        k->kernel = kernel, k->threads = threads, k->shared = l->shared;
    }
    *at_once = k->at_once;
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

extern "C" const char *sl_device_memory(double *most)
{
    cudaMemPool_t pool = NULL;
    unsigned long long bytes = 0;
    *most = 0;
    if (!present || !present->pools) return NULL;
    TRY(cudaDeviceGetDefaultMemPool(&pool, present->id));
    TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &bytes));
    *most = (double)bytes + (double)present->field_most;
    return NULL;
}

extern "C" const char *sl_device_room(double *taken, double *spare)
{
    size_t unused = 0, all = 0, lent = 0;
    TRY(cudaMemGetInfo(&unused, &all));
    for (const struct field_room *f = present->fields; f; f = f->next)
        if (f->lent) lent += f->size;
    *taken = (double)lent;
    *spare = (double)unused + (double)(present->field_bytes - lent);
    return NULL;
}

/* What is given back stays with the pool: levels come and go. */
static const char *pool_keep(struct shared *s)
{
    cudaMemPool_t pool = NULL;
    unsigned long long all_of_it = ~0ull;
    TRY(cudaDeviceGetAttribute(&s->pools, cudaDevAttrMemoryPoolsSupported, s->id));
    if (!s->pools) return NULL;
    TRY(cudaDeviceGetDefaultMemPool(&pool, s->id));
    TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all_of_it));
    return NULL;
}

/* What messages bring goes first where both could: others wait for it. */
static const char *streams(struct shared *s)
{
    int least_urgent = 0, most_urgent = 0;
    TRY(cudaDeviceGetStreamPriorityRange(&least_urgent, &most_urgent));
    TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithPriority(&s->other, cudaStreamNonBlocking, most_urgent));
    TRY(cudaEventCreateWithFlags(&s->reached, cudaEventDisableTiming));
    return NULL;
}

static const char *start(struct shared *s)
{
    PASS(streams(s));
    PASS(pool_keep(s));
    return host_room(s, HOST_SIGNALS, SIGNALS * sizeof(unsigned long long));
}

const char *shared_hold(int id, struct shared **out)
{
    struct shared *s = held;
    while (s && s->id != id)
        s = s->next;
    TRY(cudaSetDevice(id));
    if (!s) {
        s = (struct shared *)calloc(1, sizeof *s);
        if (!s) return "no memory on the host";
        s->id = id;
        s->next = held;
        held = s;
    }
    s->users++;
    present = s;
    *out = s; /* the caller lets go also when what follows fails */
    return s->stream ? NULL : start(s);
}

void shared_release(struct shared *s)
{
    struct shared **at = &held;
    if (!s || --s->users > 0) return;
    for (int i = 0; i < MESSAGE_ROOMS; i++)
        cudaFree(s->message[i]);
    struct shared *other = present;
    present = s;
    room_free(s->emf.value), room_free(s->emf.upwind);
    while (s->fields)
        field_room_drop(s, s->fields);
    present = other;
    if (s->stream) cudaStreamSynchronize(s->stream);
    pool_empty(s);
    for (int i = 0; i < HOST_ROOMS; i++)
        cudaFreeHost(s->host[i]);
    if (s->reached) cudaEventDestroy(s->reached);
    if (s->stream) cudaStreamDestroy(s->stream);
    if (s->other) cudaStreamDestroy(s->other);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    if (present == s) present = held;
    free(s);
}
