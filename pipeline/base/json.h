/* json.h - what a verb answers to programs: one object on standard output.
 *
 * Every object has "v": the version of its shape, which only grows. Texts that are not UTF-8
 * (paths, lines of logs) are replaced, never dropped. What is not ASCII is printed as \uXXXX: a
 * program reads the same, and no text of a file drives a terminal (U+009B begins its commands as
 * ESC does).
 *
 * Shapes  none
 * Units   as the names of the fields say: _s seconds, _bytes bytes
 * Errors  SL_EMEM for an object that could not be made
 * Owns    nothing; what is printed is released
 * MPI     local
 * Where   host
 * Refs    RFC 8259
 * Tests   tests/cli/json.sh
 */
#ifndef SL_PIPELINE_BASE_JSON_H
#define SL_PIPELINE_BASE_JSON_H

#include <jansson.h>

/* For json_dumps of what somebody may look at. */
enum { SL_JSON_SHOWN = JSON_ENSURE_ASCII };

/* Prints and releases the object (NULL: SL_EMEM), over some lines or on one. */
int sl_json_print(json_t *object);
int sl_json_print_line(json_t *object);
/* A text, or a note in its place when it is not UTF-8. */
json_t *sl_json_text(const char *text);

#endif
