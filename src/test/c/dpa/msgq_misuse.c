/* What programs on the DPA do wrong with MsgQ is the dpa's last error: never a crash, never a hang. */
#include "msgq_fixture.h"

#define MISUSES 9

static void no_call_takes_a_wrong_handle(void **state)
{
	(void)state;
	const uint64_t wrong[] = {0, 1, UINT64_MAX, UINT64_C(0x0001000200030004), UINT64_C(1) << 16};
	for (uint64_t which = 0; which < MISUSES; which++) {
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			struct link link;
			uint64_t got = 1;
			link_open(&link, echo, 4, 8);
			HEALTHY(link.dpa);
			OK(doca_dpa_rpc(link.dpa, msgq_misuse, &got, which, wrong[i]));
			assert_int_equal(got, 0);
			FAILED(link.dpa);
			link_close(&link);
		}
	}
}

static void the_handle_of_what_has_stopped_names_nothing(void **state)
{
	(void)state;
	for (uint64_t which = 0; which < MISUSES; which++) {
		struct link link;
		link_open(&link, echo, 4, 8);
		uint64_t handle = which == 0   ? link.ends->consumer
				  : which <= 5 ? link.ends->completion
					       : link.ends->producer;
		OK(doca_ctx_stop(consumer_ctx(link.dpa_consumer)));
		OK(doca_ctx_stop(producer_ctx(link.dpa_producer)));
		OK(doca_comch_consumer_completion_stop(link.received));
		HEALTHY(link.dpa);
		OK(doca_dpa_rpc(link.dpa, msgq_misuse, NULL, which, handle));
		FAILED(link.dpa);
		OK(doca_comch_consumer_completion_start(link.received));
		OK(doca_ctx_start(consumer_ctx(link.dpa_consumer)));
		OK(doca_ctx_start(producer_ctx(link.dpa_producer)));
		link_close(&link);
	}
}

/* The call on an element of a message that is there, of one that is not yet there, of one that was given back, and of
 * one that the completion read before it was started anew; and of something that is no completion at all. */
static void an_element_is_used_between_its_read_and_its_acknowledgement(void **state)
{
	(void)state;
	for (int mistake = 0; mistake < 6; mistake++) {
		struct link link;
		struct doca_dpa_notification_completion *waker;
		uint8_t imm[8] = {0};
		uint64_t element, got, other;
		link_open(&link, echo, 4, 8);
		for (int i = 0; i < 2; i++)
			OK(link_send(&link, imm, 8));
		OK(doca_dpa_notification_completion_create(link.dpa, link.thread, &waker));
		OK(doca_dpa_notification_completion_start(waker));
		OK(doca_dpa_notification_completion_get_dpa_handle(waker, &other));
		OK(doca_dpa_rpc(link.dpa, read_one, &element, link.ends->completion));
		OK(doca_dpa_rpc(link.dpa, msgq_misuse, &got, UINT64_C(3), element));
		assert_int_equal(got, 1); /* the producer's id */
		HEALTHY(link.dpa);
		if (mistake == 0)
			element++;
		else if (mistake == 1)
			element--;
		else if (mistake == 2)
			OK(doca_dpa_rpc(link.dpa, give_back, NULL, link.ends->completion, UINT64_C(1)));
		else if (mistake == 3)
			OK(doca_dpa_rpc(link.dpa, give_back, NULL, link.ends->completion, UINT64_C(2)));
		else if (mistake == 4)
			element ^= UINT64_C(1) << 32; /* of another start */
		else
			element = other << 48;
		if (mistake == 3)
			OK(doca_dpa_rpc(link.dpa, read_one, &element, link.ends->completion));
		else
			OK(doca_dpa_rpc(link.dpa, msgq_misuse, &got, UINT64_C(3), element));
		FAILED(link.dpa);
		UNTIL(link.num_sent == 2, link.pe);
		OK(doca_dpa_notification_completion_destroy(waker));
		link_close(&link);
	}
}

static void a_send_without_credit_fails(void **state)
{
	(void)state;
	struct link link;
	uint64_t got;
	link_open(&link, echo, 4, 8);
	for (uint64_t i = 0; i < 4; i++) {
		OK(doca_dpa_rpc(link.dpa, send_number, &got, link.ends->producer, 1, i, 8, FLUSH));
		assert_int_equal(got, 0);
		OK(doca_dpa_rpc(link.dpa, next_sent, &got, link.ends->producer_completion));
		assert_int_equal(got, SEND);
	}
	HEALTHY(link.dpa);
	/* Also one that wants no report has one when it fails. */
	OK(doca_dpa_rpc(link.dpa, send_number, &got, link.ends->producer, 1, UINT64_C(4), 8, FLUSH | OPTIMIZE_REPORTS));
	assert_int_equal(got, 1);
	OK(doca_dpa_rpc(link.dpa, next_sent, &got, link.ends->producer_completion));
	assert_int_equal(got, SEND_ERR);
	FAILED(link.dpa);
	UNTIL(link.num_received == 4, link.pe);
	settle(link.pe, NULL);
	assert_int_equal(link.num_received, 4);
	link_close(&link);
}

