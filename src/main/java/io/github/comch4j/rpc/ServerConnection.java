package io.github.comch4j.rpc;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.observe.CallCounts;
import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One client of a server, and its requests. Belongs to the loop. */
final class ServerConnection implements LargeBodies.Peer {
    /** So many failures and responses may wait for a client that does not read, for each request it may have. */
    private static final int UNREAD = 4;

    private final RpcServer server;
    private final ComchConnection connection;
    private final OutgoingPaths paths;
    private final Frames.Reader frames = this::frame; // one for all messages
    private final Map<Long, PartialBody> arriving = new HashMap<>();
    private final Map<Long, RpcRequest> running = new HashMap<>(); // those that a handler answers later
    private long arrivingBytes;
    private int inFlight;
    private boolean goodbyeAnswered;
    private boolean ended;
    private long silentSince; // by looks at silentMark; 0: none yet
    private long silentMark;
    boolean flushSoon; // in the server's list

    ServerConnection(RpcServer server, ComchConnection connection) {
        this.server = server;
        this.connection = connection;
        this.paths = new OutgoingPaths(server.largeBodies, connection, this);
    }

    ComchConnection connection() {
        return connection;
    }

    /** A message has arrived, on either path. Returns false if the client is to be disconnected. */
    @Override
    public boolean message(MemorySegment message) {
        server.watch.begin();
        boolean possible = Frames.read(message, frames);
        flush();
        return possible && paths.size() <= UNREAD * server.maxInFlight;
    }

    /** Its calls fail with the connection. */
    @Override
    public boolean notSent(long number, DocaError why) {
        return false;
    }

    @Override
    public void closeSoon(ComchConnection ending) {
        server.closeSoon(ending);
    }

    /** A consumer of the client has come. */
    void consumerKnown() {
        paths.consumerKnown();
    }

    private boolean frame(MemorySegment message, long at, int part, @Nullable Map<String, String> metadata) {
        long id = Frames.id(message, at);
        return switch (Frames.kind(message, at)) {
            case Frames.REQUEST -> begin(message, at, part, id, metadata);
            case Frames.MORE -> {
                PartialBody body = arriving.get(id);
                yield body == null || more(body, message, at, part, id);
            }
            case Frames.CANCEL -> {
                cancel(id);
                yield true;
            }
            case Frames.CONSUMER -> paths.announced(message, at);
            case Frames.GOODBYE -> {
                goodbyeAnswered = true;
                yield true;
            }
            default -> false;
        };
    }

    /** The server takes no more calls: the client is told, and answers. */
    void sayGoodbye() {
        paths.addShort(new OutgoingFrame(Frames.GOODBYE, 0, 0, 0));
        paths.flush();
    }

    /** Whether, after that, all is done that the client has asked for, and it will not ask for more. */
    boolean isDone() {
        return ended || (inFlight == 0 && paths.isEmpty() && goodbyeAnswered);
    }

    /**
     * Whether none of its calls is with a handler, and the client has taken nothing and said nothing for so long, as
     * far as looks like this one have seen.
     */
    boolean isSilent(long now, long time) {
        long mark = connection.sent() + connection.received() - paths.size() - paths.bytes(); // grows with each step
        if (!running.isEmpty() || silentSince == 0 || mark != silentMark) {
            silentMark = mark;
            silentSince = now;
            return false;
        }
        return now - silentSince >= time;
    }

    private boolean begin(MemorySegment message, long at, int part, long id, @Nullable Map<String, String> beside) {
        int length = Frames.bodyLength(message, at);
        if (length < part || isKnown(id)) {
            return false;
        }
        if (server.shuttingDown) {
            refuse(id, Kind.UNAVAILABLE, "the server is shutting down");
        } else if (length > server.maxBody) {
            refuse(id, Kind.TOO_LONG, "a request of " + length + " bytes: the server's maxBody is " + server.maxBody);
        } else if (inFlight >= server.maxInFlight) {
            refuse(id, Kind.BUSY, "the server's maxInFlight is " + server.maxInFlight);
        } else if (paths.bytes() > server.maxWaiting) {
            refuse(id, Kind.BUSY, "the client has not read responses of " + paths.bytes() + " bytes");
        } else if (length == part) {
            requestBegins();
            dispatch(id, RpcRequest.in(message, at, part, beside, server.watch.now()));
        } else {
            requestBegins();
            PartialBody body = new PartialBody(length, Frames.value(message, at), Frames.extra(message, at), part);
            body.metadata = beside;
            arriving.put(id, body);
            more(body, message, at, part, id);
        }
        return true;
    }

    private boolean isKnown(long id) {
        return (!arriving.isEmpty() && arriving.containsKey(id)) || (!running.isEmpty() && running.containsKey(id));
    }

