package dev.tandem.runtime.it;

import dev.tandem.runtime.Tandem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A program that ends when it is told to. Its arguments: the settings file, the queue, and the file of its journal. */
final class ShipProgram {

    private ShipProgram() {}

    public static void main(String[] arguments) {
        Path journal = Path.of(arguments[2]);
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handler("ship", Ship.class, (ship, task) -> {
                    write(journal, "begun " + ship.order());
                    if (ship.items() > 0) {
                        Thread.sleep(ship.items());
                    }
                    write(journal, "ended " + ship.order());
                })
                .start();
    }

    private static void write(Path journal, String line) throws IOException {
        Files.writeString(journal, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
