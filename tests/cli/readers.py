"""readers.py yt|paraview DIR - opens the snapshots under DIR/done-*/snapshots as a user would and compares numbers, not only
"no exception". Exit status 0 only if every check held."""
import glob
import json
import os
import sys

import numpy as np

BAD = []


def ok(name, good, note=""):
    print(f"{'ok  ' if good else 'FAIL'} {name} {note}")
    if not good:
        BAD.append(name)


def close(a, b, tolerance):
    return abs(float(a) - float(b)) <= tolerance * max(abs(float(b)), 1e-300)


def history(top):
    """First and last line of history.tsv as name -> value."""
    with open(os.path.join(top, "history.tsv")) as f:
        lines = [x for x in f.read().splitlines() if x[0] != "#"]
    head = [h.split("[")[0] for h in lines[0].split("\t")]
    return [dict(zip(head, map(float, line.split("\t")))) for line in (lines[1], lines[-1])]


class Run:
    """One run: its recipe as the snapshot itself carries it, and the first and last snapshot."""

    def __init__(self, top):
        self.name = os.path.basename(top)[5:]
        self.first, self.last = (f"{top}/snapshots/{self.name}_hdf5_plt_cnt_{n:04d}" for n in (0, 1))
        self.series = f"{top}/snapshots/{self.name}.hdf.series"
        start, self.totals = history(top)
        import h5py
        with h5py.File(self.first) as f:
            text = f["sluice/run.yaml"][0].decode()
            self.attrs = dict(f["sluice"].attrs)
            self.precision = f["dens"].dtype
        self.key = {}
        for line in text.splitlines():
            path, _, value = line.partition(": ")
            try:
                self.key[path] = json.loads(value)
            except ValueError:          # names, or a list of names
                names = [x.strip() for x in value.strip("[]").split(",")]
                self.key[path] = names if value.startswith("[") else value
        self.cells = self.key["mesh.cells"]
        self.dim = len(self.cells)
        self.levels = int(self.key["mesh.levels"])
        self.leaves = {path: np.prod(self.cells) if self.levels == 0 else
                       sum(line[f"cells_level_{l}"] for l in range(self.levels + 1))
                       for path, line in ((self.first, start), (self.last, self.totals))}
        self.box = np.array(self.key["mesh.box"], float).reshape(-1, 2)[:self.dim]
        self.tolerance = 1e-12 if self.precision == np.float64 else 1e-6
        self.units = [float(self.key["units." + u]) or 1.0 for u in ("length", "density", "velocity")]

    def step(self, x):
        """Density of the start at the places x[n][3], nan near the diaphragm."""
        normal = np.array(self.key["riemann.normal"], float)
        normal[self.dim:] = 0
        normal /= np.sqrt((normal ** 2).sum())
        away = x @ normal - float(self.key["riemann.x0"])
        dx = ((self.box[:, 1] - self.box[:, 0]) / self.cells).max() / 2 ** self.levels
        rho = np.where(away < 0, self.key["riemann.left"][0], self.key["riemann.right"][0])
        return np.where(np.abs(away) < 2 * dx, np.nan, rho)


# ---------------------------------------------------------------------- yt
def yt_first(r, yt):
    ds = yt.load(r.first)
    length, density, _ = r.units
    ad = ds.all_data()
    place = np.stack([ad["index", a].in_units("code_length").d / length for a in "xyz"], axis=1)
    got = ad["flash", "dens"].d / density
    want = r.step(place)
    far = np.isfinite(want)
    ok(r.name + " every cell is where it belongs", far.sum() > got.size / 2 and np.allclose(got[far], want[far], rtol=1e-6),
       f"{far.sum()} of {got.size}")
    ok(r.name + " levels", ds.max_level == r.levels and got.size == r.leaves[r.first], f"{ds.max_level}, {got.size}")
    ok(r.name + " time of the start", float(ds.current_time) == 0)


