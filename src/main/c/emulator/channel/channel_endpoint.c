#include "channel/channel_endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/settings.h"
#include "channel/channel_readings.h"
#include "log/sdk_log.h"
#include "topology/dev.h"

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

uint32_t endpoint_max_name_len(void)
{
	return at_most(emu_limits()->max_name_len, WIRE_NAME_BYTES);
}

uint32_t endpoint_max_msg_size(void)
{
	return at_most(emu_limits()->max_msg_size, CHANNEL_MAX_MSG_SIZE);
}

uint32_t endpoint_max_send_queue(void)
{
	return at_most(emu_limits()->max_send_tasks, CHANNEL_MAX_QUEUE);
}

uint32_t endpoint_max_recv_queue(void)
{
	return at_most(emu_limits()->max_recv_queue_size, CHANNEL_MAX_QUEUE);
}

uint32_t endpoint_round_queue(uint32_t size)
{
	return round_up_pow2(size < READING_ENDPOINT_MIN_QUEUE ? READING_ENDPOINT_MIN_QUEUE : size);
}

uint32_t endpoint_round_msg_size(uint32_t size)
{
	return size < READING_ENDPOINT_MIN_MSG_SIZE ? READING_ENDPOINT_MIN_MSG_SIZE : size;
}

doca_error_t endpoint_create(struct doca_comm_channel_ep_t **endpoint)
{
	static _Atomic uint64_t numbers;
	emu_log_forget();
	doca_error_t result = settings_check();
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_comm_channel_ep_t *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	handle_begin(&created->handle, HANDLE_ENDPOINT);
	created->number = atomic_fetch_add(&numbers, 1) + 1;
	created->max_msg_size = endpoint_round_msg_size(at_most(READING_ENDPOINT_MSG_SIZE, endpoint_max_msg_size()));
	created->send_queue_size = endpoint_round_queue(at_most(READING_ENDPOINT_QUEUE, endpoint_max_send_queue()));
	created->recv_queue_size = endpoint_round_queue(at_most(READING_ENDPOINT_QUEUE, endpoint_max_recv_queue()));
	pthread_mutex_init(&created->lock, NULL);
	events_init(created);
	*endpoint = created;
	return DOCA_SUCCESS;
}

bool endpoint_is_name(const char *name)
{
	size_t limit = endpoint_max_name_len();
	size_t length = strnlen(name, limit);
	return length > 0 && length < limit;
}

void endpoint_set_name(struct doca_comm_channel_ep_t *endpoint, const char *name)
{
	memset(endpoint->name, 0, sizeof(endpoint->name));
	memcpy(endpoint->name, name, strlen(name));
}

void endpoint_place(const char *pci, bool comch, char place[FABRIC_FILE_BYTES])
{
	snprintf(place, FABRIC_FILE_BYTES, "%.16s%s", pci, comch ? "" : ".ep");
}

void endpoint_place_listeners(struct endpoint_listener *listeners, uint32_t function, const char *pci)
{
	for (uint32_t i = 0; i < ENDPOINT_FAMILIES; i++) {
		struct endpoint_listener *listener = &listeners[function * ENDPOINT_FAMILIES + i];
		listener->comch = i > 0;
		endpoint_place(pci, listener->comch, listener->place);
	}
}

const char *endpoint_folder(const struct doca_comm_channel_ep_t *endpoint)
{
	return endpoint->dev == NULL ? NULL : emu_dev_folder(endpoint->dev);
}

doca_error_t endpoint_add_peer(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&endpoint->lock);
	if (endpoint->num_peers == endpoint->capacity) {
		uint32_t capacity = endpoint->capacity == 0 ? 4 : 2 * endpoint->capacity;
		struct doca_comm_channel_addr_t **grown =
			realloc(endpoint->peers, capacity * sizeof(struct doca_comm_channel_addr_t *));
		if (grown == NULL) {
			result = DOCA_ERROR_NO_MEMORY;
		} else {
			endpoint->peers = grown;
			endpoint->capacity = capacity;
		}
	}
	if (result == DOCA_SUCCESS && !events_attach(endpoint, peer))
		result = DOCA_ERROR_INITIALIZATION;
	if (result == DOCA_SUCCESS)
		endpoint->peers[endpoint->num_peers++] = peer;
	pthread_mutex_unlock(&endpoint->lock);
	return result;
}

void endpoint_disconnect(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer,
			 int64_t deadline_ms)
{
	peer_say_goodbye(peer, deadline_ms);
	pthread_mutex_lock(&endpoint->lock);
	for (uint32_t i = 0; i < endpoint->num_peers; i++)
		if (endpoint->peers[i] == peer) {
			/* The order of the others is that of their coming. */
			memmove(&endpoint->peers[i], &endpoint->peers[i + 1],
				(--endpoint->num_peers - i) * sizeof(struct doca_comm_channel_addr_t *));
			break;
		}
	pthread_mutex_unlock(&endpoint->lock);
	peer_release(peer);
	handle_bury(&peer->handle);
}

void endpoint_destroy(struct doca_comm_channel_ep_t *endpoint, int64_t deadline_ms)
{
	service_close(endpoint);
	while (endpoint->num_peers > 0)
		endpoint_disconnect(endpoint, endpoint->peers[0], deadline_ms);
	events_fini(endpoint);
	if (endpoint->rep != NULL)
		emu_rep_unuse(endpoint->rep);
	if (endpoint->dev != NULL)
		emu_dev_unuse(endpoint->dev);
	pthread_mutex_destroy(&endpoint->lock);
	free(endpoint->peers);
	free(endpoint->listed);
	free(endpoint->listed_before);
	endpoint->peers = endpoint->listed = endpoint->listed_before = NULL;
	handle_bury(&endpoint->handle);
}
