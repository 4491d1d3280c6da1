"""starts.py - reads what starts.sh has exported, with yt and with numpy alone, beside ic.h5; exits with 1 when it differs."""
import sys

import h5py
import numpy as np
import yt

yt.set_log_level(50)
H, OMEGA_M, OMEGA_B, Z, N, L = 0.7, 0.3, 0.045, 49.0, 16, 40.0
A = 1 / (1 + Z)
SUN, MPC = 1.98841e33, 3.0856775814913673e24
RHO = OMEGA_M * 3 * (1e7 / MPC) ** 2 / (8 * np.pi * 6.67430e-8) * MPC**3 / SUN  # Msun/h per (Mpc/h)^3
bad = []


def same(what, got, want, to=1e-6):
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    off = np.max(np.abs(got - want)) / max(np.max(np.abs(want)), 1e-300) if got.shape == want.shape else np.inf
    if not off <= to:
        bad.append(f"{what}: {off} off, shapes {got.shape} and {want.shape}")


def power(field):
    """Power in shells of whole wave numbers, of the contrast."""
    f = np.abs(np.fft.fftn(field / field.mean() - 1)) ** 2
    k = np.fft.fftfreq(N, 1 / N)
    shell = np.rint(np.sqrt(k[:, None, None] ** 2 + k[:, None] ** 2 + k**2)).astype(int)
    return np.bincount(shell.ravel(), f.ravel()) / np.bincount(shell.ravel())


def clouds(places):
    """Density of particles by cloud in cell; places in cells, [n][x, y, z]."""
    out = np.zeros((N, N, N))
    low, part = np.floor(places).astype(int), places - np.floor(places)
    for c in np.ndindex(2, 2, 2):
        w = np.prod([part[:, d] if c[d] else 1 - part[:, d] for d in range(3)], axis=0)
        at = (low + c) % N
        np.add.at(out, (at[:, 2], at[:, 1], at[:, 0]), w)
    return out


class Start:
    def __init__(self, path):
        with h5py.File(path) as f:
            self.gas = {k: f[k][...] for k in ("density", "pressure", "temperature", "velocity_x", "velocity_y", "velocity_z") if k in f}
            self.place = [f["particles/position_" + c][...] for c in "xyz"] if "particles/position_x" in f else None
            self.speed = [f["particles/velocity_" + c][...] for c in "xyz"] if self.place else None
            self.share = f.attrs["gas_share"]
        self.velocity = [100 / A * self.gas["velocity_" + c] for c in "xyz"]  # proper peculiar km/s

    def along(self, v):
        """A vector as [n][3], by x fastest."""
        return np.stack([c.ravel() for c in v], axis=1)


def half(field):
    """The field half a cell further down along each axis."""
    k = np.fft.fftfreq(N, 1 / N)
    turn = np.where(np.abs(k) == N / 2, 0, np.exp(-1j * np.pi * k / N))
    return np.fft.ifftn(np.fft.fftn(field) * turn[:, None, None] * turn[:, None] * turn).real


