package dev.tandem.outbox;

import dev.tandem.local.LocalMySql;
import dev.tandem.local.LocalProcess;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The outbox's fault that depends on the database, a relay that dies, on a real MySQL. */
@EnabledIfEnvironmentVariable(named = LocalMySql.PROGRAM, matches = ".+")
@Execution(ExecutionMode.CONCURRENT)
class MySqlOutboxFaultIT extends OutboxFixture {

    @Override
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.MYSQL;
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
