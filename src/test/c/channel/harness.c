#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doca_log.h"

#define PATIENCE_MS 60000

void harness_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s does not hold (process %d)\n", file, line, what, (int)getpid());
	abort();
}

void harness_expect(const char *file, int line, const char *call, doca_error_t got, doca_error_t wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%s:%d: %s gives %s instead of %s (process %d)\n", file, line, call, doca_error_get_name(got),
		doca_error_get_name(wanted), (int)getpid());
	abort();
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t harness_deadline(void)
{
	return now_ms() + PATIENCE_MS;
}

void harness_in_time(int64_t deadline, const char *file, int line, const char *what)
{
	if (now_ms() > deadline)
		harness_fail(file, line, what);
}

long effort(const char *variable, long quick)
{
	const char *asked = getenv(variable);
	return asked == NULL ? quick : strtol(asked, NULL, 10);
}

/* ---- fabric ---- */

static char fabric[64];

int fabric_up(void **state)
{
	(void)state;
	snprintf(fabric, sizeof(fabric), "/dev/shm/doca-emu-channel.XXXXXX");
	return mkdtemp(fabric) != NULL && setenv("DOCA_EMU_DIR", fabric, 1) == 0 ? 0 : -1;
}

/* Services that have been killed leave their files behind. */
int fabric_down(void **state)
{
	(void)state;
	DIR *entries = opendir(fabric);
	if (entries == NULL)
		return -1;
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
	return rmdir(fabric);
}

/* ---- devices ---- */

struct doca_dev *open_device(const char *pci)
{
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	struct doca_dev *opened = NULL;
	for (uint32_t i = 0; i < num; i++) {
		uint8_t equal = 0;
		OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal != 0)
			OK(doca_dev_open(list[i], &opened));
	}
	OK(doca_devinfo_destroy_list(list));
	CHECK(opened != NULL);
	return opened;
}

struct doca_dev_rep *open_rep(struct doca_dev *dpu, const char *pci)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	OK(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	struct doca_dev_rep *opened = NULL;
	for (uint32_t i = 0; i < num; i++) {
		uint8_t equal = 0;
		OK(doca_devinfo_rep_is_equal_pci_addr(list[i], pci, &equal));
		if (equal != 0)
			OK(doca_dev_rep_open(list[i], &opened));
	}
	OK(doca_devinfo_rep_destroy_list(list));
	CHECK(opened != NULL);
	return opened;
}

void devices_open(struct devices *devices)
{
	devices->dpu = open_device("0000:03:00.0");
	devices->rep = open_rep(devices->dpu, "0000:b1:00.0");
	devices->host = open_device("0000:b1:00.0");
}

void devices_close(struct devices *devices)
{
	OK(doca_dev_rep_close(devices->rep));
	OK(doca_dev_close(devices->dpu));
	OK(doca_dev_close(devices->host));
}

/* ---- endpoints ---- */

static endpoint *make(struct sizes sizes)
{
	endpoint *ep = NULL;
	OK(doca_comm_channel_ep_create(&ep));
	if (sizes.message != 0)
		OK(doca_comm_channel_ep_set_max_msg_size(ep, sizes.message));
	if (sizes.send != 0)
		OK(doca_comm_channel_ep_set_send_queue_size(ep, sizes.send));
	if (sizes.recv != 0)
		OK(doca_comm_channel_ep_set_recv_queue_size(ep, sizes.recv));
	return ep;
}

endpoint *service_make(const struct devices *devices, const char *name, struct sizes sizes)
{
	endpoint *ep = make(sizes);
	OK(doca_comm_channel_ep_set_device(ep, devices->dpu));
	OK(doca_comm_channel_ep_set_device_rep(ep, devices->rep));
	OK(doca_comm_channel_ep_listen(ep, name));
	return ep;
}

endpoint *client_make(const struct devices *devices, struct sizes sizes)
{
	endpoint *ep = make(sizes);
	OK(doca_comm_channel_ep_set_device(ep, devices->host));
	return ep;
}

address *client_connect_to(endpoint *client, const char *name, endpoint *service)
{
	address *peer = NULL;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
	/* A service in another process may not listen yet. */
	UNTIL(result != DOCA_ERROR_CONNECTION_ABORTED, result = doca_comm_channel_ep_connect(client, name, &peer));
	OK(result);
	result = DOCA_ERROR_CONNECTION_INPROGRESS;
	UNTIL(result != DOCA_ERROR_CONNECTION_INPROGRESS, {
		if (service != NULL)
			expect_nothing(service);
		result = doca_comm_channel_peer_addr_update_info(peer);
	});
	OK(result);
	return peer;
}

