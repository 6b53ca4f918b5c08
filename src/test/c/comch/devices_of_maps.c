/* A memory map counts for the devices that were added to it: contexts of other devices refuse it, and all its
 * buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_buf_pool.h"
#include "doca_emu.h"
#include "harness.h"

#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE
#define BYTES 4096u
#define BAD DOCA_ERROR_INVALID_VALUE

/* A started map of `bytes` for some devices, ended by NULL. */
static struct doca_mmap *map_for(uint8_t *bytes, uint32_t permissions, struct doca_dev *const *devs)
{
	struct doca_mmap *mmap;
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, BYTES));
	OK(doca_mmap_set_permissions(mmap, permissions));
	OK(doca_mmap_set_max_num_devices(mmap, 4));
	for (; *devs != NULL; devs++)
		OK(doca_mmap_add_dev(mmap, *devs));
	OK(doca_mmap_start(mmap));
	return mmap;
}

#define MAP_FOR(bytes, permissions, ...) map_for(bytes, permissions, (struct doca_dev *const[]){__VA_ARGS__, NULL})

static struct doca_buf *buf_of(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, uint8_t *at,
			       size_t data_len)
{
	struct doca_buf *buf;
	OK(doca_buf_inventory_buf_get_by_args(inventory, mmap, at, 64, at, data_len, &buf));
	return buf;
}

static void expect_complaint(const char *first, const char *second)
{
	const char *text = doca_emu_last_error();
	if (strstr(text, first) != NULL && strstr(text, second) != NULL)
		return;
	fprintf(stderr, "\"%s\" does not contain \"%s\" and \"%s\"\n", text, first, second);
	abort();
}

static void a_consumer_needs_memory_of_its_device(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct devices *devices = &pair.devices;
	static uint8_t bytes[BYTES];
	struct doca_comch_consumer *consumer;
	struct doca_mmap *for_dpu = MAP_FOR(bytes, RW, devices->dpu), *for_host = MAP_FOR(bytes, RW, devices->host),
			 *for_host2 = MAP_FOR(bytes, RW, devices->host2), *for_none = MAP_FOR(bytes, RW, NULL),
			 *for_all = MAP_FOR(bytes, RW, devices->host2, devices->dpu, devices->host),
			 *for_others = MAP_FOR(bytes, RW, devices->host2, devices->dpu);
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, for_dpu, &consumer));
	expect_complaint("memory map of 4096 bytes", "0000:b1:00.0");
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, for_host2, &consumer));
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, for_none, &consumer));
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, for_others, &consumer));
	GIVES(BAD, doca_comch_consumer_create(pair.server.connection, for_host, &consumer));
	expect_complaint("memory map of 4096 bytes", "0000:03:00.0");
	/* A refusal takes neither an id nor the map. */
	OK(doca_comch_consumer_create(pair.client.connection, for_all, &consumer));
	uint32_t id;
	OK(doca_comch_consumer_get_id(consumer, &id));
	assert_int_equal(id, 1);
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_comch_consumer_create(pair.server.connection, for_all, &consumer));
	OK(doca_comch_consumer_destroy(consumer));
	/* What counts is the devices that the map has at its start. */
	OK(doca_mmap_stop(for_all));
	OK(doca_mmap_rm_dev(for_all, devices->host));
	OK(doca_mmap_start(for_all));
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, for_all, &consumer));
	OK(doca_mmap_stop(for_others));
	OK(doca_mmap_add_dev(for_others, devices->host));
	OK(doca_mmap_start(for_others));
	OK(doca_comch_consumer_create(pair.client.connection, for_others, &consumer));
	OK(doca_comch_consumer_destroy(consumer));
	struct doca_mmap *const all[] = {for_dpu, for_host, for_host2, for_none, for_all, for_others};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		OK(doca_mmap_destroy(all[i]));
	pair_close(&pair);
}

/* A device that is opened twice is one device. */
static void a_device_is_the_same_however_often_it_is_opened(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct devices again;
	devices_open_host(&again);
	static uint8_t bytes[BYTES];
	struct doca_mmap *mmap = MAP_FOR(bytes, RW, again.host);
	devices_close(&again);
	struct doca_comch_consumer *consumer;
	OK(doca_comch_consumer_create(pair.client.connection, mmap, &consumer));
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_mmap_destroy(mmap));
	pair_close(&pair);
}

