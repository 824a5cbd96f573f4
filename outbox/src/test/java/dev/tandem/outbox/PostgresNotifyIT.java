package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** How PostgreSQL tells relays of new rows. */
class PostgresNotifyIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void writersNotifyOnlyWhileARelaySleeps() throws SQLException {
        TestDatabase database = TestDatabase.Kind.POSTGRES.create();
        Outbox outbox = Outbox.create();
        TaskRequest<?> task = TaskRequest.of("orders", "ship", "x").withKey("k");
        try (Connection connection = database.open();
                Connection session = database.open();
                Connection listening = database.source().getConnection();
                Statement listen = listening.createStatement();
                RelayStatements relay = Dialect.of(session).relayTables(session, "r", Duration.ofSeconds(5), true)) {
            listen.execute("LISTEN tandem_outbox");
            PGConnection news = listening.unwrap(PGConnection.class);
            relay.renew(Set.of(), false);
            outbox.write(connection, task);
            connection.commit();
            relay.sleep(true);
            // A marker: what had been sent before it would come first.
            try (Statement marker = connection.createStatement()) {
                marker.execute("NOTIFY tandem_outbox, 'marker'");
            }
            connection.commit();
            int writer = connection.unwrap(PGConnection.class).getBackendPID();
            assertThat(next(news, writer)).containsExactly("marker");
            outbox.write(connection, task);
            connection.commit();
            assertThat(next(news, writer)).containsExactly("");
        }
    }
    /** Returns what a writer tells next. Other tests tell theirs in the same database. */
    private static List<String> next(PGConnection news, int writer) throws SQLException {
        List<String> told = List.of();
        for (long end = System.nanoTime() + PATIENCE.toNanos(); told.isEmpty() && System.nanoTime() < end; ) {
            told = Arrays.stream(news.getNotifications(1_000))
                    .filter(each -> each.getPID() == writer)
                    .map(each -> each.getParameter())
                    .toList();
        }
        return told;
    }
}
