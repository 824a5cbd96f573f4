package dev.tandem.server.demo;

import dev.tandem.local.LocalProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/** Shows what a process writes to its log from now on, until it ends. */
final class LogFollower {

    private final LocalProcess process;
    private final Screen screen;

    LogFollower(LocalProcess process, Screen screen) {
        this.process = process;
        this.screen = screen;
    }

    void follow() throws InterruptedException {
        try (BufferedReader log = Files.newBufferedReader(process.log())) {
            while (log.readLine() != null) {
                // What was written before.
            }
            while (process.isRunning()) {
                String line = log.readLine();
                if (line != null) {
                    screen.say(line);
                } else {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        screen.say("The server ended with status " + process.exitStatus());
    }
}
