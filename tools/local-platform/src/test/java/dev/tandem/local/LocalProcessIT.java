package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalProcessIT {

    @TempDir
    Path folder;

    @Test
    void noChildSurvivesAKilledParent() throws IOException {
        Path report = folder.resolve("child");
        LocalProcess parent = LocalProcess.java(
                        "parent",
                        System.getProperty("java.class.path"),
                        List.of(),
                        Parent.class.getName(),
                        List.of(report.toString()))
                .directory(folder)
                .start();
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(report) || !parent.isRunning());
        assertThat(report).as(parent.logTail()).exists();
        List<String> lines = Files.readAllLines(report);
        ProcessHandle child = ProcessHandle.of(Long.parseLong(lines.get(0))).orElseThrow();
        Path childFolder = Path.of(lines.get(1));
        assertThat(child.isAlive()).isTrue();
        assertThat(childFolder).exists();

        // LocalProcess.kill would kill the child too.
        ProcessHandle.of(parent.pid()).orElseThrow().destroyForcibly();

        await().atMost(Duration.ofSeconds(60)).until(() -> !isRunning(child));
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(childFolder).doesNotExist());
        parent.close();
    }

    @Test
    void noChildSurvivesAParentThatExits() throws IOException {
        Path report = folder.resolve("child");
        try (LocalProcess parent = LocalProcess.java(
                        "parent",
                        System.getProperty("java.class.path"),
                        List.of(),
                        Parent.class.getName(),
                        List.of(report.toString(), "exit"))
                .directory(folder)
                .start()) {
            assertThat(parent.awaitExit(Duration.ofSeconds(60)))
                    .as(parent.logTail())
                    .isTrue();
            long pid = Long.parseLong(Files.readAllLines(report).get(0));
            assertThat(ProcessHandle.of(pid).filter(LocalProcessIT::isRunning)).isEmpty();
        }
    }

    /** A zombie is not running. It stays forever where pid 1 does not reap it. */
    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    @Test
    void reportsAProgramThatEndsWhileItStartsWithItsLog() {
        LocalProcess process = LocalProcess.program("failing", List.of("/bin/sh", "-c", "echo no such thing; exit 3"))
                .directory(folder)
                .build();
        assertThatThrownBy(() -> process.startAndAwait(Duration.ofSeconds(20), () -> false))
                .isInstanceOf(LocalException.class)
                .hasMessageContaining("status 3")
                .hasMessageContaining("no such thing");
    }

    @Test
    void reportsAMissingProgram() {
        LocalProcess process = LocalProcess.program("missing", List.of("/no/such/program"))
                .directory(folder)
                .build();
        assertThatThrownBy(() -> process.startAndAwait(Duration.ofSeconds(20), () -> false))
                .hasMessageContaining("/no/such/program");
    }

    @Test
    void stopsAFrozenProgram() {
        try (LocalProcess process = LocalProcess.program("sleeper", List.of("sleep", "600"))
                .directory(folder)
                .start()) {
            await().until(process::isRunning);
            process.suspend();
            process.stop();
            assertThat(process.isRunning()).isFalse();
        }
    }

    /** Starts a child, writes its pid and folder into a file, and then waits, or exits if it has a second argument. */
    static final class Parent {

        public static void main(String[] arguments) throws Exception {
            LocalProcess child =
                    LocalProcess.program("grandchild", List.of("sleep", "600")).start();
            Path report = Path.of(arguments[0]);
            Path partial = report.resolveSibling("partial");
            Files.write(
                    partial,
                    List.of(Long.toString(child.pid()), child.directory().toString()));
            Files.move(partial, report);
            if (arguments.length == 1) {
                Thread.sleep(Duration.ofMinutes(10).toMillis());
            }
        }
    }
}
