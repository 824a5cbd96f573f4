package dev.tandem.outbox;

import dev.tandem.local.LocalProcess;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The outbox's fault that depends on the database, a relay that dies, on a real MariaDB. */
@Execution(ExecutionMode.CONCURRENT)
class MariaDbOutboxFaultIT extends OutboxFixture {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MARIADB;
    }

    @Test
    void nothingIsLostOrOutOfOrderWhenARelayIsKilled() throws SQLException {
        broker(TestBroker.Kind.KAFKA);
        LocalProcess first = relayProcess();
        CompletableFuture<Void> writing = writeAsync(10, 200);
        soon().until(() -> broker.arrived().size() > 300);
        first.kill();
        relay();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 200);
    }
}
