/* emulate.cpp - see cuda_runtime.h. */
#include "tests/emulate/cuda_runtime.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <vector>

enum { MOST = 1024, WARP = 32, STACK = 1 << 20, SHARED = 227 << 10, GUARD = 64 };

dim3 threadIdx, blockIdx, blockDim, gridDim;
alignas(16) thread_local double memory[SHARED / sizeof(double) + GUARD];

static void fail(const char *what)
{
    fprintf(stderr, "emulate: %s (block %u %u %u, thread %u %u %u)\n", what, blockIdx.x, blockIdx.y,
            blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    abort();
}

/* ---- fibers ------------------------------------------------------------------------------------- */

enum state : unsigned char { READY, AT_BARRIER, IN_WARP, DONE };

/* Where a fiber or the scheduler goes on. The jumps of clang: those of the C library take as long as what most threads do between
 * them. (After those of gcc, callers of wait_as find registers changed that they thought it does not touch.) */
#if defined(__clang__) && defined(__x86_64__)
typedef void *place[5];
#define MARK(at) __builtin_setjmp(at)
#define JUMP(at) __builtin_longjmp(at, 1)
#else
typedef jmp_buf place;
#define MARK(at) _setjmp(at)
#define JUMP(at) _longjmp(at, 1)
#endif

struct fiber {
    place at;
    bool begun;
    char gives[16]; /* to the warp */
    char gave[16];  /* when it last went on: others read that while this one gives the next */
};

static const double canary = -1.2345e67; /* behind the shared memory of a launch */
static fiber fibers[MOST];
static enum state states[MOST];
static place scheduler;
static ucontext_t beginning, nowhere;
static const std::function<void()> *body;
static int present;
static unsigned released[MOST / WARP]; /* threads of a warp that went on together */
static std::mt19937 draw;

/* Not inlined: a function that marks its place may not jump. */
[[noreturn, gnu::noinline]] static void go_on(place at)
{
    JUMP(at);
}

/* Lets the scheduler go on until it is this thread's turn again. */
static void wait_as(enum state why)
{
    states[present] = why;
    if (!MARK(fibers[present].at)) go_on(scheduler);
}

/* A fiber lives as long as the program: the next block's thread begins where this one's ended. */
static void live(void)
{
    for (;;) {
        (*body)();
        wait_as(DONE);
    }
}

static void begin(fiber *f)
{
    f->begun = true;
    getcontext(&beginning);
    beginning.uc_stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    beginning.uc_stack.ss_size = STACK;
    beginning.uc_link = &nowhere;
    if (beginning.uc_stack.ss_sp == MAP_FAILED) fail("no memory for the stack of a thread");
    makecontext(&beginning, live, 0);
    setcontext(&beginning);
}

/* Runs a thread until it waits or ends. */
static void turn(int t)
{
    unsigned u = (unsigned)t;
    present = t;
    threadIdx = dim3(u % blockDim.x, u / blockDim.x % blockDim.y, u / (blockDim.x * blockDim.y));
    if (MARK(scheduler)) return;
    if (fibers[t].begun) go_on(fibers[t].at);
    begin(&fibers[t]);
}

/* Lets the threads of a warp go on that wait for its others. */
static bool release_warp(int first, int n)
{
    unsigned mask = 0;
    for (int t = first; t < n && t < first + WARP; t++) {
        if (states[t] != IN_WARP) continue;
        mask |= 1u << (t - first);
        states[t] = READY;
        memcpy(fibers[t].gave, fibers[t].gives, sizeof fibers[t].gave);
    }
    if (mask) released[first / WARP] = mask;
    return mask != 0;
}

static bool release(int n)
{
    bool some = false;
    for (int first = 0; first < n; first += WARP)
        some |= release_warp(first, n);
    if (some) return true;
    for (int t = 0; t < n; t++)
        if (states[t] == AT_BARRIER) states[t] = READY, some = true;
    return some;
}

static void run_block(const std::vector<int> &order, size_t shared)
{
    int n = (int)order.size();
    for (int t = 0; t < n; t++)
        states[t] = READY;
    double *behind = memory + (shared + sizeof *memory - 1) / sizeof *memory;
    memset(memory, 0xff, shared);
    std::fill(behind, behind + GUARD, canary);
    do
        for (int t : order)
            if (states[t] == READY) turn(t);
    while (release(n));
    if (std::count(behind, behind + GUARD, canary) != GUARD)
        fail("wrote behind the shared memory of a launch");
}

static void seed(void)
{
    static bool is_set;
    if (is_set) return;
    is_set = true;
    const char *text = getenv("SLUICE_SEED");
    unsigned from = text ? (unsigned)strtoul(text, NULL, 10)
                         : (unsigned)std::chrono::steady_clock::now().time_since_epoch().count();
    fprintf(stderr, "emulate: SLUICE_SEED=%u\n", from);
    draw.seed(from);
}

static std::vector<int> order_of(unsigned n)
{
    std::vector<int> order(n);
    for (unsigned i = 0; i < n; i++)
        order[i] = (int)i;
    std::shuffle(order.begin(), order.end(), draw);
    return order;
}

void emulate_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t,
                    const std::function<void()> &what)
{
    unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
    seed();
    gridDim = grid, blockDim = block, body = &what;
    if (threads == 0 || threads > MOST || blocks == 0 || grid.y > 65535 || grid.z > 65535)
        fail("no such launch");
    if (shared > SHARED) fail("more shared memory than there is");
    std::vector<int> order = order_of(threads);
    for (int b : order_of(blocks)) {
        unsigned u = (unsigned)b;
        blockIdx = dim3(u % grid.x, u / grid.x % grid.y, u / (grid.x * grid.y));
        run_block(order, shared);
    }
}

