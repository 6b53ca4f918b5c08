package io.github.comch4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/** Puts what a channel is to send into messages: as many buffers into one as fit. */
final class MessagePacker implements ChannelOutboundBuffer.MessageProcessor {
    private ByteBuffer gathered = ByteBuffer.allocate(0); // where buffers are put together
    private @Nullable ByteBuffer left; // of a file region: read, and not accepted yet

    /**
     * Sends one message of what has been flushed.
     *
     * @param message memory for the longest one
     * @return false if there was no room
     */
    boolean send(Wire wire, ChannelOutboundBuffer in, ByteBuffer message) throws Exception {
        if (in.current() instanceof FileRegion region) {
            return sendRegion(wire, in, region, message);
        }
        ByteBuffer bytes = bytes(in, message);
        int length = bytes.remaining();
        if (length > 0 && !wire.trySend(bytes)) {
            return false;
        }
        in.removeBytes(length);
        return true;
    }

    private ByteBuffer bytes(ChannelOutboundBuffer in, ByteBuffer message) throws Exception {
        int most = message.remaining();
        ByteBuf first = (ByteBuf) in.current();
        if (first.readableBytes() >= most && first.nioBufferCount() == 1) {
            return first.nioBuffer(first.readerIndex(), most);
        }
        gathered = message;
        in.forEachFlushedMessage(this);
        return message.flip();
    }

    /** Puts another buffer into the message. Returns whether there is room for more. */
    @Override
    public boolean processMessage(Object next) {
        if (!(next instanceof ByteBuf buffer)) {
            return false;
        }
        int length = Math.min(buffer.readableBytes(), gathered.remaining());
        int room = gathered.limit();
        gathered.limit(gathered.position() + length);
        buffer.getBytes(buffer.readerIndex(), gathered);
        gathered.limit(room);
        return gathered.hasRemaining();
    }

    private boolean sendRegion(Wire wire, ChannelOutboundBuffer in, FileRegion region, ByteBuffer message)
            throws IOException {
        ByteBuffer bytes = left;
        if (bytes == null) {
            while (message.hasRemaining()
                    && region.transferred() < region.count()
                    && region.transferTo(new Sink(message), region.transferred()) > 0) {}
            bytes = message.flip();
        }
        int length = bytes.remaining();
        boolean sent = length == 0 || wire.trySend(bytes);
        left = sent ? null : kept(bytes);
        if (sent) {
            in.progress(length);
            if (left == null && region.transferred() >= region.count()) {
                in.remove();
            } else if (length == 0) {
                throw new IOException(
                        "a file region ends after " + region.transferred() + " of its " + region.count() + " bytes");
            }
        }
        return sent;
    }

    private ByteBuffer kept(ByteBuffer bytes) {
        return bytes == left
                ? bytes
                : ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    /** A channel into a message. */
    private record Sink(ByteBuffer message) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            int length = Math.min(source.remaining(), message.remaining());
            message.put(message.position(), source, source.position(), length);
            message.position(message.position() + length);
            source.position(source.position() + length);
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
