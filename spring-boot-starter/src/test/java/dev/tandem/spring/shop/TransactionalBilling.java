package dev.tandem.spring.shop;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Called through a JDK proxy: otherwise no transaction is open. */
@Component
class TransactionalBilling implements Billing {

    private final Journal journal;

    TransactionalBilling(Journal journal) {
        this.journal = journal;
    }

    @Override
    @Transactional
    public void bill(Ship ship) {
        journal.add("bill " + ship.order() + " in transaction "
                + TransactionSynchronizationManager.isActualTransactionActive());
    }
}
