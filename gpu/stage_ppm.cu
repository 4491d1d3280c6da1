/* stage_ppm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(ppm, SL_RECONSTRUCT_ppm, 0);
