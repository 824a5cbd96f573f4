package com.example.orders;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Stands in for the other companies' services. */
@Configuration(proxyBeanMethods = false)
class DemoProviders {

    private static final Logger log = LoggerFactory.getLogger(DemoProviders.class);

    /** Takes some time, so that there is a moment in which to kill the process. Refuses the card {@code stolen}. */
    @Bean
    Payments payments(@Value("${shop.payment-takes:0s}") Duration takes) {
        Set<String> charged = ConcurrentHashMap.newKeySet();
        return new Payments() {
            @Override
            public void charge(String order, String card) {
                log.info("Charging for order {} ...", order);
                pause(takes);
                if (card.equals("stolen")) {
                    throw new CardRefusedException("the bank refused the card");
                }
                charged.add(order);
            }

            @Override
            public void refund(String order) {
                if (charged.remove(order)) {
                    log.info("Refunded order {}", order);
                }
            }
        };
    }

    @Bean
    Carrier carrier() {
        return (order, token) -> log.info("Booked the transport of order {} with token {}", order, token);
    }

    @Bean
    Mailer mailer() {
        return mail -> log.info("To {}: {}", mail.to(), mail.text());
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The payment was interrupted", e);
        }
    }
}
