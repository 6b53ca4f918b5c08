/* Allocation fails, once at every place where it can: the documented error, and nothing lost. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "doca_buf_inventory.h"
#include "doca_buf_pool.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "doca_types.h"
#include "fake_ctx.h"

/* The allocator, with a switch: the program's own definitions come before the C library's. */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

static int fail_in; /* the n-th allocation from now; 0: none */
static bool has_failed;
static long live;

static bool fails(void)
{
	if (fail_in == 0 || --fail_in > 0)
		return false;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	if (fails())
		return NULL;
	live++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (fails())
		return NULL;
	live++;
	return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size)
{
	if (fails())
		return NULL;
	live += pointer == NULL;
	return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	if (fails())
		return NULL;
	live++;
	return __libc_memalign(alignment, size);
}

void free(void *pointer)
{
	live -= pointer != NULL;
	__libc_free(pointer);
}

static uint8_t memory[64];
static struct doca_dev *host;
static struct doca_dev *dpu;

/* Each tries one call, and undoes it when it has succeeded. */

static doca_error_t list_devices(void)
{
	struct doca_devinfo **list;
	uint32_t count;
	doca_error_t result = doca_devinfo_create_list(&list, &count);
	if (result == DOCA_SUCCESS)
		doca_devinfo_destroy_list(list);
	return result;
}

static struct doca_devinfo *vf;

static doca_error_t open_dev(void)
{
	struct doca_dev *dev;
	doca_error_t result = doca_dev_open(vf, &dev);
	if (result == DOCA_SUCCESS)
		doca_dev_close(dev);
	return result;
}

static doca_error_t list_reps(void)
{
	struct doca_devinfo_rep **list;
	uint32_t count;
	doca_error_t result = doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &count);
	if (result == DOCA_SUCCESS)
		doca_devinfo_rep_destroy_list(list);
	return result;
}

static struct doca_devinfo_rep *rep_info;

static doca_error_t open_rep(void)
{
	struct doca_dev_rep *rep;
	doca_error_t result = doca_dev_rep_open(rep_info, &rep);
	if (result == DOCA_SUCCESS)
		doca_dev_rep_close(rep);
	return result;
}

static doca_error_t create_engine(void)
{
	struct doca_pe *pe;
	doca_error_t result = doca_pe_create(&pe);
	if (result == DOCA_SUCCESS)
		doca_pe_destroy(pe);
	return result;
}

static struct doca_pe *engine;
static struct fake *context;

static doca_error_t connect_context(void)
{
	doca_error_t result = doca_pe_connect_ctx(engine, &context->ctx);
	if (result == DOCA_SUCCESS)
		emu_ctx_fini(&context->ctx);
	return result;
}

static doca_error_t create_map(void)
{
	struct doca_mmap *mmap;
	doca_error_t result = doca_mmap_create(&mmap);
	if (result == DOCA_SUCCESS)
		doca_mmap_destroy(mmap);
	return result;
}

static struct doca_mmap *plain_map;

static doca_error_t add_device(void)
{
	doca_error_t result = doca_mmap_add_dev(plain_map, host);
	if (result == DOCA_SUCCESS)
		doca_mmap_rm_dev(plain_map, host);
	return result;
}

static struct doca_mmap *exported_map;
static const void *desc;
static size_t desc_len;

static doca_error_t export_map(void)
{
	return doca_mmap_export_pci(exported_map, host, &desc, &desc_len);
}

static doca_error_t import_map(void)
{
	struct doca_mmap *mmap;
	doca_error_t result = doca_mmap_create_from_export(NULL, desc, desc_len, dpu, &mmap);
	if (result == DOCA_SUCCESS)
		doca_mmap_destroy(mmap);
	return result;
}

static doca_error_t create_inventory(void)
{
	struct doca_buf_inventory *inventory;
	doca_error_t result = doca_buf_inventory_create(10, &inventory);
	if (result == DOCA_SUCCESS)
		doca_buf_inventory_destroy(inventory);
	return result;
}

static doca_error_t create_pool(void)
{
	struct doca_buf_pool *pool;
	doca_error_t result = doca_buf_pool_create(10, 1, plain_map, &pool);
	if (result == DOCA_SUCCESS)
		doca_buf_pool_destroy(pool);
	return result;
}

static struct doca_buf_inventory *started_inventory;

static doca_error_t expand_inventory(void)
{
	return doca_buf_inventory_expand(started_inventory, 10);
}

static void ignore(char *record)
{
	(void)record;
}

static doca_error_t create_log_backend(void)
{
	static char buffer[64];
	struct doca_log_backend *backend;
	return doca_log_backend_create_with_buf(buffer, sizeof(buffer), ignore, &backend);
}

static doca_error_t create_syslog_backend(void)
{
	struct doca_log_backend *backend;
	return doca_log_backend_create_with_syslog("name", &backend);
}

static doca_error_t register_source(void)
{
	int source;
	return doca_log_register_source("name", &source);
}

