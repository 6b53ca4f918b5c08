/* Producers and consumers in one process. */
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

#define SPACE (8u << 20)

static struct doca_task *sent_task(struct doca_comch_producer_task_send *task)
{
	return doca_comch_producer_task_send_as_task(task);
}

static struct doca_task *post_task(struct doca_comch_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_as_task(task);
}

/* A producer on the client, a consumer on the server, each with an engine and memory of its own. */
struct path {
	struct pair pair;
	struct memory source, sink;
	struct producer producer;
	struct consumer consumer;
};

static void path_open(struct path *path)
{
	pair_open(&path->pair, TWO_ENGINES);
	memory_open(&path->source, SPACE, 64, path->pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	memory_open(&path->sink, SPACE, 64, path->pair.devices.dpu, RW);
	consumer_make(&path->consumer, path->pair.server.connection, path->sink.mmap, 16, NULL);
	consumer_start(&path->consumer, path->pair.server.pe);
	producer_make(&path->producer, path->pair.client.connection, 16, NULL);
	producer_start(&path->producer);
}

static void path_close_memory(struct path *path)
{
	memory_close(&path->source);
	memory_close(&path->sink);
}

static void path_close(struct path *path)
{
	producer_stop(&path->producer);
	consumer_stop(&path->consumer);
	producer_destroy(&path->producer);
	consumer_destroy(&path->consumer);
	pair_close(&path->pair);
	path_close_memory(path);
}

/* Waits for the n-th receive and send, from 0. */
static struct doca_comch_consumer_task_post_recv *received(struct path *path, size_t n)
{
	UNTIL(count_of(&path->consumer.record, RECEIVED) > n, path->consumer.pe);
	return nth(&path->consumer.record, RECEIVED, n)->object;
}

static void sent(struct path *path, size_t n)
{
	UNTIL(count_of(&path->producer.record, SENT) > n, path->producer.pe);
}

static void data_land_in_the_posted_buffer(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 63, 64, 104, 105, 4096, 16384, 16385, 1u << 20, 5u << 20};
	struct path path;
	path_open(&path);
	struct doca_buf *to = memory_buf(&path.sink, 4096, 5u << 20, 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(path.source.bytes + 100, sizes[i], i);
		struct doca_buf *from = memory_buf(&path.source, 100, sizes[i], sizes[i]);
		OK(doca_buf_reset_data_len(to));
		struct doca_comch_consumer_task_post_recv *task = post(&path.consumer, to);
		put(&path.producer, path.consumer.id, from);
		assert_ptr_equal(received(&path, i), task);
		sent(&path, i);
		assert_int_equal(buf_data_len(to), sizes[i]);
		assert_true(filled(path.sink.bytes + 4096, sizes[i], i));
		assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(task), to);
		assert_int_equal(doca_comch_consumer_task_post_recv_get_producer_id(task), 1);
		assert_null(doca_comch_consumer_task_post_recv_get_imm_data(task));
		assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(task), 0);
		uint16_t references;
		OK(doca_buf_get_refcount(to, &references));
		assert_int_equal(references, 1);
		OK(doca_buf_get_refcount(from, &references));
		assert_int_equal(references, 1);
		assert_int_equal(buf_data_len(from), sizes[i]);
		buf_release(from);
	}
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(to);
	path_close(&path);
}

static void immediate_data_come_alone_or_with_data(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 200, 200), *to = memory_buf(&path.sink, 0, 1000, 0);
	uint8_t imm[32];
	size_t n = 0;
	for (uint32_t len = 1; len <= 32; len += 31) {
		for (int with_data = 0; with_data < 2; with_data++, n++) {
			fill(imm, len, n);
			fill(path.source.bytes, 200, 100 + n);
			OK(doca_buf_reset_data_len(to));
			post(&path.consumer, to);
			struct doca_comch_producer_task_send *task;
			OK(try_send(&path.producer, path.consumer.id, with_data ? from : NULL, imm, len, &task));
			assert_int_equal(doca_comch_producer_task_send_get_imm_data_len(task), len);
			assert_memory_equal(doca_comch_producer_task_send_get_imm_data(task), imm, len);
			assert_ptr_equal(doca_comch_producer_task_send_get_buf(task), with_data ? from : NULL);
			assert_int_equal(doca_comch_producer_task_send_get_consumer_id(task), path.consumer.id);
			memset(imm, 0, sizeof(imm));
			struct doca_comch_consumer_task_post_recv *got = received(&path, n);
			assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(got), len);
			assert_true(filled(doca_comch_consumer_task_post_recv_get_imm_data(got), len, n));
			assert_int_equal(buf_data_len(to), with_data ? 200 : 0);
			if (with_data)
				assert_true(filled(path.sink.bytes, 200, 100 + n));
			sent(&path, n);
		}
	}
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void a_receive_without_a_buffer_takes_immediate_data_only(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8);
	uint8_t imm[8] = "12345678";
	post(&path.consumer, NULL);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, path.consumer.id, from, imm, 8, NULL));
	OK(try_send(&path.producer, path.consumer.id, NULL, imm, 8, NULL));
	struct doca_comch_consumer_task_post_recv *task = received(&path, 0);
	assert_null(doca_comch_consumer_task_post_recv_get_buf(task));
	assert_memory_equal(doca_comch_consumer_task_post_recv_get_imm_data(task), imm, 8);
	sent(&path, 0);
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	path_close(&path);
}

