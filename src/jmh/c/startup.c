/* How long a new process takes until its first message is there: the parent serves and starts the child with the
 * time of its start. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fast.h"
#include "report.h"

struct arrival {
	int64_t since, control, fast;
};

static void note_message(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	struct arrival *arrival = endpoint->own;
	if (len != sizeof(arrival->since))
		fail("an unexpected message");
	memcpy(&arrival->since, bytes, sizeof(arrival->since));
	arrival->control = now_ns();
}

static void child(const struct options *options)
{
	struct device device;
	struct endpoint client = {.on_message = note_message};
	struct sender sender = {0};
	device_open_host(&device, options);
	client_open(&client, &device, options->name, 8, NULL);
	WAIT_FOR(endpoint_send(&client, &options->since, sizeof(options->since)) == DOCA_SUCCESS);
	sender_open(&sender, &client, &device, options, NULL);
	WAIT_FOR(sender_send(&sender));
	sender_close(&sender);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.remote_consumer == 0);
	endpoint_close(&client);
	device_close(&device);
}

/* Starts this program again as the client. */
static pid_t start_child(char **argv)
{
	char since[32];
	char *arguments[64];
	int num = 0;
	for (; argv[num] != NULL && num < 58; num++)
		arguments[num] = argv[num];
	snprintf(since, sizeof(since), "%lld", (long long)now_ns());
	arguments[num++] = "--form";
	arguments[num++] = "client";
	arguments[num++] = "--since";
	arguments[num++] = since;
	arguments[num] = NULL;
	pid_t pid = fork();
	if (pid == 0) {
		execv("/proc/self/exe", arguments);
		_exit(127);
	}
	return pid;
}

void work_first(const struct options *options, char **argv)
{
	struct device device;
	if (options->form == FORM_CLIENT) {
		child(options);
		return;
	}
	struct arrival arrival = {0};
	struct endpoint server = {.on_message = note_message, .own = &arrival};
	struct receiver receiver = {0};
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, 8);
	pid_t pid = start_child(argv);
	WAIT_FOR(arrival.control != 0);
	receiver_open(&receiver, &server, &device, options, NULL);
	WAIT_FOR(receiver.received > 0);
	arrival.fast = now_ns();
	WAIT_FOR(server.signal == SIGNAL_DONE);
	report_begin(options, "first");
	report_value((double)(arrival.control - arrival.since) / 1e6, "ms");
	report_number("fast_ms", (double)(arrival.fast - arrival.since) / 1e6);
	report_end();
	receiver_close(&receiver);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
	int status;
	if (waitpid(pid, &status, 0) != pid || status != 0)
		fail("the child ended with %d", status);
}
