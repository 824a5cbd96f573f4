package dev.tandem.outbox;

/** The outbox, on a real MariaDB. */
class MariaDbOutboxRelayIT extends OutboxRelayIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }
}