static void an_empty_send_takes_one_buffer(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 0), *to = memory_buf(&path.sink, 0, 8, 8);
	post(&path.consumer, to); /* no room is needed */
	put(&path.producer, path.consumer.id, from);
	received(&path, 0);
	sent(&path, 0);
	assert_int_equal(buf_data_len(to), 8);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void data_are_appended_behind_the_data_segment(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	memcpy(path.source.bytes, "xABCDEFx", 8);
	memcpy(path.sink.bytes, "....12..........", 16);
	/* Only the data segment is sent, and it goes behind what is there. */
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 0), *to = memory_buf(&path.sink, 0, 16, 0);
	OK(doca_buf_set_data(from, path.source.bytes + 1, 3));
	OK(doca_buf_set_data(to, path.sink.bytes + 4, 2));
	post(&path.consumer, to);
	put(&path.producer, path.consumer.id, from);
	received(&path, 0);
	sent(&path, 0);
	assert_memory_equal(path.sink.bytes, "....12ABC.......", 16);
	void *data, *head;
	OK(doca_buf_get_data(to, &data));
	OK(doca_buf_get_head(to, &head));
	assert_ptr_equal(data, path.sink.bytes + 4);
	assert_ptr_equal(head, path.sink.bytes);
	assert_int_equal(buf_data_len(to), 5);
	/* Again, without a reset: the room is what is left, 7 bytes. */
	OK(doca_buf_set_data(from, path.source.bytes, 8));
	OK(doca_task_submit(post_task(nth(&path.consumer.record, RECEIVED, 0)->object)));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	OK(doca_buf_set_data(from, path.source.bytes + 1, 6));
	put(&path.producer, path.consumer.id, from);
	received(&path, 1);
	assert_memory_equal(path.sink.bytes, "....12ABCABCDEF.", 16);
	sent(&path, 1);
	doca_task_free(post_task(nth(&path.consumer.record, RECEIVED, 0)->object));
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void the_data_segment_counts_at_submit(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 100, 0), *to = memory_buf(&path.sink, 0, 100, 0);
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, from, NULL, 0, path.consumer.id, &task));
	memcpy(path.source.bytes, "later", 5);
	OK(doca_buf_set_data_len(from, 5));
	post(&path.consumer, to);
	OK(doca_task_submit(sent_task(task)));
	received(&path, 0);
	assert_int_equal(buf_data_len(to), 5);
	sent(&path, 0);
	/* A segment outside its buffer is refused. */
	OK(doca_buf_set_data(from, path.source.bytes + 90, 20));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(sent_task(task)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(sent_task(task)));
	OK(doca_buf_set_data(from, path.source.bytes + 101, 0));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(sent_task(task)));
	assert_int_equal(inflight(path.producer.ctx), 0);
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void what_is_too_long_is_refused_and_takes_no_buffer(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 101, 101), *to = memory_buf(&path.sink, 0, 100, 0);
	struct doca_buf *small = memory_buf(&path.sink, 200, 40, 0);
	memset(path.sink.bytes, 0x55, 300);
	post(&path.consumer, to);
	post(&path.consumer, small);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	assert_int_equal(buf_data_len(to), 0);
	assert_int_equal(path.sink.bytes[0], 0x55);
	OK(doca_buf_set_data_len(from, 100));
	put(&path.producer, path.consumer.id, from);
	received(&path, 0);
	assert_int_equal(path.sink.bytes[100], 0x55);
	sent(&path, 0);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	OK(doca_buf_set_data_len(from, 40));
	put(&path.producer, path.consumer.id, from);
	received(&path, 1);
	assert_int_equal(buf_data_len(small), 40);
	sent(&path, 1);
	buf_release(small);
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void the_largest_consumer_can_be_sent_to(void **state)
{
	(void)state;
	struct path path;
	struct consumer large;
	path_open(&path);
	consumer_make(&large, path.pair.server.connection, path.sink.mmap, 8192, NULL);
	consumer_start(&large, path.pair.server.pe);
	struct doca_buf *from = memory_buf(&path.source, 0, 100, 100), *to = memory_buf(&path.sink, 0, 100, 0);
	post(&large, to);
	put(&path.producer, large.id, from);
	UNTIL(count_of(&large.record, RECEIVED) == 1, large.pe);
	sent(&path, 0);
	free_received(&large.record);
	free_sent(&path.producer.record);
	consumer_stop(&large);
	consumer_destroy(&large);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void immediate_data_longer_than_the_consumer_takes_are_refused(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct consumer strict;
	consumer_make(&strict, path.pair.server.connection, path.sink.mmap, 4, NULL);
	OK(doca_comch_consumer_set_imm_data_len(strict.consumer, 4));
	consumer_start(&strict, path.pair.server.pe);
	uint8_t imm[8] = {0};
	struct doca_buf *to = memory_buf(&path.sink, 0, 100, 0);
	post(&strict, to);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, strict.id, NULL, imm, 5, NULL));
	OK(try_send(&path.producer, strict.id, NULL, imm, 4, NULL));
	UNTIL(count_of(&strict.record, RECEIVED) == 1, strict.pe);
	sent(&path, 0);
	free_received(&strict.record);
	free_sent(&path.producer.record);
	consumer_stop(&strict);
	consumer_destroy(&strict);
	buf_release(to);
	path_close(&path);
}

static void buffers_outside_the_memory_map_cannot_be_posted(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *foreign = memory_buf(&path.source, 0, 100, 0);
	struct doca_comch_consumer_task_post_recv *task;
	OK(doca_comch_consumer_task_post_recv_alloc_init(path.consumer.consumer, foreign, &task));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(post_task(task)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(post_task(task)));
	struct doca_buf *own = memory_buf(&path.sink, 0, 100, 0);
	doca_comch_consumer_task_post_recv_set_buf(task, own);
	OK(doca_buf_set_data(own, path.sink.bytes + 50, 51));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(post_task(task)));
	/* Lists are not supported. */
	struct doca_buf *second = memory_buf(&path.sink, 200, 100, 0);
	OK(doca_buf_set_data(own, path.sink.bytes, 0));
	OK(doca_buf_chain_list(own, second));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(post_task(task)));
	struct doca_comch_producer_task_send *send;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, own, NULL, 0, path.consumer.id, &send));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(sent_task(send)));
	doca_task_free(sent_task(send));
	assert_int_equal(inflight(path.consumer.ctx), 0);
	doca_task_free(post_task(task));
	buf_release(own);
	buf_release(foreign);
	path_close(&path);
}

