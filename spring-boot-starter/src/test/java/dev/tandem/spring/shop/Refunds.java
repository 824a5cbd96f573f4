package dev.tandem.spring.shop;

import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A lazy bean with a CGLIB proxy, whose payload's type is an argument of its superclass. */
@Lazy
@Component
class Refunds extends TypedRefunds<Ship> {

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
