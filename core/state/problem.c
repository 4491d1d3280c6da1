/* problem.c - see problem.h. */
#include "core/state/problem.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

const struct sl_problem *sl_problem_find(const char *name)
{
    for (const struct sl_problem *const *p = sl_problems; *p; p++)
        if (strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}

void sl_measure(struct sl_measures *list, const char *name, const char *meaning, double value)
{
    if (list->n == SL_MEASURE_MAX) SL_BUG("more than %d measures", SL_MEASURE_MAX);
    list->row[list->n].name = name;
    list->row[list->n].meaning = meaning;
    list->row[list->n++].value = value;
}

int sl_problem_keep(const struct sl_config *cfg, void **data)
{
    struct sl_config *copy = malloc(sizeof *copy);
    SL_CHECK(copy, SL_EMEM, "no memory for the keys of a problem");
    *copy = *cfg;
    *data = copy;
    return SL_OK;
}
