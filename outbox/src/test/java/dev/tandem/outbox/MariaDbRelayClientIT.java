package dev.tandem.outbox;

/** The outbox, on a real MariaDB. */
class MariaDbRelayClientIT extends RelayClientIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }
}
