/* Flags whose values are devices and representors. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_dev.h"

#define DONE "-> DOCA_SUCCESS\n"
#define NOT_FOUND "USAGE\n-> DOCA_ERROR_NOT_FOUND\n"

static const char *kept; /* as programs do, DOCA's own among them */

static void print_device(const struct doca_argp_device_ctx *device)
{
	char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = "";
	(void)doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(device->dev), address);
	printf("device %s, %s\n", address, device->devargs == NULL ? "nothing" : device->devargs);
	kept = device->devargs;
}

static doca_error_t on_device(void *param, void *config)
{
	(void)config;
	const struct doca_argp_device_ctx *device = param;
	print_device(device);
	return doca_dev_close(device->dev);
}

static doca_error_t on_rep(void *param, void *config)
{
	(void)config;
	const struct doca_argp_device_rep_ctx *rep = param;
	char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = "";
	print_device(&rep->dev_ctx);
	(void)doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep->dev_rep), address);
	printf("representor of %s\n", address);
	doca_error_t result = doca_dev_rep_close(rep->dev_rep);
	return result == DOCA_SUCCESS ? doca_dev_close(rep->dev_ctx.dev) : result;
}

static doca_error_t on_keeping(void *config)
{
	(void)config;
	printf("kept %s\n", kept == NULL ? "nothing" : kept);
	return DOCA_SUCCESS;
}

static doca_error_t on_open(struct doca_devinfo *devinfo, void *context, struct doca_dev **dev)
{
	printf("open, %s\n", (const char *)context);
	return doca_dev_open(devinfo, dev);
}

static doca_error_t on_failing_open(struct doca_devinfo *devinfo, void *context, struct doca_dev **dev)
{
	(void)devinfo;
	(void)context;
	(void)dev;
	return DOCA_ERROR_NOT_PERMITTED;
}

static void with_devices(void)
{
	add_flag(&(struct flag){
		"d", "device", NULL, "A device", on_device, DOCA_ARGP_TYPE_DEVICE, {doca_argp_param_set_multiplicity}});
	add_flag(&(struct flag){"r",
				"rep",
				NULL,
				"A representor",
				on_rep,
				DOCA_ARGP_TYPE_DEVICE_REP,
				{doca_argp_param_set_multiplicity}});
}

static void with_open(void)
{
	with_devices();
	OK(doca_argp_register_dev_open_callback(on_open, (void *)"here"));
}

static void with_failing_open(void)
{
	with_devices();
	OK(doca_argp_register_dev_open_callback(on_failing_open, NULL));
}

static void with_keeping(void)
{
	with_devices();
	OK(doca_argp_register_validation_callback(on_keeping));
}

static void devices_are_opened(void **state)
{
	(void)state;
	check_line(0, with_devices, "-d pci/0000:03:00.0", "device 0000:03:00.0, nothing\n" DONE, NULL);
	check_line(0, with_devices, "-d pci/03:00.0,dv_flow_en=2,a=b", "device 0000:03:00.0, dv_flow_en=2,a=b\n" DONE,
		   NULL);
	check_line(0, with_devices, "-d pci/03:00.0 --device pci/0000:b1:00.0",
		   "device 0000:03:00.0, nothing\ndevice 0000:b1:00.0, nothing\n" DONE, NULL);
	check_line(0, with_keeping, "-d pci/03:00.0,kept=1", "device 0000:03:00.0, kept=1\nkept kept=1\n" DONE, NULL);
	static const char *const nowhere[] = {
		"-d pci/0000:44:00.0", "-d 03:00.0", "-d pci/", "-d pci/x", "-d ", "-d ,"};
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		check_line(0, with_devices, nowhere[i], NOT_FOUND, "There is no device");
}

static void representors_are_opened(void **state)
{
	(void)state;
	check_line(0, with_devices, "-r pci/0000:03:00.0,pf0hpf",
		   "device 0000:03:00.0, nothing\nrepresentor of 0000:b1:00.0\n" DONE, NULL);
	check_line(0, with_devices, "-r pci/03:00.0,emu_pf0hpf,x=1",
		   "device 0000:03:00.0, x=1\nrepresentor of 0000:b1:00.0\n" DONE, NULL);
	static const char *const nowhere[] = {"-r pci/03:00.0",        "-r pci/03:00.0,", "-r pci/03:00.0,pf0vf44",
					      "-r pci/44:00.0,pf0hpf", "-r pf0hpf",       "-r pci/b1:00.0,pf0hpf"};
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		check_line(0, with_devices, nowhere[i], NOT_FOUND, "There is no representor");
}

static void a_program_may_open_them_itself(void **state)
{
	(void)state;
	check_line(0, with_open, "-d pci/03:00.0", "open, here\ndevice 0000:03:00.0, nothing\n" DONE, NULL);
	check_line(0, with_open, "-r pci/03:00.0,pf0hpf",
		   "open, here\ndevice 0000:03:00.0, nothing\nrepresentor of 0000:b1:00.0\n" DONE, NULL);
	check_line(0, with_failing_open, "-d pci/03:00.0", "USAGE\n-> DOCA_ERROR_NOT_PERMITTED\n", NULL);
	check_line(0, with_failing_open, "-r pci/03:00.0,pf0hpf", "USAGE\n-> DOCA_ERROR_NOT_PERMITTED\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_opened),
		cmocka_unit_test(representors_are_opened),
		cmocka_unit_test(a_program_may_open_them_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
