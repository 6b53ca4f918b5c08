package io.github.comch4j.streams;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;

/** What the requests and answers of streams consist of; docs/relay.md describes it. */
final class Protocol {
    static final String VERSION = "1";
    static final AsciiString VERSION_FIELD = AsciiString.cached("comch-relay");
    static final AsciiString REASON_FIELD = AsciiString.cached("comch-relay-reason");
    static final AsciiString CONNECT = AsciiString.cached("CONNECT");
    static final AsciiString ACCEPTED = AsciiString.cached("200");

    private static final int LONGEST_REASON = 300;

    private Protocol() {}

    static Http2Headers request(String service) {
        return new DefaultHttp2Headers()
                .method(CONNECT)
                .authority(AsciiString.of(service))
                .set(VERSION_FIELD, VERSION);
    }

    static Http2Headers accepted() {
        return new DefaultHttp2Headers().status(ACCEPTED).set(VERSION_FIELD, VERSION);
    }

    static Http2Headers refused(StreamRefusedException refusal) {
        return new DefaultHttp2Headers()
                .status(AsciiString.of(Integer.toString(refusal.status())))
                .set(VERSION_FIELD, VERSION)
                .set(REASON_FIELD, printable(refusal.reason()));
    }

    /** What a peer has said, or what a field of HTTP can carry: letters, digits and signs of ASCII. */
    static String printable(CharSequence text) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < Math.min(text.length(), LONGEST_REASON); i++) {
            char c = text.charAt(i);
            result.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return result.toString().strip();
    }
}
