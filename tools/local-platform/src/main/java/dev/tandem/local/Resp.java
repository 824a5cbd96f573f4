package dev.tandem.local;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Just enough of the Redis protocol (RESP2) to ask a node how it is and to form a cluster, so that this module needs
 * neither a client library nor {@code redis-cli}. One command at a time. Not thread-safe.
 */
final class Resp implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 5_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Resp(int port) throws IOException {
        socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** One command on a connection of its own. */
    static String ask(int port, String... command) {
        try (Resp connection = new Resp(port)) {
            return String.valueOf(connection.command(command));
        } catch (IOException e) {
            throw new LocalException("Redis at 127.0.0.1:" + port + " did not answer " + command[0] + ": " + e, e);
        }
    }

    /** Does it answer PING? False also while it loads its data. */
    static boolean answers(int port) {
        try (Resp connection = new Resp(port)) {
            return "PONG".equals(connection.command("PING"));
        } catch (IOException | LocalException e) {
            return false;
        }
    }

    /**
     * Sends a command and reads its answer.
     *
     * @return a String, a Long, a List of these, or null
     * @throws LocalException when Redis answers with an error
     */
    @Nullable
    Object command(String... words) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String word : words) {
            byte[] utf8 = word.getBytes(StandardCharsets.UTF_8);
            bytes.write(("$" + utf8.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            bytes.write(utf8);
            bytes.write('\r');
            bytes.write('\n');
        }
        out.write(bytes.toByteArray());
        out.flush();
        return read();
    }

    private @Nullable Object read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new LocalException("Redis answered: " + rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> array(Integer.parseInt(rest));
            default -> throw new IOException("Not an answer of Redis: " + line);
        };
    }

    private List<@Nullable Object> array(int length) throws IOException {
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            items.add(read());
        }
        return items;
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("Redis closed the connection");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int next;
        while ((next = in.read()) != '\r') {
            if (next < 0) {
                throw new EOFException("Redis closed the connection");
            }
            bytes.write(next);
        }
        in.read(); // the line feed
        if (bytes.size() == 0) {
            throw new IOException("An empty line from Redis");
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
