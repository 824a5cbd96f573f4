package dev.tandem.runtime.it;

import dev.tandem.runtime.Tandem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/**
 * A program that begins tasks and never ends them. Its arguments: the settings file, the queue, and the file of its journal, with a
 * line for each task that has begun.
 */
final class DedupProgram {

    private DedupProgram() {}

    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[2]);
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handler("ship", Ship.class, (ship, task) -> {
                    Files.writeString(journal, task.id() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    new CountDownLatch(1).await();
                })
                .start();
    }
}
