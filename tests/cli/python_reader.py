"""python_reader.py compare | journal DIR SEED - compares what examples/python/sluice.py makes of the campaigns of python.sh with the
files themselves; or puts a random journal into a campaign's directory, of which `sluice status` is asked for its own opinion."""
import csv
import glob
import json
import os
import random
import sys

import h5py
import numpy as np

import sluice
from check import check


def rows_of(path):
    """Names and numbers of one of our CSV files."""
    with open(path) as f:
        lines = [line.rstrip("\n").split(",") for line in f if not line.startswith("#")]
    return lines[0], np.array(lines[1:], float)


def same(what, a, b, digits=1e-15):
    a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b)) if np.ndim(b) == 0 else (np.asarray(a), np.asarray(b))
    check(f"{what}: {a.shape} and {b.shape}", a.shape == b.shape)
    check(f"{what}: {np.abs(a - b).max()}", np.allclose(a, b, rtol=digits, atol=0, equal_nan=True))


def histories(campaign):
    for m in campaign.members[:4]:
        with open(m.path + "/history.tsv") as f:
            head = f.readline().rstrip("\n").split("\t")
        numbers = np.loadtxt(m.path + "/history.tsv", skiprows=1)
        check("columns of a history", [f"{k}[{v.unit}]" for k, v in m.history.items()] == head)
        for i, name in enumerate(m.history):
            same(f"{m.id} {name}", m.history[name], numbers[:, i])
    check("no history before a member has begun", campaign["0005"].history is None)


def lines_of(table, name, numbers, names):
    """The rows of a table that its CSV file has: distributions leave out rows without samples."""
    if not name.startswith("pdf"):
        return slice(None)
    s = numbers[:, names.index("s")]
    return np.array([np.abs(s - x).min() < 1e-6 for x in table["s"]])


def statistics(one, path):
    """Every CSV file of statistics has the numbers of the table of its name."""
    n = 0
    for file in sorted(glob.glob(path + "/*.csv")):
        name, number = sluice._split_name(os.path.basename(file)[:-4])
        if name in ("summary", "members", "groups"):
            continue
        table = one.statistic(name, -1 if number is None else number)
        if list(table) == ["map"]:
            same(file, table["map"], np.loadtxt(file, delimiter=",", ndmin=2), 1e-5)
        else:
            names, numbers = rows_of(file)
            check(f"columns of {file}: {names}, {list(table)}", set(names) == set(table))
            for i, column in enumerate(names):
                same(f"{file} {column}", table[column][lines_of(table, name, numbers, names)], numbers[:, i], 1e-9)
        check(f"{file}: what it is", table.name == name and table.number == number)
        n += 1
    check(f"{n} statistics in {path}", n >= 10)


def means(campaign):
    groups = campaign.groups
    check("groups", [(g.number, g.members) for g in groups] == [(1, ["0000", "0002"]), (2, ["0001", "0003"])])
    for g in groups:
        statistics(g, f"small/ensemble/group-{g.number}")
        spectra = [campaign[m].statistic("spectrum_velocity")["total"] for m in g.members]
        same("mean of a spectrum", g.statistic("spectrum_velocity")["total_mean"], np.mean(spectra, 0), 1e-9)
        mach = [campaign[m].results["mach_rms_end"].value for m in g.members]
        same("mean of a result", g.results["mach_rms_end"].mean, np.mean(mach), 1e-9)
        check("members of a mean", g.results["mach_rms_end"].members == 2)


def parameters(campaign):
    m = campaign[3]
    check("keys", m.parameters["turbulence.mach"] == 3 and m.parameters["seed"] == 2 and m.swept == {"seed": 2, "turbulence.mach": 3})
    check("lists", m.parameters["mesh.box"] == [0, 2, 0, 1, 0, 1] and m.parameters["statistics.spectra"] == ["velocity", "density", "energy"])
    check("names", m.parameters["problem"] == "turbulence" and m.parameters["verify"] is False)
    check("found", [x.id for x in campaign.find(**{"turbulence.mach": 3})] == ["0001", "0003", "0005"])
    check("before it has begun", campaign["0005"].parameters == {"seed": 3, "turbulence.mach": 3})
    check("no units", m.units is None)
    check("by number and by name", campaign[1] is campaign["0001"] and len(campaign) == 6)


