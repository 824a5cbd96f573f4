package dev.tandem.outbox;

import dev.tandem.local.LocalMySql;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The outbox, on a real MySQL. */
@EnabledIfEnvironmentVariable(named = LocalMySql.PROGRAM, matches = ".+")
class MySqlRelayClientIT extends RelayClientIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MYSQL;
    }
}
