package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What libraries do that are told the name of a class: never plain TCP. */
@Timeout(60)
class DefaultFactoriesTest {
    static {
        Machine.useEmulation();
    }

    @AfterEach
    void clear() {
        System.clearProperty(ComchSocketFactory.SERVICE_PROPERTY);
    }

    /** As com.sun.jndi.ldap does, of the class that java.naming.ldap.factory.socket names. */
    private static Object byName(String type) throws Exception {
        return Class.forName(type).getMethod("getDefault").invoke(null);
    }

    private static SocketFactory sockets() throws Exception {
        return (SocketFactory) byName("io.github.comch4j.net.ComchSocketFactory");
    }

    private static ServerSocketFactory serverSockets() throws Exception {
        return (ServerSocketFactory) byName("io.github.comch4j.net.ComchServerSocketFactory");
    }

    @Test
    void theServiceOfThePropertyIsMeant() throws Exception {
        System.setProperty(ComchSocketFactory.SERVICE_PROPERTY, Machine.uniqueName());
        try (ServerSocket server = serverSockets().createServerSocket(0);
                Socket socket = sockets().createSocket("localhost", 389);
                Socket accepted = server.accept()) {
            socket.getOutputStream().write(5);
            assertThat(accepted.getInputStream().read()).isEqualTo(5);
        }
    }

    @Test
    void withoutOneNothingIsConnected() throws Exception {
        try (ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = tcp.getLocalPort();
            for (String service : new String[] {"", "name,wait=soon"}) {
                System.setProperty(ComchSocketFactory.SERVICE_PROPERTY, service);
                SocketFactory sockets = sockets();
                ServerSocketFactory servers = serverSockets();
                assertThatThrownBy(sockets::createSocket)
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("comch4j.relay.service: not a service over Comch: '" + service + "'");
                InetAddress local = tcp.getInetAddress();
                assertThatThrownBy(() -> sockets.createSocket("localhost", port))
                        .isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> sockets.createSocket(local, port)).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> sockets.createSocket("localhost", port, local, 0))
                        .isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> sockets.createSocket(local, port, local, 0))
                        .isInstanceOf(SocketException.class);
                assertThatThrownBy(servers::createServerSocket).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> servers.createServerSocket(0)).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> servers.createServerSocket(0, 1)).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> servers.createServerSocket(0, 1, local))
                        .isInstanceOf(SocketException.class);
            }
        }
    }
}
