/* What each side is told of the other's consumers, and how consumers start and stop. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

static struct memory memory;

/* Both directions alike: consumers on `own`, events on `other`. */
struct setting {
	struct pair pair;
	struct end *own, *other;
};

static void setting_open(struct setting *setting, bool on_server, int engines)
{
	pair_open(&setting->pair, engines);
	setting->own = on_server ? &setting->pair.server : &setting->pair.client;
	setting->other = on_server ? &setting->pair.client : &setting->pair.server;
	memory_open(&memory, 65536, 16, on_server ? setting->pair.devices.dpu : setting->pair.devices.host,
		    DOCA_ACCESS_FLAG_PCI_READ_WRITE);
}

static void setting_close(struct setting *setting)
{
	pair_close(&setting->pair);
	memory_close(&memory);
}

static void consumers_are_announced(bool on_server)
{
	struct setting setting;
	setting_open(&setting, on_server, TWO_ENGINES);
	struct doca_pe *own = setting.own->pe, *other = setting.other->pe;
	struct record *told = &setting.other->record;
	struct consumer consumers[3];
	for (uint32_t i = 0; i < 3; i++) {
		consumer_make(&consumers[i], setting.own->connection, memory.mmap, 4, NULL);
		assert_int_equal(consumers[i].id, i + 1);
	}
	settle(other, NULL);
	assert_int_equal(count_of(told, CONSUMER_NEW), 0);
	for (uint32_t i = 0; i < 3; i++) {
		/* RUNNING needs the own control path, not the peer. */
		consumer_start(&consumers[i], own);
		assert_string_equal(states_of(&consumers[i].record), "SR");
		UNTIL(count_of(told, CONSUMER_NEW) == i + 1, other);
		assert_int_equal(nth(told, CONSUMER_NEW, i)->a, i + 1);
		assert_ptr_equal(nth(told, CONSUMER_NEW, i)->object, setting.other->connection);
	}
	for (uint32_t i = 0; i < 3; i++) {
		/* A stop needs the consumer's own engine only. */
		consumer_stop(&consumers[i]);
		assert_string_equal(states_of(&consumers[i].record), "SRPI");
		UNTIL(count_of(told, CONSUMER_EXPIRED) == i + 1, other);
		assert_int_equal(nth(told, CONSUMER_EXPIRED, i)->a, i + 1);
		consumer_destroy(&consumers[i]);
	}
	settle(other, own);
	assert_int_equal(count_of(told, CONSUMER_NEW), 3);
	assert_int_equal(count_of(told, CONSUMER_EXPIRED), 3);
	assert_int_equal(count_of(&setting.own->record, CONSUMER_NEW), 0);
	setting_close(&setting);
}

static void consumers_of_a_client_are_announced_to_the_server(void **state)
{
	(void)state;
	consumers_are_announced(false);
}

static void consumers_of_a_server_are_announced_to_the_client(void **state)
{
	(void)state;
	consumers_are_announced(true);
}

static void a_start_waits_for_the_control_path(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	settle(consumer.pe, setting.other->pe);
	assert_string_equal(states_of(&consumer.record), "S");
	UNTIL(state_of(consumer.ctx) == RUNNING, consumer.pe, setting.own->pe);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	setting_close(&setting);
}

static void a_consumer_that_stops_while_starting_is_never_announced(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, TWO_ENGINES);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	consumer_stop(&consumer);
	assert_string_equal(states_of(&consumer.record), "SPI");
	settle(setting.own->pe, setting.other->pe);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_NEW), 0);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_EXPIRED), 0);
	/* And can be started later. */
	consumer_start(&consumer, setting.own->pe);
	UNTIL(count_of(&setting.other->record, CONSUMER_NEW) == 1, setting.other->pe);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	setting_close(&setting);
}

static void a_short_life_is_told_in_order(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, TWO_ENGINES);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&consumer, setting.own->pe);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	/* The peer looks only now. */
	struct record *told = &setting.other->record;
	UNTIL(count_of(told, CONSUMER_EXPIRED) == 1, setting.other->pe);
	assert_int_equal(count_of(told, CONSUMER_NEW), 1);
	assert_int_equal(told->list[told->num - 2].what, CONSUMER_NEW);
	assert_int_equal(told->list[told->num - 1].what, CONSUMER_EXPIRED);
	setting_close(&setting);
}

