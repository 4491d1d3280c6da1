/* sample_points.h - a CSV file of points as lists of a recipe: a column for each key, a row for
 * each member.
 *
 * The first line that is no comment (#) names the keys; cells are what a recipe may have there,
 * without quotes.
 *
 * Shapes  column[columns], each a list of as many values as there are rows
 * Units   of the keys
 * Errors  SL_EINPUT with file:line:column, SL_EIO, SL_EMEM
 * Owns    the nodes and their texts
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/design.c, tests/cli/sample.sh
 */
#ifndef SL_SYS_SAMPLE_POINTS_H
#define SL_SYS_SAMPLE_POINTS_H

#include "core/sys/yaml.h"

struct sl_sample_points {
    int columns, rows;
    struct sl_node *column; /* owned, as all nodes below */
    struct sl_node *cell;   /* owned: [column][row] */
    char *path, *text;      /* owned */
};

/* A relative path is taken from the folder of the recipe, at.file, where that is a file. */
int sl_sample_points_read(const char *path, struct sl_mark at, struct sl_sample_points **out);
void sl_sample_points_free(struct sl_sample_points *p);

#endif
