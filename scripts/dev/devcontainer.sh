#!/usr/bin/env bash
# Test .devcontainer: build its image, and run scripts/demo.sh in it on a copy of what is committed, as README.md
# describes. Needs a Docker engine (scripts/dev/container-engine.sh --provide), the packages of Debian, the artifacts of
# Maven Central, and at least five minutes.
#
# The base is the image that the Dockerfile names. If it cannot be pulled, and as root, the base is one that debootstrap
# makes of the same release. REPOSITORY=FOLDER: a local Maven repository, instead of an empty one.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
case ${1:-} in
  -h|--help) usage; exit 0 ;;
  -*) die "no such option: $1 (--help lists them)" ;;
esac
no_more "$@"
command -v docker >/dev/null 2>&1 || die "there is no Docker engine: scripts/dev/container-engine.sh --provide"
work=$(mktemp -d /var/tmp/comch4j-devcontainer.XXXXXX)
# What the container has made is its user's.
trap 'rm -rf "$work" || true' EXIT

base=$(sed -n 's/^ARG BASE=//p' "$COMCH4J_ROOT/.devcontainer/Dockerfile")
if ! docker image inspect "$base" >/dev/null 2>&1 && ! timeout 300 docker pull -q "$base" >/dev/null 2>&1; then
  release=${base#*:} release=${release%-slim}
  base=comch4j-base:$release
  if ! docker image inspect "$base" >/dev/null 2>&1; then
    [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null 2>&1 ||
      die "no image of Debian can be pulled, and only root can make one, with debootstrap"
    say "no image can be pulled: debootstrap makes $base"
    debootstrap --variant=minbase "$release" "$work/root" >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
    tar -C "$work/root" --exclude=./var/cache/apt --exclude=./var/lib/apt/lists -c . |
      docker import - "$base" >/dev/null
  fi
fi
# The host's network: an engine that container-engine.sh has started has no other.
docker build -q --network=host --build-arg BASE="$base" -t comch4j-devcontainer "$COMCH4J_ROOT/.devcontainer" >/dev/null
mkdir "$work/clone"
git -C "$COMCH4J_ROOT" archive HEAD | tar -C "$work/clone" -xf -
docker run --rm --network=host -v "$work/clone":/comch4j -v "${REPOSITORY:-comch4j-maven}":/root/.m2/repository \
  -w /comch4j comch4j-devcontainer scripts/demo.sh
say "scripts/demo.sh runs in the container of .devcontainer, made of $base"
