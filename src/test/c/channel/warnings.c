/* What the guides tell programs not to do, and the device lets happen: the log has a warning, or, where the machine is
 * strict, the call fails. */
#include <stdlib.h>

#include "harness.h"

static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

/* ---- a client that has not asked whether it is connected ---- */

/* A pair whose client only knows that its attempt has begun. */
static void pair_begin(struct pair *pair, const char *name)
{
	devices_open(&pair->devices);
	pair->service = service_make(&pair->devices, name, small);
	pair->client = client_make(&pair->devices, small);
	OK(doca_comm_channel_ep_connect(pair->client, name, &pair->of_service));
}

static void a_client_that_sends_unasked_is_warned_once(void **state)
{
	(void)state;
	log_keep();
	int before = log_count("without having asked");
	struct pair pair;
	pair_begin(&pair, "unasked");
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	CHECK(log_count("without having asked") == before + 1);
	CHECK(log_count("client of \"unasked\" sends without") == 1);
	expect_nothing(pair.service);
	send_text(pair.client, "x", pair.of_service);
	pair.of_client = expect_text(pair.service, "x");
	/* A service has nothing to ask. */
	send_text(pair.service, "y", pair.of_client);
	CHECK(log_count("without having asked") == before + 1);
	pair_close(&pair);
	pair_meet(&pair, "asked", small, small);
	CHECK(log_count("without having asked") == before + 1);
	pair_close(&pair);
}

static int strict_client(void *unused)
{
	(void)unused;
	log_keep();
	struct pair pair;
	pair_begin(&pair, "strict");
	for (int i = 0; i < 2; i++)
		GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comm_channel_peer_addr_update_info(pair.of_service));
	expect_nothing(pair.service);
	/* It is connected, and has not seen it. */
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	OK(doca_comm_channel_peer_addr_update_info(pair.of_service));
	send_text(pair.client, "x", pair.of_service);
	expect_text(pair.service, "x");
	pair_close(&pair);
	return 0;
}

static void where_it_is_strict_nothing_is_sent_unasked(void **state)
{
	(void)state;
	setenv("DOCA_EMU_STRICT", "1", 1);
	child_finish(child_start(strict_client, NULL));
	unsetenv("DOCA_EMU_STRICT");
}

/* ---- a client that comes back ---- */

static void a_client_that_comes_back_is_another_peer_with_a_warning(void **state)
{
	(void)state;
	log_keep();
	struct pair pair;
	pair_meet(&pair, "returns", small, small);
	/* Another client of the same process is nobody's return. */
	endpoint *other = client_make(&pair.devices, small);
	(void)client_connect_to(other, "returns", pair.service);
	CHECK(log_count("connects again") == 0);
	for (int i = 0; i < 2; i++) {
		bool told = i == 1;
		OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
		if (told)
			OK(doca_comm_channel_ep_disconnect(pair.service, pair.of_client));
		address *before = pair.of_client;
		pair.of_service = client_connect_to(pair.client, "returns", pair.service);
		send_text(pair.client, "again", pair.of_service);
		pair.of_client = expect_text(pair.service, "again");
		/* One that stays from the first time is disconnected here. */
		if (!told)
			OK(doca_comm_channel_ep_disconnect(pair.service, before));
		CHECK(log_count("a client of service \"returns\" connects again") == 1);
	}
	OK(doca_comm_channel_ep_destroy(other));
	pair_close(&pair);
}

/* ---- messages that are given up ---- */

static void fill(endpoint *from, address *to)
{
	while (doca_comm_channel_ep_sendto(from, "x", 1, 0, to) == DOCA_SUCCESS)
		;
}

static void messages_that_are_given_up_are_counted(void **state)
{
	(void)state;
	log_keep();
	struct pair pair;
	pair_meet(&pair, "gives-up", small, small);
	endpoint *other = client_make(&pair.devices, small);
	address *of_service = client_connect_to(other, "gives-up", pair.service);
	fill(pair.client, pair.of_service);
	CHECK(in_flight_to(pair.of_service) == 16);
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	CHECK(log_count("\"gives-up\": 16 messages in flight are given up") == 1);
	/* The same at the end of the endpoint. */
	fill(other, of_service);
	char byte;
	size_t len;
	address *from;
	for (int left = 3; left > 0;) {
		len = 1;
		OK(receive(pair.service, &byte, &len, &from));
		left -= from != pair.of_client;
	}
	OK(doca_comm_channel_ep_destroy(other));
	CHECK(log_count("\"gives-up\": 13 messages in flight are given up") == 1);
	pair_close(&pair);
	CHECK(log_count("given up") == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* Before this process reads the topology. */
		cmocka_unit_test(where_it_is_strict_nothing_is_sent_unasked),
		cmocka_unit_test(a_client_that_sends_unasked_is_warned_once),
		cmocka_unit_test(a_client_that_comes_back_is_another_peer_with_a_warning),
		cmocka_unit_test(messages_that_are_given_up_are_counted),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
