/* Each function with what it must refuse: NULL, ended objects, the wrong state, the wrong side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_emu.h"
#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE

static const struct sizes defaults = {0};

/* ---- capabilities ---- */

static void capabilities_are_those_of_the_device(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_devinfo *dpu = doca_dev_as_devinfo(d.dpu), *host = doca_dev_as_devinfo(d.host);
	uint32_t value = 0;
	OK(doca_comm_channel_get_max_service_name_len(&value));
	CHECK(value == 120);
	struct doca_devinfo *const both[] = {dpu, host};
	for (int i = 0; i < 2; i++) {
		OK(doca_comm_channel_get_max_message_size(both[i], &value));
		CHECK(value == 4080);
		OK(doca_comm_channel_get_max_send_queue_size(both[i], &value));
		CHECK(value == 8192);
		OK(doca_comm_channel_get_max_recv_queue_size(both[i], &value));
		CHECK(value == 8192);
	}
	OK(doca_comm_channel_get_service_max_num_connections(dpu, &value));
	CHECK(value == 512);
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_get_service_max_num_connections(host, &value));
	GIVES(BAD, doca_comm_channel_get_max_service_name_len(NULL));
	GIVES(BAD, doca_comm_channel_get_max_message_size(NULL, &value));
	GIVES(BAD, doca_comm_channel_get_max_message_size(dpu, NULL));
	GIVES(BAD, doca_comm_channel_get_max_send_queue_size(NULL, &value));
	GIVES(BAD, doca_comm_channel_get_max_send_queue_size(dpu, NULL));
	GIVES(BAD, doca_comm_channel_get_max_recv_queue_size(NULL, &value));
	GIVES(BAD, doca_comm_channel_get_max_recv_queue_size(dpu, NULL));
	GIVES(BAD, doca_comm_channel_get_service_max_num_connections(NULL, &value));
	GIVES(BAD, doca_comm_channel_get_service_max_num_connections(dpu, NULL));
	GIVES(BAD, doca_comm_channel_get_service_max_num_connections(host, NULL));
	devices_close(&d);
}

/* ---- configuration ---- */

typedef doca_error_t (*setter)(endpoint *, uint16_t);
typedef doca_error_t (*getter)(endpoint *, uint16_t *);

static const struct {
	setter set;
	getter get;
	uint16_t initial, least, most;
	bool powers;
} options[] = {
	{doca_comm_channel_ep_set_max_msg_size, doca_comm_channel_ep_get_max_msg_size, 1500, 256, 4080, false},
	{doca_comm_channel_ep_set_send_queue_size, doca_comm_channel_ep_get_send_queue_size, 128, 16, 8192, true},
	{doca_comm_channel_ep_set_recv_queue_size, doca_comm_channel_ep_get_recv_queue_size, 128, 16, 8192, true},
};

static void sizes_are_rounded_and_limited(void **state)
{
	(void)state;
	endpoint *ep;
	OK(doca_comm_channel_ep_create(&ep));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		uint16_t value = 7;
		OK(options[i].get(ep, &value));
		CHECK(value == options[i].initial);
		for (uint32_t size = 1; size <= options[i].most; size++) {
			uint16_t expected = size < options[i].least ? options[i].least : (uint16_t)size;
			while (options[i].powers && (expected & (expected - 1)) != 0)
				expected = (uint16_t)((expected | (expected - 1)) + 1);
			OK(options[i].set(ep, (uint16_t)size));
			OK(options[i].get(ep, &value));
			CHECK(value == expected);
		}
		GIVES(BAD, options[i].set(ep, 0));
		GIVES(BAD, options[i].set(ep, (uint16_t)(options[i].most + 1)));
		GIVES(BAD, options[i].set(ep, UINT16_MAX));
		GIVES(BAD, options[i].set(NULL, 256));
		GIVES(BAD, options[i].get(NULL, &value));
		GIVES(BAD, options[i].get(ep, NULL));
	}
	OK(doca_comm_channel_ep_destroy(ep));
}

