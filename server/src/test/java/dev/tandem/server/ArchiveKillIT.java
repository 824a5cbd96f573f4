package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.kit.TcpProxy;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.UniqueNames;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are killed while they store the ends of tasks in the archive, before they tell the broker that they have. */
class ArchiveKillIT extends ArchiveTestBase {

    private static final String TABLE = "tandem_archive.outcomes";

    /** Has the rows of the task "during" wait for a lock, whatever else is in their batch. */
    private static final String HOLD = """
            CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
              BEGIN
                IF NEW.task_id = 'during' THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF;
                RETURN NEW;
              END $$;
            DROP TRIGGER IF EXISTS hold ON %1$s;
            CREATE TRIGGER hold BEFORE INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION hold();
            SELECT pg_advisory_lock(4711)""".formatted(TABLE);

    private static final String LET_GO = "SELECT pg_advisory_unlock(4711)";
    private static final String HELD =
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 4711";

    /** The moment at which the server is killed. */
    private enum Moment {
        /** PostgreSQL has its rows, and has not committed them. */
        INSERTING,
        /** The rows are committed, and the answer is under way. */
        COMMITTED
    }

    private static final String PROBE = "probe-";

    @ParameterizedTest
    @CsvSource({"kafka, INSERTING", "kafka, COMMITTED", "rabbit, INSERTING", "rabbit, COMMITTED"})
    void eachEndIsThereOnceAlthoughTheServerIsKilledBeforeItTellsTheBroker(String source, Moment moment)
            throws Exception {
        String queue = UniqueNames.fresh("archived");
        Map<String, String> runs = settings(queue, source);
        Map<String, String> archives = archives(runs);
        try (RunningServer worker = RunningServer.healthy(runs);
                TcpProxy proxy = new TcpProxy(0, postgres.port());
                Connection database = DriverManager.getConnection(postgres.address())) {
            Map<String, String> dies = new LinkedHashMap<>(archives);
            dies.put("tandem.archive.url", address(proxy));
            try (LocalProcess victim = ServerProcess.start(queue, dies)) {
                awaitArchive(worker, database, queue, victim);
                submit(worker, queue, "before");
                awaitRows(database, queue, victim, "before");
                execute(database, HOLD);
                submit(worker, queue, "during");
                await("the rows").atMost(PATIENCE).until(() -> number(database, HELD) > 0);
                if (moment == Moment.COMMITTED) {
                    await("the same rows, of which nothing is told any more")
                            .atMost(PATIENCE)
                            .until(() -> isHeldBehind(proxy, database));
                    execute(database, LET_GO);
                    awaitRows(database, queue, victim, "before", "during");
                }
                victim.kill();
            }
            submit(worker, queue, "after");
            try (RunningServer successor = new RunningServer(archives)) {
                if (moment == Moment.INSERTING) {
                    execute(database, LET_GO); // PostgreSQL may still commit what it was sent.
                }
                awaitRows(database, queue, null, "before", "during", "after");
                await("the batch that came again")
                        .atMost(PATIENCE)
                        .until(() -> moment == Moment.INSERTING || repeated(successor) > 0);
                assertThat(rows(database, queue))
                        .containsOnly(Map.entry("before", 1L), Map.entry("during", 1L), Map.entry("after", 1L));
            }
        }
    }

    private Map<String, String> archives(Map<String, String> runs) {
        Map<String, String> archives = new LinkedHashMap<>(runs);
        archives.put("tandem.executor.enabled", "false");
        archives.put("tandem.archive.name", UniqueNames.fresh("archive"));
        archives.put("tandem.archive.url", postgres.address());
        // A member of the group that was killed is missed sooner.
        archives.put("tandem.kafka.properties[session.timeout.ms]", "6000");
        archives.put("tandem.kafka.properties[heartbeat.interval.ms]", "1000");
        return archives;
    }

    /**
     * Has PostgreSQL's answers held back while it holds the rows. Returns whether it holds them then: if they took too long, the
     * server gave them up meanwhile, and sends them again.
     */
    private static boolean isHeldBehind(TcpProxy proxy, Connection database) throws SQLException {
        proxy.set(TcpProxy.Mode.SILENT);
        if (number(database, HELD) > 0) {
            return true;
        }
        proxy.set(TcpProxy.Mode.OPEN);
        return false;
    }

    /** Waits until the broker keeps events for the archive: an exchange of RabbitMQ has none from before. */
    private void awaitArchive(RunningServer worker, Connection database, String queue, LocalProcess victim) {
        AtomicInteger number = new AtomicInteger();
        await("the archive")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .ignoreExceptionsInstanceOf(SQLException.class) // There is no table yet.
                .untilAsserted(() -> {
                    submit(worker, queue, PROBE + number.incrementAndGet());
                    assertThat(number(database, "SELECT count(*) FROM " + TABLE + " WHERE queue = '" + queue + "'"))
                            .as(victim.logTail())
                            .isPositive();
                });
    }

    /** Waits until the archive has the ends of these tasks, each once, and of no other ones. */
    private static void awaitRows(Connection database, String queue, LocalProcess of, String... ids) {
        await("rows of " + List.of(ids))
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(SQLException.class) // There is no table yet.
                .untilAsserted(() -> assertThat(rows(database, queue))
                        .as(of == null ? "" : of.logTail())
                        .containsOnlyKeys(ids));
    }

    /** Returns the tasks of a queue that ended, with how many rows an end of each has, but for probes. */
    private static Map<String, Long> rows(Connection database, String queue) throws SQLException {
        // A submission whose answer was lost is repeated, and then there are two tasks with one id.
        String ends = "SELECT task_id, count(*) AS rows FROM " + TABLE + " WHERE queue = '" + queue
                + "' AND task_id NOT LIKE '" + PROBE + "%' GROUP BY task_id, partition, position";
        Map<String, Long> rows = new TreeMap<>();
        try (Statement statement = database.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT task_id, max(rows) FROM (" + ends + ") AS ends GROUP BY task_id")) {
            while (found.next()) {
                rows.put(found.getString(1), found.getLong(2));
            }
        }
        return rows;
    }

    private static long number(Connection database, String query) throws SQLException {
        try (Statement statement = database.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            found.next();
            return found.getLong(1);
        }
    }

    private static void execute(Connection database, String sql) throws SQLException {
        try (Statement statement = database.createStatement()) {
            statement.execute(sql);
        }
    }

    private static double repeated(RunningServer server) {
        Matcher found = Pattern.compile("(?m)^tandem_archive_repeated_total(?:\\{.*})? (\\S+)$")
                .matcher(server.get("/actuator/prometheus").body());
        return found.find() ? Double.parseDouble(found.group(1)) : 0;
    }
}
