#!/bin/sh
# Installs SDK folders, as users do, and builds with them what programs and their build scripts expect to find.
#
#   installed.sh
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
[ $# -eq 0 ] || { echo "installed: one argument too many: $1" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}

die() {
    echo "installed: $*" >&2
    exit 1
}

install() { # folder, options of install-emulator.sh
    folder=$1
    shift
    "$here/../../../scripts/install-emulator.sh" "$@" "$work/$folder" >/dev/null || die "no SDK folder: $*"
}

# Whether a folder's headers say, with these options of the compiler, that they are for this side.
is_for() { # DPU or HOST, folder, options
    side=$1 folder=$2
    shift 2
    printf '#include <doca_error.h>\n#ifndef DOCA_ARCH_%s\n#error not for it\n#endif\n' "$side" |
        "$cc" "$@" -Werror -I"$work/$folder/include" -fsyntax-only -x c - || die "$folder $*: not for the $side"
}

# A program of DOCA 1.2, whose log is part of the one library.
cat >"$work/old.c" <<'C'
#include <string.h>

#include <doca_comm_channel.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(OLD);

int main(void)
{
    struct doca_comm_channel_init_attr attributes = {.msgsize = 256, .maxmsgs = 16};
    struct doca_comm_channel_ep_t *endpoint;
    doca_error_t result = doca_comm_channel_ep_create(&attributes, &endpoint);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("no endpoint: %s", doca_get_error_string(result));
        return 1;
    }
    DOCA_LOG_INFO("an endpoint");
    return doca_comm_channel_ep_destroy(endpoint) == DOCA_SUCCESS ? 0 : 1;
}
C
install 1.2 --release 1.2
"$cc" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API "$work/old.c" -o "$work/old" \
    -I"$work/1.2/include" -L"$work/1.2/lib" -ldoca_comm_channel
DOCA_EMU_DIR="$work" LD_LIBRARY_PATH="$work/1.2/lib" "$work/old" 2>"$work/log" || die "the program of 1.2 fails"
grep -q 'OLD.*an endpoint' "$work/log" || die "no record of the program of 1.2"

# A program with a command line, in each release that has the parser: found by the names that build files of the
# vendor's samples ask for.
cat >"$work/flags.c" <<'C'
#include <doca_argp.h>
#include <stdio.h>

static doca_error_t greet(void *param, void *config)
{
    (void)config;
    printf("hello, %s\n", (const char *)param);
    return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
    struct doca_argp_param *param;
    if (doca_argp_init("flags", NULL) != DOCA_SUCCESS || doca_argp_param_create(&param) != DOCA_SUCCESS)
        return 1;
    doca_argp_param_set_short_name(param, "n");
    doca_argp_param_set_long_name(param, "name");
    doca_argp_param_set_description(param, "A name");
    doca_argp_param_set_callback(param, greet);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    if (doca_argp_register_param(param) != DOCA_SUCCESS || doca_argp_start(argc, argv) != DOCA_SUCCESS)
        return 1;
    return doca_argp_destroy() == DOCA_SUCCESS ? 0 : 1;
}
C
has_flags() { # folder, names for pkg-config
    folder=$1
    shift
    flags=$(PKG_CONFIG_PATH="$work/$folder/lib/pkgconfig" pkg-config --cflags --libs "$@") || die "no $* in $folder"
    # shellcheck disable=SC2086 # several options
    "$cc" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API "$work/flags.c" -o "$work/flags" $flags
    said=$(LD_LIBRARY_PATH="$work/$folder/lib" "$work/flags" -n you) || die "a command line of $folder fails"
    [ "$said" = "hello, you" ] || die "a command line of $folder: $said"
}
install 2.5 --release 2.5
install 2.6 --release 2.6
has_flags 2.5 doca
has_flags 2.5 doca-argp
has_flags 2.6 doca-argp doca-dma

# A program with the names of DOCA 1.5, on the DPU.
cat >"$work/names.c" <<'C'
#include <doca_dev.h>
#include <stdio.h>

static void show(const char *what, struct doca_pci_bdf bdf, uint8_t same)
{
    printf("%s %02x:%02x.%x %d %d\n", what, bdf.bus, bdf.device, bdf.function, bdf.raw != 0, same);
}

int main(void)
{
    enum doca_dev_rep_filter filter = DOCA_DEV_REP_FILTER_NET;
    struct doca_devinfo **devices;
    struct doca_devinfo_rep **reps;
    struct doca_dev *dev;
    struct doca_pci_bdf bdf;
    uint32_t count;
    uint8_t same = 0;
    doca_error_t result = doca_devinfo_list_create(&devices, &count);
    if (result != DOCA_SUCCESS || doca_devinfo_get_pci_addr(devices[0], &bdf) != DOCA_SUCCESS ||
        doca_devinfo_get_is_pci_addr_equal(devices[0], "0000:03:00.0", &same) != DOCA_SUCCESS)
        return fprintf(stderr, "%s\n", doca_get_error_string(result)), 1;
    show("device", bdf, same);
    if (doca_dev_open(devices[0], &dev) != DOCA_SUCCESS ||
        doca_devinfo_rep_list_create(dev, filter, &reps, &count) != DOCA_SUCCESS ||
        doca_devinfo_rep_get_pci_addr(reps[0], &bdf) != DOCA_SUCCESS ||
        doca_devinfo_rep_get_is_pci_addr_equal(reps[0], "0000:b1:00.0", &same) != DOCA_SUCCESS)
        return 1;
    show("representor", bdf, same);
    return doca_devinfo_rep_list_destroy(reps) != DOCA_SUCCESS || doca_devinfo_list_destroy(devices) != DOCA_SUCCESS ||
           doca_dev_close(dev) != DOCA_SUCCESS;
}
C
"$cc" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -include doca_old_names.h "$work/names.c" -o "$work/names" \
    -I"$work/2.5/include" -L"$work/2.5/lib" -ldoca_common