static void devices_can_be_set_and_read_back(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *ep;
	struct doca_dev *dev = d.host;
	struct doca_dev_rep *rep = d.rep;
	OK(doca_comm_channel_ep_create(&ep));
	OK(doca_comm_channel_ep_get_device(ep, &dev));
	OK(doca_comm_channel_ep_get_device_rep(ep, &rep));
	CHECK(dev == NULL && rep == NULL);
	OK(doca_comm_channel_ep_set_device(ep, d.host));
	OK(doca_comm_channel_ep_set_device(ep, d.dpu));
	OK(doca_comm_channel_ep_set_device_rep(ep, d.rep));
	OK(doca_comm_channel_ep_set_device_rep(ep, d.rep));
	OK(doca_comm_channel_ep_get_device(ep, &dev));
	OK(doca_comm_channel_ep_get_device_rep(ep, &rep));
	CHECK(dev == d.dpu && rep == d.rep);
	GIVES(BAD, doca_comm_channel_ep_set_device(NULL, d.dpu));
	GIVES(BAD, doca_comm_channel_ep_set_device(ep, NULL));
	GIVES(BAD, doca_comm_channel_ep_get_device(NULL, &dev));
	GIVES(BAD, doca_comm_channel_ep_get_device(ep, NULL));
	GIVES(BAD, doca_comm_channel_ep_set_device_rep(NULL, d.rep));
	GIVES(BAD, doca_comm_channel_ep_set_device_rep(ep, NULL));
	GIVES(BAD, doca_comm_channel_ep_get_device_rep(NULL, &rep));
	GIVES(BAD, doca_comm_channel_ep_get_device_rep(ep, NULL));
	/* A device stays open as long as an endpoint has it, and no longer. */
	GIVES(DOCA_ERROR_IN_USE, doca_dev_rep_close(d.rep));
	GIVES(DOCA_ERROR_IN_USE, doca_dev_close(d.dpu));
	OK(doca_comm_channel_ep_destroy(ep));
	devices_close(&d);
}

static void nothing_can_be_set_while_an_endpoint_is_active(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "active", defaults, defaults);
	endpoint *const both[] = {pair.service, pair.client};
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_device(both[i], pair.devices.host));
		GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_set_device_rep(both[i], pair.devices.rep));
		for (size_t option = 0; option < sizeof(options) / sizeof(options[0]); option++) {
			GIVES(DOCA_ERROR_BAD_STATE, options[option].set(both[i], 256));
			GIVES(BAD, options[option].set(both[i], 0));
		}
	}
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	for (size_t option = 0; option < sizeof(options) / sizeof(options[0]); option++)
		OK(options[option].set(pair.client, 256));
	OK(doca_comm_channel_ep_set_device(pair.client, pair.devices.host));
	pair_close(&pair);
}

/* ---- listen and connect ---- */

static endpoint *made_of(struct doca_dev *dev, struct doca_dev_rep *rep)
{
	endpoint *ep;
	OK(doca_comm_channel_ep_create(&ep));
	if (dev != NULL)
		OK(doca_comm_channel_ep_set_device(ep, dev));
	if (rep != NULL)
		OK(doca_comm_channel_ep_set_device_rep(ep, rep));
	return ep;
}

static void listen_needs_a_device_of_the_dpu_and_a_representor(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *bare = made_of(NULL, NULL), *on_host = made_of(d.host, d.rep), *no_rep = made_of(d.dpu, NULL);
	endpoint *good = made_of(d.dpu, d.rep);
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_listen(bare, "name"));
	GIVES(BAD, doca_comm_channel_ep_listen(bare, ""));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_listen(on_host, "name"));
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_listen(no_rep, "name"));
	GIVES(BAD, doca_comm_channel_ep_listen(NULL, "name"));
	GIVES(BAD, doca_comm_channel_ep_listen(good, NULL));
	GIVES(BAD, doca_comm_channel_ep_listen(good, ""));
	OK(doca_comm_channel_ep_listen(good, "name"));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(good, "name"));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(good, "other"));
	address *peer;
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(good, "name", &peer));
	endpoint *const all[] = {bare, on_host, no_rep, good};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		OK(doca_comm_channel_ep_destroy(all[i]));
	devices_close(&d);
}

static void connect_needs_a_device_of_the_host_and_a_service(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *bare = made_of(NULL, NULL), *on_dpu = made_of(d.dpu, d.rep), *good = made_of(d.host, NULL);
	address *peer = NULL;
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_connect(bare, "nobody", &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(bare, "", &peer));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_connect(on_dpu, "nobody", &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(NULL, "nobody", &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(good, NULL, &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(good, "nobody", NULL));
	GIVES(BAD, doca_comm_channel_ep_connect(good, "", &peer));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(good, "nobody", &peer));
	CHECK(peer == NULL);
	endpoint *service = service_make(&d, "somebody", defaults);
	OK(doca_comm_channel_ep_connect(good, "somebody", &peer));
	address *second = NULL;
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(good, "somebody", &second));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(good, "somebody"));
	endpoint *const all[] = {bare, on_dpu, good, service};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		OK(doca_comm_channel_ep_destroy(all[i]));
	devices_close(&d);
}

