/* What each side is told of the other's consumers, and how consumers start and stop. */
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

static void lives_that_the_peer_has_not_seen_are_limited(void **state)
{
	(void)state;
	struct setting setting;
	setting_open(&setting, false, TWO_ENGINES);
	size_t lives = 0;
	for (; lives < 1000; lives++) {
		struct doca_comch_consumer *one_more;
		doca_error_t result =
			doca_comch_consumer_create(setting.own->connection, memory.mmap, &one_more);
		if (result != DOCA_SUCCESS) {
			assert_int_equal(result, DOCA_ERROR_NO_MEMORY);
			break;
		}
		OK(doca_comch_consumer_destroy(one_more));
		struct consumer consumer;
		consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
		consumer_start(&consumer, setting.own->pe);
		consumer_stop(&consumer);
		consumer_destroy(&consumer);
	}
	assert_in_range(lives, 64, 999);
	/* Nothing is lost, and once the peer has looked there is room again. */
	UNTIL(count_of(&setting.other->record, CONSUMER_EXPIRED) == lives, setting.other->pe);
	assert_int_equal(count_of(&setting.other->record, CONSUMER_NEW), lives);
	struct consumer consumer;
	consumer_make(&consumer, setting.own->connection, memory.mmap, 4, NULL);
	consumer_destroy(&consumer);
	setting_close(&setting);
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
		cmocka_unit_test(lives_that_the_peer_has_not_seen_are_limited),
		cmocka_unit_test(an_idle_consumer_keeps_its_place_while_others_come),
		cmocka_unit_test(a_stopping_consumer_keeps_its_place_while_others_come),
		cmocka_unit_test(a_disconnection_ends_consumers_without_expired_events),
		cmocka_unit_test(a_producer_can_be_made_in_the_consumer_event),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
