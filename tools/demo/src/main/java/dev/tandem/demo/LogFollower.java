package dev.tandem.demo;

import dev.tandem.local.LocalProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/** Prints what a process appends to its log, until the process ends. */
final class LogFollower {

    private final LocalProcess process;
    private final ProgressOutput output;

    LogFollower(LocalProcess process, ProgressOutput output) {
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
                    output.say(line);
                } else {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output.say("The server ended with status " + process.exitStatus());
    }
}
