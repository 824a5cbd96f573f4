package dev.tandem.test.shipping;

import dev.tandem.api.Backoff;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskHandler;
import org.springframework.stereotype.Component;

@Component
class Shipping {

    private final Carrier carrier;

    Shipping(Carrier carrier) {
        this.carrier = carrier;
    }

    @TaskHandler(
            queue = "orders",
            type = "ship",
            timeout = "30s",
            maxAttempts = 8,
            backoff = @Backoff(initial = "1s", max = "1h"),
            deadOn = BadAddress.class)
    Receipt ship(Ship ship, TaskContext task) {
        return carrier.book(ship, task.token());
    }
}
