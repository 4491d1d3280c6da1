/* stage_plm_mc.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(plm_mc, SL_RECONSTRUCT_plm, SL_LIMITER_mc);