def exported(campaign):
    with open("rows.csv") as f:
        for want, have in zip(csv.DictReader(f), campaign.rows()):
            check("states of an export", (want["member"], want["state"]) == (have["member"], have["state"]))
            if have["state"] != "done":
                continue  # of those that have not begun an export has no keys
            for name, value in have.items():
                if name not in ("member", "state"):
                    same(f"exported {name}", float(value), float(want[name]), 1e-9)


def states(directory):
    with open(directory + "/status.json" if directory != "small" else "status.json") as f:
        listed = json.load(f)["list"]
    mine = sluice.open(directory)
    for want, m in zip(listed, mine):
        may = ("running", "stopped") if m.state == "running" else (m.state,)  # that a process is gone status alone knows
        check(f"{directory} {m.id}: {m.state}, status says {want['state']}", want["state"] in may)
    return {m.state for m in mine}


def snapshots(campaign):
    for m in campaign.members[:4]:
        check("snapshots", [s.number for s in m.snapshots] == [0, 1, 2])
        s = m.snapshots[-1]
        with h5py.File(s.path) as f:
            blocks, at = f["dens"][()], f["sluice/at"][()]
        full = s["dens"]
        check("shape, unit, words", full.shape == (16, 8, 8) and full.unit == "code density" and full.about == "mass density")
        for block, (i, j, k) in zip(blocks, at):
            same("block", full[8 * i:8 * i + 8, 8 * j:8 * j + 8, 8 * k:8 * k + 8], block.transpose(2, 1, 0))
        same("mass", full.mean(dtype=float) * 2, m.history["mass"][-1], 1e-6)
        same("time", s.time, m.history["time"][-1])
        same("places", s.x, (np.arange(16) + 0.5) / 8)
        same("step", s.step, m.history["step"][-1])
        velocity = sum(np.mean(np.square(s["vel" + a], dtype=float)) for a in "xyz")
        same("rms velocity", velocity ** 0.5, m.history["velocity_rms"][-1], 1e-6)
        start = m.initial["velocity_x"]
        check("initial fields", start.shape == (8, 8, 16) and start.unit == "code velocity")
        same("initial fields are those of the first snapshot", m.snapshots[0]["velx"], np.float32(start.transpose()), 1e-5)


def tube():
    m = sluice.open("tube")[0]
    s = m.snapshots[0]
    rho = s["dens"]
    check("CGS", rho.unit == "g/cm^3" and s.x.unit == "cm" and s["velx"].unit == "cm/s" and s["pres"].unit == "dyn/cm^2")
    check("flat", rho.shape == (32, 8) and s.lo.shape == (2,))
    same("left and right of the diaphragm", rho, 1e-24 * np.where(s.x < 0.0625 * 3e18, 1, 0.125)[:, None] * np.ones(8))
    same("seconds", m.snapshots[-1].seconds, 0.1 * 3e13)
    same("units", m.units["time"], 3e13)
    with open(m.path + "/verify.tsv") as f:
        want = next(line for line in f if line.startswith("density")).split("\t")
    same("errors", m.verification["density"], [float(x) for x in want[1:]])
    refined(s.path)


def universe():
    """Tables and code units of a universe: Mpc/h, km/s at the time of the snapshot, K."""
    m = sluice.open("universe")[0]
    for name, number, column, unit in (("spectrum_velocity", 0, "total", "(10000 km/s)^2"), ("spectrum_velocity", -1, "total", "(5000 km/s)^2"),
                                       ("energies", -1, "velocity", "(100 km/s / a)^2"),
                                       ("expansion", -1, "kinetic", "rho_m (Mpc/h)^3 (100 km/s / a)^2"),
                                       ("expansion", -1, "gained", "a^2 rho_m (Mpc/h)^3 (100 km/s / a)^2"),
                                       ("clumps", -1, "mass", "rho_m (Mpc/h)^3"), ("clumps", -1, "x", "Mpc/h"),
                                       ("clumps", -1, "velocity_x", "5000 km/s"), ("clumps", -1, "peak", "rho_m")):
        found = m.statistic(name, number)[column].unit
        check(f"unit of {column} of {name}: {found}", found == unit)
    unit = {}
    for name in ("slice_temperature_z", "slice_speed_z", "projection_density_z"):
        with open(f"{m.path}/stats/{name}_0002.csv") as f:
            unit[name] = next(line for line in f if line.startswith("# unit: "))[8:].strip()
    same("K of a code unit", float(unit["slice_temperature_z"].split()[0]), 5000**2 / 8.2501e-3, 1e-5)
    check(f"{unit}", unit["slice_temperature_z"].endswith(" K") and unit["slice_speed_z"] == "5000 km/s" and
          unit["projection_density_z"] == "log10 of rho_m Mpc/h")
    check("what rho_m is", "rho_m: comoving mean density of matter" in m.statistic("clumps").about)
    for name, cgs in {"length": 3.0856776e24 / 0.7, "density": 0.3 * 1.87834e-29 * 0.49, "velocity": 1e7,
                      "time": 3.0856776e17 / 0.7}.items():
        same(f"code {name} in CGS", m.units[name], cgs, 1e-4)


