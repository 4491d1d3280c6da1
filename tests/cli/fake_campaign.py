#!/usr/bin/python3
"""fake_campaign.py DIR [--members N] [--name NAME] [--fail] [--mhd] [--driven] [--universe] - writes a campaign directory as the programs would leave it.

For the tests of report and export: real formats, invented numbers (a decaying cascade with a k^-2 spectrum and a
log-normal density). With --fail the last member has failed after two attempts and has no statistics.
"""
import argparse
import json
import os

import numpy as np

N = 32
SNAPS = 3
p = argparse.ArgumentParser()
p.add_argument("dir")
p.add_argument("--members", type=int, default=4)
p.add_argument("--name", default="decaying-turbulence")
p.add_argument("--fail", action="store_true")
p.add_argument("--mhd", action="store_true")
p.add_argument("--driven", action="store_true")
p.add_argument("--universe", action="store_true")
a = p.parse_args()


def put(path, text):
    path = os.path.join(a.dir, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def csv(path, about, names, *columns, notes=()):
    about = "\n# ".join([about, *notes])
    rows = "\n".join(",".join("%.10g" % v for v in r) for r in zip(*columns))
    put(path, f"# {about}\n{','.join(names)}\n{rows}\n")


def field(rng):
    """log10 density of a slice: a smooth random field."""
    k = np.fft.fftfreq(N, 1 / N)
    kk = np.hypot(*np.meshgrid(k, k))
    kk[0, 0] = 1
    f = np.fft.ifft2(np.fft.fft2(rng.normal(size=(N, N))) * kk**-1.4).real
    return 0.6 * f / f.std()


def spectra(rng, decay):
    k = np.arange(1, N // 2 + 1)
    total = 40 * decay * k**-2.0 * np.exp(-((k / 12.0) ** 2)) * np.exp(0.1 * rng.normal(size=k.size))
    return k, total, 0.68 * total, 0.32 * total


CURVES = ["kinetic_energy_ratio", "thermal_energy", "mach_rms"] + (["magnetic_energy", "magnetic_energy_ratio", "alfven_mach"] if a.mhd else [])
CURVES += ["kinetic_energy", "driving_energy", "dissipated_energy"] if a.driven else []
PARTS = ["time_unit", "time", "kinetic", "kinetic_solenoidal", "kinetic_compressive"] + (["magnetic"] if a.mhd else [])
EXPANSION = ["scale_factor", "kinetic", "thermal", "potential", "gained", "integral_of_potential"]
GROWTH = ["scale_factor", "linear", "shell_1", "shell_2", "shell_3"]
POWER = ["k", "power", "input"]
WHEN = [f"# redshift: {z}\n" if a.universe else "" for z in (49, 4, 0)]
facts = [{"v": 1, "t": 1.7e9, "what": "created", "count": a.members}]


def attempt(member, stage, number, start, wall, code, result, reason="", rate=0):
    """The facts of the journal and the claim that tell of one attempt."""
    base = {"v": 1, "member": member, "stage": stage, "n": number}
    facts.append({**base, "t": 1.7e9 + start, "what": "start"})
    facts.append({**base, "t": 1.7e9 + start + wall, "what": "end", "result": result, "code": code, "seconds": wall,
                  **({"value": rate} if rate else {}), **({"text": reason} if reason else {})})
    put(f"members/{member}/attempts/{stage}.{number}.json", json.dumps({"v": 1, "n": number, "host": "node-a", "pid": 4000 + number}))


def ended(member, stage):
    put(f"members/{member}/attempts/{stage}.end.json", json.dumps({"v": 1, "stage": stage, "products": []}))


def member(i):
    rng = np.random.default_rng(i)
    name = f"{i:04d}"
    failed = a.fail and i == a.members - 1
    put(f"members/{name}/run.yaml",
        f"campaign: {a.name}\nproblem: {'cosmology' if a.universe else 'turbulence'}\nseed: {i + 1}\nmesh.cells: [{N}, {N}, {N}]\nmesh.box: [0, 1, 0, 1, 0, 0.5]\nmesh.boundary: periodic\nstatistics.structure: [velocity]\nstatistics.spectra: [velocity, density, energy]\nstatistics.pdf: [density]\n"
        f"fluid.gamma: 1.001\nfluid.riemann: hllc\ntime.end: 1\ntime.unit: {'redshift' if a.universe else 'crossing'}\nstatistics.matter: {'[gas]' if a.universe else '[]'}\nresources.ranks: 1\n"
        f"turbulence.solenoidal: 0.5\ndriving.solenoidal: 1\nfluid.mhd: {'glm' if a.mhd else 'none'}\ndriving.power: {8 if a.driven else 0}\nresources.precision: double\nrun.member: {name}\nrun.recipe_hash: {'ab' * 32}\n")
    t = np.linspace(0, 0.3 if failed else 1, 101)
    e = (1 + t / 0.35) ** -1.05 * (1 + 0.03 * rng.normal() * t)
    mach = 10 * np.sqrt(e)
    cols = [t * 0.1, np.arange(t.size) * 12, 1e-4 + 0 * t, 1 + 1e-15 * rng.normal(size=t.size), *(1e-16 * rng.normal(size=(3, t.size))),
            50 * e, 1000 + 50 * (1 - e), 1050 * (1 + 1e-14 * rng.normal(size=t.size)), mach, mach, 1e-3 + 0 * t, 30 + 0 * t,
            1e-3 + 0 * t, 30 + 0 * t, np.floor(30 * t), 0 * t, t]
    head = ("time[code] step[1] dt[code] mass[code] momentum_x[code] momentum_y[code] momentum_z[code] energy_kinetic[code] "
            "energy_thermal[code] energy_total[code] mach_rms[1] velocity_rms[code] density_min[code] density_max[code] "
            "pressure_min[code] pressure_max[code] cells_repaired[1] cells_floored[1] time_unit[1]").split()
    put(f"members/{name}/history.tsv", "# sluice history 1\n# code.version 0123456789ab\n# code.compiler clang 19.1.7\n"
        "# code.flags -O3 -march=native\n# host node-a\n# " + "\t".join(head) + "\n"
        + "\n".join("\t".join("%.17g" % v for v in r) for r in zip(*cols)) + "\n")
    put(f"members/{name}/progress.json", json.dumps({
        "v": 1, "step": 1200, "time": float(t[-1]), "end": 1.0, "unit": "crossing", "unit_value": 0.1, "dt": 1e-4, "cells": N**3,
        "cells_per_s": 5.1e6 + 1e5 * i, "elapsed_s": 41.5 + i, "eta_s": 0, "repaired": 30, "floored": 0, "checkpoint_step": 1200,
        "state": "diverged" if failed else "done"}))
    attempt(name, "ic", 1, 10 * i, 1.5, 0, "done")
    ended(name, "ic")
    if failed:
        for n in (1, 2):
            attempt(name, "sim", n, 10 * i + 15 * n, 12.5, 70, "diverged" if n == 2 else "failed", "more than 0.1 % of the cells needed a floor <at step 412>")
        return None
    if i == 1:
        attempt(name, "sim", 1, 10 * i + 2, 20, 137, "failed", "killed by signal 9")
        attempt(name, "sim", 2, 10 * i + 30, 25, 0, "done", rate=5.2e6)
    else:
        attempt(name, "sim", 1, 10 * i + 2, 41.5 + i, 0, "done", rate=5.1e6)
    attempt(name, "stats", 1, 10 * i + 60, 3.1, 0, "done")
    ended(name, "sim")
    ended(name, "stats")
    base = f"members/{name}/stats"
    energy = 0.1 + 0.08 * t * np.exp(-t) * (1 + 0.1 * rng.normal())
    more = ((50 * energy, energy, np.sqrt(e / energy)) if a.mhd else ()) + ((50 * e, 8 * t, 8 * t - 50 * e) if a.driven else ())
    csv(f"{base}/decay.csv", "energies and Mach number against time; time_unit in crossing times",
        ("time_unit", "time", *CURVES), t, 0.1 * t, e, 1000 + 50 * (1 - e), mach, *more, notes=("fit_from: 0.2", "fit_to: 0.8"))
    sigma = 1.45 + 0.05 * rng.normal()
    rows = dict(mach_rms_start=mach[0], mach_rms_end=mach[-1], kinetic_energy=e[-1], density_sigma=sigma,
                decay_exponent=-1.05 + 0.03 * rng.normal(), mass_drift=2.2e-15, energy_drift=1.4e-14)
    if a.universe:
        rows["layzer_irvine"] = 0.001 * (i + 1)
    put(f"{base}/summary.csv", "# one number per quantity\nquantity,value,error,unit\n"
        + "".join(f"{q},{v:.10g},{abs(v) * 0.01:.3g},1\n" for q, v in rows.items()))
    out = {"summary": rows, "decay": (t, e, 1000 + 50 * (1 - e), mach, *more), "snap": []}
    parts = (t[::50], 0.1 * t[::50], 50 * e[::50], 35 * e[::50], 14 * e[::50] * t[::50], *((50 * energy[::50],) if a.mhd else ()))
    csv(f"{base}/energies.csv", "means over the volume at each snapshot", PARTS, *parts)
    out["energies"] = (parts[0], *parts[2:])
    if a.universe:
        scale = np.array([0.02, 0.2, 1])
        out["expansion"] = (scale, 3 * scale**2, scale**2, -5 * scale**2, -scale**2 + 1e-3, -scale**2 * (1 + 0.01 * i))
        csv(f"{base}/expansion.csv", "energies", EXPANSION, *out["expansion"])
        out["growth"] = (scale, scale / 0.02, *((scale / 0.02) * (1 + s * i * scale) for s in (0.01, -0.02, 0.1)))
        csv(f"{base}/growth.csv", "growth", GROWTH, *out["growth"])
    for n in range(SNAPS):
        decay = e[0 if n == 0 else (50 if n == 1 else 100)]
        k, total, sol, comp = spectra(rng, decay)
        notes = (f"time: {0.05 * n:.17g}", "parseval_error: 2.2e-16")
        modes = np.round(4 * np.pi * k**2)
        csv(f"{base}/spectrum_velocity_{n:04d}.csv", "E(k), shells of width 1; k in 2 pi / L",
            ("k", "modes", "k_mean", "total", "solenoidal", "compressive"), k, modes, k + 0.05, total, sol, comp, notes=notes)
        dens = 0.3 * (1e-9 if n == 0 else 1) * k**-1.2 * np.exp(-k / 14.0)
        csv(f"{base}/spectrum_density_{n:04d}.csv", "power of rho/mean - 1", ("k", "modes", "k_mean", "total"), k, modes, k + 0.05, dens)
        csv(f"{base}/spectrum_energy_{n:04d}.csv", "kinetic energy", ("k", "modes", "k_mean", "total", "solenoidal", "compressive"), k, modes, k + 0.05, total * 0.9, sol * 0.9, comp * 0.9)
        if a.universe:
            power = (k * 6.28, 100 * k**-2.0 * 4.0**n * (1 + 0.1 * n * k + 0.01 * i), 100 * k**-2.0 * 4.0**n)
            csv(f"{base}/matter_gas_{n:04d}.csv", "P(k)", POWER, *power, notes=(WHEN[n][2:-1],))
            out.setdefault("power", []).append(power)
        s = np.arange(-8, 8, 0.1) + 0.05
        g = np.exp(-((s + sigma**2 / 2) ** 2) / 2 / sigma**2) / sigma / np.sqrt(2 * np.pi)
        vol = g * np.exp(0.08 * rng.normal(size=s.size))
        mass = vol * np.exp(s)
        csv(f"{base}/pdf_density_{n:04d}.csv", "p(s), s = ln(rho/mean)", ("s", "volume", "mass", "lognormal"), s, vol, mass, g)
        lag = np.arange(1, N // 2 + 1) / N
        sf = [(m + 1) * 7**m * (lag / (1 + lag)) ** (m / 9 + q - q * (1 - 2 / 3 / q) ** (m / 3)) * np.exp(0.03 * rng.normal(size=lag.size))
              for q in (2, 1) for m in range(1, 7)]
        csv(f"{base}/structure_velocity_{n:04d}.csv", "S_p(l) = <|dv|^p>",
            ("lag", *(f"{d}_{m}" for d in ("long", "trans") for m in range(1, 7))), lag, *sf)
        for kind in ("slice", "projection"):
            f = field(rng) * (0.05 if n == 0 else 1) * (1 if kind == "slice" else 0.4)
            put(f"{base}/{kind}_density_z_{n:04d}.csv", f"# log10 of density, rows y, columns x\n# time: {0.05 * n:.17g}\n{WHEN[n]}"
                + "\n".join(",".join("%.6g" % v for v in r) for r in f) + "\n")
        out["snap"].append({"velocity": (k, total, sol, comp), "density": (k, dens), "energy": (k, total * 0.9, sol * 0.9, comp * 0.9),
                            "pdf": (s, vol, mass, g), "structure": (lag, *sf)})
    return out


def reduce(path, about, names, rows):
    """rows: per member a tuple of columns, the first the abscissa."""
    x = rows[0][0]
    cols, heads = [x], [names[0]]
    for j, q in enumerate(names[1:], 1):
        v = np.array([r[j] for r in rows])
        cols += [v.mean(0), v.std(0, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else 0 * x]
        heads += [q + "_mean", q + "_error"]
    csv(path, about, heads, *cols)


os.makedirs(a.dir, exist_ok=True)
table = [f"# sluice slots 1\t{a.name}", f"# recipe {'ab' * 32}", "# id\tindex\tranks\tretries\tic\tcells\tlabel"]
put("slots/0001.tsv", "\n".join(table + [f"{i:04d}\t{i}\t1\t3\t1\t{N**3}\tseed={i + 1}" for i in range(a.members)]) + "\n")
for recipe in ("recipe.yaml", "slots/0001.yaml"):
    put(recipe, f"campaign: {a.name}\nproblem: turbulence\nsweep: {{seed: 1..{a.members}}}\n"
        f"turbulence: {{spectrum: -2, mach: 10}}\nmesh: {{cells: [{N}, {N}, {N}]}}\ntime: {{end: 1, unit: crossing}}\n")
done = [m for m in map(member, range(a.members)) if m]
put("journal.jsonl", "".join(json.dumps(f, separators=(",", ":")) + "\n" for f in sorted(facts, key=lambda f: f["t"])))
if len(done) > 1:
    q = list(done[0]["summary"])
    v = np.array([[m["summary"][n] for n in q] for m in done])
    put("ensemble/summary.csv", "# ensemble of %d members\nquantity,mean,standard_error,median,p16,p84,bootstrap_lo,bootstrap_hi,members,unit\n" % len(done)
        + "".join(f"{n},{c.mean():.10g},{c.std(ddof=1) / len(c)**0.5:.10g},{np.median(c):.10g},{np.percentile(c, 16):.10g},"
                  f"{np.percentile(c, 84):.10g},{c.min():.10g},{c.max():.10g},{len(c)},1\n" for n, c in zip(q, v.T)))
    reduce("ensemble/decay.csv", "ensemble", ("time_unit", *CURVES), [m["decay"] for m in done])
    if a.universe:
        reduce("ensemble/expansion.csv", "ensemble", EXPANSION, [m["expansion"] for m in done])
        reduce("ensemble/growth.csv", "ensemble", GROWTH, [m["growth"] for m in done])
        for n in range(SNAPS):
            reduce(f"ensemble/matter_gas_{n:04d}.csv", "ensemble", POWER, [m["power"][n] for m in done])
    reduce("ensemble/energies.csv", "ensemble", PARTS[:1] + PARTS[2:], [m["energies"] for m in done])
    for n in range(SNAPS):
        for name, cols in (("velocity", ("k", "total", "solenoidal", "compressive")), ("density", ("k", "total")), ("energy", ("k", "total", "solenoidal", "compressive"))):
            reduce(f"ensemble/spectrum_{name}_{n:04d}.csv", "ensemble", cols, [m["snap"][n][name] for m in done])
        cov = np.atleast_2d(np.cov(np.array([m["snap"][n]["velocity"][1] for m in done]).T))
        put(f"ensemble/covariance_velocity_{n:04d}.csv", "# covariance\n" + "\n".join(",".join("%.10g" % v for v in r) for r in cov) + "\n")
        reduce(f"ensemble/pdf_density_{n:04d}.csv", "ensemble", ("s", "volume", "mass", "lognormal"), [m["snap"][n]["pdf"] for m in done])
        reduce(f"ensemble/structure_velocity_{n:04d}.csv", "ensemble",
               ("lag", *(f"{d}_{m}" for d in ("long", "trans") for m in range(1, 7))), [m["snap"][n]["structure"] for m in done])
