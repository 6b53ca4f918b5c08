/* The two libraries as a Java program loads them: by path, from a folder that holds just lib<name>.so. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static char folder[] = "/tmp/comch4j-loading.XXXXXX";

static void path_of(const char *name, char *path)
{
	snprintf(path, PATH_MAX, "%s/lib%s.so", folder, name);
}

static void copy(const char *name)
{
	static char bytes[1 << 16];
	char path[PATH_MAX];
	snprintf(path, sizeof(path), LIBRARY_FOLDER "/lib%s.so", name);
	FILE *from = fopen(path, "rb");
	assert_non_null(from);
	path_of(name, path);
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	size_t len;
	while ((len = fread(bytes, 1, sizeof(bytes), from)) > 0)
		assert_int_equal(len, fwrite(bytes, 1, len, to));
	assert_int_equal(0, fclose(to));
	fclose(from);
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	copy("doca_common");
	copy("doca_comch");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	char path[PATH_MAX];
	path_of("doca_common", path);
	unlink(path);
	path_of("doca_comch", path);
	unlink(path);
	return rmdir(folder);
}

static void *load(const char *name)
{
	char path[PATH_MAX];
	path_of(name, path);
	/* As System.load does. */
	void *library = dlopen(path, RTLD_LAZY);
	if (library == NULL)
		fail_msg("%s", dlerror());
	return library;
}

static void comch_finds_common_by_its_soname(void **state)
{
	(void)state;
	void *common = load("doca_common");
	void *comch = load("doca_comch");
	assert_non_null(dlsym(comch, "doca_comch_server_create"));
	/* One copy: what comch sees of common is what was loaded. */
	assert_ptr_equal(dlsym(common, "doca_pe_progress"), dlsym(comch, "doca_pe_progress"));
	assert_non_null(dlsym(common, "doca_pe_progress"));
	dlclose(comch);
	dlclose(common);
}

static void nothing_but_the_abi_and_the_private_interface_is_exported(void **state)
{
	(void)state;
	void *common = load("doca_common");
	assert_non_null(dlsym(common, "emu_ctx_enter"));
	assert_null(dlsym(common, "emu_pe_remove"));
	assert_null(dlsym(common, "emu_mmap_new"));
	dlclose(common);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comch_finds_common_by_its_soname),
		cmocka_unit_test(nothing_but_the_abi_and_the_private_interface_is_exported),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
