/* drive_spectrum_list.h - the choices of driving.spectrum.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/drive.c, tests/law/added.sh
 */
#ifndef SL_LISTS_DRIVE_SPECTRUM_LIST_H
#define SL_LISTS_DRIVE_SPECTRUM_LIST_H

#define SL_DRIVING_SPECTRUM_LIST(X)                                                                \
    X(power, "E(k) ~ k^driving.slope, E per unit of |k|: a mode has |a_k|^2 ~ k^(slope-2) in 3D")  \
    X(parabola, "a mode has |a_k| ~ q (2 - q), q = (k / driving.peak)^2, and none beyond q = 2")   \
    X(quartic, "a mode has |a_k| ~ q^2 (2 - q)^2, q = k / driving.peak, and none beyond q = 2")

enum sl_driving_spectrum {
#define SL_DRIVING_SPECTRUM_ENUM(name, about) SL_DRIVING_SPECTRUM_##name,
    SL_DRIVING_SPECTRUM_LIST(SL_DRIVING_SPECTRUM_ENUM)
#undef SL_DRIVING_SPECTRUM_ENUM
};

#endif
