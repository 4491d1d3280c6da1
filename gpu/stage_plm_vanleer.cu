/* stage_plm_vanleer.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(plm_vanleer, SL_RECONSTRUCT_plm, SL_LIMITER_vanleer);
