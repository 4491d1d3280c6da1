/* library.h - calls of libraries that are found at run time: nothing of them is needed to build.
 *
 * Shapes  none
 * Units   none
 * Errors  NULL or 0 where there is none
 * Owns    nothing; a library stays until the program ends
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/gpu/same.c
 */
#ifndef SL_SYS_LIBRARY_H
#define SL_SYS_LIBRARY_H

/* The first of these libraries that is there; names end with a NULL. */
void *sl_library_open(const char *const *names);

/* function: the address of a pointer to a function of the type that `name` has. */
int sl_library_find(void *library, const char *name, void *function);

#endif
