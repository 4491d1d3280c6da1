/* node.c - see node.h. */
#include "gpu/node.h"

#include "core/sys/status.h"

int sl_node_device(MPI_Comm comm, int found, int *id, int *alone)
{
    MPI_Comm node;
    int rank = 0, size = 1,
        split = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    SL_CHECK(split == MPI_SUCCESS, SL_EMPI, "cannot find the ranks of this node");
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    *id = rank % found;
    *alone = size <= found;
    return SL_OK;
}