def swarm():
    """Particles: masses of the whole box, velocities of the energy that the history has, places beside the catalogue's."""
    m = sluice.open("swarm")[0]
    rho_m = 2.77536627e11 * 0.3
    for s, line in ((m.snapshots[0], 0), (m.snapshots[-1], -1)):
        p = s.particles()
        check("units of particles", [p[c].unit for c in ("id", "mass", "x", "velocity_x")] == ["1", "Msun/h", "Mpc/h", "km/s"])
        check("ids of particles", sorted(p["id"]) == list(range(4096)) and p.number == s.number and not p["kind"].any())
        same("mass of particles", p["mass"].sum(), rho_m * 1e6, 1e-4)
        a = m.history["scale_factor"][line]
        v2 = sum((p["velocity_" + c] * a / 100) ** 2 for c in "xyz")
        same("energy of particles", (p["mass"] / rho_m * v2).sum() / 2, m.history["particle_energy_kinetic"][line], 2e-4)
        few = s.particles([17, 4000, 3])
        at = [list(p["id"]).index(i) for i in (17, 4000, 3)]
        check("some ids", list(few["id"]) == [17, 4000, 3] and all(np.array_equal(few[c], p[c][at]) for c in p))
        check("none", len(s.particles([])["x"]) == 0)
        try:
            s.particles([3, 5000])
            check("an id that is not there", False)
        except KeyError as error:
            check(f"says which: {error}", "no particle 5000" in str(error))
    haloes, p = m.statistic("haloes"), m.snapshots[-1].particles()
    check("haloes", len(haloes["id"]) > 3 and haloes["x"].unit == p["x"].unit and haloes["velocity_x"].unit == p["velocity_x"].unit)
    same("mass of a halo", haloes["mass"], haloes["particles"] * p["mass"][0], 1e-4)
    least = m.snapshots[-1].particles(haloes["id"])
    away = np.sqrt(sum(((least[c] - haloes[c] + 50) % 100 - 50) ** 2 for c in "xyz"))
    check(f"each holds its first particle: {away.max()}", away.max() < 15 and np.median(away) < 5)
    check("no particles", len(sluice.open("small")[0].snapshots[0].particles()["id"]) == 0)


def refine(path, out, parent, fine):
    """Makes one block of a flat snapshot hold four finer ones, as a refined run writes them; returns where the block lies."""
    with h5py.File(path) as f, h5py.File(out, "w") as g:
        for name in f:
            if name not in ("dens", "VTKHDF", "node type", "refine level", "bounding box"):
                f.copy(name, g)
        box, dens = f["bounding box"][()], f["dens"][()]
        n, middle, finer = len(box), box[parent].mean(1), []
        for child in range(4):
            b = box[parent].copy()
            for a in (0, 1):
                b[a, 0 if child >> a & 1 else 1] = middle[a]
            finer.append(b)
        g["dens"], g["bounding box"] = np.concatenate([dens, fine]), np.concatenate([box, finer])
        g["node type"] = np.array([2 if b == parent else 1 for b in range(n + 4)])
        g["refine level"] = np.array([1] * n + [2] * 4)
        return box[parent]


