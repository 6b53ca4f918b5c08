#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const char usage[] =
	"bench WORK [OPTION VALUE]...\n"
	"  fast, control          messages per second from a client to a server\n"
	"  flat                   as fast, with each buffer in its turn\n"
	"  batched                as flat, by way of comch4j's batch library\n"
	"  packed                 as fast, of records, many in a message\n"
	"  fast-rtt, flat-rtt, control-rtt   ping-pong, one message at a time\n"
	"  msgq-rtt               ping-pong over MsgQ with a kernel on the DPA\n"
	"  dma                    copies by DMA from one map of a process to another\n"
	"  ops                    cost of single operations\n"
	"  idle                   cost of progress with --connections idle connections\n"
	"  setup                  connections made and ended per second\n"
	"  first                  time from a process's start to its first message\n"
	"  memcpy                 bandwidth of one copying thread\n"
	"  cores                  time of a word from one thread to another and back\n"
	"  lines-rtt              ping-pong of two cache lines between threads, without DOCA\n"
	"  least-rtt              the same with the calls that a program makes with DOCA, and the least in them\n"
	"options:\n"
	"  --form one|threads|processes|server|client   who is where (threads)\n"
	"  --size BYTES        of a message, at least 8; k and m are known (64)\n"
	"  --depth N           tasks, and buffers posted (256)\n"
	"  --warmup SECONDS    not counted (0.5)\n"
	"  --seconds SECONDS   counted (2)\n"
	"  --connections N     of idle (1)\n"
	"  --producers N       of fast and flat, 1 to 8: they send bursts in turn (1)\n"
	"  --name NAME         of the server (comch4j-bench)\n"
	"  --dpu ADDRESS       the DPU's device (0000:03:00.0)\n"
	"  --function ADDRESS  the host's function (0000:b1:00.0)\n"
	"  --kernel FILE       the library with the kernel of msgq-rtt\n";

static const char *const form_names[] = {
	[FORM_ONE] = "one",       [FORM_THREADS] = "threads", [FORM_PROCESSES] = "processes",
	[FORM_SERVER] = "server", [FORM_CLIENT] = "client",
};

const char *form_name(enum form form)
{
	/* Two processes are two processes, whoever started them. */
	return form == FORM_SERVER || form == FORM_CLIENT ? form_names[FORM_PROCESSES] : form_names[form];
}

void fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "bench: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	exit(1);
}

void must_at(doca_error_t result, const char *call, const char *file, int line)
{
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		fail("%s:%d: %s: %s", file, line, call, doca_error_get_name(result));
}

void *must_have(void *memory)
{
	if (memory == NULL)
		fail("out of memory");
	return memory;
}

void *payload_memory(size_t len)
{
	const size_t page = 4096, large = 2u << 20;
	size_t rounded = (len + page - 1) / page * page;
	void *memory = must_have(aligned_alloc(rounded < large ? page : large, rounded));
	if (rounded >= large)
		(void)madvise(memory, rounded, MADV_HUGEPAGE); /* a kernel that has none to give is as good as before */
	memset(memory, 0, rounded);
	return memory;
}

int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- both sides ---- */

struct side {
	const struct options *options;
	void (*run)(const struct options *);
};

/* Binds the calling thread to one of the processors that it may use, if there are two or more: one for each side. */
static void bind_to(uint32_t wanted)
{
	cpu_set_t allowed, one;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < 2)
		return;
	size_t cpu = 0;
	for (uint32_t left = wanted; !CPU_ISSET(cpu, &allowed) || left-- > 0;)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		fail("cannot bind to processor %zu", cpu);
}

static void *run_side(void *argument)
{
	const struct side *side = argument;
	bind_to(1);
	side->run(side->options);
	return NULL;
}

void run_sides(const struct options *options, void (*server)(const struct options *),
	       void (*client)(const struct options *))
{
	struct side side = {options, client};
	pthread_t thread;
	pid_t pid;
	int status;
	switch (options->form) {
	case FORM_SERVER:
		server(options);
		break;
	case FORM_CLIENT:
		client(options);
		break;
	case FORM_PROCESSES:
		/* Forked before anything of DOCA is in use. */
		pid = fork();
		if (pid < 0)
			fail("cannot fork");
		if (pid == 0) {
			bind_to(1);
			client(options);
			exit(0);
		}
		bind_to(0);
		server(options);
		if (waitpid(pid, &status, 0) != pid || status != 0)
			fail("the client's process ended with %d", status);
		break;
	case FORM_THREADS:
		if (pthread_create(&thread, NULL, run_side, &side) != 0)
			fail("cannot make a thread");
		bind_to(0);
		server(options);
		pthread_join(thread, NULL);
		break;
	case FORM_ONE:
	default:
		fail("%s does not work in this form", options->work);
	}
}