def yt_last(r, yt):
    ds = yt.load(r.last)
    length, density, velocity = r.units
    ad = ds.all_data()
    ok(r.name + " frontend", ds.dataset_type == "flash_hdf5", ds.dataset_type)
    ok(r.name + " dimensions", ds.dimensionality == r.dim and list(ds.domain_dimensions[:r.dim]) == r.cells)
    ok(r.name + " edges", np.allclose(ds.domain_left_edge.d[:r.dim], r.box[:, 0] * length)
       and np.allclose(ds.domain_right_edge.d[:r.dim], r.box[:, 1] * length))
    sides = r.key["mesh.boundary"]
    want = [sides[2 * a] == "periodic" for a in range(r.dim)]
    ok(r.name + " periodicity", list(ds.periodicity)[:r.dim] == want, str(ds.periodicity))
    ok(r.name + " cells", ad["flash", "dens"].size == r.leaves[r.last])
    volume = ad["gas", "cell_volume"].in_units("code_length**3").d
    mass = (ad["flash", "dens"].d * volume).sum()
    mass /= density * length ** r.dim
    whole = np.prod(r.box[:, 1] - r.box[:, 0]) * length ** r.dim
    ok(r.name + " volume", close(volume.sum(), whole, 1e-12), f"{volume.sum():.12g}")
    level = ad["index", "grid_level"].d.astype(int)
    for l in range(r.levels + 1 if r.levels else 0):
        share = volume[level == l].sum() / whole * np.prod(r.cells, dtype=float) * 2.0 ** (r.dim * l)
        ok(f"{r.name} cells of level {l}", (level == l).sum() == r.totals[f"cells_level_{l}"]
           and abs(share - r.totals[f"cells_level_{l}"]) < 1e-6, f"{(level == l).sum()}, as large as {share:.6g}")
    ok(r.name + " mass", close(mass, r.totals["mass"], r.tolerance), f"{mass:.12g}")
    ok(r.name + " time", close(ds.current_time.d, r.totals["time"] * length / velocity, 1e-12))
    for field, unit in (("density", "g/cm**3"), ("pressure", "dyn/cm**2"), ("velocity_x", "cm/s"),
                        ("velocity_z", "cm/s"), ("sound_speed", "cm/s")):
        try:
            data = ad["gas", field].in_units(unit)
            ok(f"{r.name} {field} in {unit}", bool(np.isfinite(data.d).all()))
        except Exception as e:      # noqa: BLE001 - any failure counts
            ok(f"{r.name} {field} in {unit}", False, repr(e))
    p = ad["flash", "pres"].d / (density * velocity ** 2)
    ok(r.name + " pressure", close(p.min(), r.totals["pressure_min"], 1e-6) and close(p.max(), r.totals["pressure_max"], 1e-6))
    ok(r.name + " scalar", ("flash", "sc01") in ds.field_list)
    v2 = sum((ad["flash", "vel" + a].d / velocity) ** 2 for a in "xyz")
    ok(r.name + " velocities", close(np.sqrt((v2 * volume).sum() / volume.sum()), r.totals["velocity_rms"], 1e-6))
    if r.dim == 3:
        yt_images(r, yt, ds, density, length)


def yt_images(r, yt, ds, density, length):
    middle = float(ds.domain_center[2])
    s = ds.slice("z", middle + 1e-3 * length)
    area = float((s["pdx"] * s["pdy"] * 4).sum()) / length ** 2
    want = np.prod(r.box[:2, 1] - r.box[:2, 0])
    ok(r.name + " slice", close(area, want, 1e-12) and (r.levels > 0 or s["gas", "density"].size == r.cells[0] * r.cells[1]),
       f"{area:.12g}, {s['gas', 'density'].size} cells")
    p = ds.proj(("gas", "density"), "z")
    mass = (p["gas", "density"] * p["pdx"] * p["pdy"] * 4).sum().in_units("code_mass").d / (density * length ** 3)
    ok(r.name + " projection conserves mass", close(mass, r.totals["mass"], 10 * r.tolerance))
    c = ds.covering_grid(0, ds.domain_left_edge, ds.domain_dimensions)
    import h5py
    with h5py.File(r.last) as f:
        cube = np.zeros(r.cells)
        n = np.array(r.key["mesh.block"])
        level = f["sluice/level"][()] if r.levels else np.zeros(len(f["dens"]))
        for at, block in zip(f["sluice/at"][()][level == 0], f["dens"][()][level == 0]):
            x, y, z = at * n
            cube[x:x + n[0], y:y + n[1], z:z + n[2]] = block.transpose(2, 1, 0)
    ok(r.name + " covering grid", np.array_equal(c["flash", "dens"].d, cube))
    if r.name != "d3":
        return
    image = r.last + "_slice.png"
    yt.SlicePlot(ds, "z", ("gas", "density")).save(image)
    ok(r.name + " picture", os.path.getsize(image) > 1000)


def with_yt(runs):
    import yt
    yt.set_log_level(50)
    for r in runs:
        yt_first(r, yt)
        yt_last(r, yt)
        if r.name == "cgs":
            ds = yt.load(r.first)
            ok("cgs length", close(ds.domain_width[0].in_units("pc"), 1.0, 1e-4))
            ad = ds.all_data()
            heat = (ad["gas", "pressure"] / ad["gas", "density"]).max().in_units("erg/g")
            ok("cgs heat", close(ad["gas", "specific_thermal_energy"].max().in_units("erg/g"), heat / 0.4, 1e-5))
            ok("cgs temperature", close(ad["gas", "temperature"].max().in_units("K"), 0.6 * 1.00784 * 1.66054e-24 / 1.380649e-16 * heat, 1e-4))
            ok("cgs density", close(ds.all_data()["gas", "density"].max().in_units("g/cm**3"), 1e-24, 1e-6))


# ---------------------------------------------------------------- ParaView
def integral(pv, source, name):
    from paraview import servermanager
    i = pv.IntegrateVariables(Input=source)
    pv.UpdatePipeline(proxy=i)
    data = servermanager.Fetch(i).GetCellData()
    array = data.GetArray(name)
    return array.GetValue(0) if array else float("nan")