static void a_restarted_consumer_expires_and_is_new_again(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	for (size_t round = 1; round <= 20; round++) {
		consumer_start(&consumer, setting.own->pe);
		UNTIL(count_of(&setting.other->record, CONSUMER_NEW) == round, setting.other->pe);
		consumer_stop(&consumer);
		/* Every other time the peer learns of the end and of the new start together. */
		if (round % 2 == 0)
			UNTIL(count_of(&setting.other->record, CONSUMER_EXPIRED) == round, setting.other->pe);
	}
	UNTIL(count_of(&setting.other->record, CONSUMER_EXPIRED) == 20, setting.other->pe);
	uint32_t running = 0;
	for (size_t i = 0; i < setting.other->record.num; i++) {
		const struct happened *event = &setting.other->record.list[i];
		if (event->what == CONSUMER_NEW)
			assert_int_equal(++running, 1);
		else if (event->what == CONSUMER_EXPIRED)
			assert_int_equal(running--, 1);
	}
	consumer_destroy(&consumer);
	setting_close(&setting);
}

static void hundreds_of_consumers_can_come_and_go(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		setting_open(&setting, on_server, TWO_ENGINES);
		struct record *told = &setting.other->record;
		for (uint32_t i = 1; i <= 300; i++) {
			struct consumer consumer;
			consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
			assert_int_equal(consumer.id, i);
			consumer_start(&consumer, setting.own->pe);
			consumer_stop(&consumer);
			consumer_destroy(&consumer);
			UNTIL(count_of(told, CONSUMER_EXPIRED) == i, setting.other->pe);
			assert_int_equal(nth(told, CONSUMER_NEW, i - 1)->a, i);
			assert_int_equal(nth(told, CONSUMER_EXPIRED, i - 1)->a, i);
		}
		setting_close(&setting);
	}
}

static void consumers_that_never_start_leave_nothing_behind(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	for (uint32_t i = 1; i <= 1000; i++) {
		struct consumer consumer;
		consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
		assert_int_equal(consumer.id, i);
		consumer_destroy(&consumer);
	}
	settle(setting.other->pe, NULL);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_NEW), 0);
	setting_close(&setting);
}

static void ids_start_again_below_65535_and_skip_living_ones(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, ONE_ENGINE);
	struct consumer living;
	consumer_make(&living, setting.own->connection, memory.mmap, 4, NULL);
	for (uint32_t i = 2; i < 65600; i++) {
		struct doca_comch_consumer *consumer;
		uint32_t id;
		OK(doca_comch_consumer_create(setting.own->connection, memory.mmap, &consumer));
		OK(doca_comch_consumer_get_id(consumer, &id));
		CHECK(id == (i < 65535 ? i : i - 65535 + 2));
		OK(doca_comch_consumer_destroy(consumer));
	}
	consumer_destroy(&living);
	setting_close(&setting);
}

/* 512 starts and ends, with the end of each that runs. */
static void a_start_waits_until_the_peer_has_been_told_of_earlier_ones(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		setting_open(&setting, on_server, TWO_ENGINES);
		struct record *told = &setting.other->record;
		struct consumer consumer, other;
		consumer_make(&other, setting.own->connection, memory.mmap, 4, NULL);
		consumer_start(&other, setting.own->pe);
		consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
		for (size_t lives = 0; lives < 255; lives++) {
			consumer_start(&consumer, setting.own->pe);
			consumer_stop(&consumer);
		}
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
		settle(consumer.pe, setting.own->pe);
		assert_int_equal(state_of(consumer.ctx), DOCA_CTX_STATE_STARTING);
		/* Others can end all the same, and messages can be sent. */
		consumer_stop(&other);
		send_text(setting.own, setting.own->connection, "behind");
		UNTIL(count_of(told, CONSUMER_NEW) == 1, setting.other->pe);
		UNTIL(state_of(consumer.ctx) == RUNNING, consumer.pe, setting.own->pe, setting.other->pe);
		consumer_stop(&consumer);
		UNTIL(count_of(told, CONSUMER_EXPIRED) == 257, setting.other->pe);
		assert_int_equal(count_of(told, CONSUMER_NEW), 257);
		assert_int_equal(count_of(told, MESSAGE), 1);
		consumer_destroy(&other);
		consumer_destroy(&consumer);
		setting_close(&setting);
	}
}

