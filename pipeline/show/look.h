/* look.h - what a file of a campaign is, what it holds, and what is wrong with it.
 *
 * Shapes  none
 * Units   as the file says
 * Errors  SL_EIO, SL_EMEM, SL_EUNAVAIL when the program that reads HDF5 is not there
 * Owns    *out is the caller's to json_decref
 * MPI     none; sluice-stats reads HDF5
 * Where   host
 * Refs    none
 * Tests   tests/cli/inspect.sh
 */
#ifndef SL_PIPELINE_SHOW_LOOK_H
#define SL_PIPELINE_SHOW_LOOK_H

#include <jansson.h>

/* {"kind", "facts": {name: value}, "parts": [{"name", "shape", "units", "about"}], "wrong":
 * [text]}; NULL: it is none of ours. */
int sl_look(const char *path, json_t **out);

#endif
