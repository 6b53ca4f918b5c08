#include "core/release.h"
#include "memory/buf_internal.h"

/* Window: unchecked, as documented; a window outside the buffer is noticed when a task uses it. */

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	buf->data_len = 0;
	return DOCA_SUCCESS;
}

/* References. */

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	*refcount = buf->refcount;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	if (buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->inner)
		return DOCA_ERROR_NOT_PERMITTED;
	if (buf->refcount == 0)
		return READING_BUF_IS_FREE;
	if (buf->refcount == UINT16_MAX)
		return DOCA_ERROR_TOO_BIG;
	if (refcount != NULL)
		*refcount = buf->refcount;
	buf->refcount++;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (EMU_UNLIKELY(buf->inner))
		return DOCA_ERROR_NOT_PERMITTED;
	uint16_t before = buf->refcount;
	if (EMU_UNLIKELY(before == 0))
		return DOCA_ERROR_BAD_STATE;
	if (refcount != NULL)
		*refcount = before;
	if (EMU_UNLIKELY(before > 1)) {
		buf->refcount = (uint16_t)(before - 1);
		return DOCA_SUCCESS;
	}
	do {
		struct doca_buf *next = buf->next;
		emu_buf_put(buf);
		buf = next;
	} while (EMU_UNLIKELY(buf != NULL));
	return DOCA_SUCCESS;
}

/* Lists. The head alone has a reference count that changes; inner ones keep 1. */

static struct doca_buf *last_of(struct doca_buf *buf)
{
	while (buf->next != NULL)
		buf = buf->next;
	return buf;
}

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
	if (buf == NULL || last_buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*last_buf = last_of(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
	*is_last = buf->next == NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
	*is_first = buf->inner ? 0 : emu_release.first_in_list;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
	*is_in_list = buf->inner || buf->next != NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
	if (buf == NULL || num_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->inner && !emu_release.list_len_of_any)
		return DOCA_ERROR_NOT_PERMITTED;
	*num_elements = emu_buf_list_len(buf);
	return DOCA_SUCCESS;
}

static doca_error_t chain(struct doca_buf *head, struct doca_buf *tail, struct doca_buf *list2)
{
	if (head->refcount == 0 || list2->refcount != 1 || list2->inner || tail->next != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	tail->next = list2;
	list2->inner = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	if (list1 == NULL || list2 == NULL || list1 == list2)
		return DOCA_ERROR_INVALID_VALUE;
	/* A free buf's link leads through the inventory. */
	if (list1->inner || list1->refcount == 0)
		return DOCA_ERROR_NOT_PERMITTED;
	return chain(list1, last_of(list1), list2);
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail, struct doca_buf *list2)
{
	if (list1_head == NULL || list1_tail == NULL || list2 == NULL || list1_head == list2 || list1_tail == list2)
		return DOCA_ERROR_INVALID_VALUE;
	/* That the tail belongs to the head is the caller's word: finding out is what this call saves. */
	if (list1_head->inner || (list1_tail != list1_head && !list1_tail->inner))
		return DOCA_ERROR_NOT_PERMITTED;
	return chain(list1_head, list1_tail, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	if (list1 == NULL || list2 == NULL || list1 == list2 || list1->inner || list1->refcount == 0)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_buf *before = list1;
	while (before->next != list2) {
		before = before->next;
		if (before == NULL)
			return DOCA_ERROR_INVALID_VALUE;
	}
	before->next = NULL;
	list2->inner = false;
	return DOCA_SUCCESS;
}
