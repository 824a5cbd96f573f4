package dev.tandem.outbox;

/** The rows of the outbox, and the statements of relays, on a real MariaDB. */
class MariaDbOutboxIT extends OutboxIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }
}
