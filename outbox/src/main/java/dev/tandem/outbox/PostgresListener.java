package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for new rows on a connection of its own. Needs PostgreSQL's own driver below the data source. */
final class PostgresListener implements RowListener {

    private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);

    private static final int WAIT_MILLIS = 500;
    private static final long RETRY_MILLIS = 1_000;

    private final DataSource database;
    private final Runnable wake;
    private final Thread thread;
    private volatile boolean listening;
    private volatile boolean closed;

    private PostgresListener(DataSource database, Runnable wake) {
        this.database = database;
        this.wake = wake;
        this.thread = new Thread(this::run, "tandem-outbox-listen");
        thread.setDaemon(true);
    }

    /** Begins to listen. Returns a listener that never tells anything where PostgreSQL's driver is not on the class path. */
    static RowListener start(DataSource database, Runnable wake) {
        try {
            Class.forName("org.postgresql.PGConnection", false, PostgresListener.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return NONE;
        }
        PostgresListener listener = new PostgresListener(database, wake);
        listener.thread.start();
        return listener;
    }

    private void run() {
        while (!closed) {
            try (Connection connection = database.getConnection()) {
                if (!connection.isWrapperFor(PGConnection.class)) {
                    log.info("The outbox is polled each second: its connections are not those of PostgreSQL's driver");
                    return;
                }
                listen(connection);
            } catch (SQLException e) {
                listening = false;
                log.debug("The outbox is polled each second until its database answers: {}", e.toString());
                pause();
            }
        }
    }

    private void listen(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN tandem_outbox");
            listening = true;
            wake.run();
            PGConnection postgres = connection.unwrap(PGConnection.class);
            while (!closed) {
                PGNotification[] news = postgres.getNotifications(WAIT_MILLIS);
                if (news != null && news.length > 0) {
                    wake.run();
                }
            }
            statement.execute("UNLISTEN tandem_outbox");
        } finally {
            listening = false;
        }
    }

    private void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    @Override
    public boolean isListening() {
        return listening;
    }

    @Override
    public void close() {
        closed = true;
    }
}
