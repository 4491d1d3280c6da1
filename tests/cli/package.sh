#!/bin/bash
# package.sh - dpkg-buildpackage makes a package of .dist/debian, which holds programs that work, manual pages and completions.
# long: it links the programs anew, from the objects that are there
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
command -v dpkg-buildpackage >/dev/null || { echo "SKIP: dpkg-dev is not installed"; exit 0; }
cd "$SLUICE_TOP" || exit 1
mkdir "$work/sluice"
git ls-files -co --exclude-standard -z | xargs -0 cp -p --parents -t "$work/sluice"
cp -rp .dist/debian "$work/sluice/debian"
mkdir -p "$work/sluice/build/obj"
cp -rp build/gen build/lib "$work/sluice/build/"
cp -rp build/obj/f64 build/obj/flags "$work/sluice/build/obj/"
programs=$(for p in sluice sluice-ic sluice-sim sluice-stats; do printf 'build/%s ' $p; done)
compiler=$(head -n 1 build/obj/flags | sed 's/ -std=.*//')
(cd "$work/sluice" && ARCH=native SLUICE_MAKE="PROGRAMS='$programs' CC='$compiler'" dpkg-buildpackage -b -us -uc -d -nc) >"$work/log" 2>&1 ||
    { tail -n 30 "$work/log"; exit 1; }
deb=$(ls "$work"/sluice_*.deb) || bad "no package"
dpkg-deb -x "$deb" "$work/root"
dpkg-deb -f "$deb" Depends | grep -q 'libfftw3-double3.*libp4est' || bad "depends on $(dpkg-deb -f "$deb" Depends)"
for f in bin/sluice bin/sluice-sim share/man/man1/sluice.1.gz share/doc/sluice/copyright share/doc/sluice/changelog.Debian.gz \
    share/bash-completion/completions/sluice share/sluice/recipes/sod.yaml; do [ -s "$work/root/usr/$f" ] || bad "no $f"; done
cd "$work" && root/usr/bin/sluice new sod t.yaml >/dev/null && root/usr/bin/sluice run t.yaml time.end=0.01 >log 2>&1 || bad "it does not run: $(tail -n 3 log)"
[ $failed = 0 ] && echo ok
exit $failed
