package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.UniqueNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Pull workers whose tasks are at another server than the one that they ask. */
@Execution(ExecutionMode.CONCURRENT)
class PullSharingIT {

    private static final String ANY = UniqueNames.fresh("any");
    private static final String KILLED = UniqueNames.fresh("killed");
    private static final String STOPS = UniqueNames.fresh("stops");

    /** Runs no tasks, so that all of them are elsewhere. */
    private static RunningServer api;

    @BeforeAll
    static void start() {
        Map<String, String> settings = settings(ANY, false);
        settings.putAll(settings(KILLED, false));
        settings.putAll(settings(STOPS, false));
        api = new RunningServer(settings);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @Test
    void tasksOfAllPartitionsAreLeasedAndEndedAtAnyServer() {
        PullWorker elsewhere = new PullWorker(api, ANY);
        CompletableFuture<RunningServer> starting =
                CompletableFuture.supplyAsync(() -> new RunningServer(settings(ANY, true)));
        try (RunningServer one = new RunningServer(settings(ANY, true));
                RunningServer other = starting.join()) {
            await("a share of each").atMost(PATIENCE).until(() -> owners(ANY).size() == 2);
            CompletableFuture<JsonNode> waiting = CompletableFuture.supplyAsync(elsewhere::leaseOne);
            submit(ANY, 40);
            List<JsonNode> tasks = new PullWorker(one, ANY).leaseAll(20);
            tasks.addAll(elsewhere.leaseAll(19));
            tasks.add(waiting.join());
            assertThat(tasks)
                    .extracting(task -> task.path("id").asString())
                    .doesNotHaveDuplicates()
                    .hasSize(40);
            assertThat(executors(tasks)).hasSize(2);

            List<String> leases = new ArrayList<>();
            tasks.forEach(
                    task -> leases.add("{\"lease\": \"" + task.path("lease").asString() + "\"}"));
            String all = "{\"leases\": " + leases + "}";
            assertThat(elsewhere.say("extend", all).json().path("changed").asInt())
                    .isEqualTo(40);
            assertThat(elsewhere.say("finish", all).json().path("changed").asInt())
                    .isEqualTo(40);
            PullWorker another = new PullWorker(other, ANY);
            assertThat(another.say("finish", all).status())
                    .as("the same again, elsewhere")
                    .isEqualTo(202);
            assertThat(another.say("fail", all).status()).isEqualTo(409);
        }
    }

    @Test
    void tasksOfAServerThatIsKilledGoOnElsewhereAndItsLeasesAreLost() throws Exception {
        PullWorker worker = new PullWorker(api, KILLED);
        JsonNode lost;
        try (LocalProcess victim = ServerProcess.start(KILLED, settings(KILLED, true))) {
            submit(KILLED, 1);
            lost = worker.leaseAll(1).get(0);
            victim.kill();
        }
        try (RunningServer successor = new RunningServer(settings(KILLED, true))) {
            JsonNode again = worker.leaseAll(1).get(0);
            assertThat(again.path("id").asString()).isEqualTo("t-0");
            assertThat(again.path("attempt").asInt()).isEqualTo(2);
            assertThat(again.path("token").asLong())
                    .isGreaterThan(lost.path("token").asLong());
            await("the loss")
                    .atMost(PATIENCE)
                    .until(() -> worker.say("finish", lost, "").status() == 409);
            new PullWorker(successor, KILLED).finish(again);
        }
    }

    @Test
    void aServerThatStopsHandsNothingOutAndTakesTheEndsOfItsTasksFromOtherServers() throws Exception {
        PullWorker worker = new PullWorker(api, STOPS);
        RunningServer stopping = new RunningServer(settings(STOPS, true));
        submit(STOPS, 1);
        JsonNode task = worker.leaseAll(1).get(0);
        Thread stop = new Thread(stopping::close);
        stop.start();
        await("a stopping executor").atMost(PATIENCE).until(() -> owners(STOPS).isEmpty());
        worker.finish(task);
        stop.join(PATIENCE.toMillis());
        assertThat(stop.isAlive()).as("it waits for this task only").isFalse();
    }

    private static void submit(String queue, int count) {
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

    private static Set<String> owners(String queue) {
        Set<String> owners = new HashSet<>();
        for (JsonNode partition : api.get("/api/v1/queues/" + queue).json().path("partitions")) {
            String owner = partition.path("owner").asString("");
            if (!owner.isEmpty()) {
                owners.add(owner);
            }
        }
        return owners;
    }

    private static Map<String, String> settings(String queue, boolean runs) {
        String at = "tandem.queues." + queue + ".";
        Map<String, String> settings = RunningServer.settings("kafka");
        settings.put("tandem.executor.enabled", Boolean.toString(runs));
        settings.put("tandem.executor.lease", "3s");
        settings.put(at + "source", "kafka");
        settings.put(at + "partitions", "4");
        settings.put(at + "handler", "pull");
        return settings;
    }
}
