package dev.tandem.it;

import dev.tandem.api.TaskContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Records the starts and ends of all runs of one process, a line each, in a file that outlives the process. Times are
 * {@link System#nanoTime}, which all processes of one machine share.
 */
final class RunJournal implements AutoCloseable {

    /** The kind of a line. */
    enum Event {
        STARTED,
        SUCCEEDED,
        FAILED
    }

    private final OutputStream file;

    RunJournal(Path path) {
        try {
            this.file = Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void note(Event what, TaskContext task, String id) {
        String line = System.nanoTime() + " " + what + " " + task.key() + " " + id + " " + task.attempt() + " "
                + task.token() + "\n";
        try {
            synchronized (this) {
                // Each line is one write, so that a killed process leaves whole lines.
                file.write(line.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
