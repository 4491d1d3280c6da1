#!/usr/bin/env python3
"""sluice.py - reads the directory of a campaign: parameters, status, histories, statistics, snapshots, as numpy arrays with units.

One file, which needs numpy and h5py alone: copy it beside your script, or add the folder it is in to PYTHONPATH.
`python3 sluice.py DIRECTORY` prints a summary.

    import sluice
    campaign = sluice.open("small")
    for member in campaign:
        print(member.id, member.label, member.state)
        print(member.parameters["turbulence.mach"], member.results["mach_rms_end"].value)
    member = campaign.find(seed=1)[0]
    history = member.history                          # a table: history["time"], history["mach_rms"].unit
    spectrum = member.statistic("spectrum_velocity")  # of the last snapshot; statistic(NAME, 0): of the first
    k, energy = spectrum["k"], spectrum["total"]
    snapshot = member.snapshots[-1]
    density = snapshot["dens"]                        # density[i, j, k], i along x
    particles = snapshot.particles()                  # a table: particles["x"], particles["id"]; particles(ids): some
    haloes = member.statistic("haloes")               # the catalogue of the last snapshot, if statistics.haloes makes one
    mean = campaign.groups[0].statistic("spectrum_velocity")["total_mean"]
    slope = campaign.response("cosmology.omega_m", "matter_particles_0001")["power_response"]  # of a sweep, over the same seeds

Arrays know their unit and what they are: `array.unit`, `array.about`; what is computed with them is a plain array of numbers that
has forgotten both. Units named "code ..." are those of the recipe; `member.units` has the CGS value of each where it sets them, and of
a universe, whose tables have factors in Mpc/h, km/s, K and rho_m, the comoving mean density of matter, as their units.
Nothing is written and no program is started, so that a campaign may be read while it runs: what is not there yet is missing.
"""
import collections
import json
import os
import re
import sys
from collections.abc import Mapping

import h5py
import numpy as np

__all__ = ["open", "Campaign", "Member", "Group", "Snapshot", "Block", "Table", "Array", "Number", "STAGES"]

STAGES = ("ic", "sim", "stats", "own")
_COMMANDS = ("snapshot", "member", "campaign")  # keys of stages.*: bits of the column that says which stages a member has
Number = collections.namedtuple("Number", "value error unit")
Number.__doc__ = "A result of a member; error 0: none is known."
Mean = collections.namedtuple("Mean", "mean standard_error median p16 p84 bootstrap_lo bootstrap_hi members unit")
Mean.__doc__ = "A result of an ensemble: percentiles of the members, ends of the 95 % bootstrap interval of the mean."
_open = open


def open(directory="."):  # noqa: A001 - sluice.open is what a reader expects
    """The campaign in a directory."""
    return Campaign(directory)


# ---- arrays and tables ---------------------------------------------------------------------------

class Array(np.ndarray):
    """numpy's array, which says its unit and what it is. Slices keep both, results of arithmetic keep none."""

    def __new__(cls, values, unit="", about=""):
        self = np.asarray(values).view(cls)
        self.unit, self.about = unit, about
        return self

    def __array_finalize__(self, source):
        self.unit = getattr(source, "unit", "")
        self.about = getattr(source, "about", "")

    def __array_wrap__(self, result, *rest):
        result = np.asarray(result)
        return result[()] if result.ndim == 0 else result

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        inputs = [np.asarray(x) if isinstance(x, Array) else x for x in inputs]
        if "out" in options:
            options["out"] = tuple(np.asarray(x) if isinstance(x, Array) else x for x in options["out"])
        return getattr(ufunc, method)(*inputs, **options)


