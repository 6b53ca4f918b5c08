#include "comch4j_records.h"

bool comch4j_record_append(struct comch4j_record_writer *writer, const void *bytes, uint32_t len, uint32_t type)
{
	void *room = comch4j_record_claim(writer, len, type);
	if (room == NULL)
		return false;
	if (len > 0)
		memcpy(room, bytes, len);
	return comch4j_record_commit(writer, len);
}

bool comch4j_records_for_each(const void *bytes, size_t len, bool (*take)(const struct comch4j_record *, void *),
			      void *own)
{
	struct comch4j_record_reader reader;
	struct comch4j_record record;
	comch4j_records_read(&reader, bytes, len);
	while (comch4j_record_next(&reader, &record))
		if (!take(&record, own))
			return false;
	return comch4j_records_are_whole(&reader);
}
