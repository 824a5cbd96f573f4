package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The rights of the database's user. Asked by statements that would change nothing, because roles and owners count too. */
final class Rights {

    private static final String NOTHING = " WHERE 1 = 0";

    /** An insertion of no rows. It needs the rights of the table's trigger, too. */
    private static final String WRITE =
            "INSERT INTO tandem_outbox (bucket) SELECT 0 FROM (SELECT 1 AS one) nothing" + NOTHING;

    private static final List<Right> OF_WRITERS = List.of(new Right("INSERT on tandem_outbox", WRITE));

    private static final List<Right> OF_RELAYS = List.of(
            new Right("SELECT on tandem_outbox", "SELECT 1 FROM tandem_outbox" + NOTHING),
            new Right("UPDATE on tandem_outbox", "UPDATE tandem_outbox SET failures = 0" + NOTHING),
            new Right("DELETE on tandem_outbox", "DELETE FROM tandem_outbox" + NOTHING),
            new Right("SELECT on tandem_outbox_relay", "SELECT 1 FROM tandem_outbox_relay" + NOTHING),
            new Right(
                    "INSERT on tandem_outbox_relay",
                    "INSERT INTO tandem_outbox_relay (id, alive_until) SELECT '', current_timestamp"
                            + " FROM (SELECT 1 AS one) nothing" + NOTHING),
            new Right(
                    "UPDATE on tandem_outbox_relay",
                    "UPDATE tandem_outbox_relay SET alive_until = current_timestamp" + NOTHING),
            new Right("DELETE on tandem_outbox_relay", "DELETE FROM tandem_outbox_relay" + NOTHING),
            new Right("SELECT on tandem_outbox_bucket", "SELECT 1 FROM tandem_outbox_bucket" + NOTHING),
            new Right("UPDATE on tandem_outbox_bucket", "UPDATE tandem_outbox_bucket SET owner = NULL" + NOTHING));

    /** PostgreSQL's insufficient_privilege. */
    private static final String DENIED = "42501";

    /** MySQL's and MariaDB's: a command on a table, or on a column, is denied. */
    private static final Set<Integer> DENIED_CODES = Set.of(1142, 1143);

    private record Right(String name, String statement) {}

    private Rights() {}

    /**
     * Returns the rights that are missing, with what the database says.
     *
     * @param connection without a transaction
     */
    static List<String> missing(Connection connection, boolean writes, boolean relays) throws SQLException {
        List<Right> needed = new ArrayList<>();
        if (writes) {
            needed.addAll(OF_WRITERS);
        }
        if (relays) {
            needed.addAll(OF_RELAYS);
        }
        List<String> missing = new ArrayList<>();
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            for (Right right : needed) {
                String refusal = refusal(connection, right);
                if (!refusal.isEmpty()) {
                    missing.add(right.name() + " (" + refusal + ")");
                }
            }
        } finally {
            connection.setAutoCommit(autoCommit);
        }
        return missing;
    }

    /** Returns why the database does not allow it; empty if it does, or if another problem keeps it from an answer. */
    private static String refusal(Connection connection, Right right) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(right.statement());
            return "";
        } catch (SQLException e) {
            boolean denied = DENIED.equals(e.getSQLState()) || DENIED_CODES.contains(e.getErrorCode());
            return denied ? String.valueOf(e.getMessage()).lines().findFirst().orElse("denied") : "";
        } finally {
            connection.rollback();
        }
    }
}
