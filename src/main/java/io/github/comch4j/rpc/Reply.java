package io.github.comch4j.rpc;

import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a server sends for a request. */
final class Reply extends OutgoingFrame {
    final ServerConnection connection;
    private final @Nullable RpcRequest request; // null: it is not one of those in flight
    private final byte[] metadata;

    private Reply(
            ServerConnection connection,
            int kind,
            long id,
            int value,
            long extra,
            byte[] body,
            @Nullable RpcRequest request) {
        super(kind, id, value, extra, MemorySegment.ofArray(body));
        this.connection = connection;
        this.request = request;
        this.metadata = request == null ? EMPTY : request.responseMetadata();
    }

    static Reply response(ServerConnection connection, long id, byte[] body, RpcRequest request) {
        return new Reply(connection, Frames.RESPONSE, id, 0, 0, body, request);
    }

    /** {@code request} is null if it is not one of those in flight. */
    static Reply failure(
            ServerConnection connection,
            long id,
            Kind kind,
            Delivery delivery,
            String why,
            @Nullable RpcRequest request) {
        byte[] text = FailureFrame.text(why);
        long extra = FailureFrame.extra(delivery, 0, text.length);
        return new Reply(connection, Frames.FAILURE, id, kind.code(), extra, text, request);
    }

    /** What a handler has thrown. */
    static Reply failure(ServerConnection connection, long id, Throwable thrown, RpcRequest request) {
        if (!(thrown instanceof RpcException failed) || !failed.isOfHandler()) {
            return failure(connection, id, Kind.FAILED, Delivery.HANDLED, thrown.toString(), request);
        }
        byte[] text = FailureFrame.text(String.valueOf(failed.getMessage()));
        long extra = FailureFrame.extra(Delivery.HANDLED, failed.code(), text.length);
        byte[] body = FailureFrame.body(text, failed.detail());
        return new Reply(connection, Frames.FAILURE, id, Kind.FAILED.code(), extra, body, request);
    }

    @Nullable
    RpcRequest request() {
        return request;
    }

    @Override
    byte[] metadata() {
        return metadata;
    }

    /** How the request has ended; null: it is answered. */
    CallCounts.@Nullable End end() {
        return kind == Frames.RESPONSE
                ? null
                : value == Kind.TIME_OUT.code()
                        ? CallCounts.End.LATE
                        : FailureFrame.isRefused(extra) ? CallCounts.End.REJECTED : CallCounts.End.FAILED;
    }

    @Override
    void gone() {
        if (request != null) {
            connection.requestEnded();
        }
    }

    /** Its metadata are longer than a message. */
    @Override
    void unreadable(RuntimeException why) {
        connection.closeSoon(connection.connection());
    }
}
