package com.example.plain;

import static dev.tandem.api.TaskOptions.delay;

import dev.tandem.api.TaskRequest;
import dev.tandem.test.TestTandem;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The program in memory, with the settings that it has. */
class ShipParcelsTest {

    @Test
    void aCustomersParcelsAreShippedInOrder() {
        try (TestTandem tandem = TestTandem.start(ShipParcels.program(Path.of("tandem.yml")))) {
            submit(tandem, new Ship("o-1", 1));
            submit(tandem, new Ship("o-2", 1));
            tandem.client()
                    .submit(TaskRequest.of("parcels", "ship", new Ship("o-3", 1))
                            .withKey("c-7")
                            .with(delay("5m")));

            tandem.assertThat("ship").ranInOrder(new Ship("o-1", 1), new Ship("o-2", 1));
            tandem.advance("5m").assertThat("ship").succeeded().count(3);
        }
    }

    private static void submit(TestTandem tandem, Ship ship) {
        tandem.client().submit(TaskRequest.of("parcels", "ship", ship).withKey("c-7"));
    }
}
