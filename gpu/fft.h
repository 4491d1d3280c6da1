/* fft.h - Fourier transforms on a device by cuFFT, where its library is found at run time.
 *
 * Planes are transformed along x and y, then rows along z, one at a time: plans that do not know
 * how many a rank has, so that they are the same for any number of ranks, and so are the bits. A
 * whole box is transformed at once, in place, and back. Of a band of modes columns are transformed
 * along z, where they lie, and some planes at once back along x and y. Of a slab of a box some
 * planes are transformed at once, in place, and back: these and the columns of all planes give the
 * bits of the whole box, however many there are of either. cuFFT does not promise that; it is so
 * for sides of 64 to 1024 cells on an H200 (CUDA 13.0, 2026-12-01), and takes as long.
 *
 * Shapes  a plane: real [n1][n0] to complex [n1][n0 / 2 + 1]; a row: complex [n2][n0 / 2 + 1],
 *         along n2; a box: real [n2][n1][2 (n0 / 2 + 1)], of which n0 count, to complex
 *         [n2][n1][n0 / 2 + 1]; a slab: some of its planes; columns: complex, n numbers, `apart`
 *         from one to the next, of columns that lie beside each other
 * Units   none; exp(-ikx), not normalised, nor is the way back
 * Errors  SL_EMEM: no room for a plan; SL_EUNAVAIL
 * Owns    its plans; the library stays until the program ends
 * MPI     local
 * Where   host calls; buffers in device memory, work queued on a stream
 * Refs    none
 * Tests   tests/gpu/stats.c, tests/gpu/gravity.c, tests/gpu/lattice.c
 */
#ifndef SL_GPU_FFT_H
#define SL_GPU_FFT_H

struct sl_fft;

/* NULL: the library is missing. */
struct sl_fft *sl_fft_open(void);
void sl_fft_close(struct sl_fft *f);
/* Drops all plans, and with them their room on the device; NULL: nothing. */
void sl_fft_drop(struct sl_fft *f);

/* The libraries that are looked for. */
extern const char *const sl_fft_names;

/* Plans for a grid, of the current device; those of the grid before are dropped where it is another
 * one. */
int sl_fft_plan(struct sl_fft *f, const int n[3], void *stream);
int sl_fft_plane(const struct sl_fft *f, double *plane, void *modes);
int sl_fft_row(const struct sl_fft *f, void *modes);

/* Plans for a box besides those, likewise dropped for those of another one. */
int sl_fft_plan_box(struct sl_fft *f, const int n[3], void *stream);
int sl_fft_forth(const struct sl_fft *f, double *box);
int sl_fft_back(const struct sl_fft *f, double *box);
/* That for the way back alone, which takes half of the room. */
int sl_fft_plan_back(struct sl_fft *f, const int n[3], void *stream);

/* Plans for columns, in place, forth (sign -1) or back (1), and for planes back: each drops that of
 * its kind before. */
struct sl_fft_columns {
    int n, count, apart;
};
int sl_fft_plan_columns(struct sl_fft *f, const struct sl_fft_columns *c, void *stream);
int sl_fft_columns(const struct sl_fft *f, void *modes, int sign);
int sl_fft_plan_planes(struct sl_fft *f, const int n[2], int count, void *stream);
int sl_fft_planes_back(const struct sl_fft *f, void *modes, double *planes);

/* Plans for a slab of `count` planes, likewise. Of no planes, as of no columns, nothing is done. */
int sl_fft_plan_slab(struct sl_fft *f, const int n[2], int count, void *stream);
int sl_fft_slab_forth(const struct sl_fft *f, double *slab);
int sl_fft_slab_back(const struct sl_fft *f, double *slab);

#endif
