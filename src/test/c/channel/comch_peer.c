/* A server or client of Comch, for tests of endpoints that meet one: it sends each message back.
 *
 *   comch_peer server|client NAME QUEUE
 *
 * It does what lines on its input say, and prints what happens, a line each:
 *
 *   send LENGTH   sends a message of so many bytes, all of them 1, and says when it has been sent
 *   disconnect    the server ends the connection
 *   stop          stops its context, and ends
 *
 * It uses DOCA's API and nothing of the emulator's. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <doca_comch.h>

#include "../interop/end.h"

#define MAX_MESSAGE 4080u
#define SEND_TASKS 256u

/* Messages that wait for a task. */
struct waiting {
	struct waiting *next;
	struct doca_comch_connection *to; /* NULL: ordered, to whoever is there */
	uint32_t len;
	uint8_t bytes[];
};

static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_ctx *ctx;
static struct doca_comch_connection *peer;
static struct waiting *first, **last = &first;

static void say(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
}

static struct doca_comch_task_send *task_for(const struct waiting *message)
{
	struct doca_comch_task_send *task = NULL;
	doca_error_t result =
		server != NULL
			? doca_comch_server_task_send_alloc_init(server, peer, message->bytes, message->len, &task)
			: doca_comch_client_task_send_alloc_init(client, peer, message->bytes, message->len, &task);
	if (result != DOCA_ERROR_NO_MEMORY)
		check(result, "allocating a message");
	return task;
}

static void send_waiting(void)
{
	while (first != NULL && peer != NULL) {
		struct waiting *message = first;
		/* Its connection has ended. */
		bool of_now = message->to == NULL || message->to == peer;
		struct doca_comch_task_send *task = of_now ? task_for(message) : NULL;
		if (of_now && task == NULL)
			return;
		if (task != NULL)
			doca_task_set_user_data(doca_comch_task_send_as_task(task),
						(union doca_data){.u64 = message->to == NULL});
		if (task != NULL && doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
			doca_task_free(doca_comch_task_send_as_task(task));
		first = message->next;
		if (first == NULL)
			last = &first;
		free(message);
	}
}

static void send_later(const uint8_t *bytes, uint32_t len, struct doca_comch_connection *to)
{
	struct waiting *message = malloc(sizeof(*message) + len);
	if (message == NULL)
		give_up("no memory");
	message->next = NULL;
	message->to = to;
	message->len = len;
	memcpy(message->bytes, bytes, len);
	*last = message;
	last = &message->next;
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)ctx_data;
	if (task_data.u64 != 0)
		say("sent");
	doca_task_free(doca_comch_task_send_as_task(task));
	send_waiting();
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		     struct doca_comch_connection *from)
{
	(void)event;
	send_later(bytes, len, from);
	send_waiting();
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	peer = successful != 0 ? connection : NULL;
	say(successful != 0 ? "connected" : "not connected");
	send_waiting();
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	peer = NULL;
	say(successful != 0 ? "disconnected" : "disconnected by its death");
}

static void state_changed(const union doca_data data, struct doca_ctx *changed, enum doca_ctx_states before,
			  enum doca_ctx_states now)
{
	(void)data;
	(void)changed;
	(void)before;
	static const char *const names[] = {"idle", "starting", "running", "stopping"};
	if (client != NULL && now == DOCA_CTX_STATE_RUNNING)
		OK(doca_comch_client_get_connection(client, &peer));
	if (now == DOCA_CTX_STATE_STOPPING || now == DOCA_CTX_STATE_IDLE)
		peer = NULL;
	say(names[now]);
	send_waiting();
}

static void make_server(const char *name, uint32_t queue)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_NET);
	OK(doca_comch_server_create(dev, rep, name, &server));
	OK(doca_comch_server_set_max_msg_size(server, MAX_MESSAGE));
	OK(doca_comch_server_set_recv_queue_size(server, queue));
	OK(doca_comch_server_task_send_set_conf(server, sent, sent, SEND_TASKS));
	OK(doca_comch_server_event_msg_recv_register(server, received));
	OK(doca_comch_server_event_connection_status_changed_register(server, connected, disconnected));
	ctx = doca_comch_server_as_ctx(server);
}

static void make_client(const char *name, uint32_t queue)
{
	open_device(HOST_PCI);
	OK(doca_comch_client_create(dev, name, &client));
	OK(doca_comch_client_set_max_msg_size(client, MAX_MESSAGE));
	OK(doca_comch_client_set_recv_queue_size(client, queue));
	OK(doca_comch_client_task_send_set_conf(client, sent, sent, SEND_TASKS));
	OK(doca_comch_client_event_msg_recv_register(client, received));
	ctx = doca_comch_client_as_ctx(client);
}

/* False: it was to stop. */
static bool obey(char *line)
{
	uint8_t ones[MAX_MESSAGE];
	unsigned len;
	if (sscanf(line, "send %u", &len) == 1 && len <= MAX_MESSAGE) {
		memset(ones, 1, sizeof(ones));
		send_later(ones, len, NULL);
		send_waiting();
		return true;
	}
	if (strcmp(line, "disconnect") == 0) {
		OK(doca_comch_server_disconnect(server, peer));
		peer = NULL;
		say("disconnected it");
		return true;
	}
	return false;
}

/* False: to stop, or nobody says anything any more. */
static bool read_orders(void)
{
	static char text[256];
	static size_t len;
	ssize_t more = read(STDIN_FILENO, text + len, sizeof(text) - 1 - len);
	if (more <= 0)
		return false;
	len += (size_t)more;
	text[len] = '\0';
	for (char *end = strchr(text, '\n'); end != NULL; end = strchr(text, '\n')) {
		*end = '\0';
		if (!obey(text))
			return false;
		len -= (size_t)(end + 1 - text);
		memmove(text, end + 1, len + 1);
	}
	return true;
}

/* Sleeps until there is something to do. */
static void live(void)
{
	doca_notification_handle_t handle;
	OK(doca_pe_get_notification_handle(pe, &handle));
	for (bool goes_on = true; goes_on;) {
		while (doca_pe_progress(pe) > 0)
			;
		if (state_of(ctx) == DOCA_CTX_STATE_IDLE)
			return;
		OK(doca_pe_request_notification(pe));
		struct pollfd watched[] = {{.fd = (int)handle, .events = POLLIN},
					   {.fd = STDIN_FILENO, .events = POLLIN}};
		if (poll(watched, 2, PATIENCE_S * 1000) <= 0)
			give_up("nothing happens");
		OK(doca_pe_clear_notification(pe, handle));
		if (watched[1].revents != 0)
			goes_on = read_orders();
	}
}

int main(int argc, char **argv)
{
	if (argc != 4)
		give_up("server|client NAME QUEUE");
	OK(doca_pe_create(&pe));
	bool serves = strcmp(argv[1], "server") == 0;
	(serves ? make_server : make_client)(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
	OK(doca_ctx_set_state_changed_cb(ctx, state_changed));
	OK(doca_pe_connect_ctx(pe, ctx));
	doca_error_t result = doca_ctx_start(ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		say(doca_error_get_name(result));
	else
		live();
	stop(ctx);
	OK(serves ? doca_comch_server_destroy(server) : doca_comch_client_destroy(client));
	OK(doca_pe_destroy(pe));
	if (rep != NULL)
		OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
	while (first != NULL) {
		struct waiting *message = first;
		first = message->next;
		free(message);
	}
	say("finished");
	return 0;
}
