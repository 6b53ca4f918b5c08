/* probe TABLE.tsv FOLDER CALLS…: what the DOCA libraries in FOLDER answer to the calls in the files CALLS, and to NULL
 * for each pointer of the functions of TABLE. Prints, separated by tabs: function, case/number, result, outputs. */
#include <stdio.h>

#include "probe.h"

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: %s TABLE.tsv FOLDER CALLS…\n", argv[0]);
		return 2;
	}
	table_read(argv[1]);
	for (int i = 3; i < argc; i++)
		script_read(argv[i]);
	library_open(argv[2]);
	script_run_cases();
	nulls_run();
	return 0;
}
