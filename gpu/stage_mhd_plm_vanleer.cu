/* stage_mhd_plm_vanleer.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_mhd_plm_vanleer = {{
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_llf, FIELD_CLEANED),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hlle, FIELD_CLEANED),
    STAGE_NONE,
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_roe, FIELD_CLEANED),
    STAGE_ANY(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, SL_RIEMANN_hlld, FIELD_CLEANED),
}};