static void an_idle_consumer_keeps_its_place_while_others_come(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, TWO_ENGINES);
	struct record *told = &setting.other->record;
	struct consumer first, second;
	consumer_make(&first, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&first, setting.own->pe);
	consumer_stop(&first);
	UNTIL(count_of(told, CONSUMER_EXPIRED) == 1, setting.other->pe);
	consumer_make(&second, setting.own->connection, memory.mmap, 8, NULL);
	consumer_start(&second, setting.own->pe);
	consumer_start(&first, setting.own->pe);
	UNTIL(count_of(told, CONSUMER_NEW) == 3, setting.other->pe);
	assert_int_equal(count_of(told, CONSUMER_EXPIRED), 1);
	assert_int_equal(nth(told, CONSUMER_NEW, 1)->a + nth(told, CONSUMER_NEW, 2)->a, first.id + second.id);
	/* Both can be sent to. */
	struct producer producer;
	struct memory source;
	memory_open(&source, 64, 4, setting.pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	producer_make(&producer, setting.other->connection, 4, NULL);
	producer_start(&producer);
	struct doca_buf *from = memory_buf(&source, 0, 5, 5), *one = memory_buf(&memory, 0, 64, 0),
			*two = memory_buf(&memory, 64, 64, 0);
	memcpy(source.bytes, "first", 5);
	post(&first, one);
	post(&second, two);
	put(&producer, first.id, from);
	memcpy(source.bytes, "other", 5);
	put(&producer, second.id, from);
	UNTIL(count_of(&first.record, RECEIVED) == 1, first.pe);
	UNTIL(count_of(&second.record, RECEIVED) == 1, second.pe);
	assert_memory_equal(memory.bytes, "first", 5);
	assert_memory_equal(memory.bytes + 64, "other", 5);
	UNTIL(count_of(&producer.record, SENT) == 2, producer.pe);
	free_received(&first.record);
	free_received(&second.record);
	free_sent(&producer.record);
	consumer_stop(&first);
	consumer_stop(&second);
	producer_stop(&producer);
	consumer_destroy(&first);
	consumer_destroy(&second);
	producer_destroy(&producer);
	buf_release(from);
	buf_release(one);
	buf_release(two);
	memory_close(&source);
	setting_close(&setting);
}

static void a_stopping_consumer_keeps_its_place_while_others_come(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, TWO_ENGINES);
	struct consumer first, second;
	consumer_make(&first, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&first, setting.own->pe);
	struct doca_buf *buf = memory_buf(&memory, 0, 64, 0);
	struct doca_comch_consumer_task_post_recv *task = post(&first, buf);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(first.ctx));
	UNTIL(count_of(&setting.other->record, CONSUMER_EXPIRED) == 1, setting.other->pe);
	consumer_make(&second, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&second, setting.own->pe);
	UNTIL(count_of(&first.record, RECEIVE_FAILED) == 1, first.pe);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	UNTIL(state_of(first.ctx) == IDLE, first.pe);
	UNTIL(count_of(&setting.other->record, CONSUMER_NEW) == 2, setting.other->pe);
	consumer_destroy(&first);
	settle(setting.other->pe, setting.own->pe);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_EXPIRED), 1);
	consumer_stop(&second);
	consumer_destroy(&second);
	buf_release(buf);
	setting_close(&setting);
}

static void a_disconnection_ends_consumers_without_expired_events(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&consumer, setting.own->pe);
	UNTIL(count_of(&setting.other->record, CONSUMER_NEW) == 1, setting.other->pe);
	OK(doca_comch_server_disconnect(setting.pair.server.server, setting.pair.server.connection));
	UNTIL(state_of(setting.pair.client.ctx) == IDLE, setting.pair.client.pe, consumer.pe);
	assert_int_equal(state_of(consumer.ctx), IDLE);
	assert_string_equal(states_of(&consumer.record), "SRPI");
	settle(setting.other->pe, NULL);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_EXPIRED), 0);
	consumer_destroy(&consumer);
	pair_stop(&setting.pair);
	memory_close(&memory);
}

static void use_the_consumer(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new)
{
	if (!is_new)
		return;
	struct producer *producer = end->own;
	producer_make(producer, connection, 4, end->pe);
	producer_start(producer);
	static const uint8_t imm[4] = {1, 2, 3, 4};
	GIVES(DOCA_ERROR_AGAIN, try_send(producer, id, NULL, imm, 4, NULL));
}

