package dev.tandem.outbox;

/** Effects that happen once, on a real MariaDB. */
class MariaDbOnceIT extends OnceIT {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }
}
