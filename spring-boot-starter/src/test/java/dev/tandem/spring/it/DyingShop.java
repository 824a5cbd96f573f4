package dev.tandem.spring.it;

import dev.tandem.spring.shop.Ship;
import dev.tandem.spring.shop.Shop;
import dev.tandem.spring.shop.ShopTasks;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application that dies between the commit of a transaction and the publication of its tasks. */
public final class DyingShop {

    private DyingShop() {}

    public static void main(String[] arguments) {
        ConfigurableApplicationContext context = SpringApplication.run(Shop.class, arguments);
        ShopTasks tasks = context.getBean(ShopTasks.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            for (int i = 0; i < 10; i++) {
                tasks.ship("dead", new Ship("o-" + i, i));
            }
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    // As SIGKILL: nothing of the process runs any more.
                    Runtime.getRuntime().halt(137);
                }
            });
        });
    }
}
