package samples.keyvalue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.rpc.RpcException;
import io.github.comch4j.rpc.RpcRequest;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The methods of the service, and what they do. A key is metadata of a request, a value its body. */
final class Store {
    static final int PUT = 1;
    static final int GET = 2;
    static final int REMOVE = 3;
    static final int KEYS = 4;

    /** The code of a failure: there is no such key. */
    static final int NO_SUCH_KEY = 404;

    static final String KEY = "key";

    private final NavigableMap<String, byte[]> values = new ConcurrentSkipListMap<>();

    byte[] put(RpcRequest request) {
        values.put(key(request), request.body());
        return new byte[0];
    }

    byte[] get(RpcRequest request) throws RpcException {
        return found(request, values.get(key(request)));
    }

    byte[] remove(RpcRequest request) throws RpcException {
        return found(request, values.remove(key(request)));
    }

    byte[] keys(RpcRequest request) {
        return String.join("\n", values.keySet()).getBytes(UTF_8);
    }

    private static String key(RpcRequest request) {
        return request.metadata().getOrDefault(KEY, "");
    }

    private static byte[] found(RpcRequest request, byte[] value) throws RpcException {
        if (value == null) {
            throw RpcException.failed(NO_SUCH_KEY, "no such key: " + key(request), new byte[0]);
        }
        return value;
    }
}
