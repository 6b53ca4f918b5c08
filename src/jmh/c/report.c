#include "report.h"

static const char *separator;

static void name_of(const char *name)
{
	printf("%s\"%s\":", separator, name);
	separator = ",";
}

void report_begin(const struct options *options, const char *work)
{
	separator = "{";
	report_text("impl", "c");
	report_text("work", work);
	report_text("form", form_name(options->form));
	report_count("size", options->size);
	report_count("depth", options->depth);
	report_count("producers", options->producers);
	report_number("warmup", options->warmup);
}

void report_number(const char *name, double value)
{
	name_of(name);
	printf("%.6g", value);
}

void report_count(const char *name, uint64_t value)
{
	name_of(name);
	printf("%llu", (unsigned long long)value);
}

void report_text(const char *name, const char *value)
{
	name_of(name);
	printf("\"%s\"", value);
}

void report_end(void)
{
	printf("}\n");
	fflush(stdout);
}

void report_value(double value, const char *unit)
{
	report_number("value", value);
	report_text("unit", unit);
}

void report_percentiles(const char *prefix, const struct histogram *histogram)
{
	static const struct {
		const char *name;
		double percent;
	} list[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99_9", 99.9}, {"p99_99", 99.99}};
	char name[64];
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, list[i].name);
		report_count(name, histogram_percentile(histogram, list[i].percent));
	}
	snprintf(name, sizeof(name), "%smax", prefix);
	report_count(name, histogram->max);
	snprintf(name, sizeof(name), "%smean", prefix);
	report_number(name, histogram->total == 0 ? 0 : (double)histogram->sum / (double)histogram->total);
}