class Table(Mapping):
    """Columns by their names: table["k"]. `about` is what they are, `attributes` the numbers given with them (time, members ..),
    `name` and `number` those of a statistic and of the snapshot it was made of."""

    def __init__(self, columns, about="", attributes=None, name="", number=None):
        self.columns, self.about, self.attributes = dict(columns), about, dict(attributes or {})
        self.name, self.number = name, number

    def __getitem__(self, name):
        return self.columns[name]

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return len(self.columns)

    def __repr__(self):
        return f"<table {self.name}: {', '.join(self.columns)}>"

    @property
    def time(self):
        """Code time of the snapshot it was made of; None where it has no time of its own."""
        return self.attributes.get("time")

    def frame(self):
        """The columns as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame({name: np.asarray(column) for name, column in self.columns.items()})


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _plain(value):
    """An attribute of HDF5 as a Python value."""
    value = _text(value)
    return value.item() if isinstance(value, np.generic) else value


def _group_table(group, name="", number=None):
    columns = {key: Array(item[()], _text(item.attrs.get("units", "")), _text(item.attrs.get("description", "")))
               for key, item in group.items()}
    attributes = {key: _plain(value) for key, value in group.attrs.items()}
    return Table(columns, attributes.pop("description", ""), attributes, name, number)


def _files(folder):
    """{path below the folder: path} of all files there."""
    found = sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder): path for path in found}


def _delimited(path, delimiter):
    """A table of text: names (with units in brackets) in the first line that is no comment, then numbers."""
    comments, rows = [], []
    with _open(path) as f:
        for line in f:
            if line.startswith("#"):
                comments.append(line[1:].strip())
            elif line.endswith("\n"):  # the last line of a run under way may be torn
                rows.append(line.rstrip("\n").split(delimiter))
    return comments, rows


def _split_name(number):
    found = re.fullmatch(r"(.*)_(\d{4,})", number)
    return (found[1], int(found[2])) if found else (number, None)


class _Statistics:
    """The statistics in one HDF5 file; the file is opened for each of them."""

    def __init__(self, path):
        self.path = path
        self.numbers = {}
        if not os.path.exists(path):
            return
        with h5py.File(path, "r") as f:
            for group in sorted(f):
                name, number = _split_name(group)
                if name != "summary":
                    self.numbers.setdefault(name, []).append(number)

    def read(self, name, number=-1):
        if name not in self.numbers:
            raise KeyError(f"no {name} in {self.path}; there are: {', '.join(self.numbers) or 'none'}")
        numbers = self.numbers[name]
        if numbers == [None]:
            number = None
        elif number < 0:
            number = numbers[number]
        if number not in numbers:
            raise KeyError(f"{self.path}: {name} is of the snapshots {numbers}, not of {number}")
        with h5py.File(self.path, "r") as f:
            return _group_table(f[name if number is None else f"{name}_{number:04d}"], name, number)


# ---- snapshots -----------------------------------------------------------------------------------

_CGS = {"length": "cm", "density": "g/cm^3", "velocity": "cm/s", "pressure": "dyn/cm^2", "magnetic": "G", "time": "s",
        "energy": "erg/g", "temperature": "K"}

_PARTICLES = "tracer particles"  # a row each: place, velocity, mass, id, block
_MPC, _SUN = 3.0856775814913673e24, 1.98840987e33  # cm, g

Block = collections.namedtuple("Block", "index level lo hi spacing cells")
Block.__doc__ = """A leaf: `level` 0 is that of the root grid, lo and hi are its corners, spacing the size of its cells, each for
the axes that are there, in the unit of the snapshot's lengths; cells[i, j, k] the values of the field, i along x."""


