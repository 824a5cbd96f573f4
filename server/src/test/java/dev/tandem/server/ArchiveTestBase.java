package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.awaitility.Awaitility.await;

import dev.tandem.kit.TcpProxy;
import dev.tandem.local.LocalPostgres;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A PostgreSQL of each class's own for an archive, and servers whose tasks are posted and have events. */
@TestInstance(Lifecycle.PER_CLASS) // Classes run beside each other, and static fields would be those of all of them.
abstract class ArchiveTestBase {

    LocalPostgres postgres;
    RecordingEndpoint endpoint;

    @BeforeAll
    void startPostgres() throws IOException {
        postgres = Brokers.ownPostgres("fsync=off");
        endpoint = new RecordingEndpoint();
    }

    @AfterAll
    void stopPostgres() {
        endpoint.close();
        postgres.close();
    }

    /** Returns the settings of a server without an archive. */
    Map<String, String> settings(String queue, String source) {
        Map<String, String> settings = RunningServer.settings(source);
        addQueue(settings, queue, source);
        return settings;
    }

    /** Adds a queue with one partition. */
    void addQueue(Map<String, String> settings, String queue, String source) {
        String at = "tandem.queues." + queue + ".";
        settings.put(at + "source", source);
        settings.put(at + "partitions", "1");
        settings.put(at + "handler", "http");
        settings.put(at + "http.url", endpoint.url());
        settings.put(at + "events.enabled", "true");
    }

    /** Returns the address of PostgreSQL behind a proxy. */
    String address(TcpProxy proxy) {
        return postgres.address().replace(":" + postgres.port() + "/", ":" + proxy.port() + "/");
    }

    /** Submits a task, as soon as the server accepts it. */
    void submit(RunningServer to, String queue, String id) {
        submit(to, queue, id, "");
    }

    /** Submits a task. @param more further fields, each with a comma before it */
    void submit(RunningServer to, String queue, String id, String more) {
        String task = "{\"id\": \"" + id + "\", \"payload\": 1" + more + "}";
        await("submission")
                .atMost(PATIENCE)
                .until(() -> to.post("/api/v1/queues/" + queue + "/tasks", task).status() == 202);
    }
}