/* Its address belongs to another process: to read there would end this one. */
static void imported_memory_cannot_be_sent_from(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	const void *descriptor;
	size_t len;
	OK(doca_mmap_export_pci(path.source.mmap, path.pair.devices.host, &descriptor, &len));
	struct doca_mmap *imported;
	OK(doca_mmap_create_from_export(NULL, descriptor, len, path.pair.devices.dpu, &imported));
	struct doca_buf *buf, *copy;
	OK(doca_buf_inventory_buf_get_by_args(path.source.inventory, imported, path.source.bytes, 100,
					      path.source.bytes, 10, &buf));
	OK(doca_buf_inventory_buf_dup(path.source.inventory, buf, &copy));
	struct doca_buf *own = memory_buf(&path.sink, 0, 100, 0);
	struct doca_comch_consumer_task_post_recv *post;
	OK(doca_comch_consumer_task_post_recv_alloc_init(path.consumer.consumer, own, &post));
	OK(doca_task_submit(post_task(post)));
	struct doca_comch_producer_task_send *send;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, buf, NULL, 0, path.consumer.id, &send));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_task_submit(sent_task(send)));
	doca_comch_producer_task_send_set_buf(send, copy);
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_task_submit(sent_task(send)));
	doca_task_free(sent_task(send));
	doca_task_free(post_task(post));
	buf_release(own);
	buf_release(copy);
	buf_release(buf);
	OK(doca_mmap_destroy(imported));
	path_close(&path);
}

static void without_a_buffer_submit_gives_again_until_the_peer_posts(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0);
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, from, NULL, 0, path.consumer.id, &task));
	for (int i = 0; i < 10000; i++)
		GIVES(DOCA_ERROR_AGAIN, doca_task_submit(sent_task(task)));
	assert_int_equal(inflight(path.producer.ctx), 0);
	post(&path.consumer, to);
	/* Nobody has progressed anything. */
	OK(doca_task_submit(sent_task(task)));
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(sent_task(task)));
	assert_int_equal(inflight(path.producer.ctx), 1);
	/* The send completes although the receiver sleeps. */
	sent(&path, 0);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 0);
	assert_int_equal(inflight(path.consumer.ctx), 1);
	received(&path, 0);
	assert_int_equal(inflight(path.consumer.ctx), 0);
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void post_without_flush(struct path *path, struct doca_buf *to)
{
	struct doca_comch_consumer_task_post_recv *task;
	OK(doca_comch_consumer_task_post_recv_alloc_init(path->consumer.consumer, to, &task));
	OK(doca_task_submit_ex(post_task(task), 0));
}

/* Three are posted each time: the flush, a post with the flag, or a look in vain let the producer know of all. */
static void posts_without_flush_wait_for_a_flush_or_a_look_in_vain(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 64, 64), *to[10];
	for (size_t i = 0; i < 10; i++)
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
	for (size_t i = 0; i < 9; i += 3) {
		post_without_flush(&path, to[i]);
		post_without_flush(&path, to[i + 1]);
		GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
		if (i == 3)
			post(&path.consumer, to[i + 2]);
		else
			post_without_flush(&path, to[i + 2]);
		if (i == 0)
			doca_ctx_flush_tasks(path.consumer.ctx);
		else if (i == 6)
			assert_int_equal(0, doca_pe_progress(path.consumer.pe));
		for (size_t num = 0; num < 3; num++)
			put(&path.producer, path.consumer.id, from);
		GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
		received(&path, i + 2);
		sent(&path, i + 2);
	}
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	/* One that is held back when the consumer stops ends as others do. */
	record_clear(&path.consumer.record);
	post_without_flush(&path, to[9]);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	UNTIL(count_of(&path.consumer.record, RECEIVE_FAILED) == 1, path.consumer.pe);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
	for (size_t i = 0; i < 10; i++)
		buf_release(to[i]);
	buf_release(from);
	consumer_destroy(&path.consumer);
	producer_stop(&path.producer);
	producer_destroy(&path.producer);
	pair_close(&path.pair);
	path_close_memory(&path);
}

static void pools_are_limited(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to[16];
	struct doca_comch_producer_task_send *sends[16], *send;
	struct doca_comch_consumer_task_post_recv *receive;
	for (size_t i = 0; i < 16; i++) {
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
		post(&path.consumer, to[i]);
	}
	GIVES(DOCA_ERROR_NO_MEMORY, try_post(&path.consumer, NULL, &receive));
	/* One buf may be in flight many times. */
	for (size_t i = 0; i < 16; i++)
		sends[i] = put(&path.producer, path.consumer.id, from);
	GIVES(DOCA_ERROR_NO_MEMORY, try_send(&path.producer, path.consumer.id, from, NULL, 0, &send));
	sent(&path, 15);
	doca_task_free(sent_task(sends[0]));
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, &send));
	for (size_t i = 1; i < 16; i++)
		doca_task_free(sent_task(sends[i]));
	received(&path, 15);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(buf_data_len(to[i]), 8);
	free_received(&path.consumer.record);
	for (size_t i = 0; i < 16; i++)
		buf_release(to[i]);
	buf_release(from);
	path_close(&path);
}

