#!/usr/bin/env bash
# Build the site of the manual, from docs/ and the Javadoc, in target/manual. Needs Node.js 20 or newer, and for the
# Javadoc what the library's build needs.
#
#   scripts/dev/site.sh              build it
#   scripts/dev/site.sh --serve      build it, and serve it at http://localhost:4173/ until Ctrl-C
#   scripts/dev/site.sh --check      build it, and check it in Chromium: links, anchors, search, code to copy, narrow
#                                    screens, dark mode; screenshots in target/manual-shots. Skipped, with a sentence,
#                                    if there is no Node.js or Chromium, or npm cannot fetch VitePress
#   --no-javadoc                     without the Javadoc and the link to it
#   -h, --help                       print this text
#
# SITE_BASE: the path of the site on its server, such as /comch4j/; default /. CHROMIUM: the browser.
# SITE_NPM_SECONDS: how long npm may take to fetch VitePress, once; default 600.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"

serve=0 check=0 javadoc=1
while [ $# -gt 0 ]; do
  case $1 in
    --serve) serve=1 ;;
    --check) check=1 ;;
    --no-javadoc) javadoc=0 ;;
    -h|--help) usage; exit 0 ;;
    *) die "no such option: $1 (--help lists them)" ;;
  esac
  shift
done

missing=''
command -v npm >/dev/null 2>&1 || missing="Node.js with npm is missing (20 or newer)"
[ -n "$missing" ] || [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
  missing="Node.js $(node -v) is too old: 20 or newer is needed"
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$missing" ] || [ $check -eq 0 ] || [ -n "$browser" ] ||
  missing="Chromium is missing: apt-get install chromium (Debian)"
without() { # REASON: nothing can be made or looked at
  [ $check -eq 0 ] || { say "skipped: $1"; exit 0; }
  die "$1"
}
[ -z "$missing" ] || without "$missing"

cd "$COMCH4J_ROOT"
work=target/manual-build
mkdir -p "$work/.vitepress"
if ! cmp -s docs/site/package-lock.json "$work/package-lock.json"; then
  rm -rf "$work/node_modules" "$work/package-lock.json"
  cp docs/site/package.json "$work/"
  cp docs/site/package-lock.json "$work/new-lock.json"
  # esbuild's own script only replaces a small program by a smaller one: nothing of others is run
  (cd "$work" && mv new-lock.json package-lock.json &&
    timeout "${SITE_NPM_SECONDS:-600}" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
    { rm -f "$work/package-lock.json"; without "npm could not fetch what docs/site/package-lock.json names"; }
fi
rm -rf "$work/.vitepress/theme"
cp -R docs/site/theme docs/site/config.mjs "$work/.vitepress/"
cp docs/site/check.mjs docs/site/pages.mjs "$work/"

version=$(sed -n 's:.*<version>\(.*\)</version>.*:\1:p' pom.xml | head -n 1)
commit=$(git rev-parse --short HEAD 2>/dev/null || true)
export SITE_VERSION=$version${commit:+, commit $commit}
export SITE_OUT=$COMCH4J_ROOT/target/manual SITE_JAVADOC=$javadoc
node "$work/pages.mjs" "$COMCH4J_ROOT" "$work/pages"
(cd "$work" && npx --no-install vitepress build . >build.log 2>&1) ||
  { tail -n 40 "$work/build.log" >&2; die "VitePress failed"; }

if [ $javadoc -eq 1 ]; then
  jar=target/comch4j-$version-javadoc.jar
  if [ ! -e "$jar" ] || [ -n "$(find src/main/java -newer "$jar" -print -quit)" ]; then
    need jdk mvn cmake cc make
    say "making the Javadoc"
    maven -q -Dmaven.test.skip=true -DskipITs verify >"$work/javadoc.log" 2>&1 ||
      { tail -n 40 "$work/javadoc.log" >&2; die "the Javadoc failed"; }
    touch "$jar"
  fi
  need jdk
  mkdir -p target/manual/javadoc
  (cd target/manual/javadoc && "$JDK/bin/jar" xf "$COMCH4J_ROOT/$jar")
fi
say "the site is in target/manual"

if [ $check -eq 1 ]; then
  CHROMIUM=$browser node "$work/check.mjs" target/manual target/manual-shots
fi
if [ $serve -eq 1 ]; then
  cd "$work"
  exec npx --no-install vitepress preview . --port 4173
fi
