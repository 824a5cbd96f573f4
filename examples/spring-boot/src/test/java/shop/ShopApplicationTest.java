package shop;

import static dev.tandem.api.TaskOptions.delay;

import dev.tandem.test.TandemTest;
import dev.tandem.test.TestTandem;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import shop.ShopApplication.Ship;
import shop.ShopApplication.ShippingTasks;

@TandemTest
public class ShopApplicationTest {

    @Autowired
    ShippingTasks tasks;

    @Autowired
    TestTandem tandem;

    @Test
    void anOrderIsShippedWhenItIsDue() {
        tasks.ship("c-7", new Ship("o-7", 2), delay("5m"));

        tandem.assertThat("ship").isWaiting().attempts(0);
        tandem.advance("5m").assertThat("ship").succeeded().attempts(1);
    }
}
