#!/usr/bin/env python3
"""Look at a release in a folder as Maven Central does: release.py FOLDER VERSION

Prints what is missing; exits 0 only when nothing is. The keys of the signatures are those of GNUPGHOME."""
import hashlib, json, subprocess, sys, zipfile
import xml.etree.ElementTree as xml
from pathlib import Path

# The library, what Maven Central asks for beside it, and what else is released.
FILES = [".jar", ".pom", "-sources.jar", "-javadoc.jar", "-testing.jar", "-hardware.jar", "-tool.jar",
         "-archive.tar.gz", "-cyclonedx.json", "-cyclonedx.xml"]
POM = ["name", "description", "url", "licenses/license/name", "developers/developer/name", "scm/connection", "scm/url"]
NATIVE = [f"native/{platform}/{library}" for platform in ("linux-x86_64", "linux-aarch64")
          for library in ("libdoca_common.so", "libcomch4j_batch.so")]


def problems(folder, version):
    for suffix in FILES:
        path = folder / f"comch4j-{version}{suffix}"
        if not path.exists():
            yield f"{path.name} is missing"
            continue
        for algorithm in ("md5", "sha1"):
            told = Path(f"{path}.{algorithm}")
            actual = hashlib.new(algorithm, path.read_bytes()).hexdigest()
            if not told.exists() or told.read_text().split()[0] != actual:
                yield f"{told.name} is missing or wrong"
        signature = Path(f"{path}.asc")
        if subprocess.run(["gpg", "--batch", "--quiet", "--verify", signature, path], capture_output=True).returncode:
            yield f"{signature.name} is missing or wrong"
    pom = xml.parse(folder / f"comch4j-{version}.pom").getroot()
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    for element in POM:
        if not (pom.findtext("/".join(f"m:{part}" for part in element.split("/")), "", space) or "").strip():
            yield f"the POM has no {element}"
    jar = zipfile.ZipFile(folder / f"comch4j-{version}.jar").namelist()
    yield from (f"the jar has no {name}" for name in NATIVE if name not in jar)
    sources = zipfile.ZipFile(folder / f"comch4j-{version}-sources.jar").namelist()
    if "io/github/comch4j/core/Device.java" not in sources:
        yield "the jar of sources has not all"
    if "index.html" not in zipfile.ZipFile(folder / f"comch4j-{version}-javadoc.jar").namelist():
        yield "the jar of the Javadoc has no page"
    bom = json.loads((folder / f"comch4j-{version}-cyclonedx.json").read_text())
    if bom.get("bomFormat") != "CycloneDX" or bom["metadata"]["component"]["version"] != version:
        yield "the SBOM is not that of this version"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1], "io/github/comch4j/comch4j", sys.argv[2])
    found = list(problems(folder, sys.argv[2]))
    for problem in found:
        print(problem)
    print(f"{len(FILES)} files of a release, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