static void a_producer_can_be_made_in_the_consumer_event(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, true, TWO_ENGINES);
	struct producer producer;
	setting.other->own = &producer;
	setting.other->on_consumer = use_the_consumer;
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	consumer_start(&consumer, setting.own->pe);
	UNTIL(count_of(&setting.other->record, CONSUMER_NEW) == 1, setting.other->pe);
	producer_stop(&producer);
	producer_destroy(&producer);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	setting_close(&setting);
}

/* ---- the order of announcements ---- */

/* What `end` has been told, in the order of its callbacks: "+3" and "-3" for the start and end of consumer 3, and
 * the text of each message. */
static const char *story_of(const struct end *end)
{
	static char story[16384];
	size_t len = 0;
	story[0] = '\0';
	for (size_t i = 0; i < end->record.num; i++) {
		const struct happened *event = &end->record.list[i];
		char *rest = story + len;
		size_t room = sizeof(story) - len;
		int added = 0;
		if (event->what == MESSAGE)
			added = snprintf(rest, room, " %.*s", (int)event->a, (const char *)event->bytes);
		else if (event->what == CONSUMER_NEW || event->what == CONSUMER_EXPIRED)
			added = snprintf(rest, room, " %c%u", event->what == CONSUMER_NEW ? '+' : '-',
					 (unsigned)event->a);
		CHECK(added >= 0 && (size_t)added < room);
		len += (size_t)added;
	}
	return story[0] == '\0' ? story : story + 1;
}

static void hears(struct end *end, const char *story, struct doca_pe *other)
{
	int64_t deadline = harness_deadline();
	while (strlen(story_of(end)) < strlen(story)) {
		harness_in_time(deadline, __FILE__, __LINE__, story);
		harness_drive_all((struct doca_pe *const[]){end->pe, other}, 2);
	}
	assert_string_equal(story_of(end), story);
}

static void start_only(struct consumer *consumer)
{
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
}

static uint32_t began_to_run[16];
static uint32_t num_began;

static void note_running(struct consumer *consumer, enum doca_ctx_states next)
{
	if (next == RUNNING)
		began_to_run[num_began++] = consumer->id;
}

static void end_consumers(struct consumer *consumers, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		consumer_stop(&consumers[i]);
		consumer_destroy(&consumers[i]);
	}
}

/* Eight consumers that are started at once in some order, on the engine of the control path or one of their own that
 * has been driven `turns` times. */
static void starts_are_told_in_order(bool on_server, bool own_engine, const uint32_t *order, int turns)
{
	struct setting setting;
	setting_open(&setting, on_server, TWO_ENGINES);
	struct doca_pe *pe = setting.own->pe;
	if (own_engine)
		OK(doca_pe_create(&pe));
	struct consumer consumers[8];
	for (uint32_t i = 0; i < 8; i++) {
		consumer_make(&consumers[i], setting.own->connection, memory.mmap, 4, pe);
		consumers[i].on_state = note_running;
	}
	/* A callback leaves the engine's turn behind the context that had it. */
	for (int i = 0; i < turns; i++) {
		consumer_start(&consumers[i], setting.own->pe);
		consumer_stop(&consumers[i]);
	}
	settle(setting.other->pe, setting.own->pe);
	record_clear(&setting.other->record);
	num_began = 0;
	char story[64] = "";
	for (uint32_t i = 0; i < 8; i++) {
		start_only(&consumers[order[i] - 1]);
		snprintf(story + strlen(story), sizeof(story) - strlen(story), "%s+%u", i == 0 ? "" : " ", order[i]);
	}
	UNTIL(num_began == 8, pe, setting.own->pe);
	assert_memory_equal(began_to_run, order, 8 * sizeof(order[0]));
	hears(setting.other, story, NULL);
	end_consumers(consumers, 8);
	if (own_engine)
		OK(doca_pe_destroy(pe));
	setting_close(&setting);
}

static void consumers_are_announced_in_the_order_of_their_starts(void **state)
{
	(void)state;
	static const uint32_t orders[][8] = {
		{1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}, {2, 1, 3, 4, 8, 6, 7, 5}};
	for (int how = 0; how < 12; how++)
		for (size_t i = 0; i < 3; i++)
			starts_are_told_in_order(how % 2 == 1, how / 2 % 2 == 1, orders[i], how / 4 * 3);
}

