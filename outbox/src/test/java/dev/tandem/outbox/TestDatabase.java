package dev.tandem.outbox;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalMariaDb;
import dev.tandem.local.LocalMySql;
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
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database of its own with the outbox, in a server that the tests of this JVM share or in one of a test's own. */
final class TestDatabase {

    enum Kind {
        POSTGRES,
        MARIADB,
        MYSQL;

        TestDatabase create() throws SQLException {
            return in(
                    switch (this) {
                        case POSTGRES -> Brokers.postgres();
                        case MARIADB -> Brokers.mariaDb();
                        case MYSQL -> Brokers.mySql();
                    });
        }

        LocalBroker own() {
            return switch (this) {
                case POSTGRES -> Brokers.ownPostgres();
                case MARIADB -> Brokers.ownMariaDb();
                case MYSQL -> Brokers.ownMySql();
            };
        }
    }

    final Kind kind;
    private final String url;

    private TestDatabase(String url) {
        this.url = url;
        this.kind = url.startsWith("jdbc:postgresql:")
                ? Kind.POSTGRES
                : url.startsWith("jdbc:mysql:") ? Kind.MYSQL : Kind.MARIADB;
    }

    static TestDatabase in(LocalBroker server) throws SQLException {
        String name = UniqueNames.fresh("outbox").replace('-', '_');
        TestDatabase admin = new TestDatabase(server.address());
        TestDatabase created;
        if (server instanceof LocalPostgres postgres) {
            admin.execute("CREATE SCHEMA " + name);
            created = new TestDatabase(postgres.address() + "&currentSchema=" + name);
        } else {
            admin.execute("CREATE DATABASE " + name);
            created = new TestDatabase(
                    server instanceof LocalMySql mySql ? mySql.address(name) : ((LocalMariaDb) server).address(name));
        }
        created.install();
        return created;
    }

    /** Returns the database of another process. */
    static TestDatabase at(String url) {
        return new TestDatabase(url);
    }

    private void install() throws SQLException {
        String text = script();
        if (kind == Kind.POSTGRES) {
            execute(text);
            return;
        }
        // The server takes one statement at a time. Its script has no semicolons in other places.
        for (String statement : text.replaceAll("(?m)^\\s*--.*$", "").split(";")) {
            if (!statement.isBlank()) {
                execute(statement);
            }
        }
    }

    private String script() throws SQLException {
        try (Connection connection = source().getConnection();
                InputStream script =
                        TestDatabase.class.getClassLoader().getResourceAsStream(Outbox.script(connection))) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String url() {
        return url;
    }

    DataSource source() {
        try {
            if (kind == Kind.MARIADB) {
                return new MariaDbDataSource(url);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        if (kind == Kind.MYSQL) {
            MysqlDataSource mySql = new MysqlDataSource();
            mySql.setUrl(url);
            return mySql;
        }
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

    /** Returns what this database calls the present time in the columns of the outbox. */
    String now() {
        return kind == Kind.POSTGRES ? "clock_timestamp()" : "UTC_TIMESTAMP(6)";
    }

    /** Returns the time some days ago. */
    String daysAgo(int days) {
        return kind == Kind.POSTGRES
                ? "now() - interval '" + days + " days'"
                : "UTC_TIMESTAMP() - INTERVAL " + days + " DAY";
    }

    /** Returns how many transactions wait for a lock. */
    long waiters() throws SQLException {
        return number(
                kind == Kind.POSTGRES
                        ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND query LIKE '%tandem_once%' AND datname = current_database()"
                                + " AND pid <> pg_backend_pid()"
                        : "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                                + " AND trx_query LIKE '%tandem_once%'");
    }

    long waiting() throws SQLException {
        return number("SELECT count(*) FROM tandem_outbox");
    }
}