def particles(name, path, s, length, mass, root_a, moved, to=1e-6):
    """length, mass: units of the file in Mpc/h and Msun/h; root_a: velocities are divided by it."""
    cell = RHO * (L / N) ** 3
    with h5py.File(path) as f:
        head = f["Header"].attrs
        same(name + " box", np.max(head["BoxSize"]) * length, L)
        same(name + " time", [head["Time"], head["Redshift"], head["Omega0"], head["HubbleParam"]], [A, Z, OMEGA_M, H])
        g = f["PartType0"]
        lattice = np.indices((N, N, N))[::-1].reshape(3, -1).T
        same(name + " places of gas", g["Coordinates"][...] * length, (lattice + (0 if moved else 0.5)) * L / N)
        field = half(s.gas["density"]) if moved else s.gas["density"]
        same(name + " mass of gas", g["Masses"][...] * mass, (cell * field).ravel(), to)
        same(name + " all of the gas", np.sum(g["Masses"][...].astype(float)) * mass, RHO * L**3 * s.share, to)
        want = s.along([half(v) if moved else v for v in s.velocity])
        same(name + " velocity of gas", g["Velocities"][...] * root_a, want, 10 * to)
        heat = np.mean(g["InternalEnergy"][...].astype(float)) / 1.5 / (8.2501e-3 * (1 - 0.75 * 0.245))  # k_B / m_H, Y
        same(name + " temperature", heat, s.gas["temperature"].mean(), 0.01)
        got, want = power(g["Masses"][...].astype(float).reshape(N, N, N)), power(s.gas["density"])
        same(name + " power of gas", got[1 : N // 2], want[1 : N // 2], 1e-9 if not moved else 1e-3 if to > 1e-6 else 1e-6)
        ids = list(g["ParticleIDs"][...])
        if s.place:
            d = f["PartType1"]
            same(name + " places of dark matter", d["Coordinates"][...] * length, s.along(s.place) - 5, to)
            same(name + " velocity of dark matter", d["Velocities"][...] * root_a, s.along(s.speed), to)
            same(name + " mass of dark matter", head["MassTable"][1] * mass, cell * (1 - s.share))
            same(name + " power of dark matter", power(clouds(d["Coordinates"][...] * length * N / L)), power(clouds((s.along(s.place) - 5) * N / L)), 1e-4)
            ids += list(d["ParticleIDs"][...])
        if sorted(ids) != list(range(1, len(ids) + 1)):
            bad.append(name + " numbers of particles")


def by_yt(name, path, s, units=None):
    ds = yt.load(path, unit_base=units)
    if name == "gadget":
        same("yt gadget cosmology", [ds.current_redshift, ds.omega_matter, ds.hubble_constant], [Z, OMEGA_M, H])
    same(f"yt {name} box", ds.domain_width.to("Mpccm/h").v, [L] * 3, 1e-3)
    ad = ds.all_data()
    order = np.argsort(ad["PartType1", "particle_index"].v)
    same(f"yt {name} places", ad["PartType1", "particle_position"].to("Mpccm/h").v[order], s.along(s.place) - 5, 1e-3)
    same(f"yt {name} velocity", ad["PartType1", "particle_velocity"].to("km/s").v[order], s.along(s.speed), 1e-3)
    mass = ad["PartType0", "particle_mass"].to("Msun").v.sum() + ad["PartType1", "particle_mass"].to("Msun").v.sum()
    same(f"yt {name} mass", mass * H, RHO * L**3, 2e-3)
    order = np.argsort(ad["PartType0", "particle_index"].v)
    same(f"yt {name} velocity of gas", ad["PartType0", "particle_velocity"].to("km/s").v[order], s.along([half(v) for v in s.velocity]), 1e-3)


def grafic(dir, s):
    def read(name):
        with open(f"{dir}/ic_{name}", "rb") as f:
            head = f.read(52)
            assert np.frombuffer(head, "i4")[[0, 12]].tolist() == [44, 44]
            same("grafic header", np.frombuffer(head[4:16], "i4"), [N] * 3)
            same("grafic header", np.frombuffer(head[16:48], "f4"), [L / N / H, 0, 0, 0, A, OMEGA_M, 1 - OMEGA_M, 100 * H], 1e-4)
            rows = np.frombuffer(f.read(), "f4").reshape(N, N * N + 2)
            assert (rows[:, [0, -1]].copy().view("i4") == 4 * N * N).all()
            return rows[:, 1:-1].reshape(N, N, N)

    same("grafic gas", read("deltab"), s.gas["density"] / s.share - 1, 1e-5)
    same("grafic power of gas", power(1 + read("deltab").astype(float))[1:], power(s.gas["density"])[1:], 1e-5)
    for d, c in enumerate("xyz"):
        same("grafic velocity of gas", read("velb" + c), s.velocity[d])
        if s.place:
            same("grafic velocity of dark matter", read("velc" + c), s.speed[d])
            centre = (np.indices((N, N, N))[2 - d] + 0.5) * L / N
            move = (s.place[d] - 5 - centre + L / 2) % L - L / 2
            same("grafic displacement", read("posc" + c), move, 1e-5)  # Mpc/h


def enzo(dir, s):
    unit = 1.22475e7 * L * np.sqrt(OMEGA_M) * np.sqrt(1 + Z) / 1e5  # as Enzo's CosmologyGetUnits

    def read(name):
        with h5py.File(f"{dir}/{name}") as f:
            d, a = f[name], f[name].attrs
            flat = name.startswith("Particle")
            assert d.shape == ((3, N**3) if flat else (a["Component_Rank"], N, N, N)), (name, d.shape)
            assert a["Rank"] == (1 if flat else 3) and a["Component_Size"] == N**3
            assert np.all(a["Dimensions"] == (N**3 if flat else N))
            assert flat or (np.all(a["TopGridDims"] == N) and np.all(a["TopGridEnd"] == N - 1))
            return d[...]

    same("enzo gas", read("GridDensity")[0], s.gas["density"])
    same("enzo power of gas", power(read("GridDensity")[0])[1:], power(s.gas["density"])[1:])
    same("enzo velocity of gas", read("GridVelocities") * unit, s.velocity)
    if s.place:
        same("enzo places", read("ParticlePositions").T * L, s.along(s.place) - 5)
        same("enzo velocity of dark matter", read("ParticleVelocities").T * unit, s.along(s.speed))


def snapshot(path, s):
    """The solver's file of the start: yt knows the universe, lengths and heat of it."""
    ds = yt.load(path)
    same("snapshot cosmology", [ds.current_redshift, ds.omega_matter, ds.omega_lambda, ds.hubble_constant], [Z, OMEGA_M, 1 - OMEGA_M, H], 1e-4)
    same("snapshot box", ds.domain_width.to("Mpccm/h").v, [L] * 3, 1e-6)
    ad = ds.all_data()
    same("snapshot temperature", ad["gas", "temperature"].to("K").v.mean(), s.gas["temperature"].mean(), 1e-4)
    same("snapshot mass", ad["gas", "cell_mass"].to("Msun").v.sum() * H, RHO * L**3 * s.share, 1e-4)
    heat = 1.5 * 8.2501e7 * (1 - 0.75 * 0.245) * s.gas["temperature"].mean()
    same("snapshot heat", ad["gas", "specific_thermal_energy"].to("erg/g").v.mean(), heat, 1e-3)
    speed = np.sqrt(np.mean([np.mean(v**2) for v in s.velocity]))
    same("snapshot velocity", np.sqrt(np.mean(ad["gas", "velocity_magnitude"].to("km/s").v ** 2) / 3), speed, 1e-4)


both, gas = Start("u/members/0000/ic.h5"), Start("u/members/0001/ic.h5")
for s, id in ((both, "0000"), (gas, "0001")):
    moved = s is both
    particles("gadget", f"u-gadget/{id}/ic.hdf5", s, 1e-3, 1e10, np.sqrt(A), moved)
    particles("swift", f"u-swift/{id}/ic.hdf5", s, H, 1e10 * H, 1, moved)
    grafic(f"u-grafic/{id}", s)
    enzo(f"u-enzo/{id}", s)
particles("single", "single/ic.hdf5", Start("single.h5"), 1e-3, 1e10, np.sqrt(A), True, 2e-6)
with h5py.File("u-swift/0000/ic.hdf5") as f:
    u = f["Units"].attrs
    same("swift units", [u["Unit length in cgs (U_L)"], u["Unit mass in cgs (U_M)"], u["Unit length in cgs (U_L)"] / u["Unit time in cgs (U_t)"]], [MPC, 1e10 * SUN, 1e5], 1e-9)
    same("swift smoothing", f["PartType0/SmoothingLength"][...], np.full(N**3, 1.2348 * L / N / H))
    same("swift masses", f["PartType1/Masses"][...], np.full(N**3, f["Header"].attrs["MassTable"][1]))
snapshot("u/members/0000/snapshots/u_hdf5_plt_cnt_0000", both)
by_yt("gadget", "u-gadget/0000/ic.hdf5", both)
by_yt("swift", "u-swift/0000/ic.hdf5", both, {"length": (1.0, "Mpccm"), "mass": (1e10, "Msun"), "velocity": (1.0, "km/s")})
if bad:
    sys.exit("\n".join(bad))
