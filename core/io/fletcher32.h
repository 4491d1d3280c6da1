/* fletcher32.h - the checksum of pieces of HDF5 datasets, as its filter fletcher32 makes it, in
 * vectors.
 *
 * Sums of 16-bit words, highest byte first, and of their sums, modulo 65535, where 0 is written as
 * 65535 unless all words are 0.
 *
 * Shapes  n bytes, n even
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Fletcher 1982; The HDF Group, HDF5 File Format Specification 3.0, section VIII
 *         (fletcher32)
 * Tests   tests/unit/fletcher32.c
 */
#ifndef SL_IO_FLETCHER32_H
#define SL_IO_FLETCHER32_H

#include <stddef.h>
#include <stdint.h>

uint32_t sl_fletcher32(const void *data, size_t n);

#endif
