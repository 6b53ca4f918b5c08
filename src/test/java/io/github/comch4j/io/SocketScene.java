package io.github.comch4j.io;

import io.github.comch4j.TwoLoops;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests of sockets with a server on the DPU. */
abstract class SocketScene extends TwoLoops {
    MessageServerSocket server;

    @BeforeEach
    void openServer() {
        server = MessageServerSocket.open(dpuLoop, dpu, representor, name);
    }

    @AfterEach
    void closeServer() {
        server.close();
    }
}
