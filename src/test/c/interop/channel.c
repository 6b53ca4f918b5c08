/* One end of the sample pair of DOCA's guides to Comm Channel, in C:
 *
 *   channel server|client TEXT
 *
 * The client sends a text and its closing NUL, the server answers and ends at once. They wait as the guides advise: on
 * AGAIN they arm, try once more, and sleep on the event channel. It uses DOCA's API and nothing of the emulator's, and
 * is built against an installed SDK folder of DOCA 1.5 to 2.8. */
#include <poll.h>
#include <string.h>

#include <doca_comm_channel.h>

#include "end.h"

#define SERVICE "cc_sample_server"
#define MAX_MESSAGE 4080u
#define QUEUE_SIZE 10u

static struct doca_comm_channel_ep_t *ep;
static struct doca_comm_channel_addr_t *peer;

static void configure(void)
{
	OK(doca_comm_channel_ep_create(&ep));
	OK(doca_comm_channel_ep_set_device(ep, dev));
	OK(doca_comm_channel_ep_set_max_msg_size(ep, MAX_MESSAGE));
	OK(doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE));
	OK(doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE));
}

static void sleep_on(doca_event_channel_t channel)
{
	struct pollfd watched = {.fd = channel, .events = POLLIN};
	check(poll(&watched, 1, PATIENCE_S * 1000) == 1 ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT, "waiting");
}

static void send_text(const char *text)
{
	doca_event_channel_t channel;
	OK(doca_comm_channel_ep_get_event_channel(ep, &channel, NULL));
	for (bool armed = false;; armed = !armed) {
		doca_error_t result =
			doca_comm_channel_ep_sendto(ep, text, strlen(text) + 1, DOCA_CC_MSG_FLAG_NONE, peer);
		if (result != DOCA_ERROR_AGAIN) {
			check(result, "sendto");
			return;
		}
		if (armed)
			sleep_on(channel);
		else
			OK(doca_comm_channel_ep_event_handle_arm_send(ep));
	}
}

static void receive_text(const char *what)
{
	char text[MAX_MESSAGE + 1];
	doca_event_channel_t channel;
	OK(doca_comm_channel_ep_get_event_channel(ep, NULL, &channel));
	for (bool armed = false;; armed = !armed) {
		size_t len = MAX_MESSAGE;
		doca_error_t result = doca_comm_channel_ep_recvfrom(ep, text, &len, DOCA_CC_MSG_FLAG_NONE, &peer);
		if (result != DOCA_ERROR_AGAIN) {
			check(result, "recvfrom");
			text[len] = '\0';
			printf("%s: %s\n", what, text);
			return;
		}
		if (armed)
			sleep_on(channel);
		else
			OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
	}
}

static void serve(const char *answer)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_NET);
	configure();
	OK(doca_comm_channel_ep_set_device_rep(ep, rep));
	OK(doca_comm_channel_ep_listen(ep, SERVICE));
	printf("Listening\n");
	fflush(stdout);
	receive_text("Received message");
	send_text(answer);
	OK(doca_comm_channel_ep_disconnect(ep, peer));
}

static void ask(const char *question)
{
	open_device(HOST_PCI);
	configure();
	OK(doca_comm_channel_ep_connect(ep, SERVICE, &peer));
	doca_error_t result;
	while ((result = doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS) {
		doca_event_channel_t channel;
		OK(doca_comm_channel_ep_get_event_channel(ep, NULL, &channel));
		OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
		sleep_on(channel);
	}
	check(result, "connecting");
	send_text(question);
	receive_text("Server response");
	OK(doca_comm_channel_ep_disconnect(ep, peer));
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "server") != 0 && strcmp(argv[1], "client") != 0)) {
		fprintf(stderr, "usage: channel server|client TEXT\n");
		return 2;
	}
	if (strcmp(argv[1], "server") == 0)
		serve(argv[2]);
	else
		ask(argv[2]);
	OK(doca_comm_channel_ep_destroy(ep));
	if (rep != NULL)
		OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
	printf("Finished\n");
	return 0;
}
