package dev.tandem.outbox;

import java.sql.Connection;

/** The transactions of an application, as a framework manages them. Implementations must be thread-safe. */
public interface OutboxTransactions {

    /**
     * Returns the connection of the calling thread's open transaction. The outbox does not close it.
     *
     * @throws IllegalStateException if the thread has no open transaction; the message says how to begin one
     */
    Connection connection();

    /**
     * Has one of two actions run once the calling thread's transaction has ended. They do not throw.
     *
     * @param rolledBack also runs where it is unknown how the transaction ended
     */
    void afterEnd(Runnable committed, Runnable rolledBack);
}
