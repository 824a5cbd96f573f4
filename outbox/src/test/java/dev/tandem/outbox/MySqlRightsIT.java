package dev.tandem.outbox;

import dev.tandem.local.LocalMySql;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Users of a real MySQL with the documented rights. The MariaDB of the tests runs without rights. */
@EnabledIfEnvironmentVariable(named = LocalMySql.PROGRAM, matches = ".+")
class MySqlRightsIT extends RightsIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MYSQL;
    }
}
