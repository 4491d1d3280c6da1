/* stage_mhd_ppm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_mhd_ppm = {{
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_llf, 1),
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hlle, 1),
    STAGE_NONE,
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_roe, 1),
    STAGE_IDEAL(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hlld, 1),
}};
