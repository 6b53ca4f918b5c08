/* Round trips over MsgQ to a kernel that polls (the kernel of comch perf) and back, one message at a time. */
#include <dlfcn.h>

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_dpa.h>

#include "endpoint.h"
#include "rounds.h"

/* The kernel's, in memory of the DPA. */
struct ends {
	uint64_t completion, consumer, producer, stop;
};

struct kernel {
	void *library;
	struct doca_dpa_app *app;
	doca_dpa_func_t *echo, *make_room;
};

struct link {
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_dpa_thread *thread;
	struct doca_comch_consumer_completion *found; /* what the kernel finds */
	struct doca_dpa_completion *answered;
	struct doca_comch_consumer *dpa_consumer, *consumer;
	struct doca_comch_producer *dpa_producer, *producer;
	doca_dpa_dev_uintptr_t ends;
	struct doca_task *send;
	bool sent;
	uint64_t received;
};

static void *symbol(const struct kernel *kernel, const char *name)
{
	void *found = dlsym(kernel->library, name);
	if (found == NULL)
		fail("%s", dlerror());
	return found;
}

static void kernel_load(struct kernel *kernel, const char *file)
{
	if (file == NULL)
		fail("--kernel does not name the kernel's library");
	kernel->library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
	if (kernel->library == NULL)
		fail("%s", dlerror());
	kernel->app = *(struct doca_dpa_app **)symbol(kernel, "bench_kernel");
	*(void **)&kernel->echo = symbol(kernel, "echo");
	*(void **)&kernel->make_room = symbol(kernel, "make_room");
}

/* ---- the CPU's ends ---- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct link *link = ctx_data.ptr;
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	(void)task_data;
	if (doca_task_get_status(base) != DOCA_SUCCESS)
		fail("a send failed: %s", doca_error_get_name(doca_task_get_status(base)));
	link->sent = true;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct link *link = ctx_data.ptr;
	(void)task_data;
	link->received++;
	MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void consumer_open(struct link *link, const struct options *options)
{
	MUST(doca_comch_msgq_consumer_create(link->from_dpa, &link->consumer));
	MUST(doca_comch_consumer_set_imm_data_len(link->consumer, (uint32_t)options->size));
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(link->consumer);
	MUST(doca_pe_connect_ctx(link->pe, ctx));
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = link}));
	MUST(doca_comch_consumer_task_post_recv_set_conf(link->consumer, on_received, on_flushed, options->depth));
	MUST(doca_ctx_start(ctx));
	for (uint32_t i = 0; i < options->depth; i++) {
		struct doca_comch_consumer_task_post_recv *task;
		MUST(doca_comch_consumer_task_post_recv_alloc_init(link->consumer, NULL, &task));
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static void producer_open(struct link *link, const struct options *options, uint8_t *message)
{
	MUST(doca_comch_msgq_producer_create(link->to_dpa, &link->producer));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(link->producer);
	MUST(doca_pe_connect_ctx(link->pe, ctx));
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = link}));
	MUST(doca_comch_producer_task_send_set_conf(link->producer, on_sent, on_sent, options->depth));
	MUST(doca_ctx_start(ctx));
	struct doca_comch_producer_task_send *task;
	MUST(doca_comch_producer_task_send_alloc_init(link->producer, NULL, message, (uint32_t)options->size, 1,
						      &task));
	link->send = doca_comch_producer_task_send_as_task(task);
	link->sent = true;
}

/* ---- the DPA's ends ---- */

static void dpa_open(struct link *link, const struct device *device, const struct kernel *kernel)
{
	MUST(doca_dpa_create(device->dev, &link->dpa));
	MUST(doca_dpa_set_app(link->dpa, kernel->app));
	MUST(doca_dpa_start(link->dpa));
	MUST(doca_dpa_mem_alloc(link->dpa, sizeof(struct ends), &link->ends));
	MUST(doca_dpa_memset(link->dpa, link->ends, 0, sizeof(struct ends)));
	MUST(doca_dpa_thread_create(link->dpa, &link->thread));
	MUST(doca_dpa_thread_set_func_arg(link->thread, kernel->echo, link->ends));
	MUST(doca_dpa_thread_start(link->thread));
}

static struct doca_comch_msgq *queue(const struct device *device, struct doca_dpa *consumers,
				     struct doca_dpa *producers)
{
	struct doca_comch_msgq *msgq;
	MUST(doca_comch_msgq_create(device->dev, &msgq));
	MUST(consumers != NULL ? doca_comch_msgq_set_dpa_consumer(msgq, consumers)
			       : doca_comch_msgq_set_dpa_producer(msgq, producers));
	MUST(doca_comch_msgq_set_max_num_consumers(msgq, 1));
	MUST(doca_comch_msgq_set_max_num_producers(msgq, 1));
	MUST(doca_comch_msgq_start(msgq));
	return msgq;
}

