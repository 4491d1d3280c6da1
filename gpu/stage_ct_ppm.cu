/* stage_ct_ppm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_ct_ppm = {{
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_llf, FIELD_STAGGERED),
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hlle, FIELD_STAGGERED),
    STAGE_NONE,
    STAGE_ANY(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_roe, FIELD_STAGGERED),
    STAGE_IDEAL(SL_RECONSTRUCT_ppm, SL_LIMITER_minmod, SL_RIEMANN_hlld, FIELD_STAGGERED),
}};
