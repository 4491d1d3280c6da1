/* agree.c - see agree.h. */
#include "core/sys/agree.h"

#include <string.h>

#include "core/sys/status.h"

int sl_agree(MPI_Comm comm, int code)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int first = code == SL_OK ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) return SL_OK;
    char text[1024] = "";
    if (rank == first) strncpy(text, sl_error_text(), sizeof text - 1);
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(text, (int)sizeof text, MPI_CHAR, first, comm);
    if (rank != first) sl_error_set(text);
    return code;
}
