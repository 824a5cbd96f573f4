package dev.tandem.runtime.it;

import dev.tandem.api.BatchOptions;
import dev.tandem.runtime.Tandem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/** A program that begins one batch and never ends it. Its arguments: the settings file, the queue, and the file of its journal. */
final class BatchProgram {

    private BatchProgram() {}

    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[2]);
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handlerBatch("ship", Ship.class, BatchOptions.of(3, "1m"), (ships, tasks) -> {
                    Files.writeString(
                            journal,
                            "begun " + ships.size() + "\n",
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                    new CountDownLatch(1).await();
                })
                .start();
    }
}
