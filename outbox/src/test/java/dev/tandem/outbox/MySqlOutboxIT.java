package dev.tandem.outbox;

import dev.tandem.local.LocalMySql;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The rows of the outbox, and the statements of relays, on a real MySQL. */
@EnabledIfEnvironmentVariable(named = LocalMySql.PROGRAM, matches = ".+")
class MySqlOutboxIT extends OutboxIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MYSQL;
    }
}
