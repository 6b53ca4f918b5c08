package io.github.comch4j.rpc;

import io.github.comch4j.comch.ComchConnection;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One client of a server, and its requests. Belongs to the loop. */
final class ServerConnection implements LargeBodies.Peer {
    /** So many failures and responses may wait for a client that does not read, for each request it may have. */
    private static final int UNREAD = 4;

    private final RpcServer server;
    private final ComchConnection connection;
    private final Paths paths;
    private final Map<Long, Body> arriving = new HashMap<>();
    private final Map<Long, RpcRequest> running = new HashMap<>(); // those that a handler answers later
    private long arrivingBytes;
    private int inFlight;
    private boolean ended;
    boolean flushSoon; // in the server's list

    ServerConnection(RpcServer server, ComchConnection connection) {
        this.server = server;
        this.connection = connection;
        this.paths = new Paths(server.largeBodies(), connection, this);
    }

    ComchConnection connection() {
        return connection;
    }

    /** A message has arrived, on either path. Returns false if the client is to be disconnected. */
    @Override
    public boolean message(MemorySegment message) {
        boolean possible = Frames.read(message, this::frame);
        flush();
        return possible && paths.size() <= UNREAD * server.maxInFlight();
    }

    @Override
    public void closeSoon() {
        server.closeSoon(connection);
    }

    /** A consumer of the client has come. */
    void consumerKnown() {
        paths.consumerKnown();
    }

    private boolean frame(MemorySegment message, long at, int part) {
        long id = Frames.id(message, at);
        return switch (Frames.kind(message, at)) {
            case Frames.REQUEST -> begin(message, at, part, id);
            case Frames.MORE -> {
                Body body = arriving.get(id);
                yield body == null || more(body, message, at, part, id);
            }
            case Frames.CANCEL -> {
                cancel(id);
                yield paths.cancelled(message, at);
            }
            default -> false;
        };
    }

    private boolean begin(MemorySegment message, long at, int part, long id) {
        int length = Frames.bodyLength(message, at);
        if (length < part || isKnown(id)) {
            return false;
        }
        int method = Frames.value(message, at);
        if (length > server.maxBody()) {
            refuse(
                    id,
                    RpcException.Kind.TOO_LONG,
                    "a request of " + length + " bytes: the server's maxBody is " + server.maxBody());
        } else if (inFlight >= server.maxInFlight()) {
            refuse(id, RpcException.Kind.BUSY, "the server's maxInFlight is " + server.maxInFlight());
        } else if (paths.bytes() > server.maxWaiting()) {
            refuse(id, RpcException.Kind.BUSY, "responses of " + paths.bytes() + " bytes are not read");
        } else if (length == part) {
            inFlight++;
            dispatch(id, method, Body.of(message, at, part), Frames.extra(message, at));
        } else {
            inFlight++;
            Body body = new Body(length, method, Frames.extra(message, at), part);
            arriving.put(id, body);
            more(body, message, at, part, id);
        }
        return true;
    }

    private boolean isKnown(long id) {
        return (!arriving.isEmpty() && arriving.containsKey(id)) || (!running.isEmpty() && running.containsKey(id));
    }

    private boolean more(Body body, MemorySegment message, long at, int part, long id) {
        if (!body.add(message, at, part)) {
            return false;
        }
        arrivingBytes += part;
        if (body.isWhole()) {
            forget(id);
            dispatch(id, body.value, body.bytes(), body.extra);
        } else if (arrivingBytes > server.maxWaiting()) {
            forget(id);
            requestEnded();
            refuse(id, RpcException.Kind.BUSY, "requests of " + arrivingBytes + " bytes are arriving from one client");
        }
        return true;
    }

    /** How much has come of requests that are not whole. */
    long arrivingBytes() {
        return arrivingBytes;
    }

    private @Nullable Body forget(long id) {
        Body body = arriving.remove(id);
        if (body != null) {
            arrivingBytes -= body.filled();
        }
        return body;
    }

    private void refuse(long id, RpcException.Kind kind, String why) {
        paths.addShort(Reply.failure(this, id, kind, why, false));
    }

    private void dispatch(long id, int method, byte[] body, long timeout) {
        RpcRequest request = new RpcRequest(method, body, System.nanoTime() + timeout);
        RpcServer.Method handler = server.method(method);
        if (handler == null) {
            reply(failure(id, RpcException.Kind.NO_METHOD, "the server has no method " + method));
        } else if (handler.direct() != null && handler.executor() == null) {
            reply(answer(id, request, handler.direct()));
        } else {
            running.put(id, request);
            later(id, request, handler);
        }
    }

    private Reply failure(long id, RpcException.Kind kind, String text) {
        return Reply.failure(this, id, kind, text, true);
    }

    private Reply answer(long id, RpcRequest request, RpcHandler handler) {
        try {
            return response(id, handler.handle(request));
        } catch (Throwable t) {
            return failed(id, t);
        }
    }

    private Reply response(long id, byte @Nullable [] body) {
        Objects.requireNonNull(body, "the handler's response");
        return body.length > server.maxBody()
                ? failure(
                        id,
                        RpcException.Kind.TOO_LONG,
                        "a response of " + body.length + " bytes: the server's" + " maxBody is " + server.maxBody())
                : Reply.response(this, id, body);
    }

    private Reply failed(long id, Throwable thrown) {
        return failure(id, RpcException.Kind.FAILED, thrown.toString());
    }

    private void later(long id, RpcRequest request, RpcServer.Method handler) {
        try {
            if (handler.async() != null) {
                var _ = handler.async()
                        .handle(request)
                        .whenComplete((body, thrown) -> server.add(ended(id, body, thrown)));
                return;
            }
            RpcHandler direct = Objects.requireNonNull(handler.direct());
            Executor executor = Objects.requireNonNull(handler.executor());
            executor.execute(() -> server.add(
                    request.isLate()
                            ? failure(id, RpcException.Kind.TIME_OUT, "the request was late already")
                            : answer(id, request, direct)));
        } catch (RejectedExecutionException e) {
            server.add(failure(id, RpcException.Kind.BUSY, e.toString()));
        } catch (Throwable t) {
            server.add(failed(id, t));
        }
    }

    private Reply ended(long id, byte @Nullable [] body, @Nullable Throwable thrown) {
        try {
            return thrown == null ? response(id, body) : failed(id, thrown);
        } catch (NullPointerException e) {
            return failed(id, e);
        }
    }

    /** Sends a reply soon. */
    void reply(Reply reply) {
        paths.add(reply);
    }

    /** A handler has answered later; perhaps nobody waits any more. */
    void replyLater(Reply reply) {
        RpcRequest request = running.remove(reply.id);
        if (request != null && !ended) {
            reply(reply);
        }
    }

    private void cancel(long id) {
        if (forget(id) != null) {
            requestEnded();
        }
        RpcRequest request = running.remove(id);
        if (request != null) {
            requestEnded();
            request.cancel();
        }
    }

    void requestEnded() {
        inFlight--;
    }

    /** Sends what there is room for. */
    void flush() {
        paths.flush();
    }

    /** The client has gone: who works for it is told. */
    void end() {
        ended = true;
        paths.end();
        arriving.clear();
        List<RpcRequest> left = List.copyOf(running.values());
        running.clear();
        left.forEach(RpcRequest::cancel);
    }
}
