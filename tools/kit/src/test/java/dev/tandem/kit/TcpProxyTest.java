package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

    /** Bytes that have come to the server. */
    private final BlockingQueue<Integer> echoed = new LinkedBlockingQueue<>();

    private ServerSocket server;
    private TcpProxy proxy;

    /** Starts a server that sends back what it gets. */
    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread echo = new Thread(this::acceptAll, "echo");
        echo.setDaemon(true);
        echo.start();
        proxy = new TcpProxy(0, server.getLocalPort());
    }

    private void acceptAll() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread copy = new Thread(() -> echo(client), "echo-client");
                copy.setDaemon(true);
                copy.start();
            } catch (IOException e) {
                // The test is over.
            }
        }
    }

    private void echo(Socket client) {
        try (client) {
            InputStream in = client.getInputStream();
            for (int value = in.read(); value >= 0; value = in.read()) {
                echoed.add(value);
                client.getOutputStream().write(value);
            }
        } catch (IOException e) {
            // The proxy broke it.
        }
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        client.setSoTimeout(10_000);
        return client;
    }

    private static int ask(Socket client, int value) throws IOException {
        client.getOutputStream().write(value);
        return client.getInputStream().read();
    }

    @Test
    void passesBytesInBothDirections() throws IOException {
        try (Socket client = connect()) {
            assertThat(ask(client, 7)).isEqualTo(7);
        }
    }

    @Test
    void holdsBytesBackWhileItIsStalled() throws IOException {
        try (Socket client = connect()) {
            assertThat(ask(client, 1)).isEqualTo(1);

            proxy.set(TcpProxy.Mode.STALLED);
            client.setSoTimeout(200);
            assertThatThrownBy(() -> ask(client, 2)).isInstanceOf(SocketTimeoutException.class);

            proxy.set(TcpProxy.Mode.OPEN);
            client.setSoTimeout(10_000);
            assertThat(client.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void holdsAnswersBackWhileItIsSilent() throws IOException, InterruptedException {
        try (Socket client = connect()) {
            assertThat(ask(client, 1)).isEqualTo(1);

            proxy.set(TcpProxy.Mode.SILENT);
            client.setSoTimeout(200);
            assertThatThrownBy(() -> ask(client, 2)).isInstanceOf(SocketTimeoutException.class);
            assertThat(echoed.poll(10, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(echoed.poll(10, TimeUnit.SECONDS)).isEqualTo(2);

            proxy.set(TcpProxy.Mode.OPEN);
            client.setSoTimeout(10_000);
            assertThat(client.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void breaksOldAndNewConnectionsWhileItIsBroken() throws IOException {
        try (Socket client = connect()) {
            assertThat(ask(client, 1)).isEqualTo(1);
            proxy.set(TcpProxy.Mode.BROKEN);
            assertThat(isBroken(client)).isTrue();
        }
        try (Socket client = connect()) {
            assertThat(isBroken(client)).isTrue();
        }
    }

    @Test
    void acceptsNewConnectionsAfterItBrokeTheOldOnes() throws IOException {
        try (Socket client = connect()) {
            assertThat(ask(client, 1)).isEqualTo(1);
            proxy.breakConnections();
            assertThat(isBroken(client)).isTrue();
        }
        try (Socket client = connect()) {
            assertThat(ask(client, 2)).isEqualTo(2);
        }
    }

    private static boolean isBroken(Socket client) {
        try {
            return ask(client, 9) < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
