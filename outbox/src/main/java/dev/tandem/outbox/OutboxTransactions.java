package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.SQLException;

/** The transactions of an application, as a framework manages them. Implementations must be thread-safe. */
public interface OutboxTransactions {

    /** Writes rows with a connection that commits when its transaction does. */
    @FunctionalInterface
    interface Write {

        void to(Connection connection) throws SQLException;
    }

    /**
     * Writes in the calling thread's transaction, and has one of two actions run once that has ended.
     *
     * <p>A framework may do so in another way. It may write in a transaction of its own where none is open, or after the
     * commit of one that cannot write.
     *
     * @param rolledBack also runs where it is unknown how the transaction ended
     * @throws SQLException if the database refuses
     */
    default void write(Write write, Runnable committed, Runnable rolledBack) throws SQLException {
        write.to(connection());
        afterEnd(committed, rolledBack);
    }

    /**
     * Returns the connection of the calling thread's open transaction. The outbox does not close it.
     *
     * @throws IllegalStateException if the thread has no open transaction; the message says how to begin one
     */
    Connection connection();

    /**
     * Has one of two actions run once the calling thread's transaction has ended. They do not throw. A rollback to a savepoint
     * takes rows back that were written after it, and is not reported: the references of their tasks count as accepted.
     *
     * @param rolledBack also runs where it is unknown how the transaction ended
     */
    void afterEnd(Runnable committed, Runnable rolledBack);
}
