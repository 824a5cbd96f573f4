package dev.tandem.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A proxy between clients and a server on this machine, which can stall or break their connections. Thread-safe.
 *
 * <p>A stalled connection is what a lost network looks like: bytes are held back and neither side is told. A broken
 * one is what a firewall that rejects looks like.
 */
public final class TcpProxy implements AutoCloseable {

    /** The treatment of connections. */
    public enum Mode {
        /** Everything passes. */
        OPEN,
        /** Nothing passes, and neither side is told. */
        STALLED,
        /** Requests of clients that are connected pass. No answer does, and no new connection. */
        SILENT,
        /** Connections are closed, new ones too. */
        BROKEN
    }

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final long POLL_NANOS = 1_000_000;

    private final int target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Mode mode = Mode.OPEN;

    /**
     * Listens on the loopback address.
     *
     * @param port of the proxy; 0 for a free one
     * @param target the server's port
     */
    public TcpProxy(int port, int target) {
        this.target = target;
        try {
            server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException("No proxy can listen on port " + port + ": " + e.getMessage(), e);
        }
        start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Changes the mode. What was stalled continues when the proxy is opened again. */
    public void set(Mode now) {
        mode = now;
        if (now == Mode.BROKEN) {
            breakConnections();
        }
    }

    /** Closes every connection. New ones are treated by the mode. */
    public void breakConnections() {
        sockets.forEach(TcpProxy::close);
        sockets.clear();
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
                // The proxy is closed.
            }
        }
    }

    private void connect(Socket client) {
        try {
            sockets.add(client);
            await(Mode.STALLED, Mode.SILENT);
            Socket onward = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            sockets.add(onward);
            if (mode == Mode.BROKEN || server.isClosed()) {
                // The mode changed while the connection was made.
                close(client);
                close(onward);
                sockets.remove(client);
                sockets.remove(onward);
                return;
            }
            start(() -> copy(client, onward, Mode.STALLED));
            copy(onward, client, Mode.STALLED, Mode.SILENT);
        } catch (IOException e) {
            close(client); // the server is down
        }
    }

    /** @param held the modes in which nothing passes */
    private void copy(Socket from, Socket to, Mode... held) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                await(held);
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // One side closed the connection, or the proxy broke it.
        } finally {
            close(from);
            close(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void await(Mode... held) {
        while (List.of(held).contains(mode) && !server.isClosed()) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "tcp-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
        sockets.forEach(TcpProxy::close);
    }
}
