package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.TaskRequest;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.UniqueNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Users of a real PostgreSQL that have no rights but those of docs/outbox.md. */
class RightsIT extends OutboxFixture {

    /** The owner grants, as the page says it. The users are called as there. */
    private final List<String> grants = DocumentedBlocks.texts("docs/outbox.md", "sql").stream()
            .flatMap(String::lines)
            .filter(line -> line.startsWith("GRANT"))
            .toList();

    private TestDatabase create(String user) throws SQLException {
        String name = UniqueNames.fresh(user).replace('-', '_');
        if (database.kind == TestDatabase.Kind.POSTGRES) {
            database.execute("CREATE ROLE " + name + " LOGIN");
            database.execute("GRANT USAGE ON SCHEMA " + database.text("SELECT current_schema()") + " TO " + name);
        } else {
            database.execute("CREATE USER " + name);
        }
        for (String grant : grants) {
            if (grant.endsWith(" TO " + user + ";")) {
                database.execute(grant.replace(" TO " + user + ";", " TO " + name));
            }
        }
        return TestDatabase.at(database.url().replaceFirst("user=\\w+", "user=" + name));
    }

    private static String user(TestDatabase database) {
        return database.url().replaceFirst(".*user=(\\w+).*", "$1");
    }

    @Test
    void theDocumentedRightsAreEnough() throws SQLException {
        assertThat(grants).hasSize(7);
        TestDatabase shop = create("shop");
        FakeClient client = new FakeClient(task -> FakeClient.acknowledged());
        try (OutboxRelay relay = OutboxRelay.start(create("relay").source(), client, SETTINGS);
                Connection connection = shop.open()) {
            assertThat(Outbox.missingRights(connection, false)).isEmpty();
            outbox.write(connection, TaskRequest.of("orders", "ship", "one").withKey("c-7"));
            Dialect dialect = Dialect.of(connection);
            assertThat(dialect.raiseToken(connection, "orders", "c-7", 1)).isTrue();
            assertThat(dialect.raiseToken(connection, "orders", "c-7", 2)).isTrue();
            assertThat(dialect.record(connection, "orders", "o-7", 1)).isTrue();
            assertThat(dialect.record(connection, "orders", "o-7", 1)).isFalse();
            assertThat(Once.clean(connection, Duration.ofDays(1))).isZero();
            connection.commit();

            soon().until(() -> database.waiting() == 0);
            assertThat(client.submitted).containsExactly("one");
            assertThat(relay.status().problem()).isNull();
            assertThat(Outbox.backlog(connection).rows()).isZero();
        }
    }

    /** Each right is taken and given back, so none of those on the page is more than a relay or a writer needs. */
    @Test
    void eachMissingRightIsNamed() throws SQLException {
        TestDatabase relay = create("relay");
        for (String grant : grants) {
            if (grant.endsWith(" TO relay;")) {
                String table = grant.replaceFirst(".* ON (\\w+) .*", "$1");
                for (String right : grant.replaceFirst("GRANT (.*) ON .*", "$1").split(", ")) {
                    String what = right + " ON " + table;
                    database.execute("REVOKE " + what + " FROM " + user(relay));
                    try (Connection connection = relay.source().getConnection()) {
                        assertThat(Rights.missing(connection, false, true))
                                .as(what)
                                .anyMatch(each -> each.startsWith(right + " on " + table + " ("));
                        assertThat(connection.getAutoCommit()).isTrue();
                    }
                    database.execute("GRANT " + what + " TO " + user(relay));
                }
            }
        }
        try (Connection connection = relay.open()) {
            assertThat(Rights.missing(connection, false, true)).isEmpty();
            assertThat(Outbox.missingRights(connection, true))
                    .singleElement()
                    .asString()
                    .startsWith("INSERT on tandem_outbox (")
                    .contains("denied");
        }
    }

    @Test
    void aRelayWithoutRightsDoesNotStart() throws SQLException {
        FakeClient client = new FakeClient(task -> FakeClient.acknowledged());
        TestDatabase shop = create("shop");

        assertThatThrownBy(() -> OutboxRelay.start(shop.source(), client, SETTINGS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("UPDATE on tandem_outbox_bucket (")
                .hasMessageContaining("docs/outbox.md");
    }
}
