package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Pull workers whose tasks are at another server than the one that they ask. */
@Execution(ExecutionMode.CONCURRENT)
class PullSharingIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void tasksOfAllPartitionsAreLeasedAndEndedAtAnyServer(String source) {
        String queue = UniqueNames.fresh("any");
        try (RunningServer one = new RunningServer(settings(queue, source, true));
                RunningServer other = new RunningServer(settings(queue, source, true));
                RunningServer without = new RunningServer(settings(queue, source, false))) {
            await("a share of each")
                    .atMost(PATIENCE)
                    .until(() -> owners(one, queue).size() == 2);
            submit(one, queue, 40);
            List<JsonNode> tasks = new PullWorker(one, queue).leaseAll(20);
            tasks.addAll(new PullWorker(without, queue).leaseAll(20));
            assertThat(tasks)
                    .extracting(task -> task.path("id").asString())
                    .doesNotHaveDuplicates()
                    .hasSize(40);
            assertThat(executors(tasks)).hasSize(2);

            List<String> leases = new ArrayList<>();
            tasks.forEach(
                    task -> leases.add("{\"lease\": \"" + task.path("lease").asString() + "\"}"));
            String all = "{\"leases\": " + leases + "}";
            PullWorker elsewhere = new PullWorker(without, queue);
            assertThat(elsewhere.say("extend", all).json().path("changed").asInt())
                    .isEqualTo(40);
            assertThat(elsewhere.say("finish", all).json().path("changed").asInt())
                    .isEqualTo(40);
            assertThat(new PullWorker(other, queue).say("finish", all).status())
                    .as("the same again, elsewhere")
                    .isEqualTo(202);
            assertThat(new PullWorker(other, queue).say("fail", all).status()).isEqualTo(409);
        }
    }

    @Test
    void aCallIsAnsweredWhenATaskComesToAnotherServer() {
        String queue = UniqueNames.fresh("later");
        try (RunningServer owner = new RunningServer(settings(queue, "kafka", true));
                RunningServer without = new RunningServer(settings(queue, "kafka", false))) {
            await().atMost(PATIENCE).until(() -> owners(owner, queue).size() == 1);
            PullWorker worker = new PullWorker(without, queue);
            assertThat(worker.say("lease", "{\"wait\": \"1s\"}")
                            .json()
                            .path("tasks")
                            .size())
                    .isZero();
            Thread submits = new Thread(() -> submit(owner, queue, 1));
            submits.start();
            worker.finish(worker.leaseOne());
        }
    }

    @Test
    void tasksOfAServerThatIsKilledGoOnElsewhereAndItsLeasesAreLost() throws Exception {
        String queue = UniqueNames.fresh("killed");
        Map<String, String> settings = settings(queue, "kafka", true);
        try (RunningServer api = new RunningServer(settings(queue, "kafka", false))) {
            JsonNode lost;
            PullWorker worker = new PullWorker(api, queue);
            try (LocalProcess victim = server(queue, settings)) {
                submit(api, queue, 1);
                await("the lease")
                        .atMost(PATIENCE)
                        .until(() -> !worker.lease(1, ", \"leaseTime\": \"1s\"").isEmpty());
                // The first lease runs out, and the task is leased again.
                lost = worker.lease(1, ", \"leaseTime\": \"10m\"").get(0);
                victim.kill();
            }
            try (RunningServer successor = new RunningServer(settings)) {
                JsonNode again = new PullWorker(successor, queue).leaseAll(1).get(0);
                assertThat(again.path("id").asString()).isEqualTo("t-0");
                assertThat(again.path("attempt").asInt()).isEqualTo(3);
                assertThat(again.path("token").asLong())
                        .isGreaterThan(lost.path("token").asLong());
                await("the loss")
                        .atMost(PATIENCE)
                        .until(() -> worker.say("finish", lost, "").status() == 409);
                worker.finish(again);
            }
        }
    }

    @Test
    void aServerThatStopsHandsNothingOutAndTakesTheEndsOfItsTasksFromOtherServers() throws Exception {
        String queue = UniqueNames.fresh("stops");
        try (RunningServer api = new RunningServer(settings(queue, "kafka", false))) {
            PullWorker worker = new PullWorker(api, queue);
            RunningServer stopping = new RunningServer(settings(queue, "kafka", true));
            submit(api, queue, 1);
            JsonNode task = worker.leaseAll(1).get(0);
            Thread stop = new Thread(stopping::close);
            stop.start();
            await("a stopping executor")
                    .atMost(PATIENCE)
                    .until(() -> owners(api, queue).isEmpty());
            worker.finish(task);
            stop.join(PATIENCE.toMillis());
            assertThat(stop.isAlive()).as("it waits for this task only").isFalse();
        }
    }

    private static void submit(RunningServer api, String queue, int count) {
        for (int i = 0; i < count; i++) {
            String body = "{\"id\": \"t-" + i + "\", \"key\": \"k" + i + "\", \"payload\": " + i + "}";
            await("submission")
                    .atMost(PATIENCE)
                    .until(() ->
                            api.post("/api/v1/queues/" + queue + "/tasks", body).status() == 202);
        }
    }

    private static Set<String> executors(List<JsonNode> tasks) {
        Set<String> executors = new HashSet<>();
        tasks.forEach(task -> executors.add(task.path("lease").asString().split(":", 4)[3]));
        return executors;
    }

    private static Set<String> owners(RunningServer server, String queue) {
        Set<String> owners = new HashSet<>();
        for (JsonNode partition : server.get("/api/v1/queues/" + queue).json().path("partitions")) {
            String owner = partition.path("owner").asString("");
            if (!owner.isEmpty()) {
                owners.add(owner);
            }
        }
        return owners;
    }

    private static Map<String, String> settings(String queue, String source, boolean runs) {
        String at = "tandem.queues." + queue + ".";
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.rabbit.uri", Brokers.rabbit().uri());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        settings.put("tandem.executor.enabled", Boolean.toString(runs));
        settings.put("tandem.executor.lease", "3s");
        settings.put(at + "source", source);
        settings.put(at + "ordering", "key");
        settings.put(at + "partitions", "4");
        settings.put(at + "handler", "pull");
        return settings;
    }

    private static LocalProcess server(String queue, Map<String, String> settings) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--tandem.api.login=none"));
        settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
        return LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        TandemServer.class.getName(),
                        arguments)
                .log(logs.resolve(UniqueNames.fresh(queue) + ".log"))
                .disposable()
                .build()
                .start();
    }
}