static void a_consumer_that_cannot_be_sent_to(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0);
	/* Never created; not even id 0 and the consumers of the own side. */
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, 77, from, NULL, 0, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, 0, from, NULL, 0, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, path.consumer.id + 128, from, NULL, 0, NULL));
	/* Created, not running. */
	struct consumer second;
	consumer_make(&second, path.pair.server.connection, path.sink.mmap, 4, NULL);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, second.id, from, NULL, 0, NULL));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(second.ctx));
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, second.id, from, NULL, 0, NULL));
	UNTIL(state_of(second.ctx) == RUNNING, second.pe, path.pair.server.pe);
	/* Its event has not been reported on the producer's side, yet it can be used. */
	post(&second, to);
	put(&path.producer, second.id, from);
	UNTIL(count_of(&second.record, RECEIVED) == 1, second.pe);
	sent(&path, 0);
	free_received(&second.record);
	free_sent(&path.producer.record);
	/* Stopping, and expired; nobody has reported that either. */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(second.ctx));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, second.id, from, NULL, 0, NULL));
	UNTIL(state_of(second.ctx) == IDLE, second.pe);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, second.id, from, NULL, 0, NULL));
	consumer_destroy(&second);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path.producer, second.id, from, NULL, 0, NULL));
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void a_restarted_consumer_takes_buffers_anew(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 4096, 0);
	for (int round = 0; round < 30; round++) {
		struct doca_comch_consumer_task_post_recv *task = post(&path.consumer, to);
		put(&path.producer, path.consumer.id, from);
		if (round % 2 == 0) {
			UNTIL(count_of(&path.consumer.record, RECEIVED) == 1, path.consumer.pe);
			OK(doca_task_submit(post_task(task))); /* flushed by the stop */
		}
		sent(&path, 0);
		free_sent(&path.producer.record);
		record_clear(&path.producer.record);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
		UNTIL(inflight(path.consumer.ctx) == 0, path.consumer.pe);
		/* What had landed before the stop is a success. */
		assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
		assert_int_equal(count_of(&path.consumer.record, RECEIVE_FAILED), round % 2 == 0);
		doca_task_free(post_task(task));
		UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
		record_clear(&path.consumer.record);
		consumer_start(&path.consumer, path.pair.server.pe);
	}
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void ids_are_per_side_and_kind(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct producer second, other;
	producer_make(&second, path.pair.client.connection, 4, NULL);
	producer_make(&other, path.pair.server.connection, 4, NULL);
	uint32_t id;
	OK(doca_comch_producer_get_id(path.producer.producer, &id));
	assert_int_equal(id, 1);
	OK(doca_comch_producer_get_id(second.producer, &id));
	assert_int_equal(id, 2);
	OK(doca_comch_producer_get_id(other.producer, &id));
	assert_int_equal(id, 1);
	assert_int_equal(path.consumer.id, 1);
	producer_destroy(&second);
	producer_destroy(&other);
	path_close(&path);
}

static void several_producers_send_to_one_consumer_each_in_order(void **state)
{
	(void)state;
	enum { PRODUCERS = 3, ROUNDS = 200 };
	struct path path;
	path_open(&path);
	struct producer producers[PRODUCERS];
	struct doca_buf *from[PRODUCERS], *to[16];
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		producer_make(&producers[i], path.pair.client.connection, 4, i == 0 ? NULL : producers[0].pe);
		producer_start(&producers[i]);
		from[i] = memory_buf(&path.source, i * 64, 8, 8);
	}
	for (size_t i = 0; i < 16; i++) {
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
		post(&path.consumer, to[i]);
	}
	uint32_t next[PRODUCERS + 2] = {0}, sends[PRODUCERS] = {0};
	size_t seen = 0;
	while (seen < PRODUCERS * ROUNDS) {
		for (uint32_t i = 0; i < PRODUCERS; i++) {
			memcpy(path.source.bytes + i * 64, &sends[i], 4);
			if (sends[i] < ROUNDS &&
			    try_send(&producers[i], path.consumer.id, from[i], NULL, 0, NULL) == DOCA_SUCCESS)
				sends[i]++;
		}
		drive(producers[0].pe);
		drive(path.consumer.pe);
		for (uint32_t i = 0; i < PRODUCERS; i++) {
			free_sent(&producers[i].record);
			record_clear(&producers[i].record);
		}
		if (path.consumer.record.num == 0 || count_of(&path.consumer.record, RECEIVED) == 0)
			continue;
		struct doca_comch_consumer_task_post_recv *task = nth(&path.consumer.record, RECEIVED, 0)->object;
		struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
		uint32_t producer = doca_comch_consumer_task_post_recv_get_producer_id(task), number;
		assert_in_range(producer, 2, PRODUCERS + 1);
		void *data;
		OK(doca_buf_get_data(buf, &data));
		memcpy(&number, data, 4);
		assert_int_equal(number, next[producer]++);
		OK(doca_buf_reset_data_len(buf));
		record_clear(&path.consumer.record);
		OK(doca_task_submit(post_task(task)));
		seen++;
	}
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		UNTIL(inflight(producers[i].ctx) == 0, producers[0].pe);
		free_sent(&producers[i].record);
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	UNTIL(inflight(path.consumer.ctx) == 0, path.consumer.pe);
	free_received(&path.consumer.record);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		producer_stop(&producers[i]);
	for (uint32_t i = PRODUCERS; i-- > 0;)
		producer_destroy(&producers[i]);
	UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
	for (size_t i = 0; i < 16; i++)
		buf_release(to[i]);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		buf_release(from[i]);
	producer_stop(&path.producer);
	producer_destroy(&path.producer);
	consumer_destroy(&path.consumer);
	pair_close(&path.pair);
	path_close_memory(&path);
}

