/*
 * What programs take from the SDK's headers beyond functions: macros, inline functions, constants. One source for C and
 * C++ (sdk_user.sh compiles it as both and runs it), because much of it behaves differently in the two.
 *
 * SEMICOLON: DOCA_LOG_REGISTER with a semicolon behind it. Programs write it with and without; pedantic C must not.
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_common_defines.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <doca_version.h>

#ifdef SEMICOLON
DOCA_LOG_REGISTER(SDK::USER);
#else
DOCA_LOG_REGISTER(SDK::USER)
#endif

#define check(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "line %d does not hold: %s\n", __LINE__, #condition);                          \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static char record[1024];
static int records;

static void count_record(char *buffer)
{
	(void)buffer;
	records++;
}

static int says(const char *text)
{
	return strstr(record, text) != NULL;
}

/* The first constructors that a program may have: the file's source is registered by then. */
DOCA_USED __attribute__((constructor(102))) static void log_before_main(void)
{
	struct doca_log_backend *backend;
	check(doca_log_backend_create_with_buf(record, sizeof(record), count_record, &backend) == DOCA_SUCCESS);
	check(DOCA_LOG(DOCA_LOG_LEVEL_ERROR, "early") == DOCA_SUCCESS);
	check(records == 1 && says(" ERROR SDK::USER log_before_main ") && says(": early\n"));
}

static void log_macros(void)
{
	records = 0;
	check(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE) == DOCA_SUCCESS);
	DOCA_LOG_CRIT("critical");
	check(records == 1 && says(" SDK::USER log_macros ") && says(": critical\n"));
	DOCA_LOG_ERR("error %d", 1);
	check(records == 2 && says(": error 1\n"));
	DOCA_LOG_WARN("warning %s, %d", "two", 2);
	check(records == 3 && says(": warning two, 2\n"));
	DOCA_LOG_INFO("info");
	check(records == 4 && says(": info\n"));
	DOCA_LOG_DBG("debug %zu", (size_t)5);
	check(records == 5 && says(": debug 5\n"));
	int evaluated = 0;
	DOCA_LOG_TRC("trace %d", ++evaluated);
#ifdef DOCA_LOGGING_ALLOW_TRACE
	check(records == 6 && says(": trace 1\n") && evaluated == 1);
#else
	check(records == 5 && evaluated == 0);
#endif
	records = 0;
	/* One statement, also between if and else. */
	if (records == 0)
		DOCA_LOG_INFO("then");
	else
		DOCA_LOG_TRC("else");
	check(records == 1 && says(": then\n"));
	/* An expression that tells how it went. */
	const doca_error_t result = DOCA_LOG(DOCA_LOG_LEVEL_WARNING, "%d per cent", 100);
	check(result == DOCA_SUCCESS && records == 2 && says(": 100 per cent\n"));
	check(DOCA_LOG(1000, "of no level") == DOCA_ERROR_INVALID_VALUE && records == 2);
}

static void handles(void)
{
	doca_event_handle_t handle = doca_event_invalid_handle;
	struct doca_pe *pe = NULL;
	check(handle == -1);
	check(1 - doca_event_invalid_handle == 2); /* it is one value wherever it stands */
	check(doca_pe_create(&pe) == DOCA_SUCCESS);
	check(doca_pe_get_notification_handle(pe, &handle) == DOCA_SUCCESS);
	check(handle != doca_event_invalid_handle);
	check(doca_pe_destroy(pe) == DOCA_SUCCESS);
}

static void errors_and_hints(void)
{
	doca_error_t first = DOCA_SUCCESS;
	int evaluated = 0;
	check(doca_likely(++evaluated > 0) && evaluated == 1);
	check(doca_unlikely(evaluated & 1) == 1);
	check(doca_likely(4) == 1 && doca_unlikely(0) == 0);
	check(!DOCA_IS_ERROR(first));
	DOCA_ERROR_PROPAGATE(first, DOCA_ERROR_AGAIN);
	DOCA_ERROR_PROPAGATE(first, DOCA_ERROR_EMPTY);
	check(DOCA_IS_ERROR(first) && first == DOCA_ERROR_AGAIN);
}

