/* stage_constant.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_constant = {{
    STAGE_ANY(SL_RECONSTRUCT_constant, SL_LIMITER_minmod, SL_RIEMANN_llf, FIELD_NONE),
    STAGE_ANY(SL_RECONSTRUCT_constant, SL_LIMITER_minmod, SL_RIEMANN_hlle, FIELD_NONE),
    STAGE_ANY(SL_RECONSTRUCT_constant, SL_LIMITER_minmod, SL_RIEMANN_hllc, FIELD_NONE),
    STAGE_ANY(SL_RECONSTRUCT_constant, SL_LIMITER_minmod, SL_RIEMANN_roe, FIELD_NONE),
    STAGE_NONE,
}};
