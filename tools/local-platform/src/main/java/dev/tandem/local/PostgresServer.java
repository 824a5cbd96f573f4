package dev.tandem.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * PostgreSQL as a process.
 *
 * @param programs the folder of its programs
 */
record PostgresServer(BrokerRuntime runtime, Path programs, int port) implements BrokerServer {

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int PROTOCOL_3 = 3 << 16;

    @Override
    public String origin() {
        return programs.toString();
    }

    /** Asks for a session and nothing else. The answer begins with R once the server takes clients, else with E. */
    @Override
    public boolean ready() {
        byte[] parameters = "user\0postgres\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer startup = ByteBuffer.allocate(2 * Integer.BYTES + parameters.length);
        startup.putInt(startup.capacity()).putInt(PROTOCOL_3).put(parameters);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(startup.array());
            return socket.getInputStream().read() == 'R';
        } catch (IOException e) {
            return false;
        }
    }
}
