package dev.tandem.local;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The first frame of an AMQP 0-9-1 broker, {@code connection.start}: it shows that the broker accepts clients, and its
 * version. Fields lie in its server-properties table as {@code name, 'S', length, text}.
 */
final class AmqpGreeting {

    private static final byte[] HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    private static final int METHOD_FRAME = 1;
    private static final int MAX_FRAME = 128 * 1024;
    private static final int TIMEOUT_MILLIS = 2_000;

    private final String frame;

    private AmqpGreeting(String frame) {
        this.frame = frame;
    }

    /** Connects and reads the greeting. Empty while the broker does not answer. */
    static Optional<AmqpGreeting> from(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(HEADER);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int type = in.readUnsignedByte();
            in.readUnsignedShort(); // channel
            int size = in.readInt();
            if (type != METHOD_FRAME || size < 0 || size > MAX_FRAME) {
                return Optional.empty();
            }
            byte[] payload = new byte[size];
            in.readFully(payload);
            return Optional.of(new AmqpGreeting(new String(payload, StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the version of the broker. */
    String version() {
        String name = (char) "version".length() + "versionS";
        int at = frame.indexOf(name);
        if (at < 0 || at + name.length() + Integer.BYTES > frame.length()) {
            return "of an unknown version";
        }
        int start = at + name.length() + Integer.BYTES;
        int length = frame.charAt(start - 1); // no version is longer than 255 characters
        return frame.substring(start, Math.min(start + length, frame.length()));
    }
}
