package dev.tandem.verify.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The way from one process to one server on this machine, which can be closed. Thread-safe.
 *
 * <p>What a network does to a connection is done by holding its bytes back: nobody is told. Or connections are broken,
 * and new ones refused, as a firewall that rejects does.
 */
public final class TcpProxy implements AutoCloseable {

    /** What passes. */
    public enum Mode {
        OPEN,
        /** Nothing passes any more, and nobody is told. */
        STALLED,
        /** Connections are broken, new ones too. */
        BROKEN
    }

    private static final int BUFFER = 64 * 1024;
    private static final long LOOK_NANOS = 1_000_000;

    private final int target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Mode mode = Mode.OPEN;

    /**
     * Listens on the loopback address.
     *
     * @param port of its own; 0 for a free one
     * @param target the server's port
     */
    public TcpProxy(int port, int target) {
        this.target = target;
        try {
            server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException("No proxy on port " + port, e);
        }
        start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** From now on. What was held back goes on when it is opened again. */
    public void set(Mode now) {
        mode = now;
        if (now == Mode.BROKEN) {
            sockets.forEach(TcpProxy::close);
            sockets.clear();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (mode == Mode.BROKEN) {
                    close(client);
                    continue;
                }
                start(() -> connect(client));
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    private void connect(Socket client) {
        try {
            awaitOpen();
            Socket onward = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(onward);
            start(() -> copy(client, onward));
            copy(onward, client);
        } catch (IOException e) {
            close(client); // the server is down: the client sees it
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                awaitOpen();
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Broken.
        } finally {
            close(from);
            close(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void awaitOpen() {
        while (mode == Mode.STALLED && !server.isClosed()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "verify-proxy");
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
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            // The same.
        }
        sockets.forEach(TcpProxy::close);
    }
}
