#include "window.h"

#include <stdlib.h>

#include "report.h"

void window_open(struct window *window, const struct options *options)
{
	*window = (struct window){.warm = now_ns() + (int64_t)(options->warmup * 1e9),
				  .length = (int64_t)(options->seconds * 1e9) / WINDOWS};
}

bool window_look(struct window *window, uint64_t received, uint64_t empty)
{
	int64_t now = now_ns();
	if (now < (window->known == 0 ? window->warm : window->at[window->known - 1] + window->length))
		return false;
	if (window->known == 0)
		window->empty_before = empty;
	window->at[window->known] = now;
	window->num[window->known] = received;
	window->known++;
	window->empty = empty - window->empty_before;
	return window->known > WINDOWS;
}

static int by_rate(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

void report_window(const struct options *options, const char *work, const struct window *window, uint64_t checked)
{
	double rates[WINDOWS];
	for (uint32_t i = 0; i < WINDOWS; i++)
		rates[i] = (double)(window->num[i + 1] - window->num[i]) * 1e9 /
			   (double)(window->at[i + 1] - window->at[i]);
	qsort(rates, WINDOWS, sizeof(rates[0]), by_rate);
	report_begin(options, work);
	report_value(rates[WINDOWS / 2], "msg/s");
	report_number("slowest", rates[0]);
	report_number("fastest", rates[WINDOWS - 1]);
	report_number("bytes_per_s", rates[WINDOWS / 2] * (double)options->size);
	report_count("messages", window->num[WINDOWS] - window->num[0]);
	report_number("seconds", (double)(window->at[WINDOWS] - window->at[0]) / 1e9);
	report_count("empty", window->empty);
	report_count("checked", checked);
	report_end();
}

void report_sender(const struct options *options, const char *work, uint64_t sent, uint64_t again)
{
	char name[32];
	snprintf(name, sizeof(name), "%s-sender", work);
	report_begin(options, name);
	report_value(sent == 0 ? 0 : (double)again / (double)sent, "again/msg");
	report_count("sent", sent);
	report_count("again", again);
	report_end();
}
