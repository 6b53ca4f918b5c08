package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server has answered to an {@link RpcCall}. */
public final class RpcResponse {
    private @Nullable MemorySegment view; // null: there is an array, or the reader has returned
    private byte @Nullable [] bytes;
    private final Map<String, String> metadata;

    private RpcResponse(@Nullable MemorySegment view, byte @Nullable [] bytes, @Nullable Map<String, String> metadata) {
        this.view = view;
        this.bytes = bytes;
        this.metadata = metadata == null ? Map.of() : metadata;
    }

    static RpcResponse of(byte[] bytes, @Nullable Map<String, String> metadata) {
        return new RpcResponse(null, bytes, metadata);
    }

    /** Of memory that can be used until {@link #release}. */
    static RpcResponse of(MemorySegment view, @Nullable Map<String, String> metadata) {
        return new RpcResponse(view, null, metadata);
    }

    void release() {
        view = null;
    }

    /**
     * The body, without a copy of it: to be read only.
     *
     * @return the body; in a reader, as {@link RpcCall#callAsync(MemorySegment, java.util.function.Function)} has it,
     *     memory that has other contents once the reader has returned
     * @throws IllegalStateException if the reader whose response this was has returned
     */
    public MemorySegment segment() {
        return (view == null ? MemorySegment.ofArray(array()) : view).asReadOnly();
    }

    /**
     * The body.
     *
     * @return an array of the caller's own
     * @throws IllegalStateException if the reader whose response this was has returned, and has not asked before
     */
    public byte[] body() {
        if (view != null && bytes == null) {
            bytes = view.toArray(ValueLayout.JAVA_BYTE);
        }
        return array();
    }

    private byte[] array() {
        if (bytes == null) {
            throw new IllegalStateException("the reader of this response has returned");
        }
        return bytes;
    }

    /**
     * What the handler has put beside its response.
     *
     * @return keys and values, see {@link RpcRequest#putResponseMetadata}
     */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * For logs.
     *
     * @return how long it is
     */
    @Override
    public String toString() {
        return "response"
                + (view == null && bytes == null ? "" : " of " + segment().byteSize() + " bytes");
    }
}
