"""Massive neutrinos by numpy and scipy alone: H(a) by the Fermi-Dirac integral, growth by solve_ivp, and tables of CAMB made from those
without them: up to z of about 200 they are relativistic, and with the same dark matter and baryons all is the same; from then on what
clusters grows as they let it, of k with the share (k_fs / (k + k_fs))^2 of them (Ringwald & Wong 2004)."""
import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

SCALES = np.logspace(-12, 0.01, 1200)
MPC_KM, LIGHT, COLD, BARYONS, H = 3.0856775814913673e19, 299792458.0, 0.3, 0.045, 0.7


class Universe:
    """Dark matter and baryons are COLD of the critical density whatever the neutrinos; t_cmb 2.7255, n_eff 3.046, flat."""

    def __init__(self, mass, kinds=3):
        photons = 4 * 5.670374419e-8 * 2.7255**4 / LIGHT**3 * 8 * np.pi * 6.67430e-11 / 3 / (100 / MPC_KM)**2 / H**2
        one = 7 / 8 * (4 / 11)**(4 / 3) * 3.046 / 3 * photons
        self.mass, self.kinds = mass, kinds
        self.early = kinds * one if mass else 0
        self.radiation = photons + (3 - (kinds if mass else 0)) * one
        y = mass / kinds / (8.617333262e-5 * (4 / 11)**(1 / 3) * (3.046 / 3)**0.25 * 2.7255) * SCALES
        t, w = np.polynomial.legendre.leggauss(400)  # of x = t^2, up to 64
        t, w = 4 * (t + 1), 4 * w
        f = w * 2 * t * t**4 / (np.exp(t * t) + 1) * 120 / 7 / np.pi**4
        self.energy = CubicSpline(np.log(SCALES), [np.log((f * np.sqrt(t**4 + v * v)).sum()) for v in y])
        self.nu = float(self.rho(1.0))
        self.omega_m = COLD + self.nu
        self.dark = 1 - self.omega_m - self.radiation

    def rho(self, a):
        return self.early * np.exp(self.energy(np.log(a))) / a**4

    def square(self, a):
        return self.radiation / a**4 + COLD / a**3 + self.rho(a) + self.dark

    def slope(self, a):
        nu = self.rho(a) * (self.energy(np.log(a), 1) - 4)
        return (nu - 4 * self.radiation / a**4 - 3 * COLD / a**3) / 2 / self.square(a)

    def clustering(self, a, k):
        """Omega(a) of the neutrinos that follow waves of k; k inf: none"""
        free = 1.5 * np.sqrt(a * self.omega_m) * self.mass / self.kinds
        relativistic = self.early / a**4
        return max(self.rho(a) - relativistic, 0) / self.square(a) * (free / (k + free))**2 if np.isfinite(k) else 0

    def growth(self, redshifts, k=np.inf):
        """D and f, of the mode that is a + 2/3 a_eq early on"""
        def flow(x, y):
            a = np.exp(x)
            source = 1.5 * (COLD / a**3 / self.square(a) + self.clustering(a, k))
            return [y[1], source * y[0] - (2 + self.slope(a)) * y[1]]
        early = [1e-9 + 2 / 3 * (self.radiation + self.early) / COLD, 1e-9]
        at = -np.log(1 + np.asarray(redshifts, float))
        s = solve_ivp(flow, [np.log(1e-9), 0], early, method='DOP853', rtol=1e-10, atol=1e-30, t_eval=at)
        return s.y[0], s.y[1] / s.y[0]

    def evolved(self, force, first, last):
        """Growth of a wave of the growing mode, of which the mesh feels a share"""
        def flow(x, y):
            a = np.exp(x)
            return [y[1], 1.5 * force * COLD / a**3 / self.square(a) * y[0] - (2 + self.slope(a)) * y[1]]
        at = -np.log([1 + first, 1 + last])
        return solve_ivp(flow, at, [1, float(self.growth([first])[1][0])], method='DOP853', rtol=1e-9).y[0, -1]

    def share(self, z):
        """of all matter"""
        return self.rho(1 / (1 + z)) / (self.rho(1 / (1 + z)) + COLD * (1 + z)**3)


def waves(u, z, k):
    """D and f at z of some k, over which splines go"""
    at = np.logspace(-3, 1, 9)
    d, f = np.array([u.growth([z], v) for v in at])[:, :, 0].T
    x = np.log(np.clip(k, at[0], at[-1]))
    return CubicSpline(np.log(at), d)(x), CubicSpline(np.log(at), f)(x)


def table(data, z, u, out):
    """A table of CAMB at z, 0 or 99, with neutrinos"""
    name = f'{data}/camb13_transfer_z{z}.dat'
    head = [line for line in open(name) if line[0] == '#']
    t = np.loadtxt(name)
    k = t[:, 0]
    (d0, ), (f0, ) = Universe(0).growth([z])
    d, f = waves(u, z, k)
    for column in (1, 2, 7, 10, 11):
        t[:, column] *= np.minimum(d / d0, 1) * (f / f0 if column > 7 else 1)
    free = 1.5 * np.sqrt(u.omega_m / (1 + z)) * u.mass / u.kinds
    t[:, 5] = t[:, 7] * (free / (k + free))**2
    t[:, 6] = (1 - u.share(z)) * t[:, 7] + u.share(z) * t[:, 5]
    np.savetxt(out, t, fmt='%15.6E', header=head[-1].strip('#\n'), comments='#')


if __name__ == '__main__':
    with open('omegas', 'w') as omegas:
        for mass, kinds, redshifts in ((0.06, 1, [99]), (0.3, 3, [99]), (0.6, 3, [0, 99])):
            universe = Universe(mass, kinds)
            omegas.write(f'{mass} {kinds} {universe.omega_m!r}\n')
            for z in redshifts:
                table(sys.argv[2], z, universe, f'z{z}_{mass}.dat')
