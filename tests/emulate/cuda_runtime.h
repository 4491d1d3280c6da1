/* cuda_runtime.h - what the kernels of gpu/ use of CUDA, on a processor: a launch runs block after
 * block, the threads of a block as fibers that take turns at each barrier, blocks and threads in an
 * order drawn from a seed (SLUICE_SEED). For machines without a device, in double precision. It
 * finds indices that leave an allocation (pages that nobody may touch lie around it) or the shared
 * memory of a launch, values of both that nobody wrote (they begin as NaN), missing barriers,
 * shuffles with threads that do not come, copies between the wrong sides, and results that hang on
 * an order. Not: variables in shared memory, which keep the values of the block before; what
 * streams do beside each other; time, registers, caches and roundings of the hardware. Threads that
 * have ended count as waiting at a barrier.
 *
 * Shapes  none
 * Units   none
 * Errors  a wrong use ends the program with one line
 * Owns    what cudaMalloc and its kin gave, until freed
 * MPI     local
 * Where   host
 * Refs    CUDA C++ Programming Guide
 * Tests   tests/gpu/flux_register.c, tests/gpu/direct.c, tests/law/device.sh
 */
#ifndef EMULATE_CUDA_RUNTIME_H
#define EMULATE_CUDA_RUNTIME_H

#include <stddef.h>

typedef enum cudaError { cudaSuccess, cudaErrorMemoryAllocation = 2 } cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4, cudaMemPoolAttrReservedMemHigh = 6 };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaHostRegisterDefault = 0 };
typedef struct emulate_stream *cudaStream_t;
typedef struct emulate_event *cudaEvent_t;
typedef struct emulate_pool *cudaMemPool_t;
struct cudaDeviceProp {
    char name[256];
    struct {
        char bytes[16];
    } uuid;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
};

#ifdef __cplusplus
#define EMULATE_DEFAULT = 0
extern "C" {
#else
#define EMULATE_DEFAULT
#endif
cudaError_t cudaMalloc(void **out, size_t size);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *all);
cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t s);
cudaError_t cudaMallocHost(void **out, size_t size);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int id);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t size);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t s EMULATE_DEFAULT);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t s);
cudaError_t cudaMemset(void *to, int value, size_t size);
cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t s);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p);
cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDevice(int *id);
cudaError_t cudaSetDevice(int id);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int id);
cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int id);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t code);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *out);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s EMULATE_DEFAULT);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
#ifdef __cplusplus
}

#include <math.h>

#include <functional>
#include <type_traits>

#define __global__
#define __host__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __shared__   thread_local /* one thread of the system runs all fibers */

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz)
    {
    }
};
struct double2 {
    double x, y;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;
extern thread_local double memory[]; /* shared memory of a launch; the kernels call it that */

/* Runs body once for each thread. */
void emulate_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                    const std::function<void()> &body);

void __syncthreads(void);
void __syncwarp(void);
/* All threads of a warp that wait for its others, as bits. */
unsigned __activemask(void);
/* The bytes that the thread of that lane handed in; not a number where it did not come. Those of
 * the mask must. */
void emulate_shuffle(unsigned mask, void *value, size_t size, unsigned lane);

inline unsigned emulate_lane(void)
{
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) & 31;
}

template <class T> T __shfl_xor_sync(unsigned mask, T x, int by)
{
    emulate_shuffle(mask, &x, sizeof x, emulate_lane() ^ (unsigned)by);
    return x;
}

template <class T> T __shfl_down_sync(unsigned mask, T x, unsigned by)
{
    unsigned from = emulate_lane() + by;
    emulate_shuffle(mask, &x, sizeof x, from < 32 ? from : emulate_lane());
    return x;
}

template <class T> T __ldg(const T *p)
{
    return *p;
}

template <class T, class U> T atomicAdd(T *to, U x)
{
    T old = *to;
    *to = (T)(old + (T)x);
    return old;
}

template <class T> T atomicMax(T *to, T x)
{
    T old = *to;
    if (x > old) *to = x;
    return old;
}

template <class T> T atomicOr(T *to, T x)
{
    T old = *to;
    *to = old | x;
    return old;
}

template <class T> T atomicExch(T *to, T x)
{
    T old = *to;
    *to = x;
    return old;
}

template <class T, class U> T atomicCAS(T *to, T from, U x)
{
    T old = *to;
    if (old == from) *to = (T)x;
    return old;
}

template <class T, class U> typename std::common_type<T, U>::type min(T a, U b)
{
    return b < a ? b : a;
}

template <class T, class U> typename std::common_type<T, U>::type max(T a, U b)
{
    return a < b ? b : a;
}

inline long long __double_as_longlong(double x)
{
    long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}

inline double __hiloint2double(int high, int low)
{
    long long bits = (long long)high << 32 | (unsigned)low;
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

inline int __float_as_int(float x)
{
    int bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float __fdividef(float a, float b)
{
    return a / b;
}

/* As good as the upper half of a number, which is all that the hardware makes. */
inline double emulate_rcp(double x)
{
    return __hiloint2double(__double2hiint(1 / x), 0);
}

inline double emulate_rsqrt(double x)
{
    return __hiloint2double(__double2hiint(1 / sqrt(x)), 0);
}

template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, K, int, size_t)
{
    *out = 2;
    return cudaSuccess;
}

template <class T> cudaError_t cudaMalloc(T **out, size_t size)
{
    return cudaMalloc((void **)out, size);
}
#endif

#endif