void run_threads(const struct options *options, void (*server)(const struct options *),
		 void (*client)(const struct options *))
{
	if (options->form != FORM_THREADS)
		fail("%s is a work of two threads", options->work);
	run_sides(options, server, client);
}

/* ---- command line ---- */

static double number(const char *text, double least)
{
	char *end;
	double value = strtod(text, &end);
	if (*end == 'k' || *end == 'K')
		value *= 1024, end++;
	else if (*end == 'm' || *end == 'M')
		value *= 1024 * 1024, end++;
	if (*text == '\0' || *end != '\0' || value < least)
		fail("not a number of at least %g: %s", least, text);
	return value;
}

static enum form form_of(const char *text)
{
	for (enum form form = FORM_ONE; form <= FORM_CLIENT; form++)
		if (strcmp(text, form_names[form]) == 0)
			return form;
	fail("no such form: %s", text);
}

static void parse(int argc, char **argv, struct options *options)
{
	if (argc < 2 || argc % 2 != 0) {
		fputs(usage, stderr);
		exit(2);
	}
	options->work = argv[1];
	for (int i = 2; i < argc; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];
		if (strcmp(name, "--form") == 0)
			options->form = form_of(value);
		else if (strcmp(name, "--size") == 0)
			options->size = (uint64_t)number(value, 8);
		else if (strcmp(name, "--depth") == 0)
			options->depth = (uint32_t)number(value, 1);
		else if (strcmp(name, "--warmup") == 0)
			options->warmup = number(value, 0);
		else if (strcmp(name, "--seconds") == 0)
			options->seconds = number(value, 0.001);
		else if (strcmp(name, "--connections") == 0)
			options->connections = (uint32_t)number(value, 1);
		else if (strcmp(name, "--producers") == 0)
			options->producers = (uint32_t)number(value, 1);
		else if (strcmp(name, "--name") == 0)
			options->name = value;
		else if (strcmp(name, "--dpu") == 0)
			options->dpu = value;
		else if (strcmp(name, "--function") == 0)
			options->function = value;
		else if (strcmp(name, "--kernel") == 0)
			options->kernel = value;
		else if (strcmp(name, "--since") == 0)
			options->since = strtoll(value, NULL, 10);
		else
			fail("no such option: %s", name);
	}
	if (options->producers > MAX_PRODUCERS)
		fail("%u producers, where %u are possible", options->producers, MAX_PRODUCERS);
}

/* Each connection takes a few descriptors. */
static void allow_descriptors(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct options options = {
		.form = FORM_THREADS,
		.size = 64,
		.depth = 256,
		.warmup = 0.5,
		.seconds = 2,
		.connections = 1,
		.producers = 1,
		.name = "comch4j-bench",
		.dpu = "0000:03:00.0",
		.function = "0000:b1:00.0",
	};
	parse(argc, argv, &options);
	allow_descriptors();
	if (strcmp(options.work, "fast") == 0 || strcmp(options.work, "flat") == 0 ||
	    strcmp(options.work, "batched") == 0 || strcmp(options.work, "control") == 0)
		work_throughput(&options, options.work[0] != 'c');
	else if (strcmp(options.work, "packed") == 0)
		work_packed(&options);
	else if (strcmp(options.work, "fast-rtt") == 0 || strcmp(options.work, "flat-rtt") == 0 ||
		 strcmp(options.work, "control-rtt") == 0)
		work_rtt(&options, options.work[0] == 'f');
#ifdef BENCH_DPA
	else if (strcmp(options.work, "msgq-rtt") == 0)
		work_msgq_rtt(&options);
#endif
#ifdef BENCH_DMA
	else if (strcmp(options.work, "dma") == 0)
		work_dma(&options);
#endif
	else if (strcmp(options.work, "ops") == 0)
		work_ops(&options);
	else if (strcmp(options.work, "idle") == 0)
		work_idle(&options);
	else if (strcmp(options.work, "setup") == 0)
		work_setup(&options);
	else if (strcmp(options.work, "first") == 0)
		work_first(&options, argv);
	else if (strcmp(options.work, "memcpy") == 0)
		work_memcpy(&options);
	else if (strcmp(options.work, "cores") == 0)
		work_cores(&options);
	else if (strcmp(options.work, "lines-rtt") == 0)
		work_lines_rtt(&options);
	else if (strcmp(options.work, "least-rtt") == 0)
		work_least_rtt(&options);
	else
		fail("no such work: %s", options.work);
	return 0;
}
