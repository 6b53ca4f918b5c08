package io.github.comch4j.io;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import java.time.Duration;

/** A server's process that receives some messages of its one client, says so, and is killed. */
public final class SocketVictim {
    private SocketVictim() {}

    /** The server's name, and how many messages to receive. */
    public static void main(String[] arguments) throws Exception {
        var dpu = Device.openDpu(Machine.DPU);
        var server = MessageServerSocket.open(
                EventLoop.start("victim"), dpu, dpu.openRepresentor(Machine.HOST), arguments[0]);
        System.out.println("open");
        MessageSocket client = server.accept(Machine.PATIENCE);
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            client.receive(Machine.PATIENCE);
        }
        System.out.println("received");
        Thread.sleep(Duration.ofDays(1));
    }
}
