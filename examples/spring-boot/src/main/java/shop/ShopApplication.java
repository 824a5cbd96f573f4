package shop;

import dev.tandem.api.Backoff;
import dev.tandem.api.Key;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskHandler;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskType;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class ShopApplication {

    record Ship(String order, int items) {}

    record Receipt(String order, long token) {}

    @Component
    static class Shipping {

        @TaskHandler(
                queue = "shop-orders",
                type = "ship",
                timeout = "30s",
                maxAttempts = 8,
                backoff = @Backoff(initial = "1s", max = "1h"),
                deadOn = IllegalArgumentException.class)
        Receipt ship(Ship ship, TaskContext task) throws InterruptedException {
            System.out.println("begun " + task.key() + " " + ship.order() + " attempt " + task.attempt());
            Thread.sleep(500);
            System.out.println("done " + task.key() + " " + ship.order());
            return new Receipt(ship.order(), task.token());
        }
    }

    @TaskGateway(queue = "shop-orders")
    interface ShippingTasks {

        @TaskType("ship")
        TaskRef<Receipt> ship(@Key String customer, Ship ship, TaskOptions... options);
    }

    @Bean
    ApplicationRunner orders(ShippingTasks tasks) {
        return arguments -> {
            if (arguments.containsOption("submit")) {
                for (int i = 0; i < 30; i++) {
                    tasks.ship("c-" + i % 3, new Ship("o-" + i, 1));
                }
            }
        };
    }

    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
