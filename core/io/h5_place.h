/* h5_place.h - a driver of HDF5 files that finds out where raw data belong without writing them, so
 * that other processes can write them there.
 *
 * Files are those of the driver sec2, to the byte, once they are closed; until then what is
 * reserved beyond their end stays.
 *
 * Shapes  none
 * Units   bytes from the beginning of the file
 * Errors  as the driver sec2
 * Owns    nothing; struct sl_h5_place is borrowed until the file is closed
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/field_file.c
 */
#ifndef SL_IO_H5_PLACE_H
#define SL_IO_H5_PLACE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

struct sl_h5_place {
    bool wanted; /* set by the caller: raw data are not written, what follows is set instead */
    haddr_t at;  /* of the raw data that HDF5 handed over last */
    size_t size;
};

/* Makes files that are opened with these properties tell `place`. Negative on error, as HDF5
 * does. */
herr_t sl_h5_place_access(hid_t access, struct sl_h5_place *place);

#endif
