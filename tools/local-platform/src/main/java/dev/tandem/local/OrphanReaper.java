package dev.tandem.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A shell that ends our children when this JVM is killed, even by SIGKILL. There is one for the whole JVM, started
 * with the first child. See {@code reaper.sh}. Thread-safe.
 */
final class OrphanReaper {

    // In a session of its own, or else Ctrl-C in a terminal would end it.
    private static final String START =
            "if command -v setsid >/dev/null 2>&1; then exec setsid /bin/sh -c \"$0\"; fi; exec /bin/sh -c \"$0\"";

    private static final OrphanReaper INSTANCE = new OrphanReaper();

    private final OutputStream pipe;

    private OrphanReaper() {
        try {
            Process process = new ProcessBuilder("/bin/sh", "-c", START, resource("reaper.sh"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            pipe = process.getOutputStream();
        } catch (IOException e) {
            throw new LocalException("Local processes need /bin/sh, which did not start: " + e.getMessage(), e);
        }
    }

    static OrphanReaper instance() {
        return INSTANCE;
    }

    /** Has this process ended with the JVM. */
    void watch(long pid) {
        send("+ " + pid);
    }

    /** Forgets a process that has ended. */
    void forget(long pid) {
        send("- " + pid);
    }

    /** Has this file or folder deleted with the end of the JVM. */
    void deleteAtEnd(Path folder) {
        send("d " + folder.toAbsolutePath());
    }

    private synchronized void send(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            throw new LocalException(
                    "The shell that would end local processes after this JVM is gone: " + e.getMessage(), e);
        }
    }

    /** Returns the text of a resource of this package. */
    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(OrphanReaper.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
