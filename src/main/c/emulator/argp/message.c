#include <stdarg.h>
#include <stdio.h>

#include "argp.h"
#include "log/sdk_log.h"

__attribute__((format(printf, 2, 3))) static void call_logger(enum doca_log_level level, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)argp_parser.logger_callback(level, format, arguments);
	va_end(arguments);
}

void argp_tell(enum doca_log_level level, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	emu_log(level, "%s", text);
	if (argp_parser.logger_callback != NULL)
		call_logger(level, "%s", text);
	else
		fprintf(stderr, "%s\n", text);
}
