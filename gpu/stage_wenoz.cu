/* stage_wenoz.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(wenoz, SL_RECONSTRUCT_wenoz, 0);
