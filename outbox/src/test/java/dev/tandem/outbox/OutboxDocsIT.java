package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import dev.tandem.testkit.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of docs/outbox.md compile as they stand there, and the first one runs. */
class OutboxDocsIT {

    private static final Pattern NAME = Pattern.compile("public class (\\w+)");

    @TempDir
    private Path classes;

    @Test
    void theProgramsCompileAndTheShopSubmitsItsTask() throws Exception {
        TestDatabase database = TestDatabase.Kind.POSTGRES.create();
        try (TestBroker broker = TestBroker.Kind.KAFKA.create()) {
            for (String program : programs()) {
                compile(program.replace("localhost:9092", broker.address)
                        .replace("jdbc:postgresql://localhost/shop", database.url())
                        .replace("\"orders\"", "\"" + broker.queue + "\""));
            }
            try (URLClassLoader loader = JavaExample.loader(classes)) {
                loader.loadClass("Shop").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                assertThat(loader.loadClass("Booking")).isNotNull();
            }
            // Its own relay may have been closed before it got to the task.
            try (var client = broker.client();
                    OutboxRelay relay = OutboxRelay.start(database.source(), client)) {
                await().atMost(Duration.ofSeconds(60)).until(() -> isDone(database));
                assertThat(relay.status().refused()).isZero();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> !broker.arrived().isEmpty());
            assertThat(broker.arrived().get(0).text()).isEqualTo("{\"order\":\"o-7\",\"items\":2}");
        }
    }

    /** People paste these into a client of their database when a row was set aside. */
    @Test
    void theStatementsRun() throws SQLException {
        TestDatabase database = TestDatabase.Kind.POSTGRES.create();
        List<String> statements = DocumentedBlocks.texts("docs/outbox.md", "sql").stream()
                .flatMap(block -> block.replaceAll("(?m)--.*$", "").lines())
                .filter(line -> !line.isBlank() && !line.startsWith("GRANT")) // RightsIT runs those
                .toList();
        assertThat(statements).hasSize(3);
        database.execute("INSERT INTO tandem_outbox (id, bucket, queue, task_id, dedup_key, payload, refused_at)"
                + " OVERRIDING SYSTEM VALUE"
                + " VALUES (42, 0, 'orders', 'o-7', 'o-7', '', now())");

        database.execute(statements.get(0));
        assertThat(database.number("SELECT count(*) FROM tandem_outbox WHERE refused_at IS NOT NULL"))
                .isEqualTo(1);
        database.execute(statements.get(1));
        assertThat(database.number("SELECT count(*) FROM tandem_outbox WHERE refused_at IS NOT NULL"))
                .isZero();
        database.execute(statements.get(2));
        assertThat(database.waiting()).isZero();
    }

    /** What ./tandem outbox-sql prints is the script that the tables of this test are made of. */
    @Test
    void theCommandPrintsTheScripts() throws IOException {
        for (String database : List.of("postgresql", "mysql", "mariadb")) {
            Programs.Result printed = Programs.run(
                    List.of(DocumentedBlocks.root().resolve("tandem").toString(), "outbox-sql", database), "");
            assertThat(printed.status()).isZero();
            try (InputStream script =
                    Outbox.class.getResourceAsStream("/db/tandem/" + database + "/V1__tandem_outbox.sql")) {
                assertThat(printed.output())
                        .isEqualTo(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        assertThat(Programs.run(
                        List.of(DocumentedBlocks.root().resolve("tandem").toString(), "outbox-sql", "oracle"), ""))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(1))
                .satisfies(refused -> assertThat(refused.output()).contains("'oracle'", "postgresql"));
    }

    private static boolean isDone(TestDatabase database) throws SQLException {
        return database.waiting() == 0;
    }

    private static List<String> programs() {
        List<String> programs = DocumentedBlocks.texts("docs/outbox.md", "java");
        assertThat(programs).hasSize(2);
        return programs;
    }

    private void compile(String code) {
        Matcher name = NAME.matcher(code);
        assertThat(name.find()).isTrue();
        JavaExample.compile(name.group(1), code, classes);
    }
}
