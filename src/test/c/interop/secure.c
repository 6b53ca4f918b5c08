/* One end of a conversation as DOCA 2.5's application secure_channel holds it, in C:
 *
 *   secure server|client BYTES COUNT
 *
 * Each end sends COUNT messages of BYTES bytes in one thread and receives in another one. A mutex guards the calls that
 * send and receive; both threads arm and sleep outside of it. It ends when COUNT messages have been received, and its
 * own have arrived. It uses DOCA's API and nothing of the emulator's. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <doca_comm_channel.h>

#include "end.h"

#define SERVICE "secure_channel_server"
#define MAX_MESSAGE 4080u
#define QUEUE_SIZE 8190u
#define WHILE_FULL_MS 10

static struct doca_comm_channel_ep_t *ep;
static struct doca_comm_channel_addr_t *_Atomic peer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static doca_event_channel_t room, news;
static unsigned char pattern[MAX_MESSAGE];
static size_t bytes;
static unsigned long count;

static void sleep_on(doca_event_channel_t channel, int most_ms)
{
	struct pollfd watched = {.fd = channel, .events = POLLIN};
	check(poll(&watched, 1, most_ms) >= 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM, "poll");
}

static void *sends(void *unused)
{
	struct doca_comm_channel_addr_t *to;
	while ((to = atomic_load(&peer)) == NULL)
		sched_yield();
	for (unsigned long sent = 0; sent < count;) {
		pthread_mutex_lock(&lock);
		doca_error_t result = doca_comm_channel_ep_sendto(ep, pattern, bytes, DOCA_CC_MSG_FLAG_NONE, to);
		pthread_mutex_unlock(&lock);
		if (result == DOCA_ERROR_AGAIN) {
			OK(doca_comm_channel_ep_event_handle_arm_send(ep));
			sleep_on(room, WHILE_FULL_MS);
			continue;
		}
		check(result, "sendto");
		sent++;
	}
	printf("Sent: %lu\n", count);
	return unused;
}

static void *receives(void *unused)
{
	unsigned char message[MAX_MESSAGE];
	for (unsigned long received = 0; received < count;) {
		struct doca_comm_channel_addr_t *from;
		size_t len = sizeof(message);
		pthread_mutex_lock(&lock);
		doca_error_t result = doca_comm_channel_ep_recvfrom(ep, message, &len, DOCA_CC_MSG_FLAG_NONE, &from);
		pthread_mutex_unlock(&lock);
		if (result == DOCA_ERROR_AGAIN) {
			OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
			sleep_on(news, -1);
			continue;
		}
		check(result, "recvfrom");
		expect("the length of a message", bytes, len);
		if (memcmp(message, pattern, len) != 0)
			give_up("a message with other contents than were sent");
		atomic_store(&peer, from);
		received++;
	}
	printf("Received: %lu\n", count);
	return unused;
}

static void prepare(void)
{
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)i;
	OK(doca_comm_channel_ep_create(&ep));
	OK(doca_comm_channel_ep_set_device(ep, dev));
	OK(doca_comm_channel_ep_set_max_msg_size(ep, MAX_MESSAGE));
	OK(doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE));
	OK(doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE));
}

static void listen_to_clients(void)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_NET);
	prepare();
	OK(doca_comm_channel_ep_set_device_rep(ep, rep));
	OK(doca_comm_channel_ep_listen(ep, SERVICE));
	printf("Listening\n");
	fflush(stdout);
}

static void connect_to_service(void)
{
	open_device(HOST_PCI);
	prepare();
	struct doca_comm_channel_addr_t *service;
	OK(doca_comm_channel_ep_connect(ep, SERVICE, &service));
	doca_error_t result;
	while ((result = doca_comm_channel_peer_addr_update_info(service)) == DOCA_ERROR_CONNECTION_INPROGRESS)
		sched_yield();
	check(result, "connecting");
	atomic_store(&peer, service);
}

static uint64_t in_flight(void)
{
	uint64_t messages;
	doca_error_t result = doca_comm_channel_peer_addr_update_info(atomic_load(&peer));
	if (result == DOCA_ERROR_CONNECTION_ABORTED || result == DOCA_ERROR_CONNECTION_RESET)
		return 0; /* the peer has all, and has left */
	check(result, "looking at the peer");
	OK(doca_comm_channel_peer_addr_get_send_in_flight_messages(atomic_load(&peer), &messages));
	return messages;
}

int main(int argc, char **argv)
{
	bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	if (bytes < 1 || bytes > MAX_MESSAGE || count < 1 ||
	    (strcmp(argv[1], "server") != 0 && strcmp(argv[1], "client") != 0)) {
		fprintf(stderr, "usage: secure server|client BYTES COUNT\n");
		return 2;
	}
	if (strcmp(argv[1], "server") == 0)
		listen_to_clients();
	else
		connect_to_service();
	OK(doca_comm_channel_ep_get_event_channel(ep, &room, &news));
	pthread_t threads[2];
	if (pthread_create(&threads[0], NULL, sends, NULL) != 0 ||
	    pthread_create(&threads[1], NULL, receives, NULL) != 0)
		give_up("a thread cannot be started");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	while (in_flight() > 0)
		sched_yield();
	OK(doca_comm_channel_ep_disconnect(ep, atomic_load(&peer)));
	OK(doca_comm_channel_ep_destroy(ep));
	if (rep != NULL)
		OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
	printf("Finished\n");
	return 0;
}