static void one_producer_sends_to_several_consumers(void **state)
{
	(void)state;
	enum { CONSUMERS = 5 };
	struct path path;
	path_open(&path);
	struct consumer consumers[CONSUMERS];
	struct doca_buf *from = memory_buf(&path.source, 0, 4, 4), *to[CONSUMERS];
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, from, NULL, 0, path.consumer.id, &task));
	for (uint32_t i = 0; i < CONSUMERS; i++) {
		consumer_make(&consumers[i], path.pair.server.connection, path.sink.mmap, 4, path.consumer.pe);
		consumer_start(&consumers[i], path.pair.server.pe);
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
		post(&consumers[i], to[i]);
	}
	/* One task, used again and again with other values. */
	for (uint32_t i = 0; i < CONSUMERS; i++) {
		uint8_t imm = (uint8_t)i;
		memcpy(path.source.bytes, &i, 4);
		doca_comch_producer_task_send_set_consumer_id(task, consumers[i].id);
		doca_comch_producer_task_send_set_imm_data(task, &imm, i % 2);
		doca_comch_producer_task_send_set_buf(task, from);
		doca_task_set_user_data(sent_task(task), (union doca_data){.u64 = 50 + i});
		OK(doca_task_submit(sent_task(task)));
		sent(&path, i);
		assert_int_equal(nth(&path.producer.record, SENT, i)->b, 50 + i);
		UNTIL(count_of(&consumers[i].record, RECEIVED) == 1, path.consumer.pe);
		uint32_t number;
		memcpy(&number, path.sink.bytes + i * 64, 4);
		assert_int_equal(number, i);
		struct doca_comch_consumer_task_post_recv *got = nth(&consumers[i].record, RECEIVED, 0)->object;
		assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(got), i % 2);
	}
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 0);
	doca_task_free(sent_task(task));
	for (uint32_t i = 0; i < CONSUMERS; i++) {
		free_received(&consumers[i].record);
		consumer_stop(&consumers[i]);
		consumer_destroy(&consumers[i]);
		buf_release(to[i]);
	}
	buf_release(from);
	path_close(&path);
}

/* ---- stopping ---- */

static void a_stop_flushes_posted_receives_one_by_one(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *to[4];
	for (size_t i = 0; i < 4; i++) {
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
		struct doca_comch_consumer_task_post_recv *task;
		OK(doca_comch_consumer_task_post_recv_alloc_init(path.consumer.consumer, to[i], &task));
		doca_task_set_user_data(post_task(task), (union doca_data){.u64 = i});
		OK(doca_task_submit(post_task(task)));
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	for (size_t i = 0; i < 4; i++) {
		UNTIL(count_of(&path.consumer.record, RECEIVE_FAILED) == i + 1, path.consumer.pe);
		assert_int_equal(nth(&path.consumer.record, RECEIVE_FAILED, i)->a, DOCA_ERROR_IO_FAILED);
		assert_int_equal(nth(&path.consumer.record, RECEIVE_FAILED, i)->b, i);
		assert_int_equal(inflight(path.consumer.ctx), 3 - i);
	}
	/* A flushed task cannot be posted again, only freed. */
	struct doca_comch_consumer_task_post_recv *task = nth(&path.consumer.record, RECEIVE_FAILED, 0)->object;
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(post_task(task)));
	settle(path.consumer.pe, NULL);
	assert_string_equal(states_of(&path.consumer.record), "SRP");
	GIVES(DOCA_ERROR_IN_USE, doca_comch_consumer_destroy(path.consumer.consumer));
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
	OK(doca_ctx_stop(path.consumer.ctx));
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(buf_data_len(to[i]), 0);
		buf_release(to[i]);
	}
	consumer_destroy(&path.consumer);
	producer_stop(&path.producer);
	producer_destroy(&path.producer);
	pair_close(&path.pair);
	path_close_memory(&path);
}

static void a_producer_stops_at_once_when_nothing_is_out(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0);
	post(&path.consumer, to);
	struct doca_comch_producer_task_send *task = put(&path.producer, path.consumer.id, from);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.producer.ctx));
	struct doca_comch_producer_task_send *other;
	GIVES(DOCA_ERROR_BAD_STATE, try_send(&path.producer, path.consumer.id, from, NULL, 0, &other));
	sent(&path, 0);
	settle(path.producer.pe, NULL);
	assert_string_equal(states_of(&path.producer.record), "RP");
	doca_task_free(sent_task(task));
	UNTIL(state_of(path.producer.ctx) == IDLE, path.producer.pe);
	received(&path, 0);
	free_received(&path.consumer.record);
	/* Restarted, it can send again. */
	producer_start(&path.producer);
	OK(doca_ctx_stop(path.producer.ctx));
	assert_string_equal(states_of(&path.producer.record), "RPIRPI");
	OK(doca_ctx_stop(path.producer.ctx));
	producer_destroy(&path.producer);
	consumer_stop(&path.consumer);
	consumer_destroy(&path.consumer);
	buf_release(from);
	buf_release(to);
	pair_close(&path.pair);
	path_close_memory(&path);
}