static void names_have_a_limit_and_are_compared_exactly(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	char name[200];
	memset(name, 'n', sizeof(name));
	name[120] = '\0';
	endpoint *service = made_of(d.dpu, d.rep), *client = made_of(d.host, NULL);
	address *peer;
	GIVES(BAD, doca_comm_channel_ep_listen(service, name));
	GIVES(BAD, doca_comm_channel_ep_connect(client, name, &peer));
	name[119] = '\0';
	OK(doca_comm_channel_ep_listen(service, name));
	name[118] = '\0';
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(client, name, &peer));
	name[118] = 'N';
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(client, name, &peer));
	name[118] = 'n';
	client_connect_to(client, name, service);
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void a_name_serves_once_per_function(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_dev_rep *other_rep = open_rep(d.dpu, "0000:b1:00.2");
	struct doca_dev *other_host = open_device("0000:b1:00.2");
	endpoint *service = service_make(&d, "once", defaults), *second = made_of(d.dpu, d.rep);
	endpoint *elsewhere = made_of(d.dpu, other_rep), *client = made_of(other_host, NULL);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_listen(second, "once"));
	CHECK(strstr(doca_emu_last_error(), "\"once\" on 0000:b1:00.0 already") != NULL);
	address *peer;
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(client, "once", &peer));
	OK(doca_comm_channel_ep_listen(elsewhere, "once"));
	peer = client_connect_to(client, "once", elsewhere);
	send_text(client, "here", peer);
	expect_text(elsewhere, "here");
	expect_nothing(service);
	/* Free again at once. */
	OK(doca_comm_channel_ep_destroy(service));
	OK(doca_comm_channel_ep_listen(second, "once"));
	OK(doca_comm_channel_ep_destroy(second));
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(elsewhere));
	OK(doca_dev_rep_close(other_rep));
	OK(doca_dev_close(other_host));
	devices_close(&d);
}

/* ---- messages ---- */

static void sendto_refuses_what_it_cannot_send(void **state)
{
	(void)state;
	struct pair pair, other;
	pair_open(&pair, "sendto", defaults, defaults);
	other.service = service_make(&pair.devices, "other", defaults);
	other.client = client_make(&pair.devices, defaults);
	other.of_service = client_connect_to(other.client, "other", other.service);
	GIVES(BAD, doca_comm_channel_ep_sendto(NULL, "", 1, 0, pair.of_service));
	GIVES(BAD, doca_comm_channel_ep_sendto(pair.client, NULL, 1, 0, pair.of_service));
	GIVES(BAD, doca_comm_channel_ep_sendto(pair.client, "", 0, 0, pair.of_service));
	for (int flag = 0; flag < 32; flag++)
		GIVES(BAD, doca_comm_channel_ep_sendto(pair.client, "", 1, (int)(1u << flag), pair.of_service));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, other.of_service));
	expect_nothing(pair.service);
	expect_nothing(other.service);
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	/* Who is not connected hears that first. */
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, pair.of_service));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(pair.client, NULL, 0, 1, NULL));
	OK(doca_comm_channel_ep_destroy(other.client));
	OK(doca_comm_channel_ep_destroy(other.service));
	pair_close(&pair);
}

static void recvfrom_refuses_what_it_cannot_do(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "recvfrom", defaults, defaults);
	char bytes[16];
	size_t len = sizeof(bytes);
	address *from;
	GIVES(BAD, doca_comm_channel_ep_recvfrom(NULL, bytes, &len, 0, &from));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(pair.service, NULL, &len, 0, &from));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(pair.service, bytes, NULL, 0, &from));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(pair.service, bytes, &len, 0, NULL));
	for (int flag = 0; flag < 32; flag++)
		GIVES(BAD, doca_comm_channel_ep_recvfrom(pair.service, bytes, &len, (int)(1u << flag), &from));
	/* A client knows whom it hears. */
	send_text(pair.client, "a", pair.of_service);
	from = expect_text(pair.service, "a");
	send_text(pair.service, "b", from);
	len = sizeof(bytes);
	OK(doca_comm_channel_ep_recvfrom(pair.client, bytes, &len, 0, NULL));
	CHECK(len == 2);
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	GIVES(DOCA_ERROR_NOT_CONNECTED, receive(pair.client, bytes, &len, &from));
	endpoint *idle = made_of(pair.devices.dpu, pair.devices.rep);
	GIVES(DOCA_ERROR_NOT_CONNECTED, receive(idle, bytes, &len, &from));
	OK(doca_comm_channel_ep_destroy(idle));
	pair_close(&pair);
}

