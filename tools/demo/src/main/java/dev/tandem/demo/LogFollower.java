package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.LocalProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/** Prints what a process appends to its log, until the process ends and all of it is printed. */
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
            boolean ended = false;
            while (true) {
                String line = log.readLine();
                if (line != null) {
                    output.line(line);
                } else if (ended) {
                    return;
                } else if (process.isRunning()) {
                    TimeUnit.MILLISECONDS.sleep(100);
                } else {
                    ended = true; // What it wrote last may be there only now.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
