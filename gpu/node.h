/* node.h - which device a rank takes.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMPI
 * Owns    nothing
 * MPI     collective
 * Where   host
 * Refs    none
 * Tests   tests/gpu/same.c
 */
#ifndef SL_GPU_NODE_H
#define SL_GPU_NODE_H

#include <mpi.h>

/* Ranks of a node take its `found` devices in turn: *id; *alone: no two ranks of the node share
 * one. */
int sl_node_device(MPI_Comm comm, int found, int *id, int *alone);

#endif