def refined(path):
    fine = np.random.default_rng(7).uniform(1, 2, (4, 1, 8, 8))
    box = refine(path, "refined_hdf5_plt_cnt_0000", 2, fine)
    s = sluice.Snapshot("refined_hdf5_plt_cnt_0000")
    check("leaves", s.refined and [b.level for b in s.blocks("dens")] == [0, 0, 0, 1, 1, 1, 1])
    i = round((box[0, 0] - s.lo[0]) / (s.hi[0] - s.lo[0]) * 32)
    check("a block within", 0 < i < 24)
    patch = np.block([[fine[0, 0].T, fine[2, 0].T], [fine[1, 0].T, fine[3, 0].T]])
    coarse, finer = s.uniform("dens"), s.uniform("dens", 1)
    same("finer cells", finer[2 * i:2 * i + 16], patch)
    same("means of finer cells", coarse[i:i + 8], patch.reshape(8, 2, 8, 2).mean((1, 3)), 1e-14)
    for a in (0, 1):
        same("copies of coarser cells", finer[a:2 * i:2, a::2], coarse[:i])
    same("sizes", [b.spacing[0] for b in s.blocks("dens")], np.array([1] * 3 + [0.5] * 4) * 3e18 / 32, 1e-12)
    same("places of finer cells", s.axis(0, 1)[:2], -1.5e18 + 3e18 / 64 * np.array([0.5, 1.5]), 1e-14)
    try:
        s["dens"]
    except ValueError:
        return
    check("of a refined snapshot one must say which level", False)


def journal(directory, seed):
    """Attempts of every kind at every stage, retries, members that are taken out, an error bar that is small enough."""
    print("seed", seed)
    chance = random.Random(seed)
    facts = [{"v": 1, "t": 1.7e9, "what": "created", "count": 8}]

    def tell(**fact):
        facts.append({"v": 1, "t": 1.7e9 + len(facts), **fact})

    number = {}
    results = ("done", "stopped", "paused", "failed", "lost", "taken", "unfit", "diverged", "refused", "blocked")
    often = ("stopped", "failed", "done", "taken", "lost", "stopped")[seed % 6]
    for _ in range(150):
        member, stage = f"{chance.randrange(7):04d}", chance.choice(("ic", "sim", "sim", "stats"))
        what = chance.random()
        if what < 0.05:
            tell(what="retry", member=member, **({"stage": stage} if chance.random() < 0.5 else {}))
        elif what < 0.08:
            tell(what="cancel", member=member)
        elif what < 0.1:
            tell(what="target", code=chance.randrange(2), count=3, value=0.1)
        else:
            n = number[member, stage] = number.get((member, stage), 0) + 1
            tell(what="start", member=member, stage=stage, n=n)
            result = often if chance.random() < 0.6 else chance.choice(results)
            if chance.random() < 0.95:
                tell(what="end", member=member, stage=stage, n=n, result=result, step=chance.randrange(4), text="so")
            if chance.random() < 0.1:
                tell(what="end", member=member, stage=stage, n=n, result="failed")
            record = f"{directory}/members/{member}/attempts/{stage}.end.json"
            if chance.random() < 0.2 and os.path.exists(record):
                os.remove(record)
    lines = [json.dumps(x, separators=(",", ":")) for x in facts]
    with open(directory + "/journal.jsonl", "w") as f:
        f.write("\n".join(lines[:-1]) + '\n{"v":1,"what":"can\n' + lines[-1] + "\n")


def others(campaign):
    """What pandas and yt make of it, where they are."""
    try:
        frame = campaign.frame()
        check("frame", list(frame["member"]) == [m.id for m in campaign])
        check("frame of a history", len(campaign[0].history.frame()) == len(campaign[0].history["time"]))
    except ImportError:
        print("SKIP: pandas is not installed")
    try:
        import yt
        yt.set_log_level(50)
        check("yt", float(campaign[0].snapshots[-1].yt().current_time) == campaign[0].snapshots[-1].time)
    except ImportError:
        print("SKIP: yt is not installed")


def main(argv):
    if argv[1] == "journal":
        journal(argv[2], int(argv[3]))
        return 0
    campaign = sluice.open("small")
    parameters(campaign)
    histories(campaign)
    statistics(campaign[1], "small/members/0001/stats")
    means(campaign)
    exported(campaign)
    snapshots(campaign)
    tube()
    universe()
    swarm()
    check("states of small", states("small") == {"done", "cancelled", "waiting"})
    seen = set().union(*(states(d) for d in sorted(glob.glob("fake-*"))))
    check(f"states that were seen: {seen}", len(seen) >= 7)
    a = campaign[0].history["time"]
    check("arithmetic has no unit", type(a * 2) is np.ndarray and a[1:].unit == "code" and isinstance(a.max(), float))
    others(campaign)
    print("all held")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
