package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.kit.TcpProxy;
import dev.tandem.kit.TcpProxy.Mode;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An archive of ends on RabbitMQ, while that or PostgreSQL cannot be reached at first. */
class ArchiveStartIT extends ArchiveTestBase {

    private String queue;
    private String archive;
    private Map<String, String> settings;

    @BeforeEach
    void choose() {
        queue = UniqueNames.fresh("archived");
        archive = UniqueNames.fresh("archive");
        settings = settings(queue, "rabbit");
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"BROKEN", "STALLED"})
    void theEndOfATaskThatWaitedWhileRabbitCouldNotBeReachedIsArchived(Mode mode) {
        settings.put("tandem.executor.enabled", "false");
        try (RunningServer before = RunningServer.healthy(settings)) {
            submit(before, queue, "early");
        }
        settings.remove("tandem.executor.enabled");
        settings.put("tandem.archive.name", archive);
        settings.put("tandem.archive.url", postgres.address());
        URI rabbit = URI.create(Brokers.rabbit().uri());
        try (TcpProxy proxy = new TcpProxy(0, rabbit.getPort())) {
            proxy.set(mode);
            settings.put("tandem.rabbit.uri", "amqp://guest:guest@127.0.0.1:" + proxy.port());
            try (RunningServer server = new RunningServer(settings)) {
                proxy.set(Mode.OPEN);

                awaitArchived(server);
            }
        }
    }

    @Test
    void aQueueOfEventsThatRabbitLosesBeforePostgresIsReachedIsMadeAgain() throws Exception {
        settings.put("tandem.archive.name", archive);
        try (TcpProxy proxy = new TcpProxy(0, postgres.port());
                Connection connection = Brokers.rabbit().connect()) {
            proxy.set(Mode.BROKEN);
            settings.put("tandem.archive.url", address(proxy));
            try (RunningServer server = RunningServer.healthy(settings)) {
                Channel channel = connection.createChannel();
                channel.queueDelete(archive);

                submit(server, queue, "early");
                await("the event")
                        .atMost(PATIENCE)
                        .until(() -> server.metric("tandem_events_published_total", queue) > 0);
                await("the event that waits").atMost(PATIENCE).until(() -> waiting(server) > 0);
                proxy.set(Mode.OPEN);

                awaitArchived(server);
            }
        }
    }

    private static double waiting(RunningServer server) {
        return server.get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith("tandem_archive_waiting "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    private void awaitArchived(RunningServer server) {
        await("the end")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.get("/api/v1/queues/" + queue + "/archive/early")
                                .json()
                                .path("state")
                                .asString(""))
                        .isEqualTo("succeeded"));
    }
}