def paraview_series(r, pv):
    """The list of the snapshots, opened by its name alone: ParaView shows the times, and the state of each."""
    length, density, velocity = r.units
    source = pv.OpenDataFile(r.series)
    ok(r.name + " list of snapshots in ParaView", source is not None)
    times = list(source.TimestepValues)
    ok(r.name + " times in ParaView", len(times) == 2 and times[0] == 0
       and close(times[1], r.totals["time"] * length / velocity, 1e-12), str(times))
    for time, path in zip(times, (r.first, r.last)):
        pv.UpdatePipeline(time=time, proxy=source)
        lo, hi = source.CellData["density"].GetRange()
        import h5py
        with h5py.File(path) as f:
            want = f["dens"][()]
        ok(f"{r.name} state at {time:g} in ParaView", close(lo, want.min(), 1e-6) and close(hi, want.max(), 1e-6), f"{lo:g} {hi:g}")


def with_paraview(runs):
    from paraview import simple as pv
    for r in runs:
        paraview_series(r, pv)
        if r.dim < 3:
            continue                # flat boxes: IntegrateVariables would count areas
        length, density, _ = r.units
        for path in (r.first, r.last):
            source = pv.VTKHDFReader(FileName=path + ".vtkhdf")
            if hasattr(source, "MaximumLevelsToReadByDefaultForAMR"):
                source.MaximumLevelsToReadByDefaultForAMR = 0
            pv.UpdatePipeline(proxy=source)
            info = source.GetDataInformation()
            more = info.GetNumberOfCells() - r.leaves[path]     # single cells of coarser levels: core/io/vtkhdf.h
            ok(r.name + " cells in ParaView", 0 <= more <= 6 * r.levels, f"{info.GetNumberOfCells()}, {more} more")
            lo, hi = np.array(info.GetBounds()).reshape(3, 2).T
            ok(r.name + " bounds in ParaView", np.allclose(lo, r.box[:, 0] * length) and np.allclose(hi, r.box[:, 1] * length))
        mass = integral(pv, source, "density") / (density * length ** 3)
        ok(r.name + " mass in ParaView", close(mass, r.totals["mass"], 1e-5), f"{mass:.9g}")
        cut = pv.Slice(Input=source)
        cut.SliceType.Origin = list((0.51 * r.box[:, 0] + 0.49 * r.box[:, 1]) * length)
        cut.SliceType.Normal = [0, 0, 1]
        area = integral(pv, cut, "Area") / length ** 2
        want = np.prod((r.box[:, 1] - r.box[:, 0])[:2])
        ok(r.name + " slice area in ParaView", close(area, want, 1e-5), f"{area:.9g}")


def particles(top, pv):
    """The view of the particles has the rows of the table, in the order of the file."""
    import h5py
    from paraview import servermanager
    from vtk.util.numpy_support import vtk_to_numpy
    snapshots = sorted(glob.glob(top + "/snapshots/*_hdf5_plt_cnt_????"))
    source = pv.OpenDataFile(top + "/snapshots/swarm.particles.hdf.series")
    times = list(source.TimestepValues)
    ok("times of particles in ParaView", len(times) == 2 and close(times[0], 0.02, 1e-9) and close(times[1], 0.1, 1e-9), str(times))
    for time, path in zip(times, snapshots):
        with h5py.File(path) as f:
            rows = f["tracer particles"][()]
            length, velocity = (f["sluice"].attrs["cgs_" + u] for u in ("length", "velocity"))
        pv.UpdatePipeline(time=time, proxy=source)
        for what, data in (("list", source), ("view", pv.VTKHDFReader(FileName=path + ".particles.vtkhdf"))):
            got = servermanager.Fetch(data)
            array = {name: vtk_to_numpy(got.GetPointData().GetArray(name)) for name in ("velocity", "mass", "id")}
            ok(f"places of particles at {time:g}, {what}", np.array_equal(vtk_to_numpy(got.GetPoints().GetData()), rows[:, :3])
               and len(rows) == 512)
            ok(f"velocities of particles at {time:g}, {what}", np.array_equal(array["velocity"], rows[:, 3:6]))
            ok(f"masses of particles at {time:g}, {what}", np.array_equal(array["mass"], rows[:, 6]))
            ok(f"ids of particles at {time:g}, {what}", sorted(array["id"]) == list(range(512)))
        mass = 0.3 * 1.87834e-29 * 0.7 ** 2 * (100 * 3.08568e24 / 0.7) ** 3     # of the comoving box, g
        ok(f"units of particles at {time:g}", close(rows[:, 6].sum(), mass, 1e-3) and close(velocity, 1e7 / time ** 2, 1e-9)
           and 0.9 * 100 * length < rows[:, :3].max() <= 100 * length, f"{rows[:, 6].sum():g} {mass:g}")


def main(argv):
    runs = [Run(top) for top in sorted(glob.glob(argv[2] + "/done-*"))]
    ok("runs", len(runs) == 9, str([r.name for r in runs]))
    with_yt(runs) if argv[1] == "yt" else with_paraview(runs)
    if argv[1] == "paraview":
        from paraview import simple
        particles(argv[2] + "/swarm", simple)
    print(f"{len(BAD)} failed" if BAD else "all held")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
