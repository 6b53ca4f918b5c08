package examples.tutorial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.core.*;
import io.github.comch4j.rpc.RpcServer;

/** On the DPU: answers each call with the number of its process. */
public class SteadyServer {
    static final int WHO = 1;

    public static void main(String[] args) throws InterruptedException {
        try (var loop = EventLoop.start("server");
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var server = RpcServer.builder(loop, device, function, args[0])
                     .method(WHO, request -> ("process " + ProcessHandle.current().pid()).getBytes(UTF_8))
                     .start()) {
            System.out.println(server.server() + " is ready");
            Thread.sleep(Long.MAX_VALUE);           // until somebody kills it
        }
    }
}
