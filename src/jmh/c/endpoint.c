#include "endpoint.h"

#include <unistd.h>

/* ---- devices ---- */

static struct doca_dev *open_dev(const char *address)
{
	struct doca_devinfo **list;
	uint32_t num;
	struct doca_dev *dev = NULL;
	MUST(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && dev == NULL; i++) {
		uint8_t equal = 0;
		MUST(doca_devinfo_is_equal_pci_addr(list[i], address, &equal));
		if (equal)
			MUST(doca_dev_open(list[i], &dev));
	}
	MUST(doca_devinfo_destroy_list(list));
	if (dev == NULL)
		fail("no device %s", address);
	return dev;
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *address)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	struct doca_dev_rep *rep = NULL;
	MUST(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	for (uint32_t i = 0; i < num && rep == NULL; i++) {
		uint8_t equal = 0;
		MUST(doca_devinfo_rep_is_equal_pci_addr(list[i], address, &equal));
		if (equal)
			MUST(doca_dev_rep_open(list[i], &rep));
	}
	MUST(doca_devinfo_rep_destroy_list(list));
	if (rep == NULL)
		fail("no representor of %s", address);
	return rep;
}

void device_open_dpu(struct device *device, const struct options *options)
{
	device->dev = open_dev(options->dpu);
	device->rep = open_rep(device->dev, options->function);
}

void device_open_host(struct device *device, const struct options *options)
{
	device->dev = open_dev(options->function);
	device->rep = NULL;
}

void device_close(struct device *device)
{
	if (device->rep != NULL)
		MUST(doca_dev_rep_close(device->rep));
	MUST(doca_dev_close(device->dev));
}

/* ---- callbacks ---- */

static struct endpoint *endpoint_of(struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct endpoint *endpoint = ctx_data.ptr;
	(void)task_data;
	endpoint->completed++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	fail("a message failed: %s", doca_error_get_name(doca_task_get_status(doca_comch_task_send_as_task(task))));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	struct endpoint *endpoint = endpoint_of(connection);
	(void)event;
	if (len == 1)
		endpoint->signal = bytes[0];
	else
		endpoint->on_message(endpoint, bytes, len);
}

static void on_connected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t success)
{
	(void)event;
	if (!success)
		return;
	union doca_data data;
	MUST(doca_ctx_get_user_data(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &data));
	MUST(doca_comch_connection_set_user_data(connection, data));
	struct endpoint *endpoint = data.ptr;
	endpoint->connection = connection;
	endpoint->num_connections++;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *connection, uint8_t success)
{
	struct endpoint *endpoint = endpoint_of(connection);
	(void)event;
	(void)success;
	endpoint->num_connections--;
	if (endpoint->connection == connection)
		endpoint->connection = NULL;
}

static void on_consumer_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			    uint32_t id)
{
	(void)event;
	endpoint_of(connection)->remote_consumer = id;
}

static void on_consumer_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
				uint32_t id)
{
	(void)event;
	if (endpoint_of(connection)->remote_consumer == id)
		endpoint_of(connection)->remote_consumer = 0;
}

/* ---- life ---- */

void server_open(struct endpoint *endpoint, const struct device *device, const char *name, uint32_t depth)
{
	MUST(doca_comch_server_create(device->dev, device->rep, name, &endpoint->server));
	endpoint->ctx = doca_comch_server_as_ctx(endpoint->server);
	endpoint->pe = loop_new_pe();
	MUST(doca_pe_connect_ctx(endpoint->pe, endpoint->ctx));
	MUST(doca_ctx_set_user_data(endpoint->ctx, (union doca_data){.ptr = endpoint}));
	MUST(doca_comch_server_task_send_set_conf(endpoint->server, on_sent, on_send_failed, depth));
	MUST(doca_comch_server_set_recv_queue_size(endpoint->server, depth));
	MUST(doca_comch_server_event_msg_recv_register(endpoint->server, on_message));
	MUST(doca_comch_server_event_connection_status_changed_register(endpoint->server, on_connected,
									on_disconnected));
	MUST(doca_comch_server_event_consumer_register(endpoint->server, on_consumer_new, on_consumer_expired));
	MUST(doca_ctx_start(endpoint->ctx));
}

void client_open(struct endpoint *endpoint, const struct device *device, const char *name, uint32_t depth,
		 struct doca_pe *pe)
{
	MUST(doca_comch_client_create(device->dev, name, &endpoint->client));
	endpoint->ctx = doca_comch_client_as_ctx(endpoint->client);
	endpoint->pe = pe != NULL ? pe : loop_new_pe();
	MUST(doca_pe_connect_ctx(endpoint->pe, endpoint->ctx));
	MUST(doca_ctx_set_user_data(endpoint->ctx, (union doca_data){.ptr = endpoint}));
	MUST(doca_comch_client_task_send_set_conf(endpoint->client, on_sent, on_send_failed, depth));
	MUST(doca_comch_client_set_recv_queue_size(endpoint->client, depth));
	MUST(doca_comch_client_event_msg_recv_register(endpoint->client, on_message));
	MUST(doca_comch_client_event_consumer_register(endpoint->client, on_consumer_new, on_consumer_expired));
	int64_t deadline = now_ns() + PATIENCE_NS;
	for (;;) {
		MUST(doca_ctx_start(endpoint->ctx));
		while (ctx_state(endpoint->ctx) == DOCA_CTX_STATE_STARTING)
			loop_turn(deadline);
		if (ctx_state(endpoint->ctx) == DOCA_CTX_STATE_RUNNING)
			break;
		usleep(200); /* no server yet */
		loop_turn(deadline);
	}
	MUST(doca_comch_client_get_connection(endpoint->client, &endpoint->connection));
	MUST(doca_comch_connection_set_user_data(endpoint->connection, (union doca_data){.ptr = endpoint}));
	endpoint->num_connections = 1;
}

void endpoint_close(struct endpoint *endpoint)
{
	MUST(doca_ctx_stop(endpoint->ctx));
	WAIT_FOR(ctx_state(endpoint->ctx) == DOCA_CTX_STATE_IDLE);
	if (endpoint->server != NULL)
		MUST(doca_comch_server_destroy(endpoint->server));
	else
		MUST(doca_comch_client_destroy(endpoint->client));
}

/* ---- messages ---- */

doca_error_t endpoint_send(struct endpoint *endpoint, const void *bytes, uint32_t len)
{
	struct doca_comch_task_send *send;
	doca_error_t result = endpoint->server != NULL
				      ? doca_comch_server_task_send_alloc_init(endpoint->server, endpoint->connection,
									       bytes, len, &send)
				      : doca_comch_client_task_send_alloc_init(endpoint->client, endpoint->connection,
									       bytes, len, &send);
	if (result == DOCA_ERROR_NO_MEMORY) { /* all tasks are out */
		endpoint->again++;
		return DOCA_ERROR_AGAIN;
	}
	MUST(result);
	result = doca_task_submit(doca_comch_task_send_as_task(send));
	if (result == DOCA_ERROR_AGAIN) {
		doca_task_free(doca_comch_task_send_as_task(send));
		endpoint->again++;
		return result;
	}
	MUST(result);
	endpoint->sent++;
	return DOCA_SUCCESS;
}

void endpoint_signal(struct endpoint *endpoint, enum signal signal)
{
	uint8_t byte = (uint8_t)signal;
	WAIT_FOR(endpoint_send(endpoint, &byte, 1) == DOCA_SUCCESS);
}