class Snapshot:
    """The fields at one time. fields: their names; snapshot["dens"] is one as an array [i, j, k], i along x, of as many axes as
    the run has. Values are in code units, or in CGS where the recipe sets units.*; `.unit` of an array tells."""

    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as f:
            own = f["sluice"]
            self.attributes = {key: _plain(value) for key, value in own.attrs.items()}
            self.about = {_text(row["name"]): row for row in own["fields"][()]}
            self.fields = list(self.about)
            self.recipe = _text(own["run.yaml"][0])
            self._scalars = {_text(row["name"]).strip(): float(row["value"]) for row in f["real scalars"][()]}
            kind, level = f["node type"][()], f["refine level"][()]
            self.leaves = np.flatnonzero(kind == 1)
            self.levels = level[self.leaves] - 1
            box = f["bounding box"][()][self.leaves]
        a = self.attributes
        self.dim, self.step = int(a["dim"]), int(a["step"])
        self.cells = tuple(int(n) for n in a["cells"][:self.dim])
        self.block = tuple(int(n) for n in a["block"][:self.dim])
        self.is_cgs = [a["cgs_" + u] for u in ("length", "density", "velocity")] != [1, 1, 1]
        scale = a["cgs_length"] if self.is_cgs else 1
        unit = "cm" if self.is_cgs else "code length"
        self.lo = Array(a["lo"][:self.dim] * scale, unit, "lower corner of the box")
        self.hi = Array(a["hi"][:self.dim] * scale, unit, "upper corner of the box")
        self._box = box[:, :self.dim]
        self.number = _split_name(os.path.basename(path))[1]

    def __repr__(self):
        return f"<snapshot {self.number}: time {self.time:g}, {' x '.join(map(str, self.cells))} cells>"

    @property
    def time(self):
        """Code time; for an expanding universe see `redshift`."""
        return self.attributes["time"]

    @property
    def seconds(self):
        """Time in s where the recipe sets units.*, for an expanding universe its age; else None."""
        return self._scalars["time"] if self.is_cgs else None

    @property
    def redshift(self):
        """None where the universe does not expand."""
        return self.attributes.get("redshift")

    @property
    def refined(self):
        """Whether there are cells of several sizes."""
        return self.levels.size > 0 and self.levels.max() > 0

    def axis(self, a, level=0):
        """Centres of the cells along axis 0, 1 or 2, on the grid of a level."""
        n = self.cells[a] << level
        width = (self.hi[a] - self.lo[a]) / n
        return Array(self.lo[a] + width * (np.arange(n) + 0.5), self.lo.unit, "centres of cells along " + "xyz"[a])

    x = property(lambda self: self.axis(0), doc="Centres of the cells along x.")
    y = property(lambda self: self.axis(1), doc="Centres of the cells along y.")
    z = property(lambda self: self.axis(2), doc="Centres of the cells along z.")

    def unit(self, field):
        """Unit of a field, with _CGS names where the recipe sets units.*."""
        dimension = _text(self.about[field]["unit"])
        if dimension == "1":
            return "1"
        return _CGS.get(dimension, dimension) if self.is_cgs else "code " + dimension

    def blocks(self, field):
        """The leaves in the order of the file, one Block after the other, read as they are asked for."""
        axes = tuple(range(self.dim - 1, -1, -1))
        with h5py.File(self.path, "r") as f:
            values = f[field]
            for i, leaf in enumerate(self.leaves):
                cells = values[leaf][(0,) * (3 - self.dim)]
                lo, hi = self._box[i].T
                yield Block(int(leaf), int(self.levels[i]), lo, hi, (hi - lo) / np.array(self.block),
                            Array(cells.transpose(axes), self.unit(field), _text(self.about[field]["description"])))

    def uniform(self, field, level=0):
        """A field on the grid of one level, [i, j, k]: means of the cells that are finer, copies of those that are coarser."""
        full = np.full([n << level for n in self.cells], np.nan, self._dtype(field))
        width = (np.asarray(self.hi) - np.asarray(self.lo)) / full.shape
        for b in self.blocks(field):
            cells = _resized(np.asarray(b.cells), level - b.level)
            at = np.rint((b.lo - np.asarray(self.lo)) / width).astype(int)
            full[tuple(slice(s, s + n) for s, n in zip(at, cells.shape))] = cells
        return Array(full, self.unit(field), _text(self.about[field]["description"]))

    def _dtype(self, field):
        with h5py.File(self.path, "r") as f:
            return f[field].dtype

    def __getitem__(self, field):
        """The field on the root grid; of a refined snapshot ask for uniform(field, level) or blocks(field), which say which."""
        if field not in self.about:
            raise KeyError(f"no {field} in {self.path}; there are: {', '.join(self.fields)}")
        if self.refined:
            raise ValueError(f"{self.path} has {self.levels.max() + 1} levels: uniform({field!r}, level) or blocks({field!r})")
        return self.uniform(field)

    # ---- particles

    def particles(self, ids=None):
        """Those of dark matter, as a table in the order of the file or, of `ids` alone, in the order of these: id, kind (0, 1, .. by
        rising mass), mass, x, y, z, velocity_x, .. In a universe comoving Mpc/h, peculiar velocities in km/s and Msun/h; else in the
        units of the fields. Without particles its columns are empty."""
        with h5py.File(self.path, "r") as f:
            rows = f[_PARTICLES][()] if _PARTICLES in f else np.empty((0, 9))
        masses = np.unique(rows[:, 6])
        if ids is not None:
            rows = rows[self._rows_of(rows[:, 7].astype(np.int64), np.asarray(ids, np.int64))]
        length, mass, velocity, units = self._particle_units()
        columns = {"id": Array(rows[:, 7].astype(np.int64), "1", "as in the start"),
                   "kind": Array(np.searchsorted(masses, rows[:, 6]), "1", "by rising mass"),
                   "mass": Array(rows[:, 6] * mass, units[1], "mass")}
        for a, axis in enumerate("xyz"):
            columns[axis] = Array(rows[:, a] * length, units[0], f"place along {axis}")
            columns["velocity_" + axis] = Array(rows[:, 3 + a] * velocity, units[2], f"velocity along {axis}")
        return Table(columns, "particles", {"time": self.time}, "particles", self.number)

    def _rows_of(self, own, wanted):
        """Where the ids are that are wanted."""
        order = np.argsort(own, kind="stable")
        at = np.minimum(np.searchsorted(own, wanted, sorter=order), max(len(own) - 1, 0))
        found = order[at] if len(own) else at
        lost = wanted if not len(own) else wanted[own[found] != wanted]
        if len(lost):
            raise KeyError(f"{self.path} has no particle {lost[0]}" + (f", nor {len(lost) - 1} others" if len(lost) > 1 else ""))
        return found

    def _particle_units(self):
        """Factors of lengths, masses and velocities of the file, and what they then are."""
        if self.redshift is None:
            return 1, 1, 1, ("cm", "g", "cm/s") if self.is_cgs else ("code length", "code mass", "code velocity")
        length = self.attributes["cgs_length"]
        h = _MPC / length
        return 1 / length, h / _SUN, self.attributes["scale_factor"] / 1e5, ("Mpc/h", "Msun/h", "km/s")

    def yt(self):
        """The snapshot as a data set of yt."""
        import yt
        return yt.load(self.path)


