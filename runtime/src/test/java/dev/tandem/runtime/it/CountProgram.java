package dev.tandem.runtime.it;

import dev.tandem.runtime.Tandem;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program that counts to three, saves each number as a checkpoint, and then hangs. Arguments: settings, queue, journal. */
final class CountProgram {

    private CountProgram() {}

    public static void main(String[] arguments) {
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handler("count", String.class, (text, task) -> {
                    for (int i = 1; i <= 3; i++) {
                        task.checkpoint(i);
                    }
                    Files.writeString(Path.of(arguments[2]), "saved");
                    Thread.sleep(Long.MAX_VALUE);
                })
                .start();
    }
}
