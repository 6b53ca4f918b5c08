/* Reading the fuzzer's bytes piece by piece; zeros once they are used up. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
	const uint8_t *next;
	size_t left;
};

static inline void input_bytes(struct input *input, void *out, size_t len)
{
	size_t have = len < input->left ? len : input->left;
	memset(out, 0, len);
	if (have > 0)
		memcpy(out, input->next, have);
	input->next += have;
	input->left -= have;
}

static inline uint8_t input_u8(struct input *input)
{
	uint8_t value;
	input_bytes(input, &value, sizeof(value));
	return value;
}

static inline uint16_t input_u16(struct input *input)
{
	uint16_t value;
	input_bytes(input, &value, sizeof(value));
	return value;
}

static inline uint32_t input_u32(struct input *input)
{
	uint32_t value;
	input_bytes(input, &value, sizeof(value));
	return value;
}

static inline uint64_t input_u64(struct input *input)
{
	uint64_t value;
	input_bytes(input, &value, sizeof(value));
	return value;
}

/* A number that is often near `usual`, sometimes an edge, sometimes anything. */
static inline uint64_t input_near(struct input *input, uint64_t usual)
{
	uint8_t how = input_u8(input);
	switch (how >> 6) {
	case 0:
		return usual + (how & 0x3fu);
	case 1:
		return usual - (how & 0x3fu);
	case 2:
		switch (how & 7u) {
		case 0:
			return 0;
		case 1:
			return UINT64_MAX;
		case 2:
			return UINT32_MAX;
		case 3:
			return UINT64_C(1) << 63;
		case 4:
			return usual | UINT64_C(1) << 63;
		case 5:
			return usual + input_u16(input);
		case 6:
			return usual << 1;
		default:
			return usual >> 1;
		}
	default:
		return input_u64(input);
	}
}

#endif
