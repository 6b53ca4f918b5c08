/* Kernels on the DPU's side reach what a process on the host has exported, as long as that lives. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "msgq_fixture.h"

#define LARGEST_PAGE 65536
#define MAX_EXPORTS 3

/* The exporter's; in this process they are something else, as is everything that a child of this process changes. */
static _Alignas(LARGEST_PAGE) uint8_t pages[2 * LARGEST_PAGE];
static struct {
	uint64_t before;
	uint64_t first[30], second[30];
	uint64_t after;
} crowded;

enum command { NOTHING, READ, WRITE, STOP, DESTROY, FORK, SPOIL, GO };

/* What both processes see. */
struct talk {
	_Atomic(enum command) command;
	uint64_t address, value;
	bool one_thread;
	uint32_t num;
	uint64_t where[MAX_EXPORTS];
	size_t len[MAX_EXPORTS];
	uint8_t descriptor[MAX_EXPORTS][256];
};

static struct talk *talk;
static int exporter;

/* ---- the exporter ---- */

static struct doca_mmap *maps[MAX_EXPORTS];

static void export(struct doca_dev *dev, void *memory, size_t size)
{
	const void *descriptor;
	struct doca_mmap **map = &maps[talk->num];
	OK(doca_mmap_create(map));
	OK(doca_mmap_set_memrange(*map, memory, size));
	OK(doca_mmap_set_permissions(*map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(*map, dev));
	OK(doca_mmap_start(*map));
	OK(doca_mmap_export_pci(*map, dev, &descriptor, &talk->len[talk->num]));
	CHECK(talk->len[talk->num] <= sizeof(talk->descriptor[0]));
	memcpy(talk->descriptor[talk->num], descriptor, talk->len[talk->num]);
	talk->where[talk->num++] = (uint64_t)memory;
}

/* What no exporter writes into the records of its exports. */
enum spoilt {
	RUNS = 1,
	NUMBER_OF_RUNS = 2,
	ENDED = 4,
	ALL_SPOILT = 8,
	MAGIC = 8,
	COOKIE = 16,
	ID = 32,
	OTHER_NAME = 64,
	UNSEALED = 128,
	OTHER_SIZE = 256
};

static void spoil_record(uint64_t *words, size_t size)
{
	uint32_t *num_runs = (uint32_t *)&words[3], *ended = num_runs + 1; /* behind magic, cookie and id */
	if (talk->value & RUNS)
		memset(&words[4], 0x5a, size - 4 * sizeof(*words));
	if (talk->value & NUMBER_OF_RUNS)
		*num_runs = UINT32_MAX;
	if (talk->value & ENDED)
		*ended = 7;
	if (talk->value >= MAGIC && talk->value <= ID)
		words[talk->value / COOKIE]++;
	if (talk->value >= OTHER_NAME) {
		/* Behind the first run's begin and bytes. */
		int file = memfd_create(talk->value == OTHER_NAME ? "of-the-exporter" : "doca-emu-memory",
					MFD_CLOEXEC | MFD_ALLOW_SEALING);
		CHECK(ftruncate(file, (off_t)(words[5] + (talk->value == OTHER_SIZE ? 65536 : 0))) == 0);
		if (talk->value != UNSEALED)
			CHECK(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
		*(int32_t *)&words[6] = file;
	}
}

static void spoil_records(void)
{
	for (int fd = 3; fd < 64; fd++) {
		struct stat status;
		if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
		    status.st_size % 4096 == 0)
			continue;
		size_t size = (size_t)status.st_size;
		uint64_t *words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (words == MAP_FAILED)
			continue;
		spoil_record(words, size);
		munmap(words, size);
	}
}

/* A child of the exporter has memory of its own: what it writes is not the exporter's. */
static int scribble(void *argument)
{
	(void)argument;
	uint64_t *word = (uint64_t *)talk->address;
	if (*word != talk->value)
		return 1;
	*word = ~talk->value;
	crowded.before = crowded.after = 3;
	for (uint32_t i = 0; i < talk->num; i++)
		if (doca_mmap_destroy(maps[i]) != DOCA_SUCCESS)
			return 2;
	return 0;
}

static void obey(enum command command)
{
	switch (command) {
	case READ:
		talk->value = *(uint64_t *)talk->address;
		break;
	case WRITE:
		*(uint64_t *)talk->address = talk->value;
		break;
	case STOP:
		OK(doca_mmap_stop(maps[0]));
		break;
	case DESTROY:
		for (uint32_t i = 0; i < talk->num; i++)
			OK(doca_mmap_destroy(maps[i]));
		break;
	case FORK:
		CHECK(child_wait(child_start(scribble, NULL)) == 0);
		break;
	case SPOIL:
		spoil_records();
		break;
	default:
		exit(0);
	}
}

static int export_and_obey(void *argument)
{
	struct devices devices;
	struct stat status;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	devices_open_host(&devices);
	CHECK(stat("/proc/self/task", &status) == 0);
	talk->one_thread = status.st_nlink == 3;
	crowded.before = crowded.after = 7;
	((void (*)(struct doca_dev *))argument)(devices.host);
	talk->command = NOTHING;
	for (;;) {
		if (talk->command != NOTHING) {
			obey(talk->command);
			talk->command = NOTHING;
		}
		sched_yield();
	}
}

/* ---- this process ---- */

static void tell(enum command command)
{
	talk->command = command;
	AWAIT(talk->command == NOTHING);
}

static uint64_t peek(uint64_t address)
{
	talk->address = address;
	tell(READ);
	return talk->value;
}

static void poke(uint64_t address, uint64_t value)
{
	talk->address = address;
	talk->value = value;
	tell(WRITE);
}

static void exporter_start(void (*exports)(struct doca_dev *))
{
	talk = mmap(NULL, sizeof(*talk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(talk != MAP_FAILED);
	talk->command = GO;
	exporter = child_start(export_and_obey, (void *)exports);
	AWAIT(talk->command == NOTHING);
}

static void exporter_end(void)
{
	child_kill(exporter);
	munmap(talk, sizeof(*talk));
}

static struct doca_mmap *import(struct doca_dev *dev, uint32_t which)
{
	struct doca_mmap *map;
	OK(doca_mmap_create_from_export(NULL, talk->descriptor[which], talk->len[which], dev, &map));
	return map;
}

static uint64_t exchanged(struct doca_dpa *dpa, uint64_t map, uint64_t address, uint64_t value)
{
	uint64_t got;
	OK(doca_dpa_rpc(dpa, exchange, &got, map, address, value));
	return got;
}

/* A queue for copies. */
struct copies {
	struct doca_dpa *dpa;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	uint64_t completion_handle, ops_handle;
};

static void copies_open(struct copies *copies, struct doca_dpa *dpa)
{
	copies->dpa = dpa;
	OK(doca_dpa_completion_create(dpa, 4, &copies->completion));
	OK(doca_dpa_completion_start(copies->completion));
	OK(doca_dpa_completion_get_dpa_handle(copies->completion, &copies->completion_handle));
	OK(doca_dpa_async_ops_create(dpa, 4, 0, &copies->ops));
	OK(doca_dpa_async_ops_attach(copies->ops, copies->completion));
	OK(doca_dpa_async_ops_start(copies->ops));
	OK(doca_dpa_async_ops_get_dpa_handle(copies->ops, &copies->ops_handle));
}

static void copies_close(struct copies *copies)
{
	OK(doca_dpa_async_ops_destroy(copies->ops));
	OK(doca_dpa_completion_destroy(copies->completion));
}

/* The type of its completion. */
static uint64_t copied(const struct copies *c, uint64_t to_map, uint64_t to, uint64_t from_map, uint64_t from,
		       uint64_t len)
{
	uint64_t got;
	OK(doca_dpa_rpc(c->dpa, copy, &got, c->ops_handle, c->completion_handle, to_map, to, from_map, from, len,
			UINT64_C(1)));
	return got >> 32;
}

/* ---- tests ---- */

static void export_pages(struct doca_dev *dev)
{
	memset(pages, 1, sizeof(pages));
	export(dev, pages, sizeof(pages));
}

static void kernels_share_memory_with_the_exporter(void **state)
{
	(void)state;
	struct dpa dpa;
	exporter_start(export_pages);
	dpa_open_on(&dpa, true);
	struct doca_mmap *map = import(dpa.dev, 0);
	uint64_t handle = handle_of_map(map, dpa.dev), there = talk->where[0];
	const uint64_t ones = UINT64_C(0x0101010101010101);
	for (uint64_t at = there; at < there + sizeof(pages); at += LARGEST_PAGE / 2) {
		assert_int_equal(exchanged(dpa.dpa, handle, at, at + 1), ones);
		assert_int_equal(peek(at), at + 1);
		poke(at, 5);
		assert_int_equal(exchanged(dpa.dpa, handle, at, 6), 5);
	}
	assert_int_equal(peek(there + 8), ones);
	HEALTHY(dpa.dpa);
	assert_int_equal(exchanged(dpa.dpa, handle, there + sizeof(pages), 1), UINT64_MAX); /* behind the map */
	FAILED(dpa.dpa);
	OK(doca_mmap_destroy(map));
	dpa_close(&dpa);
	exporter_end();
}

static void a_kernel_copies_from_and_to_the_exporter(void **state)
{
	(void)state;
	struct link link;
	struct memory memory;
	uint64_t got;
	exporter_start(export_pages);
	link_open_on(&link, true, echo, 4, 8);
	memory_open(&memory, 4096, 1, link.base.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memset(memory.bytes, 9, 4096);
	struct doca_mmap *map = import(link.base.dev, 0);
	uint64_t there = talk->where[0], far = handle_of_map(map, link.base.dev),
		 near = handle_of_map(memory.mmap, link.base.dev);
	OK(doca_dpa_rpc(link.dpa, copy_and_send, NULL, link.ends->producer, far, there + 104, near, memory.bytes,
			UINT64_C(4096)));
	OK(doca_dpa_rpc(link.dpa, copy_and_send, NULL, link.ends->producer, near, memory.bytes, far, there + 96,
			UINT64_C(8)));
	for (int i = 0; i < 2; i++) {
		OK(doca_dpa_rpc(link.dpa, next_sent, &got, link.ends->producer_completion));
		assert_int_equal(got, SEND);
	}
	settle(link.pe, NULL);
	assert_int_equal(link.num_received, 2);
	HEALTHY(link.dpa);
	assert_int_equal(peek(there + 104), UINT64_C(0x0909090909090909));
	assert_int_equal(peek(there + 104 + 4096), UINT64_C(0x0101010101010101));
	for (int i = 0; i < 16; i++)
		assert_int_equal(memory.bytes[i], i < 8 ? 1 : 9);

	/* Afterwards it fails as a wrong copy does. */
	child_kill(exporter);
	OK(doca_dpa_rpc(link.dpa, copy_and_send, NULL, link.ends->producer, near, memory.bytes, far, there,
			UINT64_C(8)));
	OK(doca_dpa_rpc(link.dpa, next_sent, &got, link.ends->producer_completion));
	assert_int_equal(got, SEND_ERR);
	FAILED(link.dpa);
	OK(doca_mmap_destroy(map));
	memory_close(&memory);
	link_close(&link);
	munmap(talk, sizeof(*talk));
}

/* Two maps, and neighbours on the same page. */
static void export_crowded(struct doca_dev *dev)
{
	export(dev, crowded.first, sizeof(crowded.first));
	export(dev, crowded.second, sizeof(crowded.second));
}

static void memory_need_not_be_whole_pages_while_there_is_one_thread(void **state)
{
	(void)state;
	struct dpa dpa;
	exporter_start(export_crowded);
	dpa_open_on(&dpa, true);
	struct doca_mmap *first = import(dpa.dev, 0), *second = import(dpa.dev, 1);
	uint64_t one = handle_of_map(first, dpa.dev), two = handle_of_map(second, dpa.dev);
	uint64_t at = talk->where[0] + 40;
	if (!talk->one_thread) { /* that of a sanitizer is another one */
		assert_int_equal(exchanged(dpa.dpa, one, at, 1), UINT64_MAX);
		FAILED(dpa.dpa);
	} else {
		poke(at, 11);
		assert_int_equal(exchanged(dpa.dpa, one, at, 12), 11);
		assert_int_equal(exchanged(dpa.dpa, two, talk->where[1], 13), 0);
		assert_int_equal(peek(at), 12);
		assert_int_equal(peek(talk->where[1]), 13);
		/* What a child of the exporter writes is its own. */
		talk->address = at;
		talk->value = 12;
		tell(FORK);
		assert_int_equal(exchanged(dpa.dpa, one, at, 14), 12);
		assert_int_equal(peek(talk->where[0] - sizeof(uint64_t)), 7);
		assert_int_equal(peek(talk->where[1] + sizeof(crowded.second)), 7);
		HEALTHY(dpa.dpa);
		tell(DESTROY);
		poke(at, 15);
		assert_int_equal(peek(at), 15);
		assert_int_equal(exchanged(dpa.dpa, one, at, 16), 14); /* its last content here */
		FAILED(dpa.dpa);
		assert_int_equal(peek(at), 15);
	}
	OK(doca_mmap_destroy(first));
	OK(doca_mmap_destroy(second));
	dpa_close(&dpa);
	exporter_end();
}

static void export_shared_memory(struct doca_dev *dev)
{
	uint8_t *memory = mmap(NULL, LARGEST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	memset(memory, 1, LARGEST_PAGE);
	export(dev, memory, LARGEST_PAGE);
	export(dev, pages, sizeof(pages));
}

/* Whether this process may reach into another one's memory at all: containers forbid it now and then. */
static bool processes_are_open(void)
{
	uint64_t word;
	struct iovec local = {&word, sizeof(word)}, remote = {(void *)talk->where[0], sizeof(word)};
	return process_vm_readv(exporter, &local, 1, &remote, 1, 0) == sizeof(word);
}

static void memory_that_cannot_be_mapped_is_copied(void **state)
{
	(void)state;
	struct dpa dpa;
	struct copies copies;
	exporter_start(export_shared_memory);
	dpa_open_on(&dpa, true);
	copies_open(&copies, dpa.dpa);
	struct doca_mmap *shared = import(dpa.dev, 0), *ordinary = import(dpa.dev, 1);
	uint64_t one = handle_of_map(shared, dpa.dev), two = handle_of_map(ordinary, dpa.dev);
	uint64_t there = talk->where[0], other = talk->where[1];
	if (processes_are_open()) {
		assert_int_equal(copied(&copies, two, other, one, there, 5000), SEND);
		assert_int_equal(peek(other + 4992), UINT64_C(0x0101010101010101));
		poke(other, 77);
		assert_int_equal(copied(&copies, one, there + 8000, two, other, 8), SEND);
		assert_int_equal(copied(&copies, one, there + 16, one, there + 8000, 8), SEND); /* in it */
		assert_int_equal(peek(there + 16), 77);
		HEALTHY(dpa.dpa);
	}
	assert_int_equal(exchanged(dpa.dpa, one, there, 1), UINT64_MAX);
	FAILED(dpa.dpa);
	child_kill(exporter);
	assert_int_equal(copied(&copies, two, other, one, there, 8), SEND_ERR);
	OK(doca_mmap_destroy(shared));
	OK(doca_mmap_destroy(ordinary));
	copies_close(&copies);
	dpa_close(&dpa);
	munmap(talk, sizeof(*talk));
}

static void after_the_export_kernels_get_an_error(void **state)
{
	(void)state;
	for (int killed = 0; killed < 2; killed++) {
		struct dpa dpa;
		struct copies copies;
		doca_dpa_dev_mmap_t none;
		exporter_start(export_pages);
		dpa_open_on(&dpa, true);
		copies_open(&copies, dpa.dpa);
		struct doca_mmap *map = import(dpa.dev, 0), *later = import(dpa.dev, 0), *gone;
		uint64_t handle = handle_of_map(map, dpa.dev), there = talk->where[0];
		(void)exchanged(dpa.dpa, handle, there, 21);
		HEALTHY(dpa.dpa);
		if (killed)
			child_kill(exporter);
		else
			tell(STOP);
		assert_int_equal(exchanged(dpa.dpa, handle, there, 22), 21); /* its last content */
		FAILED(dpa.dpa);
		assert_int_equal(copied(&copies, handle, there, handle, there + 8, 8), SEND_ERR);
		GIVES(DOCA_ERROR_DRIVER, doca_mmap_dev_get_dpa_handle(later, dpa.dev, &none));
		if (killed)
			GIVES(DOCA_ERROR_DRIVER,
			      doca_mmap_create_from_export(NULL, talk->descriptor[0], talk->len[0], dpa.dev, &gone));
		else
			assert_int_equal(peek(there), 21);
		OK(doca_mmap_destroy(map));
		OK(doca_mmap_destroy(later));
		copies_close(&copies);
		dpa_close(&dpa);
		if (killed)
			munmap(talk, sizeof(*talk));
		else
			exporter_end();
	}
}

/* Memory that was never mapped here has no last content. */
static void a_kernel_that_asks_too_late_gets_zeros(void **state)
{
	(void)state;
	struct dpa dpa;
	exporter_start(export_shared_memory);
	dpa_open_on(&dpa, true);
	struct doca_mmap *map = import(dpa.dev, 0);
	uint64_t handle = handle_of_map(map, dpa.dev), there = talk->where[0];
	child_kill(exporter);
	assert_int_equal(exchanged(dpa.dpa, handle, there + 8, 22), 0);
	assert_int_equal(exchanged(dpa.dpa, handle, there + 8, 23), 22);
	assert_int_equal(exchanged(dpa.dpa, handle, there + talk->len[0] + (1 << 20), 23), UINT64_MAX);
	FAILED(dpa.dpa);
	OK(doca_mmap_destroy(map));
	dpa_close(&dpa);
	munmap(talk, sizeof(*talk));
}

/* In the middle of what kernels do, without waiting: none of them takes this process along. */
static void exporters_are_killed_under_kernels(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct dpa dpa;
		exporter_start(round % 2 == 0 ? export_pages : export_shared_memory);
		dpa_open_on(&dpa, true);
		struct doca_mmap *map = import(dpa.dev, 0);
		uint64_t handle = handle_of_map(map, dpa.dev), there = talk->where[0];
		for (int i = 0; i < round % 7; i++)
			(void)exchanged(dpa.dpa, handle, there, (uint64_t)i);
		CHECK(kill(exporter, SIGKILL) == 0);
		for (int i = 0; i < 20; i++)
			(void)exchanged(dpa.dpa, handle, there, (uint64_t)i);
		child_kill(exporter);
		(void)exchanged(dpa.dpa, handle, there, 1);
		FAILED(dpa.dpa);
		OK(doca_mmap_destroy(map));
		dpa_close(&dpa);
		munmap(talk, sizeof(*talk));
	}
}

static void close_all(struct doca_dev *dev)
{
	export_pages(dev);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
}

static void what_is_out_of_reach_has_no_handle(void **state)
{
	(void)state;
	struct dpa dpa;
	doca_dpa_dev_mmap_t none;
	exporter_start(close_all);
	dpa_open_on(&dpa, true);
	struct doca_mmap *map = import(dpa.dev, 0);
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(map, dpa.dev, &none));
	OK(doca_mmap_destroy(map));
	dpa_close(&dpa);
	exporter_end();
}

static void nothing_that_the_exporter_says_is_trusted(void **state)
{
	(void)state;
	for (uint64_t with = 1; with < ALL_SPOILT; with++) {
		struct dpa dpa;
		doca_dpa_dev_mmap_t spoilt;
		exporter_start(export_pages);
		dpa_open_on(&dpa, true);
		struct doca_mmap *before = import(dpa.dev, 0);
		uint64_t there = talk->where[0], handle = handle_of_map(before, dpa.dev);
		talk->value = with;
		tell(SPOIL);
		struct doca_mmap *map = import(dpa.dev, 0);
		if (with & ENDED) {
			GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(map, dpa.dev, &spoilt));
			assert_int_equal(exchanged(dpa.dpa, handle, there, 1), UINT64_C(0x0101010101010101));
		} else {
			(void)exchanged(dpa.dpa, handle, there, 1);
			HEALTHY(dpa.dpa);
			assert_int_equal(peek(there), 1);
			OK(doca_mmap_dev_get_dpa_handle(map, dpa.dev, &spoilt));
			assert_int_equal(exchanged(dpa.dpa, spoilt, there, 2), UINT64_MAX);
		}
		FAILED(dpa.dpa);
		OK(doca_mmap_destroy(map));
		OK(doca_mmap_destroy(before));
		dpa_close(&dpa);
		exporter_end();
	}
}

/* Another process may have got the exporter's number, and has exports of its own. */
static void the_record_of_another_export_is_none(void **state)
{
	(void)state;
	const enum spoilt of_another[] = {MAGIC, COOKIE, ID};
	for (size_t i = 0; i < 3; i++) {
		struct dpa dpa;
		doca_dpa_dev_mmap_t none;
		exporter_start(export_pages);
		dpa_open_on(&dpa, true);
		talk->value = of_another[i];
		tell(SPOIL);
		struct doca_mmap *map = import(dpa.dev, 0);
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(map, dpa.dev, &none));
		OK(doca_mmap_destroy(map));
		dpa_close(&dpa);
		exporter_end();
	}
}

/* It could shrink under the mapping, or be anything that the exporter has open. */
static void a_file_that_is_no_export_is_not_mapped(void **state)
{
	(void)state;
	const enum spoilt files[] = {OTHER_NAME, UNSEALED, OTHER_SIZE};
	for (size_t i = 0; i < 3; i++) {
		struct dpa dpa;
		exporter_start(export_pages);
		dpa_open_on(&dpa, true);
		talk->value = files[i];
		tell(SPOIL);
		struct doca_mmap *map = import(dpa.dev, 0);
		uint64_t handle = handle_of_map(map, dpa.dev);
		assert_int_equal(exchanged(dpa.dpa, handle, talk->where[0], 2), UINT64_MAX);
		FAILED(dpa.dpa);
		OK(doca_mmap_destroy(map));
		dpa_close(&dpa);
		exporter_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_share_memory_with_the_exporter),
		cmocka_unit_test(a_kernel_copies_from_and_to_the_exporter),
		cmocka_unit_test(memory_need_not_be_whole_pages_while_there_is_one_thread),
		cmocka_unit_test(memory_that_cannot_be_mapped_is_copied),
		cmocka_unit_test(after_the_export_kernels_get_an_error),
		cmocka_unit_test(a_kernel_that_asks_too_late_gets_zeros),
		cmocka_unit_test(exporters_are_killed_under_kernels),
		cmocka_unit_test(what_is_out_of_reach_has_no_handle),
		cmocka_unit_test(nothing_that_the_exporter_says_is_trusted),
		cmocka_unit_test(the_record_of_another_export_is_none),
		cmocka_unit_test(a_file_that_is_no_export_is_not_mapped),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
