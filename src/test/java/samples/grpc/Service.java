package samples.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What protoc would generate: two methods, whose requests and responses are text. */
final class Service {
    static final String NAME = "samples.Card";

    /** One request, one response. */
    static final MethodDescriptor<String, String> WHO = method("Who", MethodType.UNARY);

    /** One request, a stream of responses. */
    static final MethodDescriptor<String, String> COUNT = method("Count", MethodType.SERVER_STREAMING);

    private Service() {}

    private static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.<String, String>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(new Text())
                .setResponseMarshaller(new Text())
                .build();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream bytes) {
            try {
                return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
