package dev.tandem.outbox;

import dev.tandem.api.TaskClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the rows of an outbox to their brokers, in order per key, at least once. Any number of relays share the work: each
 * has some of 64 buckets of keys, on a lease. Thread-safe.
 *
 * <p>If a relay dies, rows that it had published and not deleted are published again with the same id. If it is frozen for
 * longer than its lease, what it was just publishing may arrive once more when it wakes up, at most one task of each key, and
 * then after later tasks of that key. The first copies of the tasks of a key always arrive in order.
 */
public final class OutboxRelay implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

    private static final long CLOSE_SECONDS = 15;

    private final RelayLoop loop;
    private final RowListener listener;
    private final Thread thread;

    private OutboxRelay(RelayLoop loop, RowListener listener) {
        this.loop = loop;
        this.listener = listener;
        this.thread = new Thread(loop::run, "tandem-outbox-relay");
        thread.setDaemon(true);
    }

    /** Starts a relay with default settings. */
    public static OutboxRelay start(DataSource database, TaskClient client) {
        return start(database, client, RelaySettings.DEFAULT);
    }

    /**
     * Starts a relay. It waits for a database that does not answer.
     *
     * @param database gives one connection for the whole time, and with PostgreSQL another one to listen on
     * @param client publishes to the brokers; the relay does not close it
     * @throws IllegalStateException if the database answers and has no outbox, if its user lacks rights that a relay
     *     needs, or if the outbox does not know it
     */
    public static OutboxRelay start(DataSource database, TaskClient client, RelaySettings settings) {
        return start(database, client, settings, RelayClock.system());
    }

    static OutboxRelay start(DataSource database, TaskClient client, RelaySettings settings, RelayClock clock) {
        requireTables(database);
        String id = UUID.randomUUID().toString();
        RelayLoop loop = new RelayLoop(database, client, settings, id, clock);
        RowListener listener = PostgresListener.start(database, loop::wake);
        loop.listener(listener);
        OutboxRelay relay = new OutboxRelay(loop, listener);
        relay.thread.start();
        return relay;
    }

    private static void requireTables(DataSource database) {
        try (Connection connection = database.getConnection()) {
            Dialect dialect = Dialect.of(connection);
            if (!dialect.isInstalled(connection)) {
                throw new IllegalStateException("The database has no table tandem_outbox: run the script "
                        + dialect.script() + " of tandem-outbox, with Flyway for instance");
            }
            List<String> missing = Rights.missing(connection, false, true);
            if (!missing.isEmpty()) {
                throw new IllegalStateException("The relay's user of the database lacks rights: "
                        + String.join(", ", missing) + ". Grant them, as docs/outbox.md says");
            }
        } catch (SQLFeatureNotSupportedException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } catch (SQLException e) {
            log.warn("The outbox's database does not answer; the relay waits for it: {}", e.toString());
        }
    }

    /** Returns what the relay has done and what is wrong now. */
    public RelayStatus status() {
        return loop.status();
    }

    /**
     * Waits up to ten seconds for what is being published, then gives the buckets to other relays. Those of which tasks are
     * still on their way go to others when the lease ends.
     */
    @Override
    public void close() {
        loop.stop();
        listener.close();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
