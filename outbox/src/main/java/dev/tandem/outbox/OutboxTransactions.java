package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The transactions of an application, as a framework manages them. Implementations must be thread-safe. */
@FunctionalInterface
public interface OutboxTransactions {

    /** Writes rows with a connection that commits when its transaction does. */
    @FunctionalInterface
    interface Write {

        void to(Connection connection) throws SQLException;
    }

    /**
     * Returns the transactions of a framework that knows the connection of each, and calls back when one has ended.
     *
     * @param connection returns the connection of the calling thread's open transaction, which the outbox does not close. It
     *     throws an {@link IllegalStateException} that says how to begin one if the thread has none
     * @param afterEnd has one of two actions run once the calling thread's transaction has ended: the first one after a
     *     commit, the second one after a rollback, and also where it is unknown how the transaction ended
     */
    static OutboxTransactions of(Supplier<Connection> connection, BiConsumer<Runnable, Runnable> afterEnd) {
        return (write, committed, rolledBack) -> {
            write.to(connection.get());
            afterEnd.accept(committed, rolledBack);
        };
    }

    /**
     * Writes in the calling thread's transaction, and has one of two actions run once that has ended. They do not throw. A
     * rollback to a savepoint takes rows back that were written after it, and is not reported: the references of their tasks
     * count as accepted.
     *
     * <p>A framework may write in a transaction of its own where none is open, or after the commit of one that cannot write.
     *
     * @param rolledBack also runs where it is unknown how the transaction ended
     * @throws IllegalStateException if the thread must have an open transaction and has none; the message says how to begin
     *     one
     * @throws SQLException if the database refuses
     */
    void write(Write write, Runnable committed, Runnable rolledBack) throws SQLException;
}
