package dev.tandem.opentelemetry.it;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.RetryPolicy;
import dev.tandem.runtime.Tandem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** A program that a test kills. Its first attempt fails, the second does not end. Traces nothing. */
final class KilledProgram {

    private KilledProgram() {}

    /** @param arguments the settings file, the queue, and the file that gets a line for each attempt */
    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[2]);
        HandlerOptions soon =
                HandlerOptions.NONE.withTimeout("10m").withBackoff(RetryPolicy.fixed(Duration.ofMillis(100)));
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handler(
                        "ship",
                        String.class,
                        (order, task) -> {
                            Files.writeString(
                                    journal,
                                    "begun " + task.attempt() + "\n",
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.APPEND);
                            if (task.attempt() == 1) {
                                throw new IllegalStateException("the first attempt fails");
                            }
                            Thread.sleep(Long.MAX_VALUE);
                        },
                        soon)
                .start();
    }
}
