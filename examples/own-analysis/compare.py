"""compare.py CAMPAIGN - the widths at the end beside those of sluice's own statistics, into compare.csv."""
import sys

import numpy as np
import sluice

rows = []
for member in sluice.open(sys.argv[1]):
    mine = np.loadtxt(member.products["width.csv"], delimiter=",")[-1, 1]
    rows.append((member.parameters["seed"], mine, member.results["density_sigma"].value))
np.savetxt("compare.csv", rows, delimiter=",", header="seed,mine,sluice")
