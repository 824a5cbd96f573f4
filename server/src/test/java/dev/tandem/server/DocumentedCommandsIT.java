package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.cli.DocumentedCalls;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands in the README and the quickstart, typed as they are there, against a server with their queues. */
class DocumentedCommandsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Set<String> OF_THE_API =
            Set.of("submit", "queues", "tasks", "dead", "keys", "pause", "resume", "executors");

    @ParameterizedTest
    @ValueSource(strings = {"../README.md", "../docs/quickstart.md"})
    void work(String page) throws Exception {
        try (RunningServer server = new RunningServer(settings())) {
            await().atMost(PATIENCE).until(() -> server.get("/actuator/health").status() == 200);
            DocumentedCalls.in(List.of(Path.of(page)))
                    .filter(DocumentedCalls.Call::whole)
                    .map(DocumentedCalls.Call::words)
                    .filter(words -> words.length > 0 && OF_THE_API.contains(words[0]))
                    .forEach(words -> assertWorks(server, words));
        }
    }

    @Test
    void theQuickstartHasSuchCommands() throws Exception {
        assertThat(DocumentedCalls.in(List.of(Path.of("../docs/quickstart.md"))).filter(DocumentedCalls.Call::whole))
                .hasSizeGreaterThan(8);
    }

    private static void assertWorks(RunningServer server, String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.add("--server");
        line.add(server.url());
        StringWriter errors = new StringWriter();
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(errors, true))
                .execute(line.toArray(String[]::new));
        assertThat(status).as(line + " says " + errors).isZero();
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        settings.put("tandem.redis.namespace", UniqueNames.fresh("documented"));
        for (String queue : List.of("orders", "payments")) {
            settings.put("tandem.queues." + queue + ".source", "kafka");
            settings.put("tandem.queues." + queue + ".topic", UniqueNames.fresh(queue));
            settings.put("tandem.queues." + queue + ".group", UniqueNames.fresh(queue));
            settings.put("tandem.queues." + queue + ".handler", "noop");
        }
        return settings;
    }
}