static void freeing_a_posted_receive_takes_its_buffer_back(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to[3];
	struct doca_comch_consumer_task_post_recv *tasks[3];
	fill(path.source.bytes, 8, 1);
	for (size_t i = 0; i < 3; i++) {
		to[i] = memory_buf(&path.sink, i * 64, 64, 0);
		tasks[i] = post(&path.consumer, to[i]);
	}
	doca_task_free(post_task(tasks[0]));
	doca_task_free(post_task(tasks[0]));
	buf_release(to[0]);
	/* The next send finds the next buffer. */
	put(&path.producer, path.consumer.id, from);
	assert_ptr_equal(received(&path, 0), tasks[1]);
	assert_int_equal(path.sink.bytes[0], 0);
	assert_true(filled(path.sink.bytes + 64, 8, 1));
	/* Also when it has been filled already: no callback, but the memory is the user's again. */
	put(&path.producer, path.consumer.id, from);
	doca_task_free(post_task(tasks[2]));
	sent(&path, 1);
	UNTIL(inflight(path.consumer.ctx) == 0, path.consumer.pe);
	settle(path.consumer.pe, NULL);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
	assert_int_equal(count_of(&path.consumer.record, RECEIVE_FAILED), 0);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, NULL));
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	record_clear(&path.consumer.record);
	/* As the vendor's application does at its end: free, release, stop. */
	for (size_t i = 0; i < 16; i++) {
		struct doca_buf *buf = memory_buf(&path.sink, 1024 + i * 64, 64, 0);
		struct doca_comch_consumer_task_post_recv *task = post(&path.consumer, buf);
		doca_task_free(post_task(task));
		buf_release(buf);
	}
	consumer_stop(&path.consumer);
	assert_int_equal(count_of(&path.consumer.record, RECEIVE_FAILED), 0);
	consumer_destroy(&path.consumer);
	buf_release(from);
	buf_release(to[1]);
	buf_release(to[2]);
	producer_stop(&path.producer);
	producer_destroy(&path.producer);
	pair_close(&path.pair);
	path_close_memory(&path);
}

static void freeing_a_send_in_flight_drops_its_callback(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0);
	post(&path.consumer, to);
	struct doca_comch_producer_task_send *task = put(&path.producer, path.consumer.id, from);
	doca_task_free(sent_task(task));
	UNTIL(inflight(path.producer.ctx) == 0, path.producer.pe);
	received(&path, 0);
	assert_int_equal(count_of(&path.producer.record, SENT) + count_of(&path.producer.record, SEND_FAILED), 0);
	free_received(&path.consumer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

static void connections_with_active_children_cannot_be_ended_by_their_own_side(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	GIVES(DOCA_ERROR_IN_USE, doca_ctx_stop(path.pair.client.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_ctx_stop(path.pair.server.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_server_disconnect(path.pair.server.server, path.pair.server.connection));
	assert_string_equal(states_of(&path.pair.client.record), "SR");
	assert_string_equal(states_of(&path.pair.server.record), "R");
	/* A stopping child still counts, an IDLE one does not. */
	struct doca_buf *to = memory_buf(&path.sink, 0, 64, 0);
	post(&path.consumer, to);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_ctx_stop(path.pair.server.ctx));
	UNTIL(inflight(path.consumer.ctx) == 0, path.consumer.pe);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
	OK(doca_ctx_stop(path.producer.ctx));
	(void)doca_ctx_stop(path.pair.client.ctx);
	UNTIL(state_of(path.pair.client.ctx) == IDLE && count_of(&path.pair.server.record, DISCONNECTED) == 1,
	      path.pair.client.pe, path.pair.server.pe);
	/* IDLE children outlive the connection, but cannot be started. */
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(path.consumer.ctx));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(path.producer.ctx));
	consumer_destroy(&path.consumer);
	producer_destroy(&path.producer);
	buf_release(to);
	pair_stop(&path.pair);
	path_close_memory(&path);
}

/* The peer ends the connection while producers and consumers are active on this side. */
static void children_follow_a_connection_that_the_peer_ends(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, 65536, 16, pair.devices.host, RW);
	struct consumer running, starting;
	struct producer producer;
	consumer_make(&running, pair.client.connection, memory.mmap, 4, NULL);
	consumer_start(&running, pair.client.pe);
	consumer_make(&starting, pair.client.connection, memory.mmap, 4, NULL);
	producer_make(&producer, pair.client.connection, 4, NULL);
	producer_start(&producer);
	struct doca_buf *to = memory_buf(&memory, 0, 64, 0);
	post(&running, to);
	OK(doca_comch_server_disconnect(pair.server.server, pair.server.connection));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_STOPPING, pair.client.pe);
	/* The client waits for its children. */
	settle(pair.client.pe, NULL);
	assert_string_equal(states_of(&pair.client.record), "SRP");
	UNTIL(state_of(producer.ctx) == IDLE, producer.pe);
	assert_string_equal(states_of(&producer.record), "RPI");
	UNTIL(count_of(&running.record, RECEIVE_FAILED) == 1, running.pe);
	free_received(&running.record);
	UNTIL(state_of(running.ctx) == IDLE, running.pe);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(starting.ctx));
	consumer_destroy(&running);
	consumer_destroy(&starting);
	producer_destroy(&producer);
	buf_release(to);
	/* The client can come back. */
	pair_connect(&pair);
	pair_close(&pair);
	memory_close(&memory);
}

static void a_server_reports_the_end_at_once_and_its_children_follow(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *to = memory_buf(&path.sink, 0, 64, 0);
	post(&path.consumer, to);
	OK(doca_ctx_stop(path.producer.ctx));
	(void)doca_ctx_stop(path.pair.client.ctx);
	UNTIL(count_of(&path.pair.server.record, DISCONNECTED) == 1, path.pair.client.pe, path.pair.server.pe);
	assert_int_equal(nth(&path.pair.server.record, DISCONNECTED, 0)->a, 1);
	UNTIL(count_of(&path.consumer.record, RECEIVE_FAILED) == 1, path.consumer.pe);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == IDLE, path.consumer.pe);
	consumer_destroy(&path.consumer);
	producer_destroy(&path.producer);
	buf_release(to);
	pair_stop(&path.pair);
	path_close_memory(&path);
}

