/* stage_mhd_plm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_mhd_plm = {{
    STAGE_BOTH(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_llf, FIELD_CLEANED),
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hlle, FIELD_CLEANED),
    STAGE_NONE,
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_roe, FIELD_CLEANED),
    STAGE_BOTH(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hlld, FIELD_CLEANED),
}};
