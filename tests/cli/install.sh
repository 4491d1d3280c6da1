#!/bin/bash
# install.sh - make install puts programs, manual pages, completions and recipes below DESTDIR and PREFIX, and what it put there
# works from there; the version is told everywhere alike.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$SLUICE_TOP/tests/check.sh"
cd "$SLUICE_TOP" || exit 1
built=$(for p in sluice sluice-ic sluice-sim sluice-stats; do [ -x build/$p ] && printf 'build/%s ' $p; done)
make -s install PROGRAMS="$built" -o build/sluice -o build/sluice-ic -o build/sluice-sim -o build/sluice-stats DESTDIR="$dir/root" PREFIX=/opt/s \
    >"$dir/log" 2>&1 || bad "make install: $(cat "$dir/log")"
top=$dir/root/opt/s
for f in bin/sluice bin/sluice-sim share/man/man1/sluice.1 share/man/man5/sluice-recipe.5 share/bash-completion/completions/sluice \
    share/zsh/site-functions/_sluice share/fish/vendor_completions.d/sluice.fish share/doc/sluice/CHANGELOG.md \
    share/doc/sluice/CITATION.cff share/sluice/recipes/sod.yaml share/sluice/python/sluice.py; do [ -s "$top/$f" ] || bad "no $f"; done
version=$(cat .dist/version)
[[ $("$top/bin/sluice" --version) == "sluice $version ("*")" ]] || bad "--version: $("$top/bin/sluice" --version)"
"$top/bin/sluice" version --json | grep -q "\"version\": *\"$version\"" || bad "version --json"
grep -q "^version: $version$" .dist/CITATION.cff && grep -q "^## $version" .dist/CHANGELOG.md || bad "another version in .dist"
# every verb and every key has its place in the manual, and roff finds nothing wrong with it
for v in $("$top/bin/sluice" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -q "^\.B sluice $v" "$top/share/man/man1/sluice.1" || bad "no $v in sluice(1)"
    grep -q -- "-a $v -d" "$top/share/fish/vendor_completions.d/sluice.fish" || bad "no $v for fish"
done
[ "$(grep -c '^\.TP' "$top/share/man/man5/sluice-recipe.5")" = "$("$top/bin/sluice" keys | grep -c '^[a-z]')" ] || bad "keys in sluice-recipe(5)"
if command -v groff >/dev/null; then
    for page in man1/sluice.1 man5/sluice-recipe.5; do
        groff -man -Tutf8 -ww -z "$top/share/man/$page" 2>"$dir/err" || bad "groff: $page"
        [ ! -s "$dir/err" ] || bad "$page: $(head -n 3 "$dir/err")"
    done
fi
command -v fish >/dev/null && { fish -n "$top/share/fish/vendor_completions.d/sluice.fish" || bad "fish"; }
. "$top/share/bash-completion/completions/sluice"
COMP_WORDS=(sluice run mesh.bl) COMP_CWORD=2 && _sluice
[[ " ${COMPREPLY[*]} " == *" mesh.block= "* ]] || bad "completion of a key: ${COMPREPLY[*]}"
# it runs from there
cd "$dir" && "$top/bin/sluice" new sod t.yaml >/dev/null && "$top/bin/sluice" check t.yaml >/dev/null || bad "it does not work where it was put"
[ $failed = 0 ] && echo ok
exit $failed
