package dev.tandem.runtime.it;

import dev.tandem.api.FatalTaskException;
import dev.tandem.runtime.Tandem;
import java.nio.file.Path;

/** A program that runs tasks until it is killed. Its arguments: the settings file and the queue. */
final class EventsProgram {

    private EventsProgram() {}

    public static void main(String[] arguments) {
        Tandem.connect(Path.of(arguments[0]))
                .queue(arguments[1])
                .handler("ship", Ship.class, (ship, task) -> run(ship))
                .start();
    }

    /** Takes some milliseconds, so that a test can break in. */
    static void run(Ship ship) throws InterruptedException {
        Thread.sleep(50);
        if (ship.items() == 0) {
            throw new FatalTaskException("Nothing to ship");
        }
    }
}