def _resized(cells, finer):
    """Cells of a block on a grid that is 2^finer times as fine; finer < 0: means."""
    for axis in range(cells.ndim):
        if finer > 0:
            cells = np.repeat(cells, 1 << finer, axis)
        for _ in range(-finer):
            even, odd = (np.take(cells, np.arange(start, cells.shape[axis], 2), axis) for start in (0, 1))
            cells = (even + odd) / 2
    return cells


# ---- members -------------------------------------------------------------------------------------

def _value(text):
    """A value of run.yaml or of a label."""
    try:
        return json.loads(text)
    except ValueError:  # names, or a list of them
        return [x.strip() for x in text[1:-1].split(",") if x.strip()] if text.startswith("[") else text


class Member:
    """One run of a campaign.

    id         name of its directory
    path       that directory
    label      what tells it from the others: "seed=3 turbulence.mach=10"
    swept      the same as a dict
    ic         whether its initial conditions are a stage of their own
    own        whether commands of the recipe are (stages.snapshot, stages.member)
    state      waiting, running, stopped, done, failed, stalled, diverged, cancelled or surplus, as `sluice status` has it, but that
               `running` is what the journal knows: no process is looked for
    stages     the state of each stage: {"ic": "done", ..}
    why        what the last failure said, "" for none
    """

    def __init__(self, directory, row):
        self.id, self.label = row["id"], row["label"]
        self.ic, self.retries = int(row["ic"]) & 1 == 1, int(row["retries"])
        self._commands = int(row["ic"]) >> 1
        self.path = os.path.join(directory, "members", self.id)
        pairs = re.split(r" (?=[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*=)", self.label) if self.label else []
        self.swept = {key: _value(value) for key, value in (pair.split("=", 1) for pair in pairs)}
        self.state, self.why, self.stages = "waiting", "", {}
        self._parameters = self._snapshots = self._statistics = None

    def __repr__(self):
        return f"<member {self.id}: {self.label or 'alone'}, {self.state}>"

    def _file(self, name):
        return os.path.join(self.path, name)

    @property
    def own(self):
        return self._commands & 3 != 0

    @property
    def products(self):
        """What commands of the recipe made of it: {"0003/peaks.csv": path}."""
        return _files(self._file("own"))

    @property
    def parameters(self):
        """All keys of the recipe as resolved for this member; what is swept alone before the member has begun."""
        if self._parameters is None:
            if not os.path.exists(self._file("run.yaml")):
                return dict(self.swept)
            with _open(self._file("run.yaml")) as f:
                lines = [line.rstrip("\n").partition(": ") for line in f]
            self._parameters = {key: _value(value) for key, colon, value in lines if colon}
        return self._parameters

    @property
    def units(self):
        """CGS values of the code units {"length", "density", "velocity", "time"}; None where the recipe has none. Of an expanding
        universe lengths and densities are comoving, velocities those of a v, times those of dt / a^2."""
        names = ("length", "density", "velocity")
        if self.parameters.get("time.unit") == "redshift" and os.path.exists(self._file("history.tsv")):
            said = [c for c in _delimited(self._file("history.tsv"), "\t")[0] if c.startswith("units supercomoving: ")]
            words = [part.split() for part in said[0].partition(": ")[2].split(", ")] if said else []
            return {w[0]: float(w[1]) for w in words if w[0] in (*names, "time")} or None
        value = [float(self.parameters.get("units." + name) or 0) for name in names]
        return dict(zip(names, value), time=value[0] / value[2]) if all(value) else None

    @property
    def history(self):
        """Integrals over the box against time, a table; None before there is one."""
        if not os.path.exists(self._file("history.tsv")):
            return None
        _, rows = _delimited(self._file("history.tsv"), "\t")
        numbers = np.array(rows[1:], float).reshape(-1, len(rows[0]))
        columns = {}
        for i, head in enumerate(rows[0]):
            name, _, unit = head.rstrip("]").partition("[")
            columns[name] = Array(numbers[:, i], unit)
        return Table(columns, "integrals over the box against time", name="history")

    @property
    def verification(self):
        """Errors against the exact solution, {variable: (L1, largest)}; {} without `verify: true`. A row of one number has it as
        L1."""
        if not os.path.exists(self._file("verify.tsv")):
            return {}
        _, rows = _delimited(self._file("verify.tsv"), "\t")
        return {row[0]: tuple(float(x) for x in row[1:]) for row in rows[1:]}

    @property
    def _own(self):
        if self._statistics is None or not self._statistics.numbers:
            self._statistics = _Statistics(self._file("stats.h5"))
        return self._statistics

    @property
    def statistics(self):
        """{name: numbers of the snapshots that it was made of}; [None]: it is of the whole run."""
        return dict(self._own.numbers)

    def statistic(self, name, number=-1):
        """A table: spectrum_velocity, pdf_density, structure_velocity, decay, .. of snapshot `number`, -1: of the last. What is one
        map has it as column "map", [y, x]."""
        return self._own.read(name, number)

    @property
    def results(self):
        """One Number per quantity: {"mach_rms_end": Number(value, error, unit)}; {} before the statistics are done."""
        if not os.path.exists(self._file("stats/summary.csv")):
            return {}
        _, rows = _delimited(self._file("stats/summary.csv"), ",")
        return {row[0]: Number(float(row[1]), float(row[2]), row[3]) for row in rows[1:]}

    @property
    def snapshots(self):
        """Those that are there, in the order of time."""
        folder = self._file("snapshots")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        names = [x for x in names if re.search(r"_hdf5_plt_cnt_\d{4,}$", x)]
        if self._snapshots is None or [os.path.basename(s.path) for s in self._snapshots] != names:
            self._snapshots = sorted((Snapshot(os.path.join(folder, x)) for x in names), key=lambda s: s.number)
        return self._snapshots

    @property
    def initial(self):
        """Fields that the stage ic made: {name: Array[z, y, x]} of ic.h5; {} without one."""
        if not os.path.exists(self._file("ic.h5")):
            return {}
        with h5py.File(self._file("ic.h5"), "r") as f:
            return {key: Array(item[()], _text(item.attrs.get("units", "")), _text(item.attrs.get("description", "")))
                    for key, item in f.items() if isinstance(item, h5py.Dataset)}