static void a_consumer_that_was_starting_becomes_idle_when_the_connection_ends(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.dpu, RW);
	struct consumer consumer;
	consumer_make(&consumer, pair.server.connection, memory.mmap, 4, NULL);
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1, pair.server.pe);
	UNTIL(state_of(consumer.ctx) == IDLE, consumer.pe);
	/* The control path may have registered it before it saw the end. */
	const char *states = states_of(&consumer.record);
	assert_true(strcmp(states, "SI") == 0 || strcmp(states, "SRPI") == 0);
	consumer_destroy(&consumer);
	pair_stop(&pair);
	memory_close(&memory);
}

static void destroy_consumer(struct consumer *consumer, enum doca_ctx_states next)
{
	if (next != IDLE)
		return;
	OK(doca_comch_consumer_destroy(consumer->consumer));
	consumer->ctx = NULL;
}

static void destroy_producer(struct producer *producer, enum doca_ctx_states next)
{
	if (next != IDLE)
		return;
	OK(doca_comch_producer_destroy(producer->producer));
	producer->ctx = NULL;
}

static void stop_consumer(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			  doca_error_t status)
{
	if (status == DOCA_SUCCESS)
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
	doca_task_free(post_task(task));
}

static void stop_producer(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status)
{
	CHECK(status == DOCA_SUCCESS);
	doca_task_free(sent_task(task));
	(void)doca_ctx_stop(producer->ctx);
}

static void both_may_stop_and_be_destroyed_in_callbacks(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	path.consumer.on_received = stop_consumer;
	path.consumer.on_state = destroy_consumer;
	path.producer.on_sent = stop_producer;
	path.producer.on_state = destroy_producer;
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0),
			*second = memory_buf(&path.sink, 64, 64, 0);
	post(&path.consumer, to);
	post(&path.consumer, second);
	put(&path.producer, path.consumer.id, from);
	UNTIL(path.consumer.ctx == NULL, path.consumer.pe);
	UNTIL(path.producer.ctx == NULL, path.producer.pe);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
	assert_int_equal(count_of(&path.consumer.record, RECEIVE_FAILED), 1);
	OK(doca_pe_destroy(path.consumer.pe));
	OK(doca_pe_destroy(path.producer.pe));
	record_clear(&path.consumer.record);
	record_clear(&path.producer.record);
	buf_release(from);
	buf_release(to);
	buf_release(second);
	pair_close(&path.pair);
	path_close_memory(&path);
}

/* A producer that submits in the receive callback of a consumer on the same engine. */
static void answer(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	if (status != DOCA_SUCCESS)
		return;
	struct producer *producer = consumer->own;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	OK(try_send(producer, 1, buf, NULL, 0, NULL));
}

static void an_echo_from_inside_the_receive_callback(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct consumer back;
	struct producer echo;
	struct memory home;
	memory_open(&home, 4096, 4, path.pair.devices.host, RW);
	consumer_make(&back, path.pair.client.connection, home.mmap, 4, path.pair.client.pe);
	consumer_start(&back, path.pair.client.pe);
	producer_make(&echo, path.pair.server.connection, 4, path.consumer.pe);
	producer_start(&echo);
	path.consumer.own = &echo;
	path.consumer.on_received = answer;
	struct doca_buf *from = memory_buf(&path.source, 0, 11, 11), *to = memory_buf(&path.sink, 0, 64, 0),
			*home_buf = memory_buf(&home, 0, 64, 0);
	memcpy(path.source.bytes, "hello again", 11);
	post(&back, home_buf);
	post(&path.consumer, to);
	put(&path.producer, path.consumer.id, from);
	UNTIL(count_of(&back.record, RECEIVED) == 1, path.pair.client.pe, path.consumer.pe);
	assert_memory_equal(home.bytes, "hello again", 11);
	sent(&path, 0);
	UNTIL(count_of(&echo.record, SENT) == 1, echo.pe);
	free_received(&path.consumer.record);
	free_received(&back.record);
	free_sent(&path.producer.record);
	free_sent(&echo.record);
	producer_stop(&echo);
	producer_destroy(&echo);
	consumer_stop(&back);
	consumer_destroy(&back);
	buf_release(from);
	buf_release(to);
	buf_release(home_buf);
	path_close(&path);
	memory_close(&home);
}

