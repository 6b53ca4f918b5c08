/* Calls of DPA programs: memory of maps, and copies. */
#include "async_ops.h"
#include "doca_dpa_dev_buf.h"

doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle, uint64_t addr)
{
	if (emu_dpa_enter(EMU_DPA_MMAP, mmap_handle, __func__) == NULL)
		return 0;
	const void *pointer = emu_dpa_map_pointer(mmap_handle, addr, __func__);
	emu_dpa_leave();
	return (doca_dpa_dev_uintptr_t)(uintptr_t)pointer;
}

static const struct doca_dpa_dev_buf *of_handle(doca_dpa_dev_buf_t buf)
{
	return (const struct doca_dpa_dev_buf *)(uintptr_t)buf;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf)
{
	if (buf == 0) {
		struct emu_dpa_run *run = emu_dpa_run();
		if (run != NULL)
			emu_dpa_fail(run->dpa, "%s: no buffer", __func__);
		return 0;
	}
	return doca_dpa_dev_mmap_get_external_ptr(of_handle(buf)->mmap, of_handle(buf)->addr);
}

static void post_copy(doca_dpa_dev_async_ops_t handle, uint32_t dst_map, uint64_t dst, uint32_t src_map, uint64_t src,
		      uint64_t len, uint32_t flags, const char *call)
{
	struct doca_dpa_async_ops *ops = emu_dpa_enter(EMU_DPA_ASYNC_OPS, handle, call);
	if (ops == NULL)
		return;
	struct async_op op = {.call = call,
			      .reports = (flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS) == 0,
			      .copy = {.dst_map = dst_map, .dst = dst, .src_map = src_map, .src = src, .len = len}};
	async_ops_post(ops, &op);
	emu_dpa_leave();
}

void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_mmap_t dst_mmap_handle,
			      uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
			      uint32_t flags)
{
	post_copy(async_ops_handle, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr, length, flags, __func__);
}

void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_buf_t dst_buf_handle,
				  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
	struct emu_dpa_run *run = emu_dpa_run();
	if (run == NULL || dst_buf_handle == 0 || src_buf_handle == 0) {
		if (run != NULL)
			emu_dpa_fail(run->dpa, "%s: no buffer", __func__);
		return;
	}
	const struct doca_dpa_dev_buf *dst = of_handle(dst_buf_handle), *src = of_handle(src_buf_handle);
	post_copy(async_ops_handle, dst->mmap, dst->addr, src->mmap, src->addr, src->len, flags, __func__);
}