void __syncthreads(void)
{
    wait_as(AT_BARRIER);
}

void __syncwarp(void)
{
    wait_as(IN_WARP);
}

unsigned __activemask(void)
{
    int warp = present / WARP;
    wait_as(IN_WARP);
    return released[warp];
}

void emulate_shuffle(unsigned mask, void *value, size_t size, unsigned lane)
{
    int own = present, from = present / WARP * WARP + (int)lane;
    if (size > sizeof fibers[own].gives) fail("a value too long for a shuffle");
    memcpy(fibers[own].gives, value, size);
    wait_as(IN_WARP);
    unsigned here = released[own / WARP];
    if (mask & ~here) fail("a shuffle names threads that do not come to it");
    if (here >> lane & 1)
        memcpy(value, fibers[from].gave, size);
    else
        memset(value, 0xff, size);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static std::map<const char *, size_t>
    owned; /* of the device: where it begins, what it may be read and written up to */

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t pages_of(size_t size)
{
    return (size + page() - 1) / page() * page();
}

/* Pages for that many bytes, between two that nobody may touch; NULL: there is no memory. */
static char *mapping_of(size_t size)
{
    size_t room = pages_of(size), all = room + 2 * page();
    char *p = (char *)mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page(), room, PROT_READ | PROT_WRITE)) return NULL;
    return p + page();
}

static bool on_device(const void *p)
{
    auto next = owned.upper_bound((const char *)p);
    if (next == owned.begin()) return false;
    --next;
    return (const char *)p < next->first + next->second;
}

/* Bytes of the device: EMULATED_MEMORY for one that has few. */
static size_t memory_most()
{
    const char *text = getenv("EMULATED_MEMORY");
    return text ? strtoul(text, nullptr, 10) : (size_t)1 << 40;
}

static size_t memory_used;

extern "C" cudaError_t cudaMemGetInfo(size_t *unused, size_t *all)
{
    *all = memory_most();
    *unused = *all - memory_used;
    return cudaSuccess;
}

extern "C" cudaError_t cudaMalloc(void **out, size_t size)
{
    size_t used = (size + 15) / 16 * 16, room = pages_of(used);
    if (used > memory_most() - memory_used) return cudaErrorMemoryAllocation;
    char *p = mapping_of(used);
    if (!p) return cudaErrorMemoryAllocation;
    memset(p, 0xff, room);
    *out = p + room - used; /* ends with its pages */
    owned[(char *)*out] = used;
    memory_used += used;
    return cudaSuccess;
}