/* ---- the end ---- */

static void what_has_ended_is_refused(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "ended", defaults, defaults);
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(NULL));
	GIVES(BAD, doca_comm_channel_ep_create(NULL));
	GIVES(BAD, doca_comm_channel_ep_disconnect(NULL, pair.of_service));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(pair.client, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(pair.client, pair.of_client));
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	address *const ended[] = {pair.of_service, NULL};
	for (int i = 0; i < 2; i++) {
		uint64_t value;
		GIVES(BAD, doca_comm_channel_peer_addr_get_user_data(ended[i], &value));
		GIVES(BAD, doca_comm_channel_peer_addr_set_user_data(ended[i], 1));
		GIVES(BAD, doca_comm_channel_peer_addr_update_info(ended[i]));
		GIVES(BAD, doca_comm_channel_peer_addr_get_send_messages(ended[i], &value));
		GIVES(BAD, doca_comm_channel_peer_addr_get_send_bytes(ended[i], &value));
		GIVES(BAD, doca_comm_channel_peer_addr_get_recv_messages(ended[i], &value));
		GIVES(BAD, doca_comm_channel_peer_addr_get_recv_bytes(ended[i], &value));
		GIVES(BAD, doca_comm_channel_peer_addr_get_send_in_flight_messages(ended[i], &value));
	}
	GIVES(BAD, doca_comm_channel_peer_addr_get_user_data(pair.of_client, NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_get_send_messages(pair.of_client, NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_get_send_bytes(pair.of_client, NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_get_recv_messages(pair.of_client, NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_get_recv_bytes(pair.of_client, NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_get_send_in_flight_messages(pair.of_client, NULL));
	OK(doca_comm_channel_ep_destroy(pair.client));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(pair.client));
	OK(doca_comm_channel_ep_destroy(pair.service));
	/* The peers of an endpoint end with it. */
	GIVES(BAD, doca_comm_channel_peer_addr_update_info(pair.of_client));
	address *peer;
	char byte;
	size_t len = 1;
	uint32_t num;
	address **list;
	GIVES(BAD, doca_comm_channel_ep_listen(pair.service, "x"));
	GIVES(BAD, doca_comm_channel_ep_connect(pair.client, "x", &peer));
	GIVES(BAD, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, pair.of_service));
	GIVES(BAD, receive(pair.service, &byte, &len, &peer));
	GIVES(BAD, doca_comm_channel_ep_event_handle_arm_send(pair.client));
	GIVES(BAD, doca_comm_channel_ep_event_handle_arm_recv(pair.client));
	GIVES(BAD, doca_comm_channel_ep_update_service_state_info(pair.service));
	GIVES(BAD, doca_comm_channel_ep_get_peer_addr_list(pair.service, &list, &num));
	GIVES(BAD, doca_comm_channel_ep_get_pending_connections(pair.service, &num));
	devices_close(&pair.devices);
}

static int on_devices_without_comch(void *unused)
{
	(void)unused;
	struct doca_dev *dpu = open_device("0000:03:00.0"), *host = open_device("0000:b1:00.0");
	struct doca_dev_rep *rep = open_rep(dpu, "0000:b1:00.0");
	endpoint *service = made_of(dpu, rep), *client = made_of(host, NULL);
	address *peer;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_listen(service, "x"));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_connect(client, "x", &peer));
	GIVES(DOCA_ERROR_NOT_SUPPORTED,
	      doca_comm_channel_get_service_max_num_connections(doca_dev_as_devinfo(dpu), &num));
	OK(doca_comm_channel_ep_destroy(service));
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dpu));
	OK(doca_dev_close(host));
	return 0;
}

