package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Executors whose death is proven, and executors of one fixed id. */
@Execution(ExecutionMode.CONCURRENT)
class ProvenDeathIT {

    /** Much longer than a test takes. */
    private static final String LEASE = "5m";

    private static final String SESSION_MILLIS = "300000";

    @ParameterizedTest
    @CsvSource({"kafka,key", "rabbit,key", "rabbit,none"})
    void serverThatIsRestartedAfterACrashGoesOnBeforeTheLeaseEnds(String source, String ordering) throws Exception {
        String queue = UniqueNames.fresh("crashed");
        try (RecordingEndpoint endpoint = new RecordingEndpoint();
                RunningServer api = new RunningServer(settings(queue, source, ordering, endpoint, false))) {
            endpoint.hold("held");
            try (LocalProcess victim = ServerProcess.start(queue, settings(queue, source, ordering, endpoint, true))) {
                submit(api, queue, "held");
                await("the run")
                        .atMost(PATIENCE)
                        .until(() -> endpoint.calls("held").size() == 1);
                victim.kill();
            }
            submit(api, queue, "next");
            try (LocalProcess successor =
                    ServerProcess.start(queue, settings(queue, source, ordering, endpoint, true))) {
                await("the next run")
                        .atMost(PATIENCE)
                        .until(() -> endpoint.calls("held").size() == 2 || !successor.isRunning());
                List<RecordingEndpoint.Call> calls = endpoint.calls("held");
                assertThat(calls)
                        .as(successor.logTail())
                        .extracting(RecordingEndpoint.Call::attempt)
                        .containsExactly(1, 2);
                assertThat(calls.get(1).token()).isGreaterThan(calls.get(0).token());
                if (ordering.equals("key")) {
                    assertThat(endpoint.calls("next"))
                            .as("runs of the next task of the key")
                            .isEmpty();
                }
                endpoint.release("held");
                await("the next task")
                        .atMost(PATIENCE)
                        .until(() -> endpoint.calls("next").size() == 1);
            }
        }
    }

    @Test
    void onlyOneOfTwoLivingServersWithOneIdRunsTasks() throws Exception {
        String queue = UniqueNames.fresh("twins");
        try (RecordingEndpoint endpoint = new RecordingEndpoint()) {
            Map<String, String> settings = settings(queue, "kafka", "key", endpoint, true);
            settings.put("tandem.executor.id", queue);
            try (RunningServer first = new RunningServer(settings)) {
                await("the first server").atMost(PATIENCE).until(() -> isHealthy(first));
                try (RunningServer second = new RunningServer(settings)) {
                    await("the refusal")
                            .atMost(PATIENCE)
                            .until(() -> second.get("/actuator/health")
                                    .body()
                                    .contains("another process with this id is alive"));
                    assertThat(isHealthy(second)).isFalse();
                    assertThat(isHealthy(first)).isTrue();

                    first.close();
                    await("the second server").atMost(PATIENCE).until(() -> isHealthy(second));
                    submit(second, queue, "task");
                    await("a run")
                            .atMost(PATIENCE)
                            .until(() -> endpoint.calls("task").size() == 1);
                }
            }
        }
    }

    private static boolean isHealthy(RunningServer server) {
        return server.get("/actuator/health").status() == 200;
    }

    private static void submit(RunningServer api, String queue, String id) {
        await("submission")
                .atMost(PATIENCE)
                .until(() -> api.post(
                                        "/api/v1/queues/" + queue + "/tasks",
                                        "{\"id\": \"" + id + "\", \"key\": \"k\", \"payload\": 1}")
                                .status()
                        == 202);
    }

    private static Map<String, String> settings(
            String queue, String source, String ordering, RecordingEndpoint endpoint, boolean runs) {
        String at = "tandem.queues." + queue + ".";
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.kafka.properties[session.timeout.ms]", SESSION_MILLIS);
        settings.put("tandem.rabbit.uri", Brokers.rabbit().uri());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        settings.put("tandem.executor.enabled", Boolean.toString(runs));
        settings.put("tandem.executor.lease", LEASE);
        settings.put(at + "source", source);
        settings.put(at + "ordering", ordering);
        settings.put(at + "partitions", "2");
        settings.put(at + "handler", "http");
        settings.put(at + "http.url", endpoint.url());
        settings.put(at + "timeout", "10m");
        return settings;
    }
}
