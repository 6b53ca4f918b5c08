#!/usr/bin/env bash
# Check the manual and the Javadoc: spelling with cspell; long sentences, and words that the writing guide replaces,
# with textlint. docs/site/prose/words.txt lists words that English dictionaries lack, terms.yml those to replace.
# Needs Node.js 20 or newer and, once, npm's registry. Without them it prints "skipped: REASON" and exits with 0.
#
#   scripts/dev/prose.sh         check everything
#   -h, --help                   print this text
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
case ${1:-} in
  -h|--help) usage; exit 0 ;;
  -*) die "no such option: $1 (--help lists them)" ;;
esac
no_more "$@"
cd "$COMCH4J_ROOT"

if ! command -v npm >/dev/null 2>&1 || [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  say "skipped: Node.js with npm is missing (20 or newer)"
  exit 0
fi
work=target/prose
mkdir -p "$work"
if ! cmp -s docs/site/prose/package-lock.json "$work/package-lock.json"; then
  rm -rf "$work/node_modules" "$work/package-lock.json"
  cp docs/site/prose/package.json docs/site/prose/package-lock.json "$work/"
  (cd "$work" &&
    timeout "${SITE_NPM_SECONDS:-600}" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
    { rm -f "$work/package-lock.json"; say "skipped: npm could not fetch cspell and textlint"; exit 0; }
fi
cp docs/site/prose/{cspell.json,words.txt,textlint.json,terms.yml} "$work/"
rm -rf "$work/javadoc"
node docs/site/prose/javadoc.mjs "$COMCH4J_ROOT" "$work/javadoc"

# Not the notebook, and not the guide, which shows what not to write.
mapfile -t pages < <(find docs -name '*.md' -not -name notebook.md -not -name writing.md)
pages+=(README.md CONTRIBUTING.md SECURITY.md)
mapfile -t javadoc < <(find "$work/javadoc" -name '*.md')
status=0
"$work/node_modules/.bin/cspell" lint --config "$work/cspell.json" --no-progress --no-summary "${pages[@]}" \
  "${javadoc[@]}" || status=1
"$work/node_modules/.bin/textlint" --config "$work/textlint.json" -f unix \
  "${pages[@]}" "${javadoc[@]}" || status=1
[ $status -eq 0 ] || exit 1
say "${#pages[@]} pages and the Javadoc of ${#javadoc[@]} classes are as docs/contributing/writing.md asks"
