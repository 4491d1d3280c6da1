/* mem.h - memory with a label, so that running out of it says what it was for.
 *
 * Shapes  n elements of size bytes
 * Units   bytes
 * Errors  SL_EMEM with the label and the size; *out is then unchanged
 * Owns    nothing: the caller frees with free()
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/mesh.c
 */
#ifndef SL_SYS_MEM_H
#define SL_SYS_MEM_H

#include <stddef.h>

/* Memory of n * size bytes (at least one), zeroed, aligned to 64 bytes. label is a noun: "block
 * table". out is the address of a pointer of any object type. */
int sl_alloc(const char *label, size_t n, size_t size, void *out);

/* Memory of so many bytes (at least one) as it comes, aligned to 64 bytes; from 2 MB on in pages of
 * that size where the system has them, which are taken into use many times faster. NULL: there is
 * none. */
void *sl_alloc_large(size_t bytes);

#endif
