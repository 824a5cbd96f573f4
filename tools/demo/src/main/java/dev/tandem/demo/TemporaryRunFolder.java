package dev.tandem.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary folder for the files of local processes. It is deleted when this JVM ends, unless it is kept. */
final class TemporaryRunFolder {

    private final Path path;
    private volatile boolean kept;

    TemporaryRunFolder() {
        try {
            path = Files.createTempDirectory("tandem-run-");
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create a temporary folder: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::delete, "delete-run-folder"));
    }

    Path path() {
        return path;
    }

    /** Keeps the folder, so that a failure can be investigated. */
    void keep() {
        kept = true;
    }

    private void delete() {
        if (kept) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // The operating system cleans up temporary files.
        }
    }
}