    private boolean more(PartialBody body, MemorySegment message, long at, int part, long id) {
        if (!body.add(message, at, part)) {
            return false;
        }
        arrivingBytes += part;
        if (body.isWhole()) {
            forget(id);
            dispatch(id, RpcRequest.of(body.value, body.bytes(), body.metadata, server.watch.now(), body.extra));
        } else if (arrivingBytes > server.maxWaiting) {
            String why = "requests of " + arrivingBytes + " bytes are arriving from one client";
            forget(id);
            requestEnded();
            refuse(id, Kind.BUSY, why);
        }
        return true;
    }

    /** How much has come of requests that are not whole. */
    long arrivingBytes() {
        return arrivingBytes;
    }

    private @Nullable PartialBody forget(long id) {
        PartialBody body = arriving.remove(id);
        if (body != null) {
            arrivingBytes -= body.filled();
        }
        return body;
    }

    private void refuse(long id, Kind kind, String why) {
        Reply refusal = Reply.failure(this, id, kind, Delivery.REFUSED, why, null);
        server.count(refusal);
        paths.addShort(refusal);
    }

    private void dispatch(long id, RpcRequest request) {
        RpcServer.Method handler = server.methods.get(request.method());
        if (handler == null) {
            String why = "the server has no method " + request.method();
            reply(Reply.failure(this, id, Kind.NO_METHOD, Delivery.REFUSED, why, request));
        } else if (handler.isDirect()) {
            handle(id, request, handler);
        } else {
            var _ = request.body(); // a copy, for when the message is gone
            running.put(id, request);
            later(id, request, handler);
        }
        request.detach();
    }

    private void handle(long id, RpcRequest request, RpcServer.Method handler) {
        Reply reply = answer(id, request, Objects.requireNonNull(handler.direct()));
        server.watch.handlerReturns(request.method());
        reply(reply);
    }

    private Reply answer(long id, RpcRequest request, RpcHandler handler) {
        try {
            return response(id, request, handler.handle(request));
        } catch (Throwable t) {
            return Reply.failure(this, id, t, request);
        }
    }

    private Reply response(long id, RpcRequest request, byte @Nullable [] body) {
        Objects.requireNonNull(body, "the handler's response");
        if (body.length <= server.maxBody) {
            return Reply.response(this, id, body, request);
        }
        String why = "a response of " + body.length + " bytes: the server's maxBody is " + server.maxBody;
        return Reply.failure(this, id, Kind.TOO_LONG, Delivery.HANDLED, why, request);
    }

    private void later(long id, RpcRequest request, RpcServer.Method handler) {
        try {
            if (handler.async() != null) {
                var stage = handler.async().apply(request);
                server.watch.handlerReturns(request.method());
                var _ = stage.whenComplete((body, thrown) -> server.add(ended(id, request, body, thrown)));
                return;
            }
            Executor executor = Objects.requireNonNull(handler.executor());
            executor.execute(() -> run(id, request, handler));
        } catch (RejectedExecutionException e) {
            server.add(Reply.failure(this, id, Kind.BUSY, Delivery.REFUSED, e.toString(), request));
        } catch (Throwable t) {
            server.add(Reply.failure(this, id, t, request));
        }
    }

    /** In a thread of the executor. */
    private void run(long id, RpcRequest request, RpcServer.Method handler) {
        if (!request.beginHandling(handler.interruptible())) {
            return; // nobody waits for it
        }
        Reply reply;
        try {
            reply = request.isLate()
                    ? Reply.failure(
                            this,
                            id,
                            Kind.TIME_OUT,
                            Delivery.REFUSED,
                            "the time of the request had already passed",
                            request)
                    : answer(id, request, Objects.requireNonNull(handler.direct()));
        } finally {
            request.endHandling();
        }
        server.add(reply);
    }

    private Reply ended(long id, RpcRequest request, byte @Nullable [] body, @Nullable Throwable thrown) {
        if (thrown != null) {
            Throwable cause =
                    thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            return Reply.failure(this, id, cause instanceof RpcException ? cause : thrown, request);
        }
        return answer(id, request, done -> body);
    }

    /** Sends a reply soon. */
    private void reply(Reply reply) {
        server.count(reply);
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
            requestLost();
        }
        RpcRequest request = running.remove(id);
        if (request != null) {
            requestLost();
            request.cancel();
        }
    }

    private void requestBegins() {
        inFlight++;
        server.requestBegins();
    }

    private void requestLost() {
        server.counts.end(CallCounts.End.LOST);
        requestEnded();
    }

    void requestEnded() {
        if (!ended) { // else all have ended with the connection
            inFlight--;
            server.requestsEnd(1);
        }
    }

    /** Sends what there is room for. */
    void flush() {
        paths.flush();
        if (server.shuttingDown) {
            server.endIfDone();
        }
    }

    /** The client has gone: who works for it is told. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        paths.end();
        for (int i = arriving.size() + running.size(); i > 0; i--) {
            server.counts.end(CallCounts.End.LOST);
        }
        server.requestsEnd(inFlight);
        inFlight = 0;
        arriving.clear();
        List<RpcRequest> left = List.copyOf(running.values());
        running.clear();
        left.forEach(RpcRequest::cancel);
    }
}