static void versions(void)
{
#if DOCA_VERSION_MAJOR < 3
#error "the parts of the version can be compared by the preprocessor"
#endif
	check(strcmp(doca_version(), DOCA_VERSION_STRING) == 0);
	check(DOCA_VERSION_EXACT == ((3u << 24) | 58));
	check(DOCA_VERSION_EQ_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH));
	check(!DOCA_VERSION_EQ_CURRENT(2, 7, 85));
	check(DOCA_VERSION_LTE_CURRENT(2, 9, 0) && DOCA_VERSION_LTE_CURRENT(3, 0, 0));
	check(DOCA_VERSION_LTE_CURRENT(3, 0, 58) && !DOCA_VERSION_LTE_CURRENT(3, 0, 59));
	check(!DOCA_VERSION_LTE_CURRENT(3, 1, 0) && !DOCA_VERSION_LTE_CURRENT(4, 0, 0));
}

static void memory(void)
{
	static uint8_t bytes[256];
	struct doca_mmap *mmap = NULL;
	struct doca_buf_inventory *inventory = NULL;
	struct doca_buf_pool *pool = NULL;
	struct doca_buf *buf = NULL;
	size_t len = 0;
	check(doca_mmap_create(&mmap) == DOCA_SUCCESS);
	check(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)) == DOCA_SUCCESS);
	check(doca_mmap_start(mmap) == DOCA_SUCCESS);
	check(doca_buf_inventory_create(1, &inventory) == DOCA_SUCCESS);
	check(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	check(doca_buf_inventory_buf_get_by_data(inventory, mmap, bytes, 16, &buf) == DOCA_SUCCESS);
	check(doca_buf_get_data_len(buf, &len) == DOCA_SUCCESS && len == 16);
	check(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	check(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 16, &buf) == DOCA_SUCCESS);
	check(doca_buf_get_data_len(buf, &len) == DOCA_SUCCESS && len == 0);
	check(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	check(doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS);
	check(doca_buf_pool_create(2, 128, mmap, &pool) == DOCA_SUCCESS);
	check(doca_buf_pool_start(pool) == DOCA_SUCCESS);
	check(doca_buf_pool_buf_alloc(pool, &buf) == DOCA_SUCCESS);
	check(doca_buf_get_len(buf, &len) == DOCA_SUCCESS && len == 128);
	check(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	check(doca_buf_pool_destroy(pool) == DOCA_SUCCESS);
	check(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
}

#ifdef __cplusplus
/* A logging constructor of an object with static storage, and a second source of the same file. */
namespace inner
{
DOCA_LOG_REGISTER(SDK::INNER);

struct logging {
	doca_error_t result;
	logging() : result(DOCA_LOG(DOCA_LOG_LEVEL_INFO, "from a constructor"))
	{
	}
};

static const logging at_start;

static void log_as_the_inner_source()
{
	DOCA_LOG_ERR("inner");
}
} // namespace inner

static void only_cxx()
{
	check(inner::at_start.result == DOCA_SUCCESS);
	inner::log_as_the_inner_source();
	check(says(" SDK::INNER log_as_the_inner_source "));
	const auto lambda = [](const char *text) { DOCA_LOG_INFO("%s", text); };
	lambda("lambda");
	check(says(": lambda\n"));
	doca_data data{};
	check(data.ptr == nullptr && data.u64 == 0);
	doca_gather_list list{};
	check(list.next == nullptr);
	const auto handle = static_cast<doca_notification_handle_t>(doca_event_invalid_handle);
	check(handle < 0);
}
#endif

int main(void)
{
	log_macros();
	handles();
	errors_and_hints();
	versions();
	memory();
#ifdef __cplusplus
	only_cxx();
#endif
	puts("all holds");
	return 0;
}