/* `keeps`: what a success leaves allocated on purpose. */
static void fails_cleanly(doca_error_t (*call)(void), int keeps)
{
	int place = 1;
	for (;; place++) {
		long before = live;
		fail_in = place;
		has_failed = false;
		doca_error_t result = call();
		fail_in = 0;
		if (!has_failed) {
			expect_success(result);
			assert_int_equal(keeps, live - before);
			break;
		}
		expect(DOCA_ERROR_NO_MEMORY, result);
		assert_int_equal(0, live - before);
	}
	assert_true(place > 1);
}

static void devices(void **state)
{
	(void)state;
	struct doca_devinfo **list;
	uint32_t count;
	fails_cleanly(list_devices, 0);
	expect_success(doca_devinfo_create_list(&list, &count));
	vf = list[2];
	fails_cleanly(open_dev, 0);
	expect_success(doca_devinfo_destroy_list(list));
}

static void representors(void **state)
{
	(void)state;
	struct doca_devinfo_rep **list;
	uint32_t count;
	fails_cleanly(list_reps, 0);
	expect_success(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
	rep_info = list[0];
	fails_cleanly(open_rep, 0);
	expect_success(doca_devinfo_rep_destroy_list(list));
}

static void engines(void **state)
{
	(void)state;
	fails_cleanly(create_engine, 0);
	expect_success(doca_pe_create(&engine));
	context = fake_new(&fake_ops);
	fails_cleanly(connect_context, 1);
	fake_destroy(context);
	expect_success(doca_pe_destroy(engine));
}

static void memory_maps(void **state)
{
	(void)state;
	fails_cleanly(create_map, 0);
	expect_success(doca_mmap_create(&plain_map));
	fails_cleanly(add_device, 1);
	expect_success(doca_mmap_destroy(plain_map));
	expect_success(doca_mmap_create(&exported_map));
	expect_success(doca_mmap_set_memrange(exported_map, memory, sizeof(memory)));
	expect_success(doca_mmap_set_permissions(exported_map, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	expect_success(doca_mmap_add_dev(exported_map, host));
	expect_success(doca_mmap_start(exported_map));
	fails_cleanly(export_map, 2);
	fails_cleanly(import_map, 0);
	expect_success(doca_mmap_destroy(exported_map));
}

static void inventories(void **state)
{
	(void)state;
	fails_cleanly(create_inventory, 0);
	expect_success(doca_buf_inventory_create(10, &started_inventory));
	expect_success(doca_buf_inventory_start(started_inventory));
	fails_cleanly(expand_inventory, 2);
	expect_success(doca_buf_inventory_destroy(started_inventory));
}

static void pools(void **state)
{
	(void)state;
	expect_success(doca_mmap_create(&plain_map));
	expect_success(doca_mmap_set_memrange(plain_map, memory, sizeof(memory)));
	fails_cleanly(create_pool, 0);
	expect_success(doca_mmap_destroy(plain_map));
}

static void logs(void **state)
{
	(void)state;
	fails_cleanly(create_log_backend, 1);
	fails_cleanly(create_syslog_backend, 2);
	fails_cleanly(register_source, 2);
	/* From now on the table grows. */
	fails_cleanly(register_source, 1);
}

static void a_record_that_finds_no_memory_is_shortened(void **state)
{
	(void)state;
	static char buffer[8192];
	static char text[4096];
	struct doca_log_backend *backend;
	int source;
	memset(text, 'x', sizeof(text) - 1);
	expect_success(doca_log_register_source("name", &source));
	expect_success(doca_log_backend_create_with_buf(buffer, sizeof(buffer), ignore, &backend));
	/* The C library's time functions allocate at their first use. */
	expect_success(doca_log(DOCA_LOG_LEVEL_ERROR, source, "f", 1, "f", "text"));
	has_failed = false;
	fail_in = 1;
	doca_error_t result = doca_log(DOCA_LOG_LEVEL_ERROR, source, "f", 1, "f", "%s", text);
	fail_in = 0;
	assert_true(has_failed);
	expect_success(result);
	assert_in_range(strlen(buffer), 500, 1100);
	assert_int_equal('\n', buffer[strlen(buffer) - 1]);
}

static int open_devices(void **state)
{
	(void)state;
	/* The first look reads the topology, which stays. */
	long before = live;
	fail_in = 1;
	expect(DOCA_ERROR_NO_MEMORY, list_devices());
	assert_int_equal(before, live);
	host = open_device(HOST_PF);
	dpu = open_device(DPU_PCI);
	return 0;
}

static int close_devices(void **state)
{
	(void)state;
	expect_success(doca_dev_close(host));
	expect_success(doca_dev_close(dpu));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices),     cmocka_unit_test(representors),
		cmocka_unit_test(engines),     cmocka_unit_test(memory_maps),
		cmocka_unit_test(inventories), cmocka_unit_test(pools),
		cmocka_unit_test(logs),        cmocka_unit_test(a_record_that_finds_no_memory_is_shortened),
	};
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
