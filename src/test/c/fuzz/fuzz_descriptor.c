/* Any bytes as the description of another process's memory (doca_mmap_create_from_export). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_dev.h"
#include "doca_mmap.h"
#include "input.h"

#define REQUIRE(condition) ((condition) ? (void)0 : violated(__LINE__, #condition))
#define OK(call) REQUIRE((call) == DOCA_SUCCESS)

static struct doca_dev *dpu;
static struct doca_buf_inventory *inventory;
static uint8_t good[256];
static size_t good_len;

static _Noreturn void violated(int line, const char *what)
{
	fprintf(stderr, "fuzz_descriptor.c:%d: %s does not hold\n", line, what);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static uint8_t memory[4096];
	struct doca_devinfo **list;
	struct doca_dev *host;
	struct doca_mmap *exported;
	const void *descriptor;
	uint32_t num;
	(void)argc, (void)argv;
	setenv("DOCA_EMU_DIR", "/nowhere", 1);
	OK(doca_devinfo_create_list(&list, &num));
	OK(doca_dev_open(list[0], &dpu));
	OK(doca_dev_open(list[1], &host));
	OK(doca_devinfo_destroy_list(list));
	OK(doca_mmap_create(&exported));
	OK(doca_mmap_set_memrange(exported, memory, sizeof(memory)));
	OK(doca_mmap_set_permissions(exported, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(exported, host));
	OK(doca_mmap_start(exported));
	OK(doca_mmap_export_pci(exported, host, &descriptor, &good_len));
	REQUIRE(good_len <= sizeof(good));
	memcpy(good, descriptor, good_len);
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	return 0;
}

/* The last eight bytes: FNV-1a of those before. */
static void correct_checksum(uint8_t *bytes, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i + sizeof(hash) < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	memcpy(bytes + len - sizeof(hash), &hash, sizeof(hash));
}

static void use(struct doca_mmap *mmap)
{
	void *start;
	size_t len;
	struct doca_buf *buf;
	OK(doca_mmap_get_memrange(mmap, &start, &len));
	REQUIRE(start != NULL && len > 0 && (uintptr_t)start <= UINTPTR_MAX - len);
	OK(doca_buf_inventory_buf_get_by_args(inventory, mmap, start, len, start, len, &buf));
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_mmap_destroy(mmap));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	uint8_t how = input_u8(&in);
	size_t len = how & 1u ? in.left : good_len;
	uint8_t *bytes = malloc(len + 1);
	REQUIRE(bytes != NULL);
	if (how & 1u) {
		input_bytes(&in, bytes, len);
	} else {
		memcpy(bytes, good, len);
		while (in.left > 0) {
			size_t at = input_u8(&in) % len;
			size_t num = 1 + input_u8(&in) % 8u;
			input_bytes(&in, bytes + at, at + num > len ? len - at : num);
		}
	}
	if ((how & 2u) == 0 && len == good_len)
		correct_checksum(bytes, len);
	struct doca_mmap *mmap;
	if (doca_mmap_create_from_export(NULL, bytes, len, dpu, &mmap) == DOCA_SUCCESS)
		use(mmap);
	free(bytes);
	return 0;
}
