package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.MissingBrokerException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** An archive in a PostgreSQL of its own, in which many tasks have ended today. */
final class ScaleArchive implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String FILL = """
            INSERT INTO tandem_archive.outcomes (queue, partition, position, kind, recorded_at, task_id, type, key, attempt,
              executor, error, started_at, duration_millis, sequence)
            SELECT ?, '0', '0:' || i, CASE WHEN i % 10 = 0 THEN 'dead' ELSE 'succeeded' END, now() - interval '1 microsecond' * i,
              'order-0-' || i, ?, 'customer-' || i % 1000, 1, 'executor-1', 'order is not paid', now(), 12, i
            FROM generate_series(0, ?) AS i ON CONFLICT DO NOTHING
            """;

    private final LocalPostgres postgres;
    private final PGSimpleDataSource database = new PGSimpleDataSource();

    private ScaleArchive(LocalPostgres postgres) {
        this.postgres = postgres;
        database.setUrl(postgres.address());
    }

    /** Starts one; null if no PostgreSQL is installed. */
    static @Nullable ScaleArchive startIfInstalled() {
        try {
            return new ScaleArchive(LocalPostgres.create());
        } catch (MissingBrokerException e) {
            return null;
        }
    }

    String address() {
        return postgres.address();
    }

    /** Waits until the server has made its tables, and fills them. */
    void fill(String queue, int ends) throws Exception {
        Await.until(PATIENCE, this::hasTables, () -> "The server has made no tables in the archive");
        try (Connection connection = database.getConnection();
                PreparedStatement fill = connection.prepareStatement(FILL);
                Statement analyze = connection.createStatement()) {
            fill.setString(1, queue);
            fill.setString(2, ScaleFill.TYPE);
            fill.setInt(3, ends);
            fill.executeUpdate();
            analyze.execute("ANALYZE tandem_archive.outcomes");
        }
    }

    private boolean hasTables() {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1 FROM tandem_archive.outcomes LIMIT 1");
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        postgres.close();
    }
}