static void announcements_keep_their_place_among_messages(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		setting_open(&setting, on_server, TWO_ENGINES);
		struct end *own = setting.own;
		struct consumer consumers[4];
		for (uint32_t i = 0; i < 4; i++)
			consumer_make(&consumers[i], own->connection, memory.mmap, 4, NULL);
		/* The peer looks in vain before the consumers are running. */
		send_text(own, own->connection, "a");
		start_only(&consumers[2]);
		start_only(&consumers[0]);
		send_text(own, own->connection, "b");
		send_text(own, own->connection, "c");
		start_only(&consumers[3]);
		UNTIL(state_of(consumers[2].ctx) == RUNNING, consumers[2].pe, own->pe);
		consumer_stop(&consumers[2]);
		start_only(&consumers[1]);
		send_text(own, own->connection, "d");
		UNTIL(state_of(consumers[0].ctx) == RUNNING, consumers[0].pe, own->pe);
		consumer_stop(&consumers[0]);
		consumer_destroy(&consumers[0]);
		send_text(own, own->connection, "e");
		hears(setting.other, "a +3 +1 b c +4 -3 +2 d -1 e", NULL);
		consumer_start(&consumers[2], own->pe);
		UNTIL(state_of(consumers[1].ctx) == RUNNING, consumers[1].pe, own->pe);
		UNTIL(state_of(consumers[3].ctx) == RUNNING, consumers[3].pe, own->pe);
		end_consumers(consumers + 1, 3);
		hears(setting.other, "a +3 +1 b c +4 -3 +2 d -1 e +3 -2 -3 -4", NULL);
		setting_close(&setting);
	}
}

/* The peer's queue takes two messages, and the peer looks only when all has been done. */
static void announcements_wait_for_messages_that_find_no_room(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		pair_make(&setting.pair, TWO_ENGINES);
		OK(doca_comch_server_set_recv_queue_size(setting.pair.server.server, 2));
		OK(doca_comch_client_set_recv_queue_size(setting.pair.client.client, 2));
		pair_connect(&setting.pair);
		setting.own = on_server ? &setting.pair.server : &setting.pair.client;
		setting.other = on_server ? &setting.pair.client : &setting.pair.server;
		memory_open(&memory, 65536, 16, on_server ? setting.pair.devices.dpu : setting.pair.devices.host,
			    DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		struct end *own = setting.own;
		struct consumer consumers[6];
		char story[256] = "";
		for (uint32_t i = 0; i < 6; i++) {
			char text[3][4];
			for (int j = 0; j < 3; j++) {
				snprintf(text[j], sizeof(text[j]), "%u%c", i + 1, 'a' + j);
				send_text(own, own->connection, text[j]);
			}
			/* It does not wait for the messages to find room. */
			consumer_make(&consumers[i], own->connection, memory.mmap, 4, NULL);
			consumer_start(&consumers[i], own->pe);
			snprintf(story + strlen(story), sizeof(story) - strlen(story), "%s%s %s %s +%u",
				 i == 0 ? "" : " ", text[0], text[1], text[2], i + 1);
			if (i % 2 == 1) {
				consumer_stop(&consumers[i]);
				snprintf(story + strlen(story), sizeof(story) - strlen(story), " -%u", i + 1);
			}
		}
		hears(setting.other, story, own->pe);
		for (uint32_t i = 0; i < 6; i++) {
			if (i % 2 == 0)
				consumer_stop(&consumers[i]);
			consumer_destroy(&consumers[i]);
		}
		setting_close(&setting);
	}
}

