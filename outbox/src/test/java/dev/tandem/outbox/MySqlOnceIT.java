package dev.tandem.outbox;

import dev.tandem.local.LocalMySql;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Effects that happen once, on a real MySQL. */
@EnabledIfEnvironmentVariable(named = LocalMySql.PROGRAM, matches = ".+")
class MySqlOnceIT extends OnceIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MYSQL;
    }
}
