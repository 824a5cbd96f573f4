package dev.tandem.verify.record;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Writes events to a file, each by one write to the kernel, so that all that was written survives a kill -9 of the
 * process; it need not survive the machine. Thread-safe.
 */
public final class EventLog implements AutoCloseable {

    private final OutputStream file;

    /** Appends to the file, which is made when it is missing. */
    public EventLog(Path path) {
        try {
            // Not a channel: that closes for good when a handler that writes is interrupted.
            this.file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the kernel has it. */
    public void write(Event event) {
        byte[] line = EventJson.encode(event);
        try {
            synchronized (this) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("An event could not be recorded", e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