/* A producer on the client, a consumer on the server, and memory of which each test makes its maps. */
struct path {
	struct pair pair;
	struct memory sink;
	struct doca_buf_inventory *inventory;
	struct producer producer;
	struct consumer consumer;
};

static uint8_t source[BYTES];

static void path_open(struct path *path)
{
	pair_open(&path->pair, TWO_ENGINES);
	memory_open(&path->sink, BYTES, 8, path->pair.devices.dpu, RW);
	OK(doca_buf_inventory_create(16, &path->inventory));
	OK(doca_buf_inventory_start(path->inventory));
	consumer_make(&path->consumer, path->pair.server.connection, path->sink.mmap, 8, NULL);
	consumer_start(&path->consumer, path->pair.server.pe);
	producer_make(&path->producer, path->pair.client.connection, 8, NULL);
	producer_start(&path->producer);
}

static void path_close(struct path *path)
{
	free_sent(&path->producer.record);
	free_received(&path->consumer.record);
	producer_stop(&path->producer);
	consumer_stop(&path->consumer);
	producer_destroy(&path->producer);
	consumer_destroy(&path->consumer);
	OK(doca_buf_inventory_destroy(path->inventory));
	memory_close(&path->sink);
	pair_close(&path->pair);
}

static void expect_arrived(struct path *path, size_t num)
{
	UNTIL(count_of(&path->consumer.record, RECEIVED) == num && count_of(&path->producer.record, SENT) == num,
	      path->consumer.pe, path->producer.pe);
}

static void sends_from_memory_of_other_devices_are_refused(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct devices *devices = &path.pair.devices;
	struct doca_mmap *right = MAP_FOR(source, DOCA_ACCESS_FLAG_PCI_READ_ONLY, devices->host),
			 *several = MAP_FOR(source, 0, devices->dpu, devices->host),
			 *wrong[] = {MAP_FOR(source, RW, devices->dpu), MAP_FOR(source, RW, devices->host2),
				     MAP_FOR(source, RW, NULL), MAP_FOR(source, RW, devices->host2, devices->dpu)};
	struct doca_buf *good = buf_of(path.inventory, right, source, 64),
			*also_good = buf_of(path.inventory, several, source, 64);
	struct doca_buf *posted = memory_buf(&path.sink, 0, 64, 0), *second = memory_buf(&path.sink, 64, 64, 0);
	post(&path.consumer, posted);
	post(&path.consumer, second);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		/* With data and without: an empty send needs its buffer's map all the same. */
		struct doca_buf *bad = buf_of(path.inventory, wrong[i], source, 64), *empty, *copy;
		OK(doca_buf_inventory_buf_dup(path.inventory, bad, &copy));
		empty = buf_of(path.inventory, wrong[i], source, 0);
		GIVES(BAD, try_send(&path.producer, path.consumer.id, bad, NULL, 0, NULL));
		expect_complaint("memory map of 4096 bytes", "0000:b1:00.0");
		GIVES(BAD, try_send(&path.producer, path.consumer.id, copy, NULL, 0, NULL));
		GIVES(BAD, try_send(&path.producer, path.consumer.id, empty, NULL, 0, NULL));
		GIVES(BAD, try_send(&path.producer, path.consumer.id, bad, "i", 1, NULL));
		buf_release(bad);
		buf_release(copy);
		buf_release(empty);
	}
	/* No posted buffer has been used up. */
	put(&path.producer, path.consumer.id, good);
	put(&path.producer, path.consumer.id, also_good);
	expect_arrived(&path, 2);
	buf_release(good);
	buf_release(also_good);
	buf_release(posted);
	buf_release(second);
	OK(doca_mmap_destroy(right));
	OK(doca_mmap_destroy(several));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		OK(doca_mmap_destroy(wrong[i]));
	path_close(&path);
}