# ---- ensembles -----------------------------------------------------------------------------------

class Group:
    """Members that differ in their seed alone: number, what tells it from the others, ids of its members; statistics and results
    are means over them."""

    def __init__(self, path, number, what, members):
        self.path, self.number, self.what, self.members = path, number, what, members
        self._statistics = _Statistics(os.path.join(path, "ensemble.h5"))

    def __repr__(self):
        return f"<group {self.number}: {self.what or 'all members'}, {len(self.members)} members>"

    @property
    def statistics(self):
        """{name: numbers of the snapshots that it was made of}"""
        return dict(self._statistics.numbers)

    def statistic(self, name, number=-1):
        """A table as a member's, with the mean and its standard error for each column but that of the places: k, total_mean,
        total_error. covariance_*, covariance_error_* and correlation_matrix_* have their matrix as column "map"."""
        return self._statistics.read(name, number)

    @property
    def results(self):
        """{"mach_rms_end": Mean(mean, standard_error, ..)}"""
        path = os.path.join(self.path, "summary.csv")
        if not os.path.exists(path):
            return {}
        _, rows = _delimited(path, ",")
        return {row[0]: Mean(*(float(x) for x in row[1:8]), int(row[8]), row[9]) for row in rows[1:]}


def _comparison(path, name):
    """A table between groups, from its CSV file."""
    head, rows = _delimited(path, ",")
    units = dict(x[5:].split(": ", 1) for x in head if x.startswith("unit "))
    numbers = np.array(rows[1:], float).reshape(-1, len(rows[0]))
    return Table({c: Array(numbers[:, i], units.get(c, "")) for i, c in enumerate(rows[0])}, head[0], name=name)


