/* sphere.h - spheres of stars in equilibrium, with an edge, in a force that a mesh makes: Plummer's
 * and Hernquist's densities less that at the edge.
 *
 * Velocities are isotropic, their distribution is the one for which the density stays as it is
 * (Eddington 1916), by quadrature. Its potential is that of the sphere, smoothed along each axis by
 * a Gaussian of deviation `smooth`: the sphere is at rest in the force of a mesh, not in Newton's,
 * in which it would expand. Without an edge and smoothing these are the distributions of Aarseth,
 * Henon & Wielen and of Hernquist.
 *
 * sl_sphere_smoothing: a mesh lays mass and gathers the force by a kernel of n cells, takes
 * centred differences and a Laplacian of seven points. To second order in the wave number times the
 * cell, averaged over directions, these are a Gaussian of variance 2 (n / 12 + 1 / 20) h^2: n / 12
 * of each use of the kernel, 1 / 10 of the differences, - 1 / 20 of the Laplacian.
 *
 * Shapes  none
 * Units   mass within the edge, G and the scale radius are 1
 * Errors  SL_EMEM
 * Owns    its tables; free() releases a sphere
 * MPI     local
 * Where   host
 * Refs    Plummer 1911; Hernquist 1990; Eddington 1916; Aarseth, Henon & Wielen 1974; Binney &
 *         Tremaine 2008, section 4.3
 * Tests   tests/unit/sphere.c
 */
#ifndef SL_EXACT_SPHERE_H
#define SL_EXACT_SPHERE_H

#include <stdbool.h>

struct sl_sphere;

/* edge, smooth: in scale radii; 0 for no smoothing. */
int sl_sphere_new(bool hernquist, double edge, double smooth, struct sl_sphere **out);

/* Over the size of a cell; kernel: enum sl_kernel. */
double sl_sphere_smoothing(int kernel);

double sl_sphere_density(const struct sl_sphere *s, double r);
double sl_sphere_mass(const struct sl_sphere *s, double r); /* within r */
/* That of the force, 0 at the edge. */
double sl_sphere_potential(const struct sl_sphere *s, double r);
/* The radius that holds a share of the mass. */
double sl_sphere_radius(const struct sl_sphere *s, double share);
/* The speed that a share of the stars at r is slower than. */
double sl_sphere_speed(const struct sl_sphere *s, double r, double share);

#endif
