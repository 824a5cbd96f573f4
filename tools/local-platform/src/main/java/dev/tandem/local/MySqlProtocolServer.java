package dev.tandem.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;

/** MariaDB or MySQL as a process. */
record MySqlProtocolServer(BrokerRuntime runtime, Path program, int port) implements BrokerServer {

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int HEADER = 4;
    private static final int PROTOCOL = 10;

    @Override
    public String origin() {
        return program.toString();
    }

    /** Waits for the server's greeting: a header, and then the version of its protocol or an error. */
    @Override
    public boolean ready() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            byte[] greeting = socket.getInputStream().readNBytes(HEADER + 1);
            return greeting.length > HEADER && greeting[HEADER] == PROTOCOL;
        } catch (IOException e) {
            return false;
        }
    }
}