# ---- the campaign --------------------------------------------------------------------------------

_AGAIN = {"paused": "stopped", "stopped": "stopped", "done": "done", "diverged": "diverged", "refused": "failed", "blocked": "failed"}
_STUCK, _TAKEN = 2, 20


class _Stage:
    """Where a stage of a member stands: the facts of the journal in their order."""

    def __init__(self):
        self.state, self.attempts, self.ended, self.step = "waiting", 0, 0, -1
        self.count = collections.Counter()

    def fold(self, fact, retries):
        n = fact.get("n", 0)
        if fact["what"] == "start" and n >= self.attempts:
            self.attempts, self.state = n, "running"
        if fact["what"] == "end" and n > self.ended and n >= self.attempts:
            self.attempts = self.ended = n
            self.end(fact.get("result", ""), fact.get("step", -1), retries)

    def end(self, result, step, retries):
        newer = step > self.step
        if newer:
            self.step = step
            self.count.clear()
        self.state = _AGAIN.get(result, "stopped")
        if result == "stopped" and not newer:
            self.count["stuck"] += 1
            self.state = "stalled" if self.count["stuck"] >= _STUCK else "stopped"
        elif result == "taken":
            self.count["taken"] += 1
            self.state = "failed" if self.count["taken"] > _TAKEN else "stopped"
        elif result not in _AGAIN:
            self.count["failed"] += 1
            self.state = "failed" if self.count["failed"] > retries else "stopped"

    def forget_failures(self, again):
        self.count.clear()
        self.step = -1 if again else self.step
        if self.state not in ("done", "running"):
            self.state = "stopped" if self.attempts else "waiting"


