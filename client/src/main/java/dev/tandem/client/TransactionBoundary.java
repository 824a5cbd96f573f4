package dev.tandem.client;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Port: the transactions of the application, in which {@link TandemClient} takes part. A framework's module implements it.
 * Thread-safe.
 */
public interface TransactionBoundary {

    /** No transactions: every task is sent at once. */
    TransactionBoundary NONE = new TransactionBoundary() {
        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public void onEnd(Consumer<Outcome> action) {
            throw new IllegalStateException("No transaction is open in this thread");
        }
    };

    /** How a transaction ended. */
    enum Outcome {
        /** All that it wrote is there. */
        COMMITTED,
        /** Nothing that it wrote is there. */
        ROLLED_BACK,
        /** Nobody knows: the connection broke at the commit. */
        UNKNOWN
    }

    /** Returns whether a transaction is open in this thread whose end decides about what is submitted now. */
    boolean isOpen();

    /**
     * Has the action run once the transaction of this thread has ended. Actions run in the order in which they were given.
     * The first outcome that an action gets is the one that counts: one that was given after a savepoint may get {@link
     * Outcome#ROLLED_BACK} when that savepoint is rolled back.
     *
     * @param action never throws, and waits only where the broker's client has no room
     */
    void onEnd(Consumer<Outcome> action);

    /**
     * Returns what an owner keeps with the transaction that is open in this thread. It is made at the owner's first question,
     * and is the same until the transaction ends. A boundary that does not keep it returns a new one each time.
     */
    default <T> T attachment(Object owner, Supplier<T> maker) {
        return maker.get();
    }
}
