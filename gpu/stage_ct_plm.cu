/* stage_ct_plm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_ct_plm = {{
    STAGE_BOTH(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_llf, FIELD_STAGGERED),
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hlle, FIELD_STAGGERED),
    STAGE_NONE,
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_roe, FIELD_STAGGERED),
    STAGE_ALL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hlld, FIELD_STAGGERED),
}};
