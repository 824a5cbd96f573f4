package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** How PostgreSQL tells relays of new rows. */
class PostgresNotifyIT {

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
            database.execute("NOTIFY tandem_outbox, 'marker'");
            assertThat(news.getNotifications(30_000))
                    .extracting(each -> each.getParameter())
                    .containsExactly("marker");
            outbox.write(connection, task);
            connection.commit();
            assertThat(news.getNotifications(30_000))
                    .extracting(each -> each.getParameter())
                    .containsExactly("");
        }
    }
}