void pair_open(struct pair *pair, const char *name, struct sizes of_service, struct sizes of_client)
{
	devices_open(&pair->devices);
	pair->service = service_make(&pair->devices, name, of_service);
	pair->client = client_make(&pair->devices, of_client);
	pair->of_service = client_connect_to(pair->client, name, pair->service);
	pair->of_client = NULL;
}

void pair_meet(struct pair *pair, const char *name, struct sizes of_service, struct sizes of_client)
{
	pair_open(pair, name, of_service, of_client);
	send_text(pair->client, "hello", pair->of_service);
	pair->of_client = expect_text(pair->service, "hello");
}

void pair_close(struct pair *pair)
{
	OK(doca_comm_channel_ep_destroy(pair->client));
	OK(doca_comm_channel_ep_destroy(pair->service));
	devices_close(&pair->devices);
}

/* ---- messages ---- */

void send_text(endpoint *from, const char *text, address *to)
{
	OK(doca_comm_channel_ep_sendto(from, text, strlen(text) + 1, DOCA_CC_MSG_FLAG_NONE, to));
}

doca_error_t receive(endpoint *at, void *bytes, size_t *len, address **from)
{
	return doca_comm_channel_ep_recvfrom(at, bytes, len, DOCA_CC_MSG_FLAG_NONE, from);
}

address *expect_text(endpoint *at, const char *text)
{
	char bytes[4096];
	size_t len = 0;
	address *from = NULL;
	doca_error_t result = DOCA_ERROR_AGAIN;
	UNTIL(result != DOCA_ERROR_AGAIN, {
		len = sizeof(bytes);
		result = receive(at, bytes, &len, &from);
	});
	OK(result);
	CHECK(len == strlen(text) + 1 && memcmp(bytes, text, len) == 0);
	return from;
}

void expect_nothing(endpoint *at)
{
	char bytes[4096];
	size_t len = sizeof(bytes);
	address *from = NULL;
	GIVES(DOCA_ERROR_AGAIN, receive(at, bytes, &len, &from));
	CHECK(len == sizeof(bytes) && from == NULL);
}

doca_error_t counts_of(address *peer, struct counts *counts)
{
	doca_error_t result = doca_comm_channel_peer_addr_update_info(peer);
	OK(doca_comm_channel_peer_addr_get_send_messages(peer, &counts->send_messages));
	OK(doca_comm_channel_peer_addr_get_send_bytes(peer, &counts->send_bytes));
	OK(doca_comm_channel_peer_addr_get_recv_messages(peer, &counts->recv_messages));
	OK(doca_comm_channel_peer_addr_get_recv_bytes(peer, &counts->recv_bytes));
	OK(doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &counts->in_flight));
	return result;
}

uint64_t in_flight_to(address *peer)
{
	struct counts counts;
	OK(counts_of(peer, &counts));
	return counts.in_flight;
}

/* ---- event channels ---- */

int send_handle(endpoint *ep)
{
	doca_event_channel_t handle = -1;
	OK(doca_comm_channel_ep_get_event_channel(ep, &handle, NULL));
	return handle;
}

int recv_handle(endpoint *ep)
{
	doca_event_channel_t handle = -1;
	OK(doca_comm_channel_ep_get_event_channel(ep, NULL, &handle));
	return handle;
}

int service_handle(endpoint *ep)
{
	doca_event_channel_t handle = -1;
	OK(doca_comm_channel_ep_get_service_event_channel(ep, &handle));
	return handle;
}

static bool readable_within(int fd, int ms)
{
	struct pollfd watched = {.fd = fd, .events = POLLIN};
	return poll(&watched, 1, ms) == 1 && (watched.revents & POLLIN) != 0;
}

bool is_readable(int fd)
{
	return readable_within(fd, 0);
}

void sleep_on(int fd)
{
	CHECK(readable_within(fd, PATIENCE_MS));
}

/* ---- the log ---- */

static FILE *log_stream;
static char *log_text;
static size_t log_size;

void log_keep(void)
{
	struct doca_log_backend *backend;
	if (log_stream != NULL)
		return;
	log_stream = open_memstream(&log_text, &log_size);
	CHECK(log_stream != NULL);
	OK(doca_log_backend_create_with_file_sdk(log_stream, &backend));
}

int log_count(const char *text)
{
	CHECK(fflush(log_stream) == 0);
	int count = 0;
	for (const char *at = log_text; (at = strstr(at, text)) != NULL; at++)
		count++;
	return count;
}

/* ---- processes ---- */

pid_t child_start(int (*body)(void *), void *argument)
{
	pid_t parent = getpid();
	pid_t child = fork();
	CHECK(child >= 0);
	if (child > 0)
		return child;
	/* A test that fails must not leave it behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	exit(body(argument));
}

void child_finish(pid_t child)
{
	int status = 0;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void child_kill(pid_t child)
{
	int status = 0;
	CHECK(kill(child, SIGKILL) == 0);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