static void dpa_consumer_open(struct link *link, const struct options *options)
{
	MUST(doca_comch_consumer_completion_create(&link->found));
	MUST(doca_comch_consumer_completion_set_max_num_consumers(link->found, 1));
	MUST(doca_comch_consumer_completion_set_max_num_recv(link->found, options->depth));
	MUST(doca_comch_consumer_completion_set_imm_data_len(link->found, (uint32_t)options->size));
	MUST(doca_comch_consumer_completion_set_dpa_thread(link->found, link->thread));
	MUST(doca_comch_consumer_completion_start(link->found));
	MUST(doca_comch_msgq_consumer_create(link->to_dpa, &link->dpa_consumer));
	MUST(doca_comch_consumer_set_imm_data_len(link->dpa_consumer, (uint32_t)options->size));
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(link->dpa_consumer);
	MUST(doca_ctx_set_datapath_on_dpa(ctx, link->dpa));
	MUST(doca_comch_consumer_set_dev_max_num_recv(link->dpa_consumer, options->depth));
	MUST(doca_comch_consumer_set_completion(link->dpa_consumer, link->found, 0));
	MUST(doca_ctx_start(ctx));
}

static void dpa_producer_open(struct link *link, const struct options *options)
{
	MUST(doca_dpa_completion_create(link->dpa, options->depth, &link->answered));
	MUST(doca_dpa_completion_start(link->answered));
	MUST(doca_comch_msgq_producer_create(link->from_dpa, &link->dpa_producer));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(link->dpa_producer);
	MUST(doca_ctx_set_datapath_on_dpa(ctx, link->dpa));
	MUST(doca_comch_producer_set_dev_max_num_send(link->dpa_producer, options->depth));
	MUST(doca_comch_producer_dpa_completion_attach(link->dpa_producer, link->answered));
	MUST(doca_ctx_start(ctx));
}

static void run_kernel(struct link *link, const struct kernel *kernel, uint32_t depth)
{
	struct ends ends = {0};
	MUST(doca_comch_consumer_completion_get_dpa_handle(link->found, &ends.completion));
	MUST(doca_comch_consumer_get_dpa_handle(link->dpa_consumer, &ends.consumer));
	MUST(doca_comch_producer_get_dpa_handle(link->dpa_producer, &ends.producer));
	MUST(doca_dpa_h2d_memcpy(link->dpa, link->ends, &ends, sizeof(ends)));
	uint64_t nothing;
	MUST(doca_dpa_rpc(link->dpa, kernel->make_room, &nothing, ends.consumer, depth));
	MUST(doca_dpa_thread_run(link->thread));
}

static void end_kernel(struct link *link)
{
	uint64_t stop = 1;
	MUST(doca_dpa_h2d_memcpy(link->dpa, link->ends + offsetof(struct ends, stop), &stop, sizeof(stop)));
}

/* ---- the work ---- */

static void stop(struct doca_ctx *ctx)
{
	MUST(doca_ctx_stop(ctx));
	WAIT_FOR(ctx_state(ctx) == DOCA_CTX_STATE_IDLE);
}

static void link_close(struct link *link)
{
	doca_task_free(link->send);
	stop(doca_comch_producer_as_ctx(link->producer));
	stop(doca_comch_consumer_as_ctx(link->consumer));
	stop(doca_comch_producer_as_ctx(link->dpa_producer));
	stop(doca_comch_consumer_as_ctx(link->dpa_consumer));
	MUST(doca_comch_producer_destroy(link->producer));
	MUST(doca_comch_consumer_destroy(link->consumer));
	MUST(doca_comch_producer_destroy(link->dpa_producer));
	MUST(doca_comch_consumer_destroy(link->dpa_consumer));
	MUST(doca_comch_msgq_stop(link->to_dpa));
	MUST(doca_comch_msgq_destroy(link->to_dpa));
	MUST(doca_comch_msgq_stop(link->from_dpa));
	MUST(doca_comch_msgq_destroy(link->from_dpa));
	MUST(doca_comch_consumer_completion_stop(link->found));
	MUST(doca_comch_consumer_completion_destroy(link->found));
	MUST(doca_dpa_completion_stop(link->answered));
	MUST(doca_dpa_completion_destroy(link->answered));
	MUST(doca_dpa_thread_stop(link->thread));
	MUST(doca_dpa_thread_destroy(link->thread));
	MUST(doca_dpa_mem_free(link->dpa, link->ends));
	MUST(doca_dpa_stop(link->dpa));
	MUST(doca_dpa_destroy(link->dpa));
}

static void ping(struct link *link)
{
	uint64_t before = link->received;
	doca_error_t result;
	while (!link->sent || (result = doca_task_submit(link->send)) == DOCA_ERROR_AGAIN)
		doca_pe_progress(link->pe);
	MUST(result);
	link->sent = false;
	while (link->received == before)
		doca_pe_progress(link->pe);
}

void work_msgq_rtt(const struct options *options)
{
	struct device device;
	struct kernel kernel;
	struct link link = {.pe = loop_new_pe()};
	kernel_load(&kernel, options->kernel);
	device_open_host(&device, options);
	uint8_t *message = must_have(calloc(1, options->size));
	dpa_open(&link, &device, &kernel);
	link.to_dpa = queue(&device, link.dpa, NULL);
	link.from_dpa = queue(&device, NULL, link.dpa);
	dpa_consumer_open(&link, options);
	dpa_producer_open(&link, options);
	consumer_open(&link, options);
	producer_open(&link, options, message);
	run_kernel(&link, &kernel, options->depth);
	struct rounds *rounds = rounds_open(options);
	do
		ping(&link);
	while (rounds_record(rounds));
	rounds_report(options, options->work, rounds);
	end_kernel(&link);
	WAIT_FOR(link.sent);
	link_close(&link);
	device_close(&device);
	free(message);
	dlclose(kernel.library);
}
