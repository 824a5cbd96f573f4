package dev.tandem.spring.shop;

import static dev.tandem.testkit.Brokers.PATIENCE;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the shop, ships one order by its queue, and ends. */
public final class ShopOfOneOrder {

    private ShopOfOneOrder() {}

    /** @param properties the settings of the application, each as name=value */
    public static void main(String[] properties) throws InterruptedException {
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(Shop.class).properties(properties).run()) {
            context.getBean(ShopTasks.class).ship("c-7", new Ship("o-7", 2)).await(PATIENCE);
            Journal journal = context.getBean(Journal.class);
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (!journal.lines().contains("ship c-7 2 attempt 1")) {
                if (System.nanoTime() - until > 0) {
                    throw new IllegalStateException("The order was not shipped: " + journal.lines());
                }
                Thread.sleep(50);
            }
            System.out.println("Shipped");
        }
    }
}