extern "C" cudaError_t cudaFree(void *p)
{
    if (!p) return cudaSuccess;
    auto it = owned.find((const char *)p);
    if (it == owned.end()) fail("freed what is not of the device");
    size_t room = pages_of(it->second), before = room - it->second;
    const char *first = it->first - before;
    if (std::count(first, it->first, (char)0xff) != (ptrdiff_t)before)
        fail("wrote before memory of the device");
    munmap((void *)(first - page()), room + 2 * page());
    memory_used -= it->second;
    owned.erase(it);
    return cudaSuccess;
}

extern "C" cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t)
{
    return cudaMalloc(out, size);
}

extern "C" cudaError_t cudaFreeAsync(void *p, cudaStream_t)
{
    return cudaFree(p);
}

extern "C" cudaError_t cudaMallocHost(void **out, size_t size)
{
    *out = malloc(size + 1);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

extern "C" cudaError_t cudaFreeHost(void *p)
{
    free(p);
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    if (size == 0) return cudaSuccess;
    if (kind != cudaMemcpyDefault && (on_device(to) != (kind != cudaMemcpyDeviceToHost) ||
                                      on_device(from) != (kind != cudaMemcpyHostToDevice)))
        fail("a copy between other sides than it says");
    memmove(to, from, size);
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                       enum cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(to, from, size, kind);
}

extern "C" cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                         size_t from_pitch, size_t width, size_t height,
                                         enum cudaMemcpyKind kind, cudaStream_t)
{
    for (size_t i = 0; i < height; i++)
        cudaMemcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, kind);
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemset(void *to, int value, size_t size)
{
    if (size > 0 && !on_device(to)) fail("set what is not of the device");
    memset(to, value, size);
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t)
{
    return cudaMemset(to, value, size);
}

extern "C" cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    out->type = on_device(p) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

/* ---- the device, and what has no time here ---------------------------------------------------------- */

extern "C" cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}

extern "C" cudaError_t cudaGetDevice(int *id)
{
    *id = 0;
    return cudaSuccess;
}

extern "C" cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int)
{
    *out = {};
    snprintf(out->name, sizeof out->name, "a processor that emulates a device");
    return cudaSuccess;
}

/* Bytes of shared memory: EMULATED_SHARED for a device that has less. */
static size_t shared_most()
{
    const char *text = getenv("EMULATED_SHARED");
    size_t most = text ? strtoul(text, nullptr, 10) : SHARED;
    return most < SHARED ? most : SHARED;
}

extern "C" cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int)
{
    *out = attribute == cudaDevAttrMultiProcessorCount    ? 4
           : attribute == cudaDevAttrMemoryPoolsSupported ? 1
                                                          : (int)shared_most();
    return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0, *greatest = -1;
    return cudaSuccess;
}

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned)
{
    *out = (cudaStream_t)malloc(1);
    return cudaSuccess;
}

extern "C" cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(out, flags);
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    free(s);
    return cudaSuccess;
}

extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned)
{
    *out = (cudaEvent_t)malloc(1);
    return cudaSuccess;
}

extern "C" cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    free(e);
    return cudaSuccess;
}

extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    return cudaSuccess;
}

extern "C" const char *cudaGetErrorString(cudaError_t)
{
    return "out of memory";
}

#define NOTHING(call)                                                                              \
    extern "C" cudaError_t call                                                                    \
    {                                                                                              \
        return cudaSuccess;                                                                        \
    }
NOTHING(cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int))
NOTHING(cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *))
NOTHING(cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *))
NOTHING(cudaMemPoolTrimTo(cudaMemPool_t, size_t))
NOTHING(cudaHostRegister(void *, size_t, unsigned))
NOTHING(cudaHostUnregister(void *))
NOTHING(cudaSetDevice(int))
NOTHING(cudaDeviceSynchronize(void))
NOTHING(cudaGetLastError(void))
NOTHING(cudaStreamSynchronize(cudaStream_t))
NOTHING(cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned))
NOTHING(cudaEventRecord(cudaEvent_t, cudaStream_t))
NOTHING(cudaEventSynchronize(cudaEvent_t))
NOTHING(cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int))