/* What was found out about one buffer of a task does not count for the next. */
static void the_buffer_that_a_task_has_at_its_submit_counts(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_mmap *right = MAP_FOR(source, RW, path.pair.devices.host),
			 *wrong = MAP_FOR(source, RW, path.pair.devices.dpu);
	struct doca_buf *good = buf_of(path.inventory, right, source, 8),
			*bad = buf_of(path.inventory, wrong, source, 8);
	struct doca_buf *posted = memory_buf(&path.sink, 0, 64, 0);
	struct doca_comch_consumer_task_post_recv *receive = post(&path.consumer, posted);
	struct doca_comch_producer_task_send *send = put(&path.producer, path.consumer.id, good);
	for (size_t round = 1; round < 5; round++) {
		expect_arrived(&path, round);
		OK(doca_buf_reset_data_len(posted));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)));
		doca_comch_producer_task_send_set_buf(send, bad);
		GIVES(BAD, doca_task_submit(doca_comch_producer_task_send_as_task(send)));
		doca_comch_producer_task_send_set_buf(send, good);
		OK(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	}
	expect_arrived(&path, 5);
	doca_task_free(doca_comch_producer_task_send_as_task(send));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(receive));
	record_clear(&path.producer.record);
	record_clear(&path.consumer.record);
	buf_release(good);
	buf_release(bad);
	buf_release(posted);
	OK(doca_mmap_destroy(right));
	OK(doca_mmap_destroy(wrong));
	path_close(&path);
}

/* A map that takes the place of one that was accepted, in memory or by a restart, is looked at anew. */
static void a_later_map_is_looked_at_anew(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct devices *devices = &path.pair.devices;
	struct doca_buf *posted = memory_buf(&path.sink, 0, 64, 0);
	post(&path.consumer, posted);
	struct doca_mmap *mmap = MAP_FOR(source, RW, devices->host);
	struct doca_buf *buf = buf_of(path.inventory, mmap, source, 8);
	put(&path.producer, path.consumer.id, buf);
	expect_arrived(&path, 1);
	buf_release(buf);
	OK(doca_mmap_stop(mmap));
	OK(doca_mmap_rm_dev(mmap, devices->host));
	OK(doca_mmap_add_dev(mmap, devices->dpu));
	OK(doca_mmap_start(mmap));
	buf = buf_of(path.inventory, mmap, source, 8);
	GIVES(BAD, try_send(&path.producer, path.consumer.id, buf, NULL, 0, NULL));
	buf_release(buf);
	OK(doca_mmap_destroy(mmap));
	for (int i = 0; i < 8; i++) {
		bool accepted = i % 2 == 0;
		mmap = MAP_FOR(source, RW, accepted ? devices->host : devices->host2);
		buf = buf_of(path.inventory, mmap, source, 8);
		/* An accepted one finds no buffer posted. */
		GIVES(accepted ? DOCA_ERROR_AGAIN : BAD,
		      try_send(&path.producer, path.consumer.id, buf, NULL, 0, NULL));
		buf_release(buf);
		OK(doca_mmap_destroy(mmap));
	}
	buf_release(posted);
	path_close(&path);
}

/* Buffers of a second map of the consumer's memory: a device writes to it by that map. */
static void posted_buffers_need_the_device_and_its_permission_too(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct devices *devices = &path.pair.devices;
	struct doca_mmap *right = MAP_FOR(path.sink.bytes, RW, devices->dpu),
			 *wrong[] = {MAP_FOR(path.sink.bytes, RW, devices->host), MAP_FOR(path.sink.bytes, RW, NULL),
				     MAP_FOR(path.sink.bytes, DOCA_ACCESS_FLAG_PCI_READ_ONLY, devices->dpu),
				     MAP_FOR(path.sink.bytes, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, devices->dpu), NULL};
	/* What another process exports may have the same addresses. */
	const void *descriptor;
	size_t len;
	struct doca_mmap *exported = MAP_FOR(path.sink.bytes, RW, devices->host);
	OK(doca_mmap_export_pci(exported, devices->host, &descriptor, &len));
	OK(doca_mmap_create_from_export(NULL, descriptor, len, devices->dpu, &wrong[4]));
	struct doca_comch_consumer_task_post_recv *posted;
	for (size_t i = 0; i < 5; i++) {
		struct doca_buf *bad = buf_of(path.inventory, wrong[i], path.sink.bytes, 0);
		GIVES(BAD, try_post(&path.consumer, bad, &posted));
		buf_release(bad);
	}
	struct doca_mmap *from_map = MAP_FOR(source, 0, devices->host);
	struct doca_buf *good = buf_of(path.inventory, right, path.sink.bytes, 0),
			*from = buf_of(path.inventory, from_map, source, 8);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	struct doca_comch_consumer_task_post_recv *receive = post(&path.consumer, good);
	put(&path.producer, path.consumer.id, from);
	expect_arrived(&path, 1);
	/* A task that gets another buffer is looked at anew. */
	struct doca_buf *bad = buf_of(path.inventory, wrong[0], path.sink.bytes, 0);
	doca_comch_consumer_task_post_recv_set_buf(receive, bad);
	GIVES(BAD, doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)));
	buf_release(bad);
	buf_release(good);
	buf_release(from);
	path_close(&path);
	OK(doca_mmap_destroy(right));
	OK(doca_mmap_destroy(from_map));
	for (size_t i = 0; i < 5; i++)
		OK(doca_mmap_destroy(wrong[i]));
	OK(doca_mmap_destroy(exported));
}

