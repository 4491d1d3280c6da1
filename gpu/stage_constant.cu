/* stage_constant.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(constant, SL_RECONSTRUCT_constant, 0);
