package dev.tandem.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Folders of local processes. They lie in one folder per JVM: {@code <tmp>/tandem-…}, which is deleted at the end, or
 * one below the folder in the system property {@value #PROPERTY}, where logs stay for later. Thread-safe.
 */
final class ProcessFolders {

    static final String PROPERTY = "tandem.local.dir";

    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static @Nullable Path root;

    private ProcessFolders() {}

    /** Creates an empty folder whose name begins with this. */
    static Path create(String name) {
        Path folder = root().resolve(name + "-" + COUNTER.incrementAndGet());
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the folder deleted when this JVM ends, in whatever way. */
    static void deleteAtEnd(Path folder) {
        OrphanReaper.instance().deleteAtEnd(folder);
    }

    static synchronized Path root() {
        Path found = root;
        if (found == null) {
            found = root = createRoot();
        }
        return found;
    }

    private static Path createRoot() {
        String configured = System.getProperty(PROPERTY);
        try {
            if (configured != null) {
                Path folder = Path.of(configured).toAbsolutePath();
                Files.createDirectories(folder);
                return Files.createTempDirectory(
                        folder, "jvm-" + ProcessHandle.current().pid() + "-");
            }
            Path folder = Files.createTempDirectory("tandem-");
            deleteAtEnd(folder);
            return folder;
        } catch (IOException e) {
            throw new LocalException(
                    "No folder for local brokers can be created below "
                            + (configured != null ? configured : "the temporary folder") + ": " + e
                            + ". Set the system property " + PROPERTY + " to a folder that can be written.",
                    e);
        }
    }
}
