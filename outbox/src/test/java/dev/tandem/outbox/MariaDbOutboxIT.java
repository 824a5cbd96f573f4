package dev.tandem.outbox;

/** What the outbox writes, and the statements of relays, on a real MariaDB. */
class MariaDbOutboxIT extends OutboxIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }
}
