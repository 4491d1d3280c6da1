/* mem.c - see mem.h. */
#include "core/sys/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys/status.h"

int sl_alloc(const char *label, size_t n, size_t size, void *out)
{
    enum { ALIGN = 64, LARGE = 64 << 20 };
    SL_CHECK(size == 0 || n <= ((size_t)PTRDIFF_MAX - ALIGN) / size, SL_EMEM,
             "no memory for %s: %zu x %zu bytes is more than can be addressed", label, n, size);
    size_t bytes = n * size > 0 ? (n * size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    void *p = bytes < LARGE ? aligned_alloc(ALIGN, bytes) : sl_alloc_large(bytes);
    SL_CHECK(p, SL_EMEM, "no memory for %s: %.1f MB", label, (double)bytes * 1e-6);
    memset(p, 0, bytes);
    memcpy(out, &p, sizeof p);
    return SL_OK;
}

void *sl_alloc_large(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
    void *p = aligned_alloc(align, bytes / align * align + align);
    if (p && bytes >= HUGE_PAGE) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}