/* A stop waits for room, and what comes after the messages is told after them. */
static void announcements_behind_messages_that_a_stop_sends_are_told_after_them(void **state)
{
	(void)state;
	struct setting setting;
	pair_make(&setting.pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(setting.pair.server.server, 1));
	pair_connect(&setting.pair);
	memory_open(&memory, 65536, 16, setting.pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct end *client = &setting.pair.client, *server = &setting.pair.server;
	send_text(client, client->connection, "kept");
	send_text(client, client->connection, "late");
	struct consumer consumers[2];
	for (int i = 0; i < 2; i++) {
		consumer_make(&consumers[i], client->connection, memory.mmap, 4, NULL);
		consumer_start(&consumers[i], client->pe);
	}
	consumer_stop(&consumers[1]);
	consumer_stop(&consumers[0]);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	UNTIL(state_of(client->ctx) == IDLE, client->pe, server->pe);
	assert_int_equal(count_of(&client->record, SEND_FAILED), 0);
	UNTIL(count_of(&server->record, DISCONNECTED) == 1, server->pe);
	assert_string_equal(story_of(server), "kept late +1 +2 -2 -1");
	consumer_destroy(&consumers[0]);
	consumer_destroy(&consumers[1]);
	pair_stop(&setting.pair);
	memory_close(&memory);
}

/* The control path is not driven between the start and the stop. */
static void a_stop_is_told_after_an_earlier_start(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		setting_open(&setting, on_server, TWO_ENGINES);
		struct consumer first, second;
		consumer_make(&first, setting.own->connection, memory.mmap, 4, NULL);
		consumer_make(&second, setting.own->connection, memory.mmap, 4, NULL);
		consumer_start(&first, setting.own->pe);
		start_only(&second);
		consumer_stop(&first);
		UNTIL(state_of(second.ctx) == RUNNING, second.pe, setting.own->pe);
		hears(setting.other, "+1 +2 -1", NULL);
		consumer_destroy(&first);
		end_consumers(&second, 1);
		setting_close(&setting);
	}
}

static void restarts_are_told_in_order_to_a_peer_that_sleeps(void **state)
{
	(void)state;
	for (int rounds = 1; rounds <= 4; rounds++) {
		struct setting setting;
		setting_open(&setting, rounds % 2, TWO_ENGINES);
		struct consumer consumers[3];
		for (uint32_t i = 0; i < 3; i++) {
			consumer_make(&consumers[i], setting.own->connection, memory.mmap, 4, NULL);
			consumer_start(&consumers[i], setting.own->pe);
		}
		hears(setting.other, "+1 +2 +3", NULL);
		for (int round = 0; round < rounds; round++) {
			for (uint32_t i = 3; i-- > 0;)
				consumer_stop(&consumers[i]);
			send_text(setting.own, setting.own->connection, ".");
			consumer_start(&consumers[1], setting.own->pe);
			consumer_start(&consumers[2], setting.own->pe);
			consumer_start(&consumers[0], setting.own->pe);
		}
		char story[128] = "+1 +2 +3";
		for (int round = 0; round < rounds; round++)
			strcat(story, " -3 -2 -1 . +2 +3 +1");
		hears(setting.other, story, NULL);
		end_consumers(consumers, 3);
		setting_close(&setting);
	}
}

/* Consumers that are made and started at the first moment at which that is possible. */
struct early {
	struct consumer consumers[3];
	uint32_t made;
};

static void start_early(struct end *end, struct doca_comch_connection *connection)
{
	struct early *early = end->own;
	send_text(end, connection, "a");
	for (; early->made < 3; early->made++) {
		consumer_make(&early->consumers[early->made], connection, memory.mmap, 4, end->pe);
		start_only(&early->consumers[early->made]);
		send_text(end, connection, early->made == 0 ? "b" : early->made == 1 ? "c" : "d");
	}
}

static void start_early_in_client(struct end *end, enum doca_ctx_states next)
{
	struct early *early = end->own;
	if (next != RUNNING || early->made > 0)
		return;
	struct doca_comch_connection *connection;
	OK(doca_comch_client_get_connection(end->client, &connection));
	start_early(end, connection);
}

