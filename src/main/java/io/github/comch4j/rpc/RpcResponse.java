package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A server's response to an {@link RpcCall}. */
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
     * Returns the body as read-only memory, without a copy.
     *
     * @return the body; inside a reader of {@link RpcCall#callAsync(MemorySegment, java.util.function.Function)}, this
     *     memory is reused after the reader has returned
     * @throws IllegalStateException if the reader that got this response has returned
     */
    public MemorySegment segment() {
        return (view == null ? MemorySegment.ofArray(array()) : view).asReadOnly();
    }

    /**
     * Returns the body.
     *
     * @return an array that belongs to the caller
     * @throws IllegalStateException if the reader that got this response has returned, and this method was not called
     *     before that
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
     * Returns the metadata that the handler added to its response.
     *
     * @return keys and values, see {@link RpcRequest#putResponseMetadata}
     */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * Returns a description of this response, for logs.
     *
     * @return the length of the body
     */
    @Override
    public String toString() {
        return "response"
                + (view == null && bytes == null ? "" : " of " + segment().byteSize() + " bytes");
    }
}
