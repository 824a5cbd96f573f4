package dev.tandem.outbox;

import dev.tandem.local.LocalPostgres;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own with the outbox, in the PostgreSQL that the tests of this JVM share or in one of a test's own. */
final class TestDatabase {

    private static @Nullable LocalPostgres shared;

    private final String url;

    private TestDatabase(String url) {
        this.url = url;
    }

    static synchronized TestDatabase create() throws SQLException {
        LocalPostgres postgres = shared;
        if (postgres == null) {
            postgres = Brokers.ownPostgres();
            shared = postgres;
        }
        return in(postgres);
    }

    static TestDatabase in(LocalPostgres postgres) throws SQLException {
        String schema = UniqueNames.fresh("outbox").replace('-', '_');
        TestDatabase admin = new TestDatabase(postgres.address());
        admin.execute("CREATE SCHEMA " + schema);
        TestDatabase created = new TestDatabase(postgres.address() + "&currentSchema=" + schema);
        created.execute(script());
        return created;
    }

    /** Returns the database of another process. */
    static TestDatabase at(String url) {
        return new TestDatabase(url);
    }

    private static String script() {
        try (InputStream script =
                TestDatabase.class.getResourceAsStream("/db/tandem/postgresql/V1__tandem_outbox.sql")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String url() {
        return url;
    }

    DataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    /** Opens a connection with a transaction. */
    Connection open() throws SQLException {
        Connection connection = source().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) throws SQLException {
        return Long.parseLong(text(sql));
    }

    String text(String sql) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getObject(1));
        }
    }

    long waiting() throws SQLException {
        return number("SELECT count(*) FROM tandem_outbox");
    }
}
