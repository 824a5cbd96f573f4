package dev.tandem.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** The way to a broker, which a test can cut. Thread-safe. */
public final class Wire implements AutoCloseable {

    private final int target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean down;
    private volatile boolean frozen;

    /** @param uri of a RabbitMQ on this machine, ending in its port */
    public Wire(String uri) throws IOException {
        this(0, Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1)));
    }

    Wire(int port, int target) throws IOException {
        this.target = target;
        server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** Where clients of RabbitMQ connect instead. */
    public String uri() {
        return "amqp://guest:guest@" + address();
    }

    /** Host and port where clients connect instead. */
    public String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Nothing passes any more, and nobody is told. */
    public void freeze() {
        frozen = true;
    }

    /** What was held up goes on. */
    public void thaw() {
        frozen = false;
    }

    /** Breaks every connection; new ones go through. */
    public void cut() {
        sockets.forEach(Wire::close);
        sockets.clear();
    }

    /** Breaks every connection, and new ones too. */
    public void down() {
        down = true;
        cut();
    }

    /** New connections go through again. */
    public void up() {
        down = false;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (down) {
                    close(client);
                    continue;
                }
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(broker);
                start(() -> copy(client, broker));
                start(() -> copy(broker, client));
            } catch (IOException e) {
                // Closed, or the broker is down: the client sees it.
            }
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[64 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                while (frozen && !server.isClosed()) {
                    LockSupport.parkNanos(1_000_000);
                }
                out.write(buffer, 0, n);
                out.flush();
            }
        } catch (IOException e) {
            // Cut.
        } finally {
            close(from);
            close(to);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is no more in any case.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
