/* library.c - see library.h. */
#include "core/sys/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *sl_library_open(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* C has no cast from an object pointer to a function pointer. */
int sl_library_find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}
