#!/bin/bash
# install.sh - make install puts programs, manual pages, completions and recipes below DESTDIR and PREFIX, and what it put there
# works from there; the version is the same everywhere.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$SLUICE_TOP" || exit 1
built=$(for p in sluice sluice-ic sluice-sim sluice-stats; do [ -x build/$p ] && printf 'build/%s ' $p; done)
made() { make -s "$1" PROGRAMS="$built" -o build/sluice -o build/sluice-ic -o build/sluice-sim -o build/sluice-stats DESTDIR="$work/root" PREFIX=/opt/s; }
made install >"$work/log" 2>&1 || bad "make install: $(cat "$work/log")"
top=$work/root/opt/s
for f in bin/sluice bin/sluice-sim share/man/man1/sluice.1 share/man/man5/sluice-recipe.5 share/bash-completion/completions/sluice \
    share/zsh/site-functions/_sluice share/fish/vendor_completions.d/sluice.fish share/doc/sluice/CHANGELOG.md \
    share/doc/sluice/CITATION.cff share/sluice/recipes/sod.yaml share/sluice/python/sluice.py share/sluice/core/README.md; do [ -s "$top/$f" ] || bad "no $f"; done
version=$(cat .dist/version)
[[ $("$top/bin/sluice" --version) == "sluice $version ("*")" ]] || bad "--version: $("$top/bin/sluice" --version)"
"$top/bin/sluice" version --json | grep -q "\"version\": *\"$version\"" || bad "version --json"
grep -q "^version: $version$" CITATION.cff && grep -q "^## $version" CHANGELOG.md && grep -q "^sluice ($version)" .dist/debian/changelog ||
    bad "another version in CITATION.cff, CHANGELOG.md or .dist"
