package dev.tandem.server.archive;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tandem.runtime.settings.ArchiveSettings;
import dev.tandem.runtime.settings.SecretFile;
import dev.tandem.server.archive.Archive.BusySearchException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections to the archive's PostgreSQL, few of them. The password is read anew for each. Nothing connects before the first. */
final class ArchiveDatabase implements AutoCloseable {

    private static final int CONNECTIONS = 5;
    /** How many searches run at once. The other connections store events, which must not wait for slow searches. */
    static final int SEARCHES = 3;

    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** Longer than any statement may take; a connection whose server is gone is found by it. */
    private static final int SOCKET_SECONDS = 75;

    /** The time that a search waits for an answer beyond its timeout, by which PostgreSQL gives it up. */
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final HikariDataSource pool;
    private final int searchMillis;
    private final Semaphore searches = new Semaphore(SEARCHES, true);
    private final Duration searchWait;

    ArchiveDatabase(ArchiveSettings settings) {
        this(settings, CONNECT);
    }

    /** @param searchWait how long a search waits for others */
    ArchiveDatabase(ArchiveSettings settings, Duration searchWait) {
        this.searchWait = searchWait;
        HikariConfig config = new HikariConfig();
        config.setDataSource(new FreshPassword(settings));
        config.setPoolName("tandem-archive");
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(CONNECT.toMillis());
        config.setValidationTimeout(Duration.ofSeconds(3).toMillis());
        config.setIdleTimeout(Duration.ofMinutes(2).toMillis());
        config.setInitializationFailTimeout(-1);
        config.setRegisterMbeans(false);
        this.pool = new HikariDataSource(config);
        this.searchMillis = (int) settings.searchTimeout().plus(ANSWER).toMillis();
    }

    Connection connection() throws SQLException {
        return pool.getConnection();
    }

    /** An action on a connection. */
    interface Use<T> {
        T with(Connection on) throws SQLException;
    }

    /**
     * Searches, when there is a place for another search. If PostgreSQL is silent, that place is free again sooner than events are
     * given up.
     *
     * @throws BusySearchException if others search for too long
     */
    <T> T search(Use<T> use) throws SQLException {
        try {
            if (!searches.tryAcquire(searchWait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new BusySearchException(SEARCHES + " others search the archive here at this moment");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientException("the thread was interrupted", e);
        }
        try (Connection on = connection()) {
            on.setNetworkTimeout(Runnable::run, searchMillis); // The pool sets it back.
            return use.with(on);
        } finally {
            searches.release();
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    private static final class FreshPassword extends PGSimpleDataSource {

        private static final long serialVersionUID = 1;

        private final @Nullable String user;
        private final String passwordFile;

        FreshPassword(ArchiveSettings settings) {
            setURL(settings.url());
            setApplicationName("tandem archive");
            setConnectTimeout((int) CONNECT.toSeconds());
            setLoginTimeout((int) CONNECT.toSeconds());
            setSocketTimeout(SOCKET_SECONDS);
            setTcpKeepAlive(true);
            this.user = settings.username().isEmpty() ? getUser() : settings.username();
            this.passwordFile = settings.passwordFile();
        }

        @Override
        public Connection getConnection() throws SQLException {
            return super.getConnection(user, password());
        }

        private @Nullable String password() throws SQLException {
            try {
                return passwordFile.isEmpty()
                        ? System.getenv("PGPASSWORD")
                        : SecretFile.read("tandem.archive.password-file", passwordFile);
            } catch (IllegalStateException e) {
                throw new SQLException(e.getMessage(), e);
            }
        }
    }
}