static void sends_to_nobody_and_too_long_ones_fail(void **state)
{
	(void)state;
	const struct {
		uint32_t consumer, len, flags;
	} wrong[] = {{0, 8, FLUSH},  {2, 8, FLUSH}, {UINT32_MAX, 8, FLUSH}, {1, 9, FLUSH}, {1, 96, FLUSH},
		     {1, 97, FLUSH}, {1, 97, 0},    {1, 0, FLUSH}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct link link;
		link_open(&link, echo, 1, 8);
		OK(doca_dpa_rpc(link.dpa, send_number, NULL, link.ends->producer, wrong[i].consumer, UINT64_C(4),
				wrong[i].len, wrong[i].flags));
		FAILED(link.dpa);
		settle(link.pe, NULL);
		assert_int_equal(link.num_received, 0);
		link_close(&link);
	}
}

static void operations_must_be_acknowledged(void **state)
{
	(void)state;
	struct link link;
	link_open(&link, echo, 4, 8);
	link.repost = true;
	for (uint64_t i = 0; i < 4; i++) {
		OK(doca_dpa_rpc(link.dpa, send_number, NULL, link.ends->producer, 1, i, 8, FLUSH));
		UNTIL(link.num_received == i + 1, link.pe);
	}
	HEALTHY(link.dpa);
	OK(doca_dpa_rpc(link.dpa, send_number, NULL, link.ends->producer, 1, UINT64_C(4), 8, FLUSH));
	FAILED(link.dpa);
	settle(link.pe, NULL);
	assert_int_equal(link.num_received, 4);
	link_close(&link); /* with elements that nobody has acknowledged */
}

static void more_receives_than_places_are_ignored(void **state)
{
	(void)state;
	struct link link;
	uint8_t imm[8] = {0};
	link_open(&link, echo, 4, 8);
	HEALTHY(link.dpa);
	OK(doca_dpa_rpc(link.dpa, post_receives, NULL, link.ends->consumer, 1));
	FAILED(link.dpa);
	OK(doca_dpa_rpc(link.dpa, post_receives, NULL, link.ends->consumer, UINT32_MAX));
	for (int i = 0; i < 4; i++)
		OK(link_send(&link, imm, 8));
	UNTIL(link.num_sent == 4, link.pe);
	GIVES(DOCA_ERROR_AGAIN, link_send(&link, imm, 8));
	link_close(&link);
}

static void copies_keep_to_their_maps(void **state)
{
	(void)state;
	const struct {
		uint64_t dst, src, length;
		bool swap, bad_dst, bad_src;
	} wrong[] = {
		{0, 0, 65, false, false, false},         /* longer than both */
		{1, 0, 64, false, false, false},         /* behind the end */
		{0, UINT64_MAX, 8, false, false, false}, /* before the beginning */
		{0, 0, UINT64_MAX, false, false, false}, /* an overflow */
		{0, 0, 64, true, false, false},          /* to what may only be read */
		{0, 0, 64, false, true, false},          /* no such map */
		{0, 0, 64, false, false, true},          /* no such map */
	};
	for (size_t i = 0; i <= sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct link link;
		struct memory from, to;
		uint64_t got;
		link_open(&link, echo, 4, 8);
		memory_open(&from, 64, 1, link.base.dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
		memory_open(&to, 64, 1, link.base.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		fill(from.bytes, 64, i);
		memset(to.bytes, 0, 64);
		bool good = i == sizeof(wrong) / sizeof(wrong[0]);
		uint64_t src_map = handle_of_map(from.mmap, link.base.dev),
			 dst_map = handle_of_map(to.mmap, link.base.dev);
		uint64_t src = (uint64_t)from.bytes, dst = (uint64_t)to.bytes, length = 64;
		if (!good) {
			src += wrong[i].src;
			dst += wrong[i].dst;
			length = wrong[i].length;
			src_map = wrong[i].bad_src ? 7 : src_map;
			dst_map = wrong[i].bad_dst ? 7 : dst_map;
		}
		if (!good && wrong[i].swap)
			OK(doca_dpa_rpc(link.dpa, copy_and_send, NULL, link.ends->producer, src_map, src, dst_map, dst,
					length));
		else
			OK(doca_dpa_rpc(link.dpa, copy_and_send, NULL, link.ends->producer, dst_map, dst, src_map, src,
					length));
		OK(doca_dpa_rpc(link.dpa, next_sent, &got, link.ends->producer_completion));
		assert_int_equal(got, good ? SEND : SEND_ERR);
		assert_int_equal(doca_dpa_peek_at_last_error(link.dpa), good ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE);
		settle(link.pe, NULL);
		assert_int_equal(link.num_received, good ? 1 : 0);
		assert_true(filled(from.bytes, 64, i));
		assert_int_equal(filled(to.bytes, 64, i), good);
		memory_close(&from);
		memory_close(&to);
		link_close(&link);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_takes_a_wrong_handle),
		cmocka_unit_test(the_handle_of_what_has_stopped_names_nothing),
		cmocka_unit_test(an_element_is_used_between_its_read_and_its_acknowledgement),
		cmocka_unit_test(a_send_without_credit_fails),
		cmocka_unit_test(sends_to_nobody_and_too_long_ones_fail),
		cmocka_unit_test(operations_must_be_acknowledged),
		cmocka_unit_test(more_receives_than_places_are_ignored),
		cmocka_unit_test(copies_keep_to_their_maps),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