# every verb and every key has its place in the manual, and roff finds nothing wrong with it
for v in $("$top/bin/sluice" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -q "^\.B sluice $v" "$top/share/man/man1/sluice.1" || bad "no $v in sluice(1)"
    grep -q -- "-a $v -d" "$top/share/fish/vendor_completions.d/sluice.fish" || bad "no $v for fish"
done
[ "$(grep -c '^\.TP' "$top/share/man/man5/sluice-recipe.5")" = "$("$top/bin/sluice" keys | grep -c '^[a-z]')" ] || bad "keys in sluice-recipe(5)"
if command -v groff >/dev/null; then
    for page in man1/sluice.1 man5/sluice-recipe.5; do
        groff -man -Tutf8 -ww -z "$top/share/man/$page" 2>"$work/err" || bad "groff: $page"
        [ ! -s "$work/err" ] || bad "$page: $(head -n 3 "$work/err")"
    done
fi
command -v fish >/dev/null && { fish -n "$top/share/fish/vendor_completions.d/sluice.fish" || bad "fish"; }
. "$top/share/bash-completion/completions/sluice"
COMP_WORDS=(sluice run mesh.bl) COMP_CWORD=2 && _sluice
[[ " ${COMPREPLY[*]} " == *" mesh.block= "* ]] || bad "completion of a key: ${COMPREPLY[*]}"
mkdir -p "$work/c/first" "$work/c/other" && touch "$work/c/first/journal.jsonl"
complete_in() { (cd "$work/c" && COMP_WORDS=(sluice "$@") COMP_CWORD=$(($#)) && _sluice && echo "${COMPREPLY[*]}"); }
[ "$(complete_in status '')" = first ] || bad "completion of a campaign: $(complete_in status '')"
[ "$(complete_in keys mesh.bl)" = mesh.block ] || bad "completion of keys: $(complete_in keys mesh.bl)"
[ "$(complete_in new so)" = sod ] || bad "completion of a problem: $(complete_in new so)"
[[ " $(complete_in check --explain mesh.bl) " == *" mesh.block "* ]] || bad "completion of --explain: $(complete_in check --explain mesh.bl)"
[[ " $(complete_in run r.yaml fluid.riemann = hllc) " == *" hllc "* ]] || bad "completion of a value, of words as bash parts them: $(complete_in run r.yaml fluid.riemann = hllc)"
[[ " $(complete_in run r.yaml fluid.riemann=hllc) " == *" fluid.riemann=hllc "* ]] || bad "completion of a value: $(complete_in run r.yaml fluid.riemann=hllc)"
[ "$(complete_in run r.yaml verify = | xargs)" = 'true false' ] || bad "completion of a yes or no: $(complete_in run r.yaml verify =)"
mkdir -p "$work/c/first/members/0000" "$work/c/first/members/0001"
[ "$(complete_in why first '' | xargs)" = '0000 0001' ] || bad "completion of members: $(complete_in why first '')"
[[ " $(complete_in verify col) " == *" collision "* ]] || bad "completion of suites: $(complete_in verify col)"
if command -v fish >/dev/null; then
    fished() { fish -c "source '$top/share/fish/vendor_completions.d/sluice.fish'; complete -C 'sluice $1'" 2>&1 | tr '\n' ' '; }
    [[ " $(fished 'keys mesh.bl')" == *" mesh.block "* ]] || bad "fish completes no key: $(fished 'keys mesh.bl')"
    [[ " $(fished 'run r.yaml fluid.riemann=hl')" == *" fluid.riemann=hllc "* ]] || bad "fish completes no value: $(fished 'run r.yaml fluid.riemann=hl')"
    [[ " $(fished 'check --explain mesh.bl')" == *" mesh.block "* ]] || bad "fish completes no key of --explain: $(fished 'check --explain mesh.bl')"
    [[ " $(fished 'verify col')" == *" collision "* ]] || bad "fish completes no suite: $(fished 'verify col')"
    [[ " $(cd "$work/c" && fished 'why first 000')" == *" 0001 "* ]] || bad "fish completes no member: $(cd "$work/c" && fished 'why first 000')"
    [[ " $(fished 'new so')" == *" sod "* ]] || bad "fish completes no problem: $(fished 'new so')"
fi
# zsh reads the file in the middle of completing: the first Tab completes, too
if command -v zsh >/dev/null; then
    python3 - "$top/share/zsh/site-functions" >"$work/zsh" <<'PY' || bad "zsh: $(cat -v "$work/zsh")"
import os, pty, select, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp("zsh", ["zsh", "-f", "-i"])
seen = b""
def until(word): # what zsh shows, up to a word
    global seen
    while word not in seen and select.select([terminal], [], [], 60)[0]:
        seen += os.read(terminal, 65536)
    print(seen)
    return word in seen
os.write(terminal, f"fpath=({sys.argv[1]} $fpath); autoload -U compinit; compinit -u -D; echo re''ady\n".encode())
assert until(b"ready\r\n")
os.write(terminal, b"sluice insp\t")
assert until(b"sluice inspect")
os.write(terminal, b"\x15exit\n")
PY
fi
# flags of MPI libraries that know -show alone; what is missing is named
printf '#!/bin/sh\n[ "$1" = -show ] || exit 1\necho icc -I/opt/mpi/include -L/opt/mpi/lib -Xlinker -rpath -Xlinker /opt/mpi/lib -lmpi -lrt\n' >"$work/mpiicc"
chmod +x "$work/mpiicc"
[ "$(.ci/mpi compile "$work/mpiicc")|$(.ci/mpi link "$work/mpiicc")" = "-I/opt/mpi/include|-L/opt/mpi/lib -Wl,-rpath -Wl,/opt/mpi/lib -lmpi -lrt" ] ||
    bad "mpicc -show: $(.ci/mpi compile "$work/mpiicc")|$(.ci/mpi link "$work/mpiicc")"
[ "$(.ci/mpi link mpicc)" = "$(mpicc --showme:link)" ] || bad "mpicc --showme"
make -s found CUDA=no >"$work/log" 2>&1 || bad "make found: $(cat "$work/log")"
mkdir "$work/mpich" && printf '#!/bin/sh\nprintf "HYDRA build details:\\n    Version:    4.0.2\\n"\n' >"$work/mpich/mpirun" && chmod +x "$work/mpich/mpirun"
PATH=$work/mpich:$PATH make -s found CUDA=no 2>&1 | grep -q '^mpirun     MPICH (Hydra) 4.0.2$' || bad "make found: $(PATH=$work/mpich:$PATH make -s found CUDA=no 2>&1 | grep mpirun)"
make -s found CUDA=no CFLAGS= MPICC=/bin/none HDF5_DIR="$work" >"$work/log" 2>&1 && bad "make found misses nothing without MPI"
grep -q '^  MPI: mpi.h (Debian: libopenmpi-dev' "$work/log" || bad "make found: $(cat "$work/log")"
# it runs from there
cd "$work" && "$top/bin/sluice" new sod t.yaml >/dev/null && "$top/bin/sluice" check t.yaml >/dev/null || bad "it does not work where it was put"
# the pages, where pandoc is; `help` names them
if command -v pandoc >/dev/null; then
    [ -s "$top/share/doc/sluice/html/keys.html" ] || bad "no pages: $(cat "$work/log")"
    "$top/bin/sluice" help | grep -q "search: $(realpath "$top")/share/doc/sluice/html/index.html$" || bad "help names no pages"
fi
cd "$SLUICE_TOP" && made uninstall >"$work/log" 2>&1 || bad "make uninstall: $(cat "$work/log")"
[ -z "$(find "$work/root" -type f -o -type l)" ] || bad "make uninstall leaves $(find "$work/root" -type f | head -n 3)"
[ $failed = 0 ] && echo ok
exit $failed