class Campaign:
    """A campaign: campaign[0] and campaign["0003"] are members, `for member in campaign` goes through them.

    directory  where it is
    name       as the recipe has it
    groups     ensembles, [] before the statistics over the members are made
    """

    def __init__(self, directory="."):
        self.directory = os.path.abspath(directory)
        slots = os.path.join(self.directory, "slots")
        if not os.path.isdir(slots):
            raise FileNotFoundError(f"{directory} is no campaign: it has no slots/")
        self.name, self.members = "", []
        for table in sorted(x for x in os.listdir(slots) if re.fullmatch(r"\d+\.tsv", x)):
            self._read_slots(os.path.join(slots, table))
        self._by_id = {member.id: member for member in self.members}
        self._read_settings(os.path.join(slots, "settings"))
        self.refresh()

    def _read_slots(self, path):
        with _open(path) as f:
            lines = f.read().splitlines()
        self.name = lines[0].partition("\t")[2]
        names = next(x for x in lines if x.startswith("# id\t"))[2:].split("\t")
        self.members += [Member(self.directory, dict(zip(names, x.split("\t", len(names) - 1))))
                         for x in lines if not x.startswith("#")]

    def _read_settings(self, path):
        """Commands that `sluice set` gave or took away."""
        if not os.path.exists(path):
            return
        with _open(path) as f:
            words = dict(x.split("=", 1) for x in f.read().splitlines() if "=" in x)
        for bit, name in enumerate(_COMMANDS):
            if f"stages.{name}" in words:
                there = words[f"stages.{name}"] not in ("", '""')
                for member in self.members:
                    member._commands = member._commands & ~(1 << bit) | there << bit

    @property
    def products(self):
        """What the command of stages.campaign made: {"compare.png": path}."""
        return _files(os.path.join(self.directory, "summary"))

    def __len__(self):
        return len(self.members)

    def __iter__(self):
        return iter(self.members)

    def __getitem__(self, which):
        return self._by_id[which] if isinstance(which, str) else self.members[which]

    def __repr__(self):
        return f"<campaign {self.name}: {', '.join(f'{n} {state}' for state, n in self.states.items())}>"

    @property
    def recipe(self):
        """Text of the frozen recipe."""
        with _open(os.path.join(self.directory, "recipe.yaml")) as f:
            return f.read()

    def find(self, **keys):
        """Members whose keys have these values: find(seed=1), find(**{"turbulence.mach": 3})."""
        return [m for m in self.members if all(m.parameters.get(key) == value for key, value in keys.items())]

    # ---- where it stands

    def refresh(self):
        """Reads again where each member stands."""
        stages = {m.id: {s: _Stage() for s in STAGES} for m in self.members}
        begun, cancelled, surplus = set(), set(), set()
        listed = len(self.members)
        for fact in self._facts():
            member, stage = fact.get("member", ""), fact.get("stage", "")
            if fact["what"] in ("created", "extended"):
                listed = fact.get("count", listed)
            elif fact["what"] == "target" and fact.get("code") == 1:
                surplus |= {m.id for m in self.members[:listed]} - begun
            elif member in stages:
                self._fold(fact, self._by_id[member], stages[member], stage)
                if fact["what"] == "start":
                    begun.add(member)
                if fact["what"] == "cancel":
                    cancelled.add(member)
                if fact["what"] == "retry":
                    cancelled.discard(member)
                    surplus.discard(member)
        for m in self.members:
            self._settle(m, stages[m.id], m.id in cancelled, m.id in surplus)

    def _facts(self):
        path = os.path.join(self.directory, "journal.jsonl")
        if not os.path.exists(path):
            return
        with _open(path, errors="replace") as f:
            for line in f:
                try:
                    fact = json.loads(line)
                except ValueError:  # torn by a crash
                    continue
                if isinstance(fact, dict) and "what" in fact:
                    yield fact

    @staticmethod
    def _fold(fact, member, stages, stage):
        if fact["what"] == "retry":
            first = STAGES.index(stage) if stage in STAGES else len(STAGES)
            for i, name in enumerate(STAGES):
                stages[name].forget_failures(i >= first)
        elif stage in stages:
            stages[stage].fold(fact, member.retries)
            if fact["what"] == "end":
                member.why = "" if fact.get("result") == "done" else fact.get("text", "")

    @staticmethod
    def _settle(member, stages, cancelled, surplus):
        """The end-record is the truth: done without one is not done, one without the fact is done."""
        wanted = [s for s in STAGES if (s != "ic" or member.ic) and (s != "own" or member.own)]
        for name in wanted:
            s = stages[name]
            there = os.path.exists(member._file(f"attempts/{name}.end.json"))
            if there and (s.attempts or s.state == "done"):
                s.state = "done"
            elif s.state == "done":
                s.state = "stopped"
        member.stages = {name: stages[name].state for name in wanted}
        ahead = [stages[name].state for name in wanted if stages[name].state != "done"]
        member.state = ("done" if not ahead else "running" if ahead[0] == "running" else "cancelled" if cancelled
                        else "surplus" if surplus else ahead[0])

    @property
    def states(self):
        """How many members are in which state."""
        return dict(collections.Counter(m.state for m in self.members))

    # ---- results

    @property
    def groups(self):
        """Members that differ in their seed alone; a group of one has no statistics of its own."""
        folder = os.path.join(self.directory, "ensemble")
        table = os.path.join(folder, "groups.csv")
        if not os.path.exists(table):
            alone = [m.id for m in self.members if m.stages.get("stats") == "done"]
            return [Group(folder, 1, "", alone)] if os.path.exists(os.path.join(folder, "ensemble.h5")) else []
        members, what = {}, {}
        for row in _delimited(table, ",")[1][1:]:
            number = int(row[0])
            members.setdefault(number, []).append(row[1])
            what[number] = ",".join(row[2:]).strip('"')
        return [Group(os.path.join(folder, f"group-{n}"), n, what[n], members[n]) for n in sorted(members)]

    def _compared(self, kind):
        """{name of a table between groups: its file}"""
        folder = os.path.join(self.directory, "ensemble")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return {x[len(kind) + 1:-4]: os.path.join(folder, x) for x in names if x.startswith(kind + "_") and x.endswith(".csv")}

    @property
    def responses(self):
        """{key that is swept: names of the tables that have derivatives to it}, over the same seeds; {} before the statistics over
        the members are made."""
        found = {}
        for name, path in self._compared("response").items():
            with _open(path) as f:
                key = f.readline().split()[3]  # "# derivative to KEY (value), .."
            found.setdefault(key, []).append(name[len(key) + 1:])
        return found

    def response(self, key, name):
        """Derivatives of a table to a key at each group that has neighbours: group, value (of the key), order (2: from both sides),
        members (seeds), the first column of the table, and of each other one NAME_mean, NAME_response, NAME_error."""
        return _comparison(self._compared("response")[f"{key}_{name}"], f"response_{key}_{name}")

    @property
    def ratios(self):
        """Names of the tables that have ratios between groups, over the same seeds."""
        return list(self._compared("ratio"))

    def ratio(self, name):
        """Ratios of a table of each group to that of the first: group, over, members (seeds), the first column of the table, and of
        each other one NAME_ratio, NAME_error."""
        return _comparison(self._compared("ratio")[name], f"ratio_{name}")

    def rows(self):
        """A dict per member: id, state, what is swept, results."""
        return [{"member": m.id, "state": m.state, **m.swept, **{name: r.value for name, r in m.results.items()}}
                for m in self.members]

    def frame(self):
        """The same as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows())


# ---- a summary -----------------------------------------------------------------------------------

def _print_member(m):
    print(f"  {m.id}  {m.state:9}  {m.label}")
    if m.why:
        print(f"        {m.why}")


def summary(campaign, most=20):
    """Prints what is there."""
    states = ", ".join(f"{n} {state}" for state, n in campaign.states.items())
    print(f"{campaign.name}: {len(campaign)} members, {states}\n{campaign.directory}")
    for m in campaign.members[:most]:
        _print_member(m)
    if len(campaign) > most:
        print(f"  .. and {len(campaign) - most} more")
    done = next((m for m in campaign if m.state == "done"), None)
    if done:
        n = len(done.snapshots)
        print(f"member {done.id}: {n} snapshots of {', '.join(done.snapshots[-1].fields) if n else 'nothing'}; history of "
              f"{len(done.history['time'])} lines")
        print(f"statistics: {', '.join(done.statistics)}")
    for group in campaign.groups:
        print(f"ensemble {group.number}: {group.what or 'all members'}, {len(group.members)} members")
        for name, r in group.results.items():
            print(f"  {name:24} {r.mean:.6g} +- {r.standard_error:.2g} {'' if r.unit == '1' else r.unit}".rstrip())


def main(arguments):
    if len(arguments) != 2 or arguments[1] in ("-h", "--help"):
        print("usage: python3 sluice.py DIRECTORY", file=sys.stderr if len(arguments) != 2 else sys.stdout)
        return 0 if len(arguments) == 2 else 2
    try:
        summary(Campaign(arguments[1]))
    except (OSError, KeyError) as error:
        print(f"sluice.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
