/* vtkhdf.h - the view of a snapshot for ParaView: a group of overlapping levels whose arrays are
 * virtual datasets over the bytes of the FLASH tree.
 *
 * The view has the leaves alone: slices and clips of ParaView 5.11 count the cells of covered
 * blocks, too. Levels are counted from the coarsest that has leaves: it does not survive an empty
 * one. Nor does it survive boxes of a level that lie beyond all of the next coarser one: where that
 * would be, a covered cell of the coarser level is added for each side that it does not reach.
 *
 * Shapes  per level boxes [n][6] and one flat array per field, box after box
 * Units   as in the file
 * Errors  SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local: rank 0 alone, serial HDF5
 * Where   host
 * Refs    VTKHDF file format
 * Tests   tests/cli/readers.sh
 */
#ifndef SL_IO_VTKHDF_H
#define SL_IO_VTKHDF_H

#include "core/io/flash.h"

int sl_vtkhdf_make(hid_t file, const struct sl_flash *s);

#endif
