package com.example.plain;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.TaskContext;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import java.nio.file.Path;

/**
 * Runs the tasks of the queue {@code parcels}. Start it as often as you like: its processes share the keys.
 *
 * <pre>usage: ShipParcels [SETTINGS]</pre>
 */
public final class ShipParcels {

    static final String QUEUE = "parcels";

    private ShipParcels() {}

    /** Returns the program, so that a test can run it in memory. */
    static QueueBuilder program(Path settings) {
        return Tandem.connect(settings)
                .queue(QUEUE)
                .handler(
                        "ship",
                        Ship.class,
                        ShipParcels::ship,
                        HandlerOptions.NONE.withTimeout("30s").withMaxAttempts(8));
    }

    private static void ship(Ship ship, TaskContext task) throws InterruptedException {
        System.out.println("begun " + task.key() + " " + ship.order() + " attempt " + task.attempt());
        Thread.sleep(500); // the carrier
        System.out.println("done " + task.key() + " " + ship.order());
    }

    public static void main(String[] arguments) {
        System.out.println(
                "To kill this process: kill -9 " + ProcessHandle.current().pid());
        program(Path.of(arguments.length > 0 ? arguments[0] : "tandem.yml")).start();
    }
}
