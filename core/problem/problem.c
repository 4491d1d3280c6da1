/* problem.c - see problem.h. */
#include "core/problem/problem.h"

#include <string.h>

const struct sl_problem *sl_problem_find(const char *name)
{
    for (const struct sl_problem *const *p = sl_problems; *p; p++)
        if (strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}
