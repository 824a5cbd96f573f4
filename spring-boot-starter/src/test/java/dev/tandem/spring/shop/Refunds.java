package dev.tandem.spring.shop;

import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A lazy bean with a CGLIB proxy, whose payload's type is an argument of its superclass. */
@Lazy
@Component
@Transactional
class Refunds extends Refunds.Typed<Ship> {

    /** Handles payloads that its subclasses choose. */
    abstract static class Typed<T> {

        abstract void run(T payload);

        @ShopHandler("refund")
        void handle(T payload) {
            run(payload);
        }
    }

    private final Journal journal;

    Refunds(Journal journal) {
        this.journal = journal;
    }

    @Override
    void run(Ship ship) {
        journal.add("refund " + ship.order() + " in transaction "
                + TransactionSynchronizationManager.isActualTransactionActive());
    }
}
