package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.SQLException;

/** Checks of the transactions that an application gives. */
final class Transactions {

    private Transactions() {}

    /** @throws IllegalStateException if each statement on the connection is a transaction of its own */
    static void require(Connection connection, String what) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    what + " needs the transaction of your own writes, but this connection commits"
                            + " each statement by itself: call setAutoCommit(false) before you write");
        }
    }
}
