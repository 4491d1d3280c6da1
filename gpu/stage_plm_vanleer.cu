/* stage_plm_vanleer.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_plm_vanleer = {{
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_llf, 0),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hlle, 0),
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hllc, 0),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_roe, 0),
    STAGE_NONE,
}};
