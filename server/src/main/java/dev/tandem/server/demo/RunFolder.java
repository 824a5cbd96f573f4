package dev.tandem.server.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary folder for settings, logs and events of local processes, gone when this JVM ends unless it is kept. */
final class RunFolder {

    private final Path path;
    private volatile boolean kept;

    RunFolder() {
        try {
            path = Files.createTempDirectory("tandem-run-");
        } catch (IOException e) {
            throw new UncheckedIOException("No temporary folder can be made: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::delete, "delete-run-folder"));
    }

    Path path() {
        return path;
    }

    /** Leaves it for who wants to see what went wrong. */
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
            // Someone else cleans the temporary folder up.
        }
    }
}
