package dev.tandem.kafka;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy before Kafka that passes everything, but loses the answer to a commit of offsets, and what follows on its connection. */
final class LostCommitAnswers implements AutoCloseable {

    private static final short OFFSET_COMMIT = 8;

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger toLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    LostCommitAnswers(int port, int target) {
        this.target = target;
        try {
            server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** Loses the answer to the next commit. */
    void loseNext() {
        toLose.incrementAndGet();
    }

    /** Returns how many answers are lost. */
    int lost() {
        return lost.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(broker);
                AtomicBoolean silent = new AtomicBoolean();
                start(() -> copy(client, broker, request -> {
                    if (isCommit(request) && toLose.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                        silent.set(true);
                        lost.incrementAndGet();
                    }
                    return true;
                }));
                start(() -> copy(broker, client, answer -> !silent.get()));
            } catch (IOException e) {
                // The proxy is closed, or Kafka is.
            }
        }
    }

    private static boolean isCommit(byte[] request) {
        return (short) (request[0] << 8 | request[1] & 0xff) == OFFSET_COMMIT;
    }

    private interface Passes {
        boolean test(byte[] message);
    }

    private static void copy(Socket from, Socket to, Passes passes) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                byte[] message = new byte[in.readInt()];
                in.readFully(message);
                if (passes.test(message)) {
                    out.writeInt(message.length);
                    out.write(message);
                    out.flush();
                }
            }
        } catch (IOException e) {
            // One side closed the connection.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "lost-commit-answers");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
