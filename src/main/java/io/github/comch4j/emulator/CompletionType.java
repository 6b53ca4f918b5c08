package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;
import io.github.comch4j.ffi.dpa.dpa_h;

/** The type of an element of a completion on the DPA ({@code doca_dpa_dev_completion_type_t}). */
@Experimental("names and defaults may change until other projects have used it")
public enum CompletionType {
    /** An operation has ended. */
    SEND(dpa_h.DOCA_DPA_DEV_COMP_SEND()),
    /** RDMA has written data, with immediate data. */
    RECEIVE_RDMA_WRITE_IMMEDIATE(dpa_h.DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM()),
    /** A message was received. */
    RECEIVE_SEND(dpa_h.DOCA_DPA_DEV_COMP_RECV_SEND()),
    /** A message with immediate data was received. */
    RECEIVE_SEND_IMMEDIATE(dpa_h.DOCA_DPA_DEV_COMP_RECV_SEND_IMM()),
    /** An operation has failed; the DPA's last error has the reason. */
    SEND_ERROR(dpa_h.DOCA_DPA_DEV_COMP_SEND_ERR()),
    /** A receive has failed. */
    RECEIVE_ERROR(dpa_h.DOCA_DPA_DEV_COMP_RECV_ERR());

    private static final CompletionType[] ALL = values();

    private final int code;

    CompletionType(int code) {
        this.code = code;
    }

    static CompletionType of(int code) {
        for (CompletionType type : ALL) {
            if (type.code == code) {
                return type;
            }
        }
        throw new IllegalStateException("unknown type of completion: " + code);
    }
}
