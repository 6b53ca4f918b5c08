# Sourced by the scripts beside it.

# Prints those of the compilers that are there, each once: cc and gcc, say, are one when they predefine the same macros.
present_compilers() {
    seen=""
    for compiler in "$@"; do
        command -v "$compiler" >/dev/null || continue
        macros=$("$compiler" -dM -E -x c /dev/null | cksum)
        case "$seen" in
            *"<$macros>"*) ;;
            *)
                seen="$seen<$macros>"
                echo "$compiler"
                ;;
        esac
    done
}
