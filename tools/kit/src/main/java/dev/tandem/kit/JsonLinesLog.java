package dev.tandem.kit;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Appends events to a file, each as a line of JSON. A line is one write to the kernel, so whatever was written
 * survives a kill -9 of the process, but not a crash of the machine. Thread-safe.
 *
 * @param <E> the type of the events: a record, or a sealed interface of records with {@code @JsonTypeInfo}
 */
public final class JsonLinesLog<E> implements AutoCloseable {

    /** Room for most events, so that the buffer need not grow: tasks wait for the log. */
    private static final int TYPICAL_BYTES = 320;

    private final Path path;
    private final OutputStream file;

    /**
     * Opens the file, or creates it if it is missing.
     *
     * @throws UncheckedIOException if it cannot be written
     */
    public JsonLinesLog(Path path) {
        this.path = path;
        try {
            // Not a FileChannel: an interrupt of a writing thread closes a channel for good.
            this.file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("The event log " + path + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Returns when the kernel has the event. */
    public void write(E event) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(TYPICAL_BYTES);
        JsonLines.MAPPER.writeValue(line, event);
        line.write('\n');
        try {
            synchronized (this) {
                file.write(line.toByteArray());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("An event could not be written to " + path + ": " + e.getMessage(), e);
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
