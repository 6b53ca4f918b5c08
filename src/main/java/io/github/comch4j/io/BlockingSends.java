package io.github.comch4j.io;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.failure.Rethrow;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.life.SubmitterTrace;
import io.github.comch4j.link.Framing;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** What the calls of a socket that send do in the threads of the program: wait, and tell what could not be sent. */
final class BlockingSends {
    private final EventLoop loop;
    private final SocketLinks links;
    private final LostMessages losses;

    BlockingSends(EventLoop loop, SocketLinks links) {
        this.loop = loop;
        this.links = links;
        this.losses = links.losses();
    }

    /** When something on the loop's engine that begins now has taken too long. */
    static long deadline(EventLoop loop) {
        return Connections.engineOf(loop).deadline();
    }

    /** As {@link MessageSocket#send}. */
    void send(byte[] message, Duration timeout) {
        SocketLink link = links.present();
        BufferedSend send = new BufferedSend(link, message.clone());
        if (losses.areUntold()) {
            throwLosses(losses.total());
        }
        checkOpen(link);
        long cost = Framing.cost(message.length);
        SendRoom room = link.sends.room();
        if (room.tryTake(cost)) {
            if (!link.sends.add(send)) {
                throwLosses(losses.total());
            }
        } else if (!room.awaitAndAdd(send, cost, Nanos.deadline(timeout))) {
            throw inVain(timeout, "room to send on " + link.connection());
        } else if (!send.added) {
            checkOpen(link);
        }
    }

    private void checkOpen(SocketLink link) {
        if (link.sends.isFinishing() && !links.isClosed()) {
            throw SendQueue.afterEnd();
        }
        boolean closed = loop.isClosed();
        if (closed || link.sends.hasEnded()) {
            throwLosses(losses.total());
            throw closed ? new RejectedExecutionException(loop + " is closed") : link.sendsEnded();
        }
    }

    /** As {@link MessageSocket#flush}. */
    void flush(Duration timeout) {
        LostMessages.Count before = losses.total();
        throwLosses(before);
        SocketLink link = links.present();
        if (!awaitArrival(link.sends, Nanos.deadline(timeout))) {
            throw inVain(timeout, "what was sent on " + link.connection() + " to arrive");
        }
        throwLosses(before);
    }

    private boolean awaitArrival(SendQueue sends, long deadline) {
        return sends.room().awaitGiven(deadline) && sends.awaitArrival(deadline);
    }

    /** As {@link MessageSocket#shutdownOutput}. */
    void finish(Duration timeout) {
        links.present().sends.finish(Framing.FINISHED);
        flush(timeout);
    }

    private static RuntimeException inVain(Duration timeout, String what) {
        return Thread.currentThread().isInterrupted()
                ? Failures.interrupted("waiting for " + what)
                : Failures.refused(
                        DocaError.TIME_OUT,
                        TaskCalls.SUBMIT_NAME,
                        "waiting " + Failures.text(timeout) + " for " + what);
    }

    /** Throws what is lost and was not told, or is lost since there were {@code before}. */
    void throwLosses(LostMessages.Count before) {
        Throwable lost = losses.tell(before);
        if (lost != null) {
            throw Rethrow.asIs(SubmitterTrace.addTo(lost, loop));
        }
    }

    /** Throws what is lost and was not told. */
    void throwLosses() {
        throwLosses(losses.total());
    }

    /**
     * Tells the peer that all has been sent, and waits until it has it, or the time is up. Any thread; an interrupt
     * waits.
     */
    void letOut(long deadline) {
        SendQueue sends = links.present().sends;
        if (!sends.hasEnded()) {
            sends.finish(Framing.CLOSED);
        }
        if (loop.isInLoop()) {
            letOutInLoop(sends, deadline);
        } else {
            await(() -> awaitArrival(sends, deadline));
        }
    }

    private void letOutInLoop(SendQueue sends, long deadline) {
        long all = sends.room().taken(); // other threads may go on sending
        if (sends.sendsUntil(all) || Connections.engineOf(loop).isInCallbacks()) {
            return; // in a callback nothing can be waited for
        }
        await(() -> {
            try {
                return Connections.engineOf(loop).awaitInterruptibly(() -> sends.sendsUntil(all), deadline, null);
            } catch (InterruptedException e) {
                return false; // and is interrupted
            }
        });
    }

    /** Waits until the connection has ended for senders, which the loop is about to see to. */
    void awaitEnd(long deadline) {
        SocketLink link = links.present();
        if (!loop.isInLoop() && !loop.isClosed()) {
            await(() -> link.sends.room().awaitEnd(deadline));
        }
    }

    private interface SendWait {
        /** False: the time is up, or the thread is interrupted. */
        boolean done();
    }

    private static void await(SendWait wait) {
        boolean interrupted = Thread.interrupted();
        while (!wait.done() && Thread.interrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
