package dev.tandem.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where local processes keep their files. One folder per JVM: {@code <tmp>/tandem-…}, deleted at the end; or below the
 * folder in the system property {@value #PROPERTY}, where logs stay for who looks into a failed test.
 */
final class Folders {

    static final String PROPERTY = "tandem.local.dir";

    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static @Nullable Path root;

    private Folders() {}

    /** A new, empty folder with a readable name. */
    static Path fresh(String name) {
        Path folder = root().resolve(name + "-" + COUNTER.incrementAndGet());
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the folder deleted when this JVM ends, however it does. */
    static void deleteAtEnd(Path folder) {
        Reaper.instance().deleteAtEnd(folder);
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
            Reaper.instance().deleteAtEnd(folder);
            return folder;
        } catch (IOException e) {
            throw new LocalException(
                    "No folder for local brokers below " + (configured != null ? configured : "the temporary folder")
                            + ": " + e + ". Set the system property " + PROPERTY + " to a folder that can be written.",
                    e);
        }
    }

    /** Deletes a folder and all in it; a file that goes meanwhile is no error. */
    static void delete(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                    Files.deleteIfExists(dir);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            // Gone already.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
