/* A server with many connections: what its progress costs while they are idle, and how fast connections are made. One
 * thread has all sides. */
#include <string.h>

#include "endpoint.h"
#include "report.h"

#define CALLS_PER_LOOK 1000u

static void ignore_message(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	(void)endpoint;
	(void)bytes;
	(void)len;
}

void work_idle(const struct options *options)
{
	struct device dpu, host;
	struct endpoint server = {.on_message = ignore_message};
	struct endpoint *clients = must_have(calloc(options->connections, sizeof(*clients)));
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 8);
	struct doca_pe *pe = loop_new_pe();
	for (uint32_t i = 0; i < options->connections; i++) {
		clients[i].on_message = ignore_message;
		client_open(&clients[i], &host, options->name, 8, pe);
	}
	WAIT_FOR(server.num_connections == options->connections);
	int64_t start = now_ns();
	int64_t warm = start + (int64_t)(options->warmup * 1e9), end = warm + (int64_t)(options->seconds * 1e9);
	struct histogram *histogram = must_have(calloc(1, sizeof(*histogram)));
	uint64_t calls = 0, worked = 0;
	int64_t measured = 0;
	for (int64_t before = now_ns(), after; before < end; before = after) {
		for (uint32_t i = 0; i < CALLS_PER_LOOK; i++)
			worked += doca_pe_progress(server.pe);
		after = now_ns();
		if (before >= warm) {
			calls += CALLS_PER_LOOK;
			measured += after - before;
			histogram_add(histogram, (uint64_t)(after - before));
		}
	}
	report_begin(options, "idle");
	report_count("connections", options->connections);
	/* The median of blocks: what else runs on the machine must not count. */
	report_value((double)histogram_percentile(histogram, 50) / CALLS_PER_LOOK, "ns/op");
	report_number("mean", (double)measured / (double)calls);
	report_count("operations", calls);
	report_count("worked", worked);
	report_end();
	for (uint32_t i = 0; i < options->connections; i++)
		endpoint_close(&clients[i]);
	WAIT_FOR(server.num_connections == 0);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
	free(clients);
	free(histogram);
}

void work_setup(const struct options *options)
{
	struct device dpu, host;
	struct endpoint server = {.on_message = ignore_message};
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 8);
	struct doca_pe *pe = loop_new_pe();
	struct histogram *histogram = must_have(calloc(1, sizeof(*histogram)));
	int64_t begin = now_ns();
	int64_t warm = begin + (int64_t)(options->warmup * 1e9), end = warm + (int64_t)(options->seconds * 1e9);
	uint64_t cycles = 0;
	int64_t from = 0, now;
	while ((now = now_ns()) < end) {
		struct endpoint client = {.on_message = ignore_message};
		if (from == 0 && now >= warm)
			from = now;
		client_open(&client, &host, options->name, 8, pe);
		WAIT_FOR(server.num_connections == 1);
		if (from != 0)
			histogram_add(histogram, (uint64_t)(now_ns() - now));
		endpoint_close(&client);
		WAIT_FOR(server.num_connections == 0);
		cycles += from != 0;
	}
	report_begin(options, "setup");
	report_value((double)cycles * 1e9 / (double)(now - from), "connections/s");
	report_count("connections", cycles);
	report_percentiles("connect_", histogram);
	report_end();
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
	free(histogram);
}
