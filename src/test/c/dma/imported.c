/* Copies from and to memory that a process on one side has exported, by the other side's device. */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fixture.h"

#define EXPORTED ((size_t)3 << 20)

enum command { NOTHING, STOP, END };

/* What both processes see. */
struct talk {
	_Atomic(enum command) command;
	_Atomic bool ready;
	bool from_dpu;
	uint32_t permissions;
	uint64_t where;
	size_t len;
	uint8_t descriptor[256];
	uint8_t seen[64]; /* of the exporter's memory, when it was told to stop */
};

static struct talk *talk;
static int exporter;

static int export_and_obey(void *argument)
{
	struct devices devices;
	struct doca_mmap *map;
	const void *descriptor;
	(void)argument;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	talk->from_dpu ? devices_open_dpu(&devices) : devices_open_host(&devices);
	struct doca_dev *dev = talk->from_dpu ? devices.dpu : devices.host;
	uint8_t *bytes = mmap(NULL, EXPORTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(bytes != MAP_FAILED);
	for (size_t i = 0; i < EXPORTED; i++)
		bytes[i] = (uint8_t)(i * 3 + i / 257);
	OK(doca_mmap_create(&map));
	OK(doca_mmap_set_memrange(map, bytes, EXPORTED));
	OK(doca_mmap_set_permissions(map, talk->permissions));
	OK(doca_mmap_add_dev(map, dev));
	OK(doca_mmap_start(map));
	OK(doca_mmap_export_pci(map, dev, &descriptor, &talk->len));
	memcpy(talk->descriptor, descriptor, talk->len);
	talk->where = (uint64_t)bytes;
	talk->ready = true;
	while (talk->command == NOTHING)
		sched_yield();
	memcpy(talk->seen, bytes, sizeof(talk->seen));
	OK(doca_mmap_destroy(map));
	talk->command = NOTHING;
	while (talk->command != END)
		sched_yield();
	devices_close(&devices);
	return 0;
}

#define AWAIT(condition)                                                                                               \
	do {                                                                                                           \
		int64_t deadline = harness_deadline();                                                                 \
		while (!(condition)) {                                                                                 \
			harness_in_time(deadline, __FILE__, __LINE__, #condition);                                     \
			sched_yield();                                                                                 \
		}                                                                                                      \
	} while (0)

static void exporter_start(bool from_dpu, uint32_t permissions)
{
	talk = mmap(NULL, sizeof(*talk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(talk != MAP_FAILED);
	talk->from_dpu = from_dpu;
	talk->permissions = permissions;
	exporter = child_start(export_and_obey, NULL);
	AWAIT(talk->ready);
}

static void exporter_stop_map(void)
{
	talk->command = STOP;
	AWAIT(talk->command == NOTHING);
}

static void exporter_end(void)
{
	talk->command = END;
	CHECK(child_wait(exporter) == 0);
	munmap(talk, sizeof(*talk));
}

static struct doca_mmap *import(struct copier *copier)
{
	struct doca_mmap *map;
	OK(doca_mmap_create_from_export(NULL, talk->descriptor, talk->len, copier->dev, &map));
	return map;
}

static struct doca_buf *there(struct copier *copier, struct doca_mmap *map, size_t at, size_t len, bool full)
{
	return buf_of(copier, map, (void *)(uintptr_t)(talk->where + at), len, full ? len : 0);
}

static void exported_memory_is_read_and_written(bool from_dpu)
{
	struct copier copier;
	exporter_start(from_dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	copier_open(&copier, !from_dpu, 4);
	struct doca_mmap *map = import(&copier);
	static const size_t lengths[] = {1, 4096, 70000, (size_t)2 << 20};
	for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
		size_t at = 1000 + n, len = lengths[n];
		struct doca_buf *src = there(&copier, map, at, len, true), *dst = destination(&copier, 0, len);
		assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
		for (size_t i = 0; i < len; i++)
			if (copier.to.bytes[i] != (uint8_t)((at + i) * 3 + (at + i) / 257))
				fail_msg("byte %zu of %zu", i, len);
		give_back(src);
		give_back(dst);
	}
	/* To the exporter, and from one place there to another. */
	struct doca_buf *src = source(&copier, 0, 32), *dst = there(&copier, map, 0, 32, false),
			*second = there(&copier, map, 32, 32, false);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_int_equal(data_len_of(dst), 32);
	assert_int_equal(copied(&copier, dst, second), DOCA_SUCCESS);
	exporter_stop_map();
	assert_memory_equal(talk->seen, copier.from.bytes, 32);
	assert_memory_equal(talk->seen + 32, copier.from.bytes, 32);
	give_back(src);
	give_back(dst);
	give_back(second);
	OK(doca_mmap_destroy(map));
	copier_close(&copier);
	exporter_end();
}

static void memory_of_the_host_is_read_and_written(void **state)
{
	(void)state;
	exported_memory_is_read_and_written(false);
}

static void memory_of_the_dpu_is_read_and_written(void **state)
{
	(void)state;
	exported_memory_is_read_and_written(true);
}

static void what_may_only_be_read_is_not_written(void **state)
{
	(void)state;
	struct copier copier;
	exporter_start(false, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	copier_open(&copier, true, 4);
	struct doca_mmap *map = import(&copier);
	struct doca_buf *src = there(&copier, map, 0, 64, true), *dst = destination(&copier, 0, 64),
			*there_again = there(&copier, map, 0, 64, false), *own = source(&copier, 77, 64);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_int_equal(copied(&copier, own, there_again), DOCA_ERROR_IO_FAILED);
	UNTIL(strcmp(copier.states, "RPI") == 0, copier.pe);
	exporter_stop_map();
	assert_memory_equal(talk->seen, copier.to.bytes, 64);
	give_back(src);
	give_back(dst);
	give_back(there_again);
	give_back(own);
	OK(doca_mmap_destroy(map));
	copier_close(&copier);
	exporter_end();
}

/* Both ways, with tasks in flight. */
static void check_fails(struct copier *copier, struct doca_mmap *map, void (*end)(void))
{
	struct doca_buf *far = there(copier, map, 0, 4096, true), *far_room = there(copier, map, 8192, 4096, false),
			*near = source(copier, 0, 4096), *near_room = destination(copier, 0, 4096);
	submit(copier, far, near_room, 1);
	submit(copier, near, far_room, 2);
	end();
	UNTIL(strcmp(copier->states, "RPI") == 0, copier->pe);
	assert_int_equal(copier->num_ended, 2);
	assert_int_equal(copier->completed, 0);
	assert_int_equal(copier->status[0], DOCA_ERROR_IO_FAILED);
	assert_int_equal(copier->status[1], DOCA_ERROR_IO_FAILED);
	assert_int_equal(data_len_of(near_room), 0);
	/* And writing, after a new start. */
	OK(doca_ctx_start(copier->ctx));
	assert_int_equal(copied(copier, near, far_room), DOCA_ERROR_IO_FAILED);
	UNTIL(strcmp(copier->states, "RPIRPI") == 0, copier->pe);
	struct doca_buf *all[] = {far, far_room, near, near_room};
	for (int i = 0; i < 4; i++)
		give_back(all[i]);
}

static void kill_exporter(void)
{
	child_kill(exporter);
}

static void a_copy_fails_when_the_exporter_is_killed(void **state)
{
	(void)state;
	for (int from_dpu = 0; from_dpu < 2; from_dpu++) {
		struct copier copier;
		exporter_start(from_dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		copier_open(&copier, !from_dpu, 4);
		struct doca_mmap *map = import(&copier);
		check_fails(&copier, map, kill_exporter);
		OK(doca_mmap_destroy(map));
		copier_close(&copier);
		munmap(talk, sizeof(*talk));
	}
}

static void a_copy_fails_when_the_export_has_ended(void **state)
{
	(void)state;
	for (int from_dpu = 0; from_dpu < 2; from_dpu++) {
		struct copier copier;
		exporter_start(from_dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		copier_open(&copier, !from_dpu, 4);
		struct doca_mmap *map = import(&copier);
		check_fails(&copier, map, exporter_stop_map);
		OK(doca_mmap_destroy(map));
		copier_close(&copier);
		exporter_end();
	}
}

/* In the middle of full traffic: every task ends, and nothing faults. */
static void a_kill_in_the_middle_ends_every_task(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		struct copier copier;
		exporter_start(false, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		copier_open(&copier, true, 32);
		struct doca_mmap *map = import(&copier);
		struct doca_buf *src[32], *dst[32];
		for (unsigned i = 0; i < 32; i++) {
			src[i] = there(&copier, map, i * 65536, 65536, true);
			dst[i] = destination(&copier, i * 65536, 65536);
			submit(&copier, src[i], dst[i], i);
		}
		for (int i = 0; i < 3 * round; i++)
			assert_int_equal(drive(copier.pe), 1);
		CHECK(kill(exporter, SIGKILL) == 0); /* without waiting: it goes while copies are made */
		UNTIL(copier.num_ended == 32, copier.pe);
		for (unsigned i = 0; i < 32; i++) {
			assert_int_equal(copier.ended[i], i);
			bool good = copier.status[i] == DOCA_SUCCESS;
			assert_true(good || copier.status[i] == DOCA_ERROR_IO_FAILED);
			assert_int_equal(data_len_of(dst[i]), good ? 65536 : 0);
			give_back(src[i]);
			give_back(dst[i]);
		}
		CHECK(waitpid(exporter, NULL, 0) == exporter);
		OK(doca_mmap_destroy(map));
		settle(copier.pe, NULL);
		if (strcmp(copier.states, "RPI") == 0)
			OK(doca_ctx_start(copier.ctx));
		copier_close(&copier);
		munmap(talk, sizeof(*talk));
	}
}

/* An import of this process's own export. */
static void what_this_process_exports_is_copied_here(void **state)
{
	(void)state;
	struct copier copier;
	struct area area;
	const void *descriptor;
	size_t len;
	struct doca_mmap *map;
	copier_open(&copier, true, 4);
	area_open(&area, copier.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(area.map, copier.devices.host, &descriptor, &len));
	OK(doca_mmap_create_from_export(NULL, descriptor, len, copier.dev, &map));
	struct doca_buf *src = source(&copier, 9, 5000), *dst = buf_of(&copier, map, area.bytes + 5, 5000, 0);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_memory_equal(area.bytes + 5, copier.from.bytes + 9, 5000);
	give_back(src);
	give_back(dst);
	OK(doca_mmap_destroy(map));
	area_close(&area);
	copier_close(&copier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_the_host_is_read_and_written),
		cmocka_unit_test(memory_of_the_dpu_is_read_and_written),
		cmocka_unit_test(what_may_only_be_read_is_not_written),
		cmocka_unit_test(a_copy_fails_when_the_exporter_is_killed),
		cmocka_unit_test(a_copy_fails_when_the_export_has_ended),
		cmocka_unit_test(a_kill_in_the_middle_ends_every_task),
		cmocka_unit_test(what_this_process_exports_is_copied_here),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
