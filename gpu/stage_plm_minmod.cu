/* stage_plm_minmod.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

STAGE_ROW(plm_minmod, SL_RECONSTRUCT_plm, SL_LIMITER_minmod);