/* In a process of its own: a topology is read once. */
static void in_topology(const char *text, int (*body)(void *))
{
	char path[] = "/tmp/comch4j-topology.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
	setenv("DOCA_EMU_TOPOLOGY", path, 1);
	child_finish(child_start(body, NULL));
	unsetenv("DOCA_EMU_TOPOLOGY");
	CHECK(remove(path) == 0);
}

static void a_device_that_lacks_comch_has_no_endpoints(void **state)
{
	(void)state;
	in_topology("dpu 0000:03:00.0 without=comch\nhost 0000:b1:00.0 pf without=comch\n", on_devices_without_comch);
}

static int with_small_limits(void *unused)
{
	(void)unused;
	struct devices d;
	devices_open(&d);
	uint32_t value;
	OK(doca_comm_channel_get_max_service_name_len(&value));
	CHECK(value == 9);
	OK(doca_comm_channel_get_max_message_size(doca_dev_as_devinfo(d.dpu), &value));
	CHECK(value == 500);
	OK(doca_comm_channel_get_max_send_queue_size(doca_dev_as_devinfo(d.dpu), &value));
	CHECK(value == 20);
	OK(doca_comm_channel_get_max_recv_queue_size(doca_dev_as_devinfo(d.dpu), &value));
	CHECK(value == 30);
	OK(doca_comm_channel_get_service_max_num_connections(doca_dev_as_devinfo(d.dpu), &value));
	CHECK(value == 2);
	endpoint *ep = made_of(d.dpu, d.rep);
	uint16_t size;
	OK(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	CHECK(size == 500);
	OK(doca_comm_channel_ep_get_send_queue_size(ep, &size));
	CHECK(size == 32);
	GIVES(BAD, doca_comm_channel_ep_set_send_queue_size(ep, 21));
	GIVES(BAD, doca_comm_channel_ep_set_recv_queue_size(ep, 31));
	GIVES(BAD, doca_comm_channel_ep_set_max_msg_size(ep, 501));
	GIVES(BAD, doca_comm_channel_ep_listen(ep, "123456789"));
	OK(doca_comm_channel_ep_listen(ep, "12345678"));
	/* Two clients, and no third one until one of them has gone. */
	endpoint *clients[3];
	address *peers[3];
	for (int i = 0; i < 3; i++)
		clients[i] = made_of(d.host, NULL);
	for (int i = 0; i < 2; i++)
		peers[i] = client_connect_to(clients[i], "12345678", ep);
	OK(doca_comm_channel_ep_connect(clients[2], "12345678", &peers[2]));
	char byte;
	size_t len = 1;
	address *from;
	/* Which the service learns, too. */
	GIVES(DOCA_ERROR_INITIALIZATION, receive(ep, &byte, &len, &from));
	expect_nothing(ep);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peers[2]));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(clients[2], "", 1, 0, peers[2]));
	GIVES(DOCA_ERROR_NOT_CONNECTED, receive(clients[2], &byte, &len, &from));
	OK(doca_comm_channel_ep_disconnect(clients[2], peers[2]));
	OK(doca_comm_channel_ep_disconnect(clients[0], peers[0]));
	peers[2] = client_connect_to(clients[2], "12345678", ep);
	for (int i = 0; i < 3; i++)
		OK(doca_comm_channel_ep_destroy(clients[i]));
	OK(doca_comm_channel_ep_destroy(ep));
	devices_close(&d);
	return 0;
}

static void a_topology_sets_the_limits(void **state)
{
	(void)state;
	in_topology(
		"limit max_name_len 9\nlimit max_msg_size 500\nlimit max_send_tasks 20\n"
		"limit max_recv_queue_size 30\nlimit max_clients 2\n",
		with_small_limits);
}

/* ---- waiting for a service ---- */