said=$(DOCA_EMU_DIR="$work" DOCA_EMU_SIDE=dpu LD_LIBRARY_PATH="$work/2.5/lib" "$work/names") || die "names of 1.5 fail"
[ "$said" = "device 03:00.0 1 1
representor b1:00.0 1 1" ] || die "names of 1.5: $said"

install host
has_flags host doca-argp doca-dma doca-common
is_for HOST host
is_for DPU host -DDOCA_ARCH_DPU

# The SDK's own places, which build files of programs name: libraries in the folder of a processor, tools in tools.
in_its_places() { # folder, names for pkg-config
    folder=$1
    shift
    for arch in x86_64 aarch64; do
        lib=$work/$folder/lib/$arch-linux-gnu
        flags=$(PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --cflags --libs "$@") || die "no $* in $lib"
        for way in "$flags" "-I$work/$folder/include -L$lib -ldoca_argp -ldoca_common"; do
            # shellcheck disable=SC2086 # several options
            "$cc" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API "$work/flags.c" -o "$work/flags" $way
            said=$(LD_LIBRARY_PATH="$lib" "$work/flags" -n you) || die "a command line with $lib fails"
            [ "$said" = "hello, you" ] || die "a command line with $lib: $said"
        done
    done
}
in_its_places 2.5 doca
in_its_places 2.6 doca-argp
in_its_places host doca-argp doca-dma doca-common libflexio
install host # again, over what is there
in_its_places host doca-argp

# Headers that samples of 3.x include; a program goes by the capabilities.
cat >"$work/caps.c" <<'C'
#include <doca_clock.h>
#include <doca_dev.h>
#include <doca_mmap_advise.h>
#include <doca_sync_event.h>
#include <stdio.h>

int main(void)
{
    struct doca_devinfo **devices;
    uint32_t count;
    if (doca_devinfo_create_list(&devices, &count) != DOCA_SUCCESS)
        return 1;
    printf("%s %s %s %s\n", doca_error_get_name(doca_clock_cap_nic_real_time_is_supported(devices[0])),
           doca_error_get_name(doca_mmap_advise_cap_task_cache_invalidate_is_supported(devices[0])),
           doca_error_get_name(doca_sync_event_cap_is_export_to_remote_pci_supported(devices[0])),
           doca_error_get_name(doca_sync_event_cap_is_create_from_export_supported(devices[0])));
    return doca_devinfo_destroy_list(devices) == DOCA_SUCCESS ? 0 : 1;
}
C
"$cc" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API "$work/caps.c" -o "$work/caps" \
    -I"$work/host/include" -L"$work/host/lib" -ldoca_common
no=DOCA_ERROR_NOT_SUPPORTED
said=$(DOCA_EMU_DIR="$work" LD_LIBRARY_PATH="$work/host/lib" "$work/caps") || die "capabilities of 3.x fail"
[ "$said" = "DOCA_SUCCESS $no $no $no" ] || die "capabilities of 3.x: $said"

install dpu --dpu
is_for DPU dpu
is_for DPU dpu -DDOCA_ARCH_DPU

# What the vendor's build scripts do since 3.2, with words of options apart and with "=".
cat >"$work/kernel.c" <<'C'
#include <doca_dpa_dev.h>
#include <dpaintrin.h>
#include <own.h>

__dpa_rpc__ uint64_t answer(void)
{
    __dpa_compiler_barrier();
    return ANSWER;
}
C
mkdir "$work/own" "$work/kept"
echo '#define ANSWER 42' >"$work/own/own.h"
echo 'Feature_list:' >"$work/attributes.yaml"
"$work/host/tools/dpa-app-attributes2blob" "$work/attributes.yaml" "$work/blob"
"$work/host/bin/dpacc" "$work/kernel.c" -o "$work/first.a" -mcpu=nv-dpa-bf3 -hostcc="$cc" \
    -hostcc-options="-Wall" --devicecc-options="-Wall, -O2" -device-libs="-L/nowhere -ldoca_dpa_dev" \
    --app-name=first -I"$work/own" -flto --keep-dir "$work/kept" --dpa-proc-attr="$work/blob"
"$work/host/tools/dpacc" "$work/kernel.c" --output-file "$work/second.a" --mcpu nv-dpa-bf3,nv-dpa-cx8 --hostcc "$cc" \
    --app-name second --common-include-path "$work/own" --flto --keep-dir="$work/kept" --dpa-proc-attr "$work/blob"
for library in first second; do
    nm "$work/$library.a" | grep -q ' answer$' || die "$library.a is without the kernel"
done
"$work/host/bin/dpacc" -h | grep -q app-name || die "dpacc -h says nothing"
if "$work/host/bin/dpa-app-attributes2blob" "$work/attributes.yaml" 2>/dev/null; then
    die "dpa-app-attributes2blob takes one file"
fi
echo "installed: SDK folders of 3.0, for the host and the DPU, of 2.6, 2.5 and 1.2"