static void counters_wrap_around_the_slots(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.source, 0, 8, 8), *to = memory_buf(&path.sink, 0, 64, 0);
	struct doca_comch_consumer_task_post_recv *receive = post(&path.consumer, to);
	struct doca_comch_producer_task_send *send = put(&path.producer, path.consumer.id, from);
	for (uint64_t i = 0; i < 1000; i++) {
		received(&path, 0);
		sent(&path, 0);
		record_clear(&path.consumer.record);
		record_clear(&path.producer.record);
		assert_memory_equal(path.sink.bytes, path.source.bytes, 8);
		memcpy(path.source.bytes, &i, 8);
		OK(doca_buf_reset_data_len(to));
		OK(doca_task_submit(post_task(receive)));
		OK(doca_task_submit(sent_task(send)));
	}
	received(&path, 0);
	sent(&path, 0);
	free_received(&path.consumer.record);
	free_sent(&path.producer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

/* As many as are posted wait for the consumer at a time, half of what the packed area holds. */
static void payloads_of_many_sizes_wrap_around_the_ring(void **state)
{
	(void)state;
	enum { POSTED = 256, LAPS = 6, LARGEST = 5000, SENDERS = 2 };
	struct pair pair;
	struct memory source, sink;
	struct producer producers[SENDERS];
	struct consumer consumer;
	pair_open(&pair, TWO_ENGINES);
	memory_open(&source, LARGEST, 1, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	memory_open(&sink, POSTED * LARGEST, POSTED, pair.devices.dpu, RW);
	consumer_make(&consumer, pair.server.connection, sink.mmap, POSTED, NULL);
	consumer_start(&consumer, pair.server.pe);
	for (size_t i = 0; i < SENDERS; i++) {
		producer_make(&producers[i], pair.client.connection, POSTED, NULL);
		producer_start(&producers[i]);
	}
	struct doca_buf *from = memory_buf(&source, 0, LARGEST, 0), *to[POSTED];
	for (size_t i = 0; i < POSTED; i++)
		to[i] = memory_buf(&sink, i * LARGEST, LARGEST, 0);
	uint64_t x = 88172645463325252u;
	for (size_t lap = 0; lap < LAPS; lap++) {
		size_t lens[POSTED];
		for (size_t i = 0; i < POSTED; i++)
			post(&consumer, to[i]);
		for (size_t i = 0; i < POSTED; i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			/* any, and as much of the ring as can be */
			lens[i] = lap % 2 == 0 ? x % (LARGEST + 1) : 4000 + x % 97;
			fill(source.bytes, lens[i], lap * POSTED + i);
			OK(doca_buf_set_data(from, source.bytes, lens[i]));
			put(&producers[i % SENDERS], consumer.id, from);
		}
		for (size_t i = 0; i < SENDERS; i++) {
			UNTIL(inflight(producers[i].ctx) == 0, producers[i].pe);
			free_sent(&producers[i].record);
			record_clear(&producers[i].record);
		}
		UNTIL(count_of(&consumer.record, RECEIVED) == POSTED, consumer.pe);
		for (size_t i = 0; i < POSTED; i++) {
			assert_int_equal(buf_data_len(to[i]), lens[i]);
			assert_true(filled(sink.bytes + i * LARGEST, lens[i], lap * POSTED + i));
			OK(doca_buf_reset_data_len(to[i]));
		}
		free_received(&consumer.record);
		record_clear(&consumer.record);
	}
	buf_release(from);
	for (size_t i = 0; i < POSTED; i++)
		buf_release(to[i]);
	for (size_t i = 0; i < SENDERS; i++) {
		producer_stop(&producers[i]);
		producer_destroy(&producers[i]);
	}
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	pair_close(&pair);
	memory_close(&source);
	memory_close(&sink);
}

/* 65,534 ids: more producers than that, one after another, while the first ones live. */
static void no_two_living_producers_have_the_same_id(void **state)
{
	(void)state;
	enum { LIVING = 3, ROUNDS = 140000 };
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_producer *living[LIVING], *other;
	uint32_t ids[LIVING], id = 0;
	for (int i = 0; i < LIVING; i++) {
		OK(doca_comch_producer_create(pair.client.connection, &living[i]));
		OK(doca_comch_producer_get_id(living[i], &ids[i]));
	}
	bool wrapped = false;
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t before = id;
		OK(doca_comch_producer_create(pair.client.connection, &other));
		OK(doca_comch_producer_get_id(other, &id));
		wrapped = wrapped || id < before;
		for (int i = 0; i < LIVING; i++)
			CHECK(id != ids[i]);
		CHECK(id != 0 && id < 65535);
		OK(doca_comch_producer_destroy(other));
	}
	assert_true(wrapped);
	for (int i = 0; i < LIVING; i++)
		OK(doca_comch_producer_destroy(living[i]));
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_land_in_the_posted_buffer),
		cmocka_unit_test(no_two_living_producers_have_the_same_id),
		cmocka_unit_test(immediate_data_come_alone_or_with_data),
		cmocka_unit_test(a_receive_without_a_buffer_takes_immediate_data_only),
		cmocka_unit_test(an_empty_send_takes_one_buffer),
		cmocka_unit_test(data_are_appended_behind_the_data_segment),
		cmocka_unit_test(the_data_segment_counts_at_submit),
		cmocka_unit_test(what_is_too_long_is_refused_and_takes_no_buffer),
		cmocka_unit_test(the_largest_consumer_can_be_sent_to),
		cmocka_unit_test(immediate_data_longer_than_the_consumer_takes_are_refused),
		cmocka_unit_test(buffers_outside_the_memory_map_cannot_be_posted),
		cmocka_unit_test(imported_memory_cannot_be_sent_from),
		cmocka_unit_test(without_a_buffer_submit_gives_again_until_the_peer_posts),
		cmocka_unit_test(posts_without_flush_wait_for_a_flush_or_a_look_in_vain),
		cmocka_unit_test(pools_are_limited),
		cmocka_unit_test(a_consumer_that_cannot_be_sent_to),
		cmocka_unit_test(a_restarted_consumer_takes_buffers_anew),
		cmocka_unit_test(ids_are_per_side_and_kind),
		cmocka_unit_test(several_producers_send_to_one_consumer_each_in_order),
		cmocka_unit_test(one_producer_sends_to_several_consumers),
		cmocka_unit_test(a_stop_flushes_posted_receives_one_by_one),
		cmocka_unit_test(a_producer_stops_at_once_when_nothing_is_out),
		cmocka_unit_test(freeing_a_posted_receive_takes_its_buffer_back),
		cmocka_unit_test(freeing_a_send_in_flight_drops_its_callback),
		cmocka_unit_test(connections_with_active_children_cannot_be_ended_by_their_own_side),
		cmocka_unit_test(children_follow_a_connection_that_the_peer_ends),
		cmocka_unit_test(a_server_reports_the_end_at_once_and_its_children_follow),
		cmocka_unit_test(a_consumer_that_was_starting_becomes_idle_when_the_connection_ends),
		cmocka_unit_test(both_may_stop_and_be_destroyed_in_callbacks),
		cmocka_unit_test(an_echo_from_inside_the_receive_callback),
		cmocka_unit_test(counters_wrap_around_the_slots),
		cmocka_unit_test(payloads_of_many_sizes_wrap_around_the_ring),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
