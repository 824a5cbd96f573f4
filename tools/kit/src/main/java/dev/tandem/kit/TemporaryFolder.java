package dev.tandem.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A temporary folder, which is deleted when it is closed, or else when this JVM ends, unless it is kept. Thread-safe.
 */
public final class TemporaryFolder implements AutoCloseable {

    private final Path path;
    private final Thread deleteAtExit = new Thread(this::delete, "delete-temporary-folder");
    private volatile boolean kept;

    /**
     * Creates the folder.
     *
     * @param prefix of its name
     */
    public TemporaryFolder(String prefix) {
        try {
            path = Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException("No temporary folder can be made: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(deleteAtExit);
    }

    public Path path() {
        return path;
    }

    /** Has the folder stay, so that somebody can look into it. */
    public void keep() {
        kept = true;
    }

    private void delete() {
        if (!kept) {
            try {
                FileTree.delete(path);
            } catch (UncheckedIOException e) {
                // A process may still write to it. The system cleans its temporary folder up.
            }
        }
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(deleteAtExit);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs already.
        }
    }
}