static void a_client_can_be_told_to_wait_for_its_service(void **state)
{
	(void)state;
	setenv("DOCA_EMU_CONNECT_WAIT", "60000", 1);
	struct devices d;
	devices_open(&d);
	endpoint *client = client_make(&d, (struct sizes){0});
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "late", &peer));
	GIVES(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comm_channel_peer_addr_update_info(peer));
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(client, "x", 2, 0, peer));
	expect_nothing(client);
	/* Nobody wakes it, so that it has to look by itself. */
	int recv = recv_handle(client), send = send_handle(client);
	OK(doca_comm_channel_ep_event_handle_arm_recv(client));
	sleep_on(recv);
	OK(doca_comm_channel_ep_event_handle_arm_send(client));
	sleep_on(send);
	endpoint *service = service_make(&d, "late", (struct sizes){0});
	doca_error_t result = DOCA_ERROR_CONNECTION_INPROGRESS;
	UNTIL(result != DOCA_ERROR_CONNECTION_INPROGRESS, {
		expect_nothing(service);
		result = doca_comm_channel_peer_addr_update_info(peer);
	});
	OK(result);
	send_text(client, "here", peer);
	address *from = expect_text(service, "here");
	/* From here on the wake-ups are the service's. */
	OK(doca_comm_channel_ep_event_handle_arm_recv(client));
	CHECK(!is_readable(recv));
	send_text(service, "there", from);
	sleep_on(recv);
	expect_text(client, "there");
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
	unsetenv("DOCA_EMU_CONNECT_WAIT");
}

static void a_service_that_does_not_come_is_not_waited_for_longer(void **state)
{
	(void)state;
	setenv("DOCA_EMU_CONNECT_WAIT", "20", 1);
	struct devices d;
	devices_open(&d);
	endpoint *client = client_make(&d, (struct sizes){0});
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "nobody", &peer));
	doca_error_t result = DOCA_ERROR_CONNECTION_INPROGRESS;
	UNTIL(result != DOCA_ERROR_CONNECTION_INPROGRESS, result = doca_comm_channel_peer_addr_update_info(peer));
	CHECK(result == DOCA_ERROR_CONNECTION_ABORTED);
	CHECK(strstr(doca_emu_last_error(), "client finds no service \"nobody\" on 0000:b1:00.0: ") != NULL);
	OK(doca_comm_channel_ep_disconnect(client, peer));
	setenv("DOCA_EMU_CONNECT_WAIT", "abc", 1);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_comm_channel_ep_connect(client, "nobody", &peer));
	CHECK(strstr(doca_emu_last_error(), "DOCA_EMU_CONNECT_WAIT is \"abc\"") != NULL);
	OK(doca_comm_channel_ep_destroy(client));
	GIVES(DOCA_ERROR_INITIALIZATION, doca_comm_channel_ep_create(&client));
	unsetenv("DOCA_EMU_CONNECT_WAIT");
	devices_close(&d);
}

static int on_two_dpus(void *unused)
{
	(void)unused;
	struct doca_dev *one = open_device("0000:03:00.0"), *two = open_device("0000:04:00.0");
	struct doca_dev_rep *rep = open_rep(one, "0000:b1:00.0");
	endpoint *ep = made_of(two, rep);
	GIVES(BAD, doca_comm_channel_ep_listen(ep, "x"));
	OK(doca_comm_channel_ep_set_device(ep, one));
	OK(doca_comm_channel_ep_listen(ep, "x"));
	OK(doca_comm_channel_ep_destroy(ep));
	OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(one));
	OK(doca_dev_close(two));
	return 0;
}

static void a_representor_must_be_one_of_the_device(void **state)
{
	(void)state;
	in_topology("dpu 0000:03:00.0\nhost 0000:b1:00.0 pf\ndpu 0000:04:00.0\nhost 0000:b2:00.0 pf\n", on_two_dpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* Before this process reads the topology. */
		cmocka_unit_test(a_device_that_lacks_comch_has_no_endpoints),
		cmocka_unit_test(a_topology_sets_the_limits),
		cmocka_unit_test(a_representor_must_be_one_of_the_device),
		cmocka_unit_test(capabilities_are_those_of_the_device),
		cmocka_unit_test(sizes_are_rounded_and_limited),
		cmocka_unit_test(devices_can_be_set_and_read_back),
		cmocka_unit_test(nothing_can_be_set_while_an_endpoint_is_active),
		cmocka_unit_test(listen_needs_a_device_of_the_dpu_and_a_representor),
		cmocka_unit_test(connect_needs_a_device_of_the_host_and_a_service),
		cmocka_unit_test(names_have_a_limit_and_are_compared_exactly),
		cmocka_unit_test(a_name_serves_once_per_function),
		cmocka_unit_test(a_client_can_be_told_to_wait_for_its_service),
		cmocka_unit_test(a_service_that_does_not_come_is_not_waited_for_longer),
		cmocka_unit_test(sendto_refuses_what_it_cannot_send),
		cmocka_unit_test(recvfrom_refuses_what_it_cannot_do),
		cmocka_unit_test(what_has_ended_is_refused),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