static void consumers_of_the_first_moment_are_announced_in_order(void **state)
{
	(void)state;
	for (int first = 0; first < 3; first++) {
		struct early on_server = {0}, on_client = {0};
		struct setting setting;
		pair_make(&setting.pair, TWO_ENGINES);
		struct end *server = &setting.pair.server, *client = &setting.pair.client;
		memory_open(&memory, 65536, 16, setting.pair.devices.dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		memory_share(&memory, setting.pair.devices.host);
		server->own = &on_server;
		server->on_connect = start_early;
		client->own = &on_client;
		client->on_state = start_early_in_client;
		OK(doca_ctx_start(server->ctx));
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
		(void)drive(client->pe);
		if (first == 0) {
			/* All of the server's are running before the client knows that it is connected. */
			UNTIL(on_server.made == 3, server->pe);
			UNTIL(state_of(on_server.consumers[2].ctx) == RUNNING, server->pe);
		}
		if (first == 1) {
			/* The server has let the client in, and has not been told so. */
			UNTIL(state_of(client->ctx) == RUNNING, server->pe, client->pe);
			UNTIL(state_of(on_client.consumers[2].ctx) == RUNNING, client->pe);
		}
		hears(client, "a +1 b +2 c +3 d", server->pe);
		hears(server, "a +1 b +2 c +3 d", client->pe);
		assert_int_equal(server->record.list[1].what, CONNECTED);
		end_consumers(on_server.consumers, 3);
		end_consumers(on_client.consumers, 3);
		pair_close(&setting.pair);
		memory_close(&memory);
	}
}

/* ---- consumers of another thread ---- */

#define LIVES 300u

struct other_thread {
	pthread_t thread;
	sem_t go, done;
	struct doca_comch_connection *connection;
	struct end *listening; /* the peer */
};

/* Starts, and stops, a consumer whenever it is asked to. */
static void *live(void *argument)
{
	struct other_thread *other = argument;
	struct consumer consumers[2];
	for (uint32_t i = 0; i < LIVES; i++) {
		consumer_make(&consumers[i % 2], other->connection, memory.mmap, 4, NULL);
		sem_wait(&other->go);
		start_only(&consumers[i % 2]);
		sem_post(&other->done);
		UNTIL(state_of(consumers[i % 2].ctx) == RUNNING, consumers[i % 2].pe);
		sem_wait(&other->go);
		consumer_stop(&consumers[i % 2]);
		sem_post(&other->done);
		consumer_destroy(&consumers[i % 2]);
	}
	return NULL;
}

static void *listen_to_all(void *argument)
{
	struct end *listening = ((struct other_thread *)argument)->listening;
	UNTIL(count_of(&listening->record, MESSAGE) == 2 * LIVES, listening->pe);
	return NULL;
}

static void calls_of_several_threads_are_told_in_their_order(void **state)
{
	(void)state;
	for (int on_server = 0; on_server < 2; on_server++) {
		struct setting setting;
		setting_open(&setting, on_server, TWO_ENGINES);
		struct end *own = setting.own;
		struct other_thread living = {.connection = own->connection}, listening = {.listening = setting.other};
		CHECK(sem_init(&living.go, 0, 0) == 0 && sem_init(&living.done, 0, 0) == 0);
		CHECK(pthread_create(&living.thread, NULL, live, &living) == 0);
		CHECK(pthread_create(&listening.thread, NULL, listen_to_all, &listening) == 0);
		static char story[16384];
		size_t len = 0;
		for (uint32_t i = 0; i < 2 * LIVES; i++) {
			/* Drives nothing between the other thread's call and its own. */
			sem_post(&living.go);
			sem_wait(&living.done);
			send_text(own, own->connection, i % 2 == 0 ? "s" : "e");
			len += (size_t)snprintf(story + len, sizeof(story) - len, "%s%c%u %c", i == 0 ? "" : " ",
						i % 2 == 0 ? '+' : '-', i / 2 + 1, i % 2 == 0 ? 's' : 'e');
			UNTIL(inflight(own->ctx) == 0, own->pe);
			(void)drive(own->pe);
		}
		CHECK(pthread_join(living.thread, NULL) == 0);
		CHECK(pthread_join(listening.thread, NULL) == 0);
		sem_destroy(&living.go);
		sem_destroy(&living.done);
		hears(setting.other, story, NULL);
		setting_close(&setting);
	}
}

/* ---- own starts, and what the peer does ---- */

static struct consumer first_moment; /* started in the first callback of its connection */

static void start_at_once(struct end *end)
{
	consumer_make(&first_moment, end->connection, memory.mmap, 4, end->pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(first_moment.ctx));
}

static void start_when_running(struct end *end, enum doca_ctx_states next)
{
	if (next == RUNNING)
		start_at_once(end);
}

static void start_when_connected(struct end *end, struct doca_comch_connection *connection)
{
	(void)connection;
	start_at_once(end);
}

static void own_one_runs(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new)
{
	(void)connection;
	(void)id;
	if (is_new)
		assert_string_equal(states_of(end->own), "SR");
}

static void own_one_runs_already(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes,
				 uint32_t len)
{
	(void)bytes;
	(void)len;
	own_one_runs(end, connection, 0, true);
}

/* A program makes tasks of its consumer when it hears of the peer's. */
static void a_start_comes_before_what_the_peer_does_after_it(bool by_server, bool with_consumer)
{
	struct setting setting = {0};
	struct pair *pair = &setting.pair;
	pair_make(pair, TWO_ENGINES);
	struct end *own = by_server ? &pair->server : &pair->client, *peer = by_server ? &pair->client : &pair->server;
	memory_open(&memory, 65536, 16, pair->devices.dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_share(&memory, pair->devices.host);
	own->own = &first_moment.record;
	own->on_consumer = own_one_runs;
	own->on_message = own_one_runs_already;
	if (by_server)
		own->on_connect = start_when_connected;
	else
		own->on_state = start_when_running;
	pair_connect(pair);
	/* The peer is done before this side's engine goes on. */
	struct consumer theirs;
	if (with_consumer) {
		consumer_make(&theirs, peer->connection, memory.mmap, 4, peer->pe);
		consumer_start(&theirs, peer->pe);
	} else {
		send_text(peer, peer->connection, "news");
	}
	enum happening what = with_consumer ? CONSUMER_NEW : MESSAGE;
	UNTIL(count_of(&own->record, what) == 1, own->pe);
	if (with_consumer) {
		consumer_stop(&theirs);
		consumer_destroy(&theirs);
	}
	consumer_stop(&first_moment);
	consumer_destroy(&first_moment);
	setting_close(&setting);
}

static void the_peers_consumer_does_not_overtake_the_own_start(void **state)
{
	(void)state;
	a_start_comes_before_what_the_peer_does_after_it(false, true);
	a_start_comes_before_what_the_peer_does_after_it(true, true);
}

static void the_peers_message_does_not_overtake_the_own_start(void **state)
{
	(void)state;
	a_start_comes_before_what_the_peer_does_after_it(false, false);
	a_start_comes_before_what_the_peer_does_after_it(true, false);
}

/* What is on another engine nobody need progress. */
static void a_start_on_another_engine_holds_nothing_up(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	struct consumer elsewhere;
	consumer_make(&elsewhere, setting.own->connection, memory.mmap, 4, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(elsewhere.ctx));
	send_text(setting.other, setting.other->connection, "news");
	UNTIL(count_of(&setting.own->record, MESSAGE) == 1, setting.own->pe);
	assert_string_equal(states_of(&elsewhere.record), "S");
	consumer_stop(&elsewhere);
	consumer_destroy(&elsewhere);
	setting_close(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consumers_of_a_client_are_announced_to_the_server),
		cmocka_unit_test(consumers_of_a_server_are_announced_to_the_client),
		cmocka_unit_test(a_start_waits_for_the_control_path),
		cmocka_unit_test(a_consumer_that_stops_while_starting_is_never_announced),
		cmocka_unit_test(a_short_life_is_told_in_order),
		cmocka_unit_test(a_restarted_consumer_expires_and_is_new_again),
		cmocka_unit_test(hundreds_of_consumers_can_come_and_go),
		cmocka_unit_test(consumers_that_never_start_leave_nothing_behind),
		cmocka_unit_test(ids_start_again_below_65535_and_skip_living_ones),
		cmocka_unit_test(a_start_waits_until_the_peer_has_been_told_of_earlier_ones),
		cmocka_unit_test(an_idle_consumer_keeps_its_place_while_others_come),
		cmocka_unit_test(a_stopping_consumer_keeps_its_place_while_others_come),
		cmocka_unit_test(a_disconnection_ends_consumers_without_expired_events),
		cmocka_unit_test(a_producer_can_be_made_in_the_consumer_event),
		cmocka_unit_test(consumers_are_announced_in_the_order_of_their_starts),
		cmocka_unit_test(announcements_keep_their_place_among_messages),
		cmocka_unit_test(announcements_wait_for_messages_that_find_no_room),
		cmocka_unit_test(announcements_behind_messages_that_a_stop_sends_are_told_after_them),
		cmocka_unit_test(a_stop_is_told_after_an_earlier_start),
		cmocka_unit_test(restarts_are_told_in_order_to_a_peer_that_sleeps),
		cmocka_unit_test(consumers_of_the_first_moment_are_announced_in_order),
		cmocka_unit_test(calls_of_several_threads_are_told_in_their_order),
		cmocka_unit_test(the_peers_consumer_does_not_overtake_the_own_start),
		cmocka_unit_test(the_peers_message_does_not_overtake_the_own_start),
		cmocka_unit_test(a_start_on_another_engine_holds_nothing_up),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
