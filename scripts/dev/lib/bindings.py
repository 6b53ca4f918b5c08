#!/usr/bin/env python3
"""Functions in classes that jextract has written, made so that they can be called as they are; for jextract.sh.

    bindings.py HOT CLASS.java...   HOT: a file with the names of the hot functions, one a line, each with those of its
                                    parameters that stay MemorySegments: whose memory must live as long as the call

As jextract writes a function, it fails with an error of the JVM where the libraries lack it, wraps what the call throws
in another one, and returns a bare doca_error_t. Afterwards

  * Symbols finds it, by the name of an older release too, and explains a function that is missing;
  * what the call throws arrives as it was thrown;
  * a doca_error_t is an Answer, which knows the function's name, and a union doca_data a long;
  * all but the functions of the DPA's kernels are called by one handle, Symbols.call, as each shape of a handle takes
    the JVM some milliseconds when it starts;
  * a hot function has a second form, NAME$hot, with a handle of its own, in which an address is a long and a
    doca_error_t an int: nothing is allocated.
"""
import re
import sys
from pathlib import Path

FUNCTION = re.compile(
    r"    private static class (?P<name>\w+) \{\n"
    r"        public static final FunctionDescriptor DESC = (?P<shape>FunctionDescriptor\.of(?:Void)?\([^;]*?\));\n\n?"
    r"        public static final MemorySegment ADDR = \w+\.findOrThrow\(\"(?P=name)\"\);\n\n"
    r"        public static final MethodHandle HANDLE = Linker\.nativeLinker\(\)\.downcallHandle\(ADDR, DESC\);\n"
    r"    \}\n\n"
    r"    /\*\*\n     \* Function descriptor for:\n"
    r"(?P<c>     \* \{@snippet lang=c :\n(?:     \* .*\n)+?     \* \}\n)     \*/\n"
    r"    public static FunctionDescriptor (?P=name)\$descriptor\(\) \{\n[^}]*\}\n\n"
    r"    /\*\*\n     \* Downcall [^/]*?\*/\n    public static MethodHandle (?P=name)\$handle\(\) \{\n[^}]*\}\n\n"
    r"    /\*\*\n     \* Address [^/]*?\*/\n    public static MemorySegment (?P=name)\$address\(\) \{\n[^}]*\}\n\n"
    r"    /\*\*\n(?:     \* .*\n)+?     \*/\n"
    r"    public static (?P<type>\w+) (?P=name)\((?P<parameters>[^)]*)\) \{\n(?:        .*\n)+?    \}\n"
)


UNION = "doca_data.layout()"
LONG = "ValueLayout.JAVA_LONG"

KERNELS = "dpa_h"  # each of its functions may be called for each message
WIDENED = {
    "MemorySegment": "Symbols.address({})",
    "long": "{}",
    "int": "{}",
    "short": "Short.toUnsignedLong({})",
    "byte": "Byte.toUnsignedLong({})",
}
NARROWED = {
    "MemorySegment": "Symbols.memory({})",
    "long": "{}",
    "int": "(int) {}",
    "short": "(short) {}",
    "byte": "(byte) {}",
    "void": "{}",
}


def holder(name, shape):
    return (
        f"    private static class {name} {{\n"
        f"        static final FunctionDescriptor DESC = {shape};\n\n"
        f'        static final MethodHandle HANDLE = Symbols.downcall("{name.removesuffix("$hot")}", DESC);\n'
        "    }\n\n"
        f"    /** Its shape. */\n    public static FunctionDescriptor {name}$descriptor() {{\n"
        f"        return {name}.DESC;\n    }}\n\n"
    )


def method(c, name, returned, type_of_call, parameters):
    """returned: what is returned, with {} for the call."""
    arguments = ", ".join(one.split()[-1] for one in parameters)
    call = f"{name}.HANDLE.invokeExact({arguments})"
    cast = "" if type_of_call == "void" else f"({type_of_call}) "
    return (
        f"    /**\n{c}     */\n"
        f"    public static {'Answer' if 'Answer' in returned else type_of_call} {name}({', '.join(parameters)}) {{\n"
        f"        try {{\n            {returned.format(cast + call)};\n"
        "        } catch (Throwable ex$) {\n            throw Symbols.unexpected(ex$);\n        }\n    }\n"
    )


def seldom(c, name, shape, returned, type_of_call, parameters):
    """returned: as of method()."""
    arguments = "".join(", " + WIDENED[one.split()[0]].format(one.split()[1]) for one in parameters)
    call = NARROWED[type_of_call].format(f'Symbols.call("{name}"{arguments})')
    return (
        f"    /** Its shape. */\n    public static FunctionDescriptor {name}$descriptor() {{\n"
        f"        return {shape};\n    }}\n\n"
        f"    /**\n{c}     */\n"
        f"    public static {'Answer' if 'Answer' in returned else type_of_call} {name}({', '.join(parameters)}) {{\n"
        f"        {returned.format(call)};\n    }}\n"
    )


def rewritten(function, hot, kernels):
    name, shape, c, returned = (function[part] for part in ("name", "shape", "c", "type"))
    parameters = function["parameters"].split(", ") if function["parameters"] else []
    layouts = re.findall(r"\w+\.\w+(?:\(\))?", shape[len("FunctionDescriptor."):])
    if returned != "void" and layouts[0] == UNION:
        returned, parameters = "long", parameters[1:]  # without the allocator
    parameters = [re.sub(r"^\w+", "long", parameter) if layout == UNION else parameter
                  for parameter, layout in zip(parameters, layouts[-len(parameters):] if parameters else [])]
    shape = shape.replace(UNION, LONG)
    code = f"{{@snippet lang=c :\n     * doca_error_t {name}(" in c
    how = "return {}" if returned != "void" else "{}"
    answered = f'return new Answer("{name}", {{}})' if code else how
    text = (
        holder(name, shape) + method(c, name, answered, returned, parameters)
        if kernels
        else seldom(c, name, shape, answered, returned, parameters)
    )
    if name in hot:
        kept = hot.pop(name)
        places = iter([returned, *parameters] if returned != "void" else parameters)
        longs = re.sub(r"\w+\.(?:C_\w+|JAVA_\w+)",
                       lambda layout: layout[0] if next(places).split()[-1] in kept or "C_POINTER" not in layout[0]
                       else LONG, shape)
        text += "\n" + holder(name + "$hot", longs)
        text += method(c, name + "$hot", how, returned.replace("MemorySegment", "long"),
                       [parameter if parameter.split()[-1] in kept else parameter.replace("MemorySegment", "long")
                        for parameter in parameters])
    return text


def main():
    hot = {line.split()[0]: line.split()[1:] for line in Path(sys.argv[1]).read_text().splitlines()}
    for path in map(Path, sys.argv[2:]):
        text, found = FUNCTION.subn(lambda function: rewritten(function, hot, path.stem == KERNELS), path.read_text())
        if not found or "downcallHandle(ADDR, DESC)" in text:
            sys.exit(f"bindings.py: jextract writes functions in another way: {path}")
        path.write_text(text.replace(
            "import java.util.stream.*;\n",
            "import java.util.stream.*;\n\nimport io.github.comch4j.internal.load.Answer;\n"
            "import io.github.comch4j.internal.load.Symbols;\n", 1))
    if hot:
        sys.exit(f"bindings.py: not among the bindings: {' '.join(sorted(hot))}")


main()
