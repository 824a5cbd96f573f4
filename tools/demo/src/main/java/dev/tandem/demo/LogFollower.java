package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.LocalProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/** Prints what a process appends to its log, until the process ends. */
final class LogFollower {

    private final LocalProcess process;
    private final ConsoleProgress output;

    LogFollower(LocalProcess process, ConsoleProgress output) {
        this.process = process;
        this.output = output;
    }

    void follow() throws InterruptedException {
        try (BufferedReader log = Files.newBufferedReader(process.log())) {
            while (log.readLine() != null) {
                // Skips what was written before.
            }
            while (process.isRunning()) {
                String line = log.readLine();
                if (line != null) {
                    output.line(line);
                } else {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output.line("The server ended with status " + process.exitStatus());
    }
}
