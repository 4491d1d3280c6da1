/* stage_plm_vanleer.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_plm_vanleer = {{
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_llf, FIELD_NONE),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hlle, FIELD_NONE),
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hllc, FIELD_NONE),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_roe, FIELD_NONE),
    STAGE_NONE,
}};
