#!/usr/bin/env python3
"""average.py CAMPAIGN - means over the snapshots of the second half of each member: numbers.csv and spectra.csv, in the present directory.

An error is the standard error of the mean over these snapshots, which lie half a turn-over apart.
"""
import csv
import math
import pathlib
import sys

FIRST = 4  # snapshot: two turn-overs after the start from rest


def table(path):
    """The comments of a table by name, and its rows."""
    lines = path.read_text().splitlines()
    comments = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    return comments, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def tables(member, name):
    return [table(path) for path in sorted(member.glob(f"stats/{name}_[0-9]*.csv"))[FIRST:]]


def mean(values):
    average = sum(values) / len(values)
    scatter = sum((value - average) ** 2 for value in values) / (len(values) - 1)
    return average, math.sqrt(scatter / len(values))


def contrast(rows):
    """Standard deviation of rho / mean, from the distribution of s = ln(rho / mean) by mass: <rho^2> - 1."""
    mass = [float(row["mass"]) for row in rows]
    square = sum(m * math.exp(float(row["s"])) for m, row in zip(mass, rows)) / sum(mass)
    return math.sqrt(square - 1)


def numbers(member):
    """Mach number, widths of s (by volume) and of rho / mean, slopes of both spectra: mean and error of each."""
    summary = {row["quantity"]: row for row in table(member / "stats/summary.csv")[1]}
    mach = summary["mach_rms_average"]
    out = [float(mach["value"]), float(mach["error"])]
    distributions = tables(member, "pdf_density")
    out += mean([float(comments["s_sigma"]) for comments, _ in distributions])
    out += mean([contrast(rows) for _, rows in distributions])
    for name in "velocity", "cascade":
        out += mean([float(comments["slope"]) for comments, _ in tables(member, f"spectrum_{name}")])
    return out


def spectra(member):
    """Rows of k and the mean of both spectra."""
    means = []
    for name in "velocity", "cascade":
        snapshots = [rows for _, rows in tables(member, f"spectrum_{name}")]
        means.append([mean([float(row["total"]) for row in shell])[0] for shell in zip(*snapshots)])
    return [(k + 1, *values) for k, values in enumerate(zip(*means))]


def solenoidal(member):
    recipe = (member / "run.yaml").read_text()
    return float(recipe.split("solenoidal:")[1].split()[0])


members = sorted(pathlib.Path(sys.argv[1]).glob("members/[0-9]*"), key=solenoidal, reverse=True)
with open("numbers.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    names = "mach", "sigma_s", "sigma_rho", "slope_velocity", "slope_cascade"
    out.writerow(["solenoidal"] + [column for name in names for column in (name, f"{name}_error")])
    for member in members:
        out.writerow([solenoidal(member)] + [f"{value:.4f}" for value in numbers(member)])
with open("spectra.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["solenoidal", "k", "velocity", "cascade"])
    for member in members:
        for k, velocity, cascade in spectra(member):
            out.writerow([solenoidal(member), k, f"{velocity:.6g}", f"{cascade:.6g}"])
