package samples.keyvalue;

import io.github.comch4j.core.*;
import io.github.comch4j.rpc.RpcServer;

/** On the DPU: keeps values in memory, for all programs of the host. */
public class Dpu {
    public static void main(String[] args) throws InterruptedException {
        var store = new Store();
        try (var loop = EventLoop.start("key-value");
                var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
                var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
                var server = RpcServer.builder(loop, device, function, "key-value")
                        .method(Store.PUT, store::put) // quick: they run in the loop
                        .method(Store.GET, store::get)
                        .method(Store.REMOVE, store::remove)
                        .method(Store.KEYS, store::keys)
                        .start()) {
            System.out.println(server.server() + " is ready");
            Thread.currentThread().join(); // until the program is ended
        }
    }
}
