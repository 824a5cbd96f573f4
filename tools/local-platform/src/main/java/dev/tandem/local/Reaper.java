package dev.tandem.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The shell that ends our children when this JVM is killed, however hard. One for the whole JVM, started with the first
 * child. See {@code reaper.sh}.
 */
final class Reaper {

    // In a session of its own, or Ctrl-C in a terminal would reach it.
    private static final String START =
            "if command -v setsid >/dev/null 2>&1; then exec setsid /bin/sh -c \"$0\"; fi; exec /bin/sh -c \"$0\"";

    private static final Reaper INSTANCE = new Reaper();

    private final OutputStream pipe;

    private Reaper() {
        try {
            Process process = new ProcessBuilder("/bin/sh", "-c", START, script("reaper.sh"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            pipe = process.getOutputStream();
        } catch (IOException e) {
            throw new LocalException("Local processes need /bin/sh, which did not start: " + e.getMessage(), e);
        }
    }

    static Reaper instance() {
        return INSTANCE;
    }

    void watch(long pid) {
        send("+ " + pid);
    }

    void forget(long pid) {
        send("- " + pid);
    }

    void deleteAtEnd(Path folder) {
        send("d " + folder.toAbsolutePath());
    }

    private synchronized void send(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            throw new LocalException("The process that cleans up after this one has gone: " + e.getMessage(), e);
        }
    }

    static String script(String name) {
        try (InputStream in = Objects.requireNonNull(Reaper.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
