/* crc32c.h - the checksum of everything that sluice writes and reads back: CRC-32C (Castagnoli).
 *
 * Shapes  any run of bytes
 * Units   none
 * Errors  none
 * Owns    tables made on the first call, safe from several threads
 * MPI     local
 * Where   host; the SSE4.2 instruction where the processor has it, tables elsewhere, same values
 * Refs    Castagnoli, Braeuer & Herrmann 1993; known answers from RFC 3720 appendix B.4; join: as
 *         crc32_combine of zlib 1.2.12 (M. Adler)
 * Tests   tests/unit/crc32c.c
 */
#ifndef SL_SYS_CRC32C_H
#define SL_SYS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of n bytes that follow those whose checksum is crc; 0 at the start. */
uint32_t sl_crc32c(uint32_t crc, const void *data, size_t n);
/* The same by tables alone, whatever the processor has. */
uint32_t sl_crc32c_table(uint32_t crc, const void *data, size_t n);

/* Checksum of two runs of bytes, one behind the other, from theirs: shift is sl_crc32c_shift of the
 * length of the second. */
uint32_t sl_crc32c_shift(uint64_t n);
uint32_t sl_crc32c_join(uint32_t first, uint32_t second, uint32_t shift);

#endif
