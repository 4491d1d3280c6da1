/* stage_ppm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_ppm = {{
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_llf, 0),
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hlle, 0),
    STAGE_IDEAL(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hllc, 0),
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_roe, 0),
    STAGE_NONE,
}};
