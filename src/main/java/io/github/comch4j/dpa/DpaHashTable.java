package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaMemoryCalls;

/** A hash table that kernels share ({@code doca_dpa_hash_table}). {@link Dpa#hashTable} creates it. */
public final class DpaHashTable extends DpaObject {
    private static final DpaHandle.Kind KIND = DpaHandle.Kind.of(DpaMemoryCalls::destroyTable);

    DpaHashTable(Dpa dpa, int entries) {
        super(dpa, make(dpa, entries));
    }

    private static DpaHandle make(Dpa dpa, int entries) {
        Dpa.checkPositive("entries", entries);
        return dpa.make(
                KIND,
                "hash table of " + entries + " entries",
                (owner, action) -> DpaMemoryCalls.createTable(owner, entries, action));
    }

    /**
     * Returns the handle by which kernels refer to this table ({@code doca_dpa_hash_table_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this table is closed
     */
    public long handle() {
        return handle(DpaMemoryCalls::tableHandle);
    }
}
