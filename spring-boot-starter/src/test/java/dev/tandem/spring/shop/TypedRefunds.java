package dev.tandem.spring.shop;

import org.springframework.transaction.annotation.Transactional;

/** Handles payloads that its subclasses choose. */
abstract class TypedRefunds<T> {

    abstract void run(T payload);

    @Transactional
    @ShopHandler("refund")
    void handle(T payload) {
        run(payload);
    }
}