static struct doca_buf *buf_of_pool(struct doca_buf_pool *pool, size_t data_len)
{
	struct doca_buf *buf;
	OK(doca_buf_pool_buf_alloc(pool, &buf));
	OK(doca_buf_set_data_len(buf, data_len));
	return buf;
}

/* The first buffer that a context sees may be a pool's, and the pool's map may have been restarted. */
static void buffers_of_a_pool_are_looked_at_as_others_are(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct devices *devices = &path.pair.devices;
	struct doca_mmap *from_map = MAP_FOR(source, 0, devices->dpu), *to_map = MAP_FOR(path.sink.bytes, RW, NULL);
	struct doca_buf_pool *from_pool, *to_pool;
	OK(doca_buf_pool_create(2, 64, from_map, &from_pool));
	OK(doca_buf_pool_create(2, 64, to_map, &to_pool));
	OK(doca_buf_pool_start(from_pool));
	OK(doca_buf_pool_start(to_pool));
	struct doca_comch_consumer_task_post_recv *posted;
	struct doca_buf *from = buf_of_pool(from_pool, 8), *to = buf_of_pool(to_pool, 0);
	GIVES(BAD, try_post(&path.consumer, to, &posted));
	GIVES(BAD, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	buf_release(from);
	buf_release(to);
	for (int round = 0; round < 2; round++) { /* to a device, and away from it */
		bool accepted = round == 0;
		OK(doca_mmap_stop(from_map));
		OK(doca_mmap_stop(to_map));
		OK((accepted ? doca_mmap_add_dev : doca_mmap_rm_dev)(from_map, devices->host));
		OK((accepted ? doca_mmap_add_dev : doca_mmap_rm_dev)(to_map, devices->dpu));
		OK(doca_mmap_start(from_map));
		OK(doca_mmap_start(to_map));
		from = buf_of_pool(from_pool, 8);
		to = buf_of_pool(to_pool, 0);
		GIVES(accepted ? DOCA_SUCCESS : BAD, try_post(&path.consumer, to, &posted));
		GIVES(accepted ? DOCA_SUCCESS : BAD, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
		expect_arrived(&path, 1);
		buf_release(from);
		buf_release(to);
	}
	OK(doca_buf_pool_destroy(from_pool));
	OK(doca_buf_pool_destroy(to_pool));
	path_close(&path);
	OK(doca_mmap_destroy(from_map));
	OK(doca_mmap_destroy(to_map));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_consumer_needs_memory_of_its_device),
		cmocka_unit_test(a_device_is_the_same_however_often_it_is_opened),
		cmocka_unit_test(sends_from_memory_of_other_devices_are_refused),
		cmocka_unit_test(the_buffer_that_a_task_has_at_its_submit_counts),
		cmocka_unit_test(a_later_map_is_looked_at_anew),
		cmocka_unit_test(posted_buffers_need_the_device_and_its_permission_too),
		cmocka_unit_test(buffers_of_a_pool_are_looked_at_as_others_are),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
