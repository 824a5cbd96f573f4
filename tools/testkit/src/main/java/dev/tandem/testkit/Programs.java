package dev.tandem.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** Runs programs of the machine, such as {@code curl} or {@code promtool}, that tests may use where they are. */
public final class Programs {

    private static final long SECONDS = 60;

    /** The output of a program, on both streams, and its exit status. */
    public record Result(int status, String output) {}

    private Programs() {}

    /** Returns whether a program is on the PATH. With {@code CI=true} it has to be. */
    public static boolean isThere(String program) {
        boolean there = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        if (!there && Boolean.parseBoolean(System.getenv("CI"))) {
            throw new AssertionError("With CI=true no test may be skipped, but " + program + " is not installed");
        }
        return there;
    }

    /** Skips the test if a program is not on the PATH, or fails it in CI. */
    public static void require(String program) {
        if (!isThere(program)) {
            throw new TestAbortedException(program + " is not installed");
        }
    }

    /** Runs a program to its end. */
    public static Result run(List<String> words, String input) {
        try {
            Path read = Files.writeString(Files.createTempFile("input", ".txt"), input);
            Path written = Files.createTempFile("output", ".txt");
            try {
                Process process = new ProcessBuilder(words)
                        .redirectInput(read.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(written.toFile())
                        .start();
                return new Result(status(process, words), Files.readString(written, StandardCharsets.UTF_8));
            } finally {
                Files.delete(read);
                Files.delete(written);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int status(Process process, List<String> words) {
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(words + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
