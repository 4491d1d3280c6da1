/* node_list.h - lists of nodes as Slurm writes them, and the nodes that it says have failed.
 *
 * Shapes  "n1,n[3-5,08]"
 * Units   seconds since 1970
 * Errors  none: what cannot be read is no failure
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    scontrol(1)
 * Tests   tests/unit/slurm_nodes.c, tests/slurm/nodes.sh
 */
#ifndef SL_PIPELINE_SLURM_NODE_LIST_H
#define SL_PIPELINE_SLURM_NODE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Is the node in the list? */
bool sl_node_list_match(const char *list, const char *name);
/* Do the lists have a node in common? `plain` has names only. */
bool sl_node_list_meet(const char *list, const char *plain);
/* Names of the nodes that failed since, from the answer of `scontrol --oneliner show node` (which
 * is changed); returns their number. */
int sl_node_list_failed(char *text, double since, char *names, size_t size);

#endif
