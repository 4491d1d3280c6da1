# A start of 16^3 particles as MUSIC writes it for Gadget: `python3 gadget_start.py make FROM TO`, from a file that sluice exported; and what
# can be wrong with it: `python3 gadget_start.py spoil FILE WHAT`.
import shutil
import sys
import h5py
import numpy as np


def make(source, to, files=1, unit='kpc', masses=False, single=False):
    """The same particles in another order, in so many files, in kpc/h or Mpc/h, with a table of masses or a list, ids of 32 bits."""
    with h5py.File(source) as f:
        h = dict(f['Header'].attrs)
        g = f['PartType1']
        x, u, i = g['Coordinates'][...], g['Velocities'][...], g['ParticleIDs'][...]
    mix = np.random.default_rng(3).permutation(len(x))
    x, u, i = x[mix] * (1e-3 if unit == 'Mpc' else 1), u[mix], i[mix]
    number = np.float32 if single else np.float64
    edges = np.linspace(0, len(x), files + 1).astype(int)
    for k in range(files):
        part = slice(edges[k], edges[k + 1])
        name = to if files == 1 else to.replace('.0.', f'.{k}.')
        with h5py.File(name, 'w') as f:
            a = f.create_group('Header').attrs
            a['NumPart_ThisFile'] = np.array([0, edges[k + 1] - edges[k], 0, 0, 0, 0], np.int32)
            a['NumPart_Total'] = np.array([0, len(x), 0, 0, 0, 0], np.uint32)
            a['NumPart_Total_HighWord'] = np.zeros(6, np.uint32)
            a['MassTable'] = np.array([0, 0 if masses else h['MassTable'][1], 0, 0, 0, 0])
            a['NumFilesPerSnapshot'] = np.int32(files)
            a['BoxSize'] = h['BoxSize'] * (1e-3 if unit == 'Mpc' else 1)
            for key in ('Time', 'Redshift', 'Omega0', 'OmegaLambda', 'HubbleParam'):
                a[key] = h[key]
            p = f.create_group('PartType1')
            p['Coordinates'] = x[part].astype(number)
            p['Velocities'] = u[part].astype(number)
            p['ParticleIDs'] = i[part].astype(np.uint32)
            if masses:
                p['Masses'] = np.full(edges[k + 1] - edges[k], h['MassTable'][1], np.float32)


def spoil(f, what):
    a, p = f['Header'].attrs, f['PartType1'] if 'PartType1' in f else None
    if what == 'outside':
        p['Coordinates'][11, 1] = a['BoxSize'] * 1.001
    elif what == 'nowhere':
        p['Coordinates'][12, 2] = np.nan
    elif what == 'fast':
        p['Velocities'][13, 0] = np.inf
    elif what == 'twice':
        p['ParticleIDs'][7] = p['ParticleIDs'][4000]
    elif what == 'id':
        i = p['ParticleIDs'][...].astype(np.uint64)
        del p['ParticleIDs']
        i[5] = 2**60
        p['ParticleIDs'] = i
    elif what == 'mass':
        a['MassTable'] = a['MassTable'] * 0.85
    elif what == 'masses':
        p['Masses'][3] = p['Masses'][3] * 2
    elif what == 'redshift':
        a['Time'] = 1 / 51.0
    elif what == 'omega':
        a['Omega0'] = 0.3089
    elif what == 'h':
        a['HubbleParam'] = 0.6774
    elif what == 'box':
        a['BoxSize'] = 50000.0
    elif what == 'inch':
        a['UnitLength_in_cm'] = 2.54
    elif what == 'gas':
        a['NumPart_Total'] = np.array([4096, 4096, 0, 0, 0, 0], np.uint32)
    elif what == 'zoom':
        a['NumPart_Total'] = np.array([0, 4096, 0, 0, 0, 8], np.uint32)
    elif what == 'fewer':
        a['NumPart_Total'] = a['NumPart_ThisFile'] = np.array([0, 4095, 0, 0, 0, 0], np.uint32)
    elif what == 'rows':
        v = p['Velocities'][:-1]
        del p['Velocities']
        p['Velocities'] = v
    elif what == 'total':
        a['NumPart_ThisFile'] = np.array([0, 4000, 0, 0, 0, 0], np.int32)
    elif what == 'list':
        del p['ParticleIDs']
    elif what == 'floats':
        i = p['ParticleIDs'][...].astype(np.float32)
        del p['ParticleIDs']
        p['ParticleIDs'] = i
    elif what == 'group':
        del f['PartType1']
    elif what == 'header':
        del f['Header']
    elif what == 'attribute':
        del a['Time']
    elif what == 'swift':
        f.create_group('Units')
    elif what == 'many':
        a['NumFilesPerSnapshot'] = np.int32(4)
    else:
        sys.exit(f'what is {what}?')


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(sys.argv[2], sys.argv[3], **eval(f'dict({sys.argv[4] if len(sys.argv) > 4 else ""})'))
    else:
        shutil.copy(sys.argv[2], 'spoilt.hdf5')
        with h5py.File('spoilt.hdf5', 'r+') as f:
            spoil(f, sys.argv[3])
