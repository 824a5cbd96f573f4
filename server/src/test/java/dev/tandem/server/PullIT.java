package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.UniqueNames;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Pull workers of one server, on real brokers. Each test has a queue of its own, two of them on RabbitMQ. */
@Execution(ExecutionMode.CONCURRENT)
class PullIT {

    private static final List<String> QUEUES =
            IntStream.range(0, 10).mapToObj(each -> UniqueNames.fresh("pulled")).toList();

    private static RunningServer server;

    @BeforeAll
    static void start() {
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        for (String queue : QUEUES) {
            String at = "tandem.queues." + queue + ".";
            boolean rabbit = queue.equals(QUEUES.get(1)) || queue.equals(QUEUES.get(9));
            settings.put(at + "source", rabbit ? "rabbit" : "kafka");
            settings.put(at + "ordering", "key");
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "pull");
            settings.put(at + "backoff.initial", "50ms");
            settings.put(at + "max-attempts", "2");
            settings.put(at + "dead-head", "skip");
            settings.put(at + "max-result-bytes", "1KB");
        }
        settings.put("tandem.queues." + QUEUES.get(6) + ".max-running", "2");
        server = RunningServer.healthy(settings);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static void submit(String queue, String id, String key) {
        Answer answer = server.post(
                "/api/v1/queues/" + queue + "/tasks",
                "{\"id\": \"" + id + "\", \"key\": \"" + key + "\", \"type\": \"any\", \"payload\": {\"id\": \"" + id
                        + "\"}}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private static JsonNode task(String queue, String id) {
        return server.get("/api/v1/queues/" + queue + "/tasks/" + id).json();
    }

    private static void awaitState(String queue, String id, String state) {
        await(id + " is " + state)
                .atMost(PATIENCE)
                .until(() -> task(queue, id).path("state").asString(""), state::equals);
    }

    @Test
    void aWorkerLeasesATaskAndFinishesItWithAResult() {
        String queue = QUEUES.get(0);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "a-1", "k");
        JsonNode task = worker.leaseOne();
        assertThat(task.path("id").asString()).isEqualTo("a-1");
        assertThat(task.path("type").asString()).isEqualTo("any");
        assertThat(task.path("key").asString()).isEqualTo("k");
        assertThat(task.path("payload").toString()).isEqualTo("{\"id\":\"a-1\"}");
        assertThat(task.path("token").asLong()).isPositive();
        assertThat(worker.say("lease", "{}").json().path("tasks").size())
                .as("there is no other one")
                .isZero();

        Answer answer = worker.say("finish", task, ", \"result\": {\"rows\": 7}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        assertThat(worker.say("finish", task, "").status())
                .as("the same again, because the answer may have got lost")
                .isEqualTo(202);
        JsonNode ended = server.get("/api/v1/queues/" + queue + "/tasks/a-1/end?timeout=20s")
                .json();
        assertThat(ended.path("state").asString()).isEqualTo("succeeded");
        assertThat(ended.path("task").path("result").path("rows").asInt()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 9})
    void ownersSayHowMuchMemoryTheTasksOfEachPartitionTake(int each) {
        String queue = QUEUES.get(each);
        String payload = "x".repeat(10_000);
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> "m-" + i).toList();
        for (String id : ids) {
            Answer answer = server.post(
                    "/api/v1/queues/" + queue + "/tasks",
                    "{\"id\": \"" + id + "\", \"key\": \"k\", \"payload\": \"" + payload + "\"}");
            assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        }
        await().atMost(PATIENCE).until(() -> inMemory(queue, "tasks") == ids.size());
        await().atMost(PATIENCE).until(() -> inMemory(queue, "bytes") >= ids.size() * payload.length());
        assertThat(inMemory(queue, "bytes"))
                .as("little besides the payloads")
                .isLessThan(2L * ids.size() * payload.length());

        PullWorker worker = new PullWorker(server, queue);
        for (String id : ids) {
            JsonNode task = worker.leaseOne();
            assertThat(task.path("id").asString()).isEqualTo(id);
            worker.say("finish", task, "");
        }
        await().atMost(PATIENCE).until(() -> inMemory(queue, "tasks") == 0 && inMemory(queue, "bytes") == 0);
    }

    /** Returns what the owners of all partitions say. -1 if one of them has not said it */
    private static long inMemory(String queue, String what) {
        long sum = 0;
        for (JsonNode partition : server.get("/api/v1/queues/" + queue).json().path("partitions")) {
            JsonNode its = partition.path("memory").path(what);
            if (its.isMissingNode()) {
                return -1;
            }
            sum += its.asLong();
        }
        return sum;
    }

    @Test
    void workersGetTheTasksOfAKeyOneAfterTheOtherAndOthersMeanwhile() {
        String queue = QUEUES.get(1);
        PullWorker worker = new PullWorker(server, queue);
        for (int i = 0; i < 3; i++) {
            submit(queue, "x-" + i, "x");
        }
        submit(queue, "y-0", "y");
        List<JsonNode> first = worker.leaseAll(2);
        assertThat(first).extracting(each -> each.path("id").asString()).containsExactlyInAnyOrder("x-0", "y-0");
        JsonNode x = first.stream()
                .filter(each -> each.path("key").asString().equals("x"))
                .findFirst()
                .orElseThrow();
        CompletableFuture<JsonNode> waiting = CompletableFuture.supplyAsync(worker::leaseOne);
        worker.say("fail", x, ", \"error\": \"not now\"");

        JsonNode again = waiting.join();
        assertThat(again.path("id").asString()).as("not the next of its key").isEqualTo("x-0");
        assertThat(again.path("attempt").asInt()).isEqualTo(2);
        assertThat(again.path("token").asLong()).isGreaterThan(x.path("token").asLong());
        worker.finish(again);
        JsonNode next = worker.leaseOne();
        assertThat(next.path("id").asString()).isEqualTo("x-1");
        worker.finish(next);
        worker.finish(worker.leaseOne());
        assertThat(worker.say("finish", x, "").status()).as("an earlier lease").isEqualTo(409);
    }

    @Test
    void aTaskWhoseWorkerDiesGoesOnAtOnceWhenItsLeaseHasRunOut() {
        String queue = QUEUES.get(2);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "a-1", "k");
        JsonNode lost =
                worker.lease(1, ", \"leaseTime\": \"1s\", \"worker\": \"w-1\"").get(0);

        JsonNode again = worker.leaseOne();
        assertThat(again.path("id").asString()).isEqualTo("a-1");
        assertThat(again.path("attempt").asInt()).isEqualTo(2);
        assertThat(worker.say("finish", lost, "").status()).isEqualTo(409);
        assertThat(worker.say("extend", lost, "").body()).contains("its lease has run out");
        worker.finish(again);
        awaitState(queue, "a-1", "succeeded");
        assertThat(task(queue, "a-1").path("history").get(0).path("error").asString())
                .isEqualTo("the lease of the pull worker 'w-1' ran out");
    }

    @Test
    void aWorkerReleasesBuriesAndDiscardsTasks() {
        String queue = QUEUES.get(3);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "later", "a");
        JsonNode later = worker.leaseOne();
        assertThat(worker.say("release", later, ", \"delay\": \"1h\"").status()).isEqualTo(202);
        awaitState(queue, "later", "retry");
        assertThat(task(queue, "later").path("attempts").asInt())
                .as("none is spent")
                .isZero();

        submit(queue, "buried", "b");
        worker.say("bury", worker.leaseOne(), ", \"reason\": \"no such customer\"");
        awaitState(queue, "buried", "dead");
        JsonNode peeked = server.get("/api/v1/queues/" + queue + "/pull/peek").json();
        assertThat(peeked.path("tasks").get(0).path("error").asString()).isEqualTo("no such customer");
        assertThat(worker.say("kick", "{\"max\": 5}").json().path("changed").asInt())
                .isEqualTo(1);
        JsonNode kicked = worker.leaseOne();
        assertThat(kicked.path("id").asString()).isEqualTo("buried");

        assertThat(worker.say("discard", kicked, "").status()).isEqualTo(202);
        awaitState(queue, "buried", "cancelled");
        assertThat(worker.say("discard", "{\"id\": \"later\"}").status()).isEqualTo(202);
        awaitState(queue, "later", "cancelled");
    }

    @Test
    void theNextRunGoesOnFromTheCheckpointAndPeopleSeeTheProgress() {
        String queue = QUEUES.get(4);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "long", "k");
        JsonNode first = worker.leaseOne();
        assertThat(worker.say("checkpoint", first, "").json().has("checkpoint")).isFalse();
        assertThat(worker.say("checkpoint", first, ", \"value\": {\"row\": 40}").status())
                .isEqualTo(202);
        Answer noted = worker.say("progress", first, ", \"done\": 40, \"total\": 100, \"log\": \"half way\"");
        assertThat(noted.json().path("leaseMillis").asLong()).isBetween(29_000L, 30_000L);
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode seen = task(queue, UrlText.pathSegment(first.path("ref").asString()));
            assertThat(seen.path("progress").path("done").asInt()).isEqualTo(40);
            assertThat(seen.path("log").path(0).path("text").asString()).isEqualTo("half way");
        });
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode running = server.get("/api/v1/queues/" + queue + "/running?type=any")
                    .json()
                    .path("running");
            assertThat(running).as("its executor has answered in time").hasSize(1);
            JsonNode it = running.path(0);
            assertThat(it.path("id").asString()).isEqualTo("long");
            assertThat(it.path("progress").path("done").asInt()).isEqualTo(40);
            assertThat(Instant.parse(it.path("claimedUntil").asString())).isAfter(Instant.now());
            assertThat(Instant.parse(it.path("worker").path("leaseUntil").asString()))
                    .isAfter(Instant.parse(it.path("since").asString()).plusSeconds(28));
        });
        worker.say("fail", first, ", \"error\": \"power cut\", \"delay\": \"0s\"");

        JsonNode second = worker.leaseOne();
        assertThat(worker.say("checkpoint", second, "")
                        .json()
                        .path("checkpoint")
                        .path("row")
                        .asInt())
                .isEqualTo(40);
        assertThat(worker.say("checkpoint", first, ", \"value\": 1").status()).isEqualTo(409);
        worker.finish(second);
    }

    @Test
    void anOperatorCancelsATaskOfAWorker() {
        String queue = QUEUES.get(5);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "unwanted", "k");
        submit(queue, "next", "k");
        JsonNode task = worker.leaseOne();
        CompletableFuture<Answer> cancel =
                CompletableFuture.supplyAsync(() -> server.post("/api/v1/queues/" + queue + "/tasks/unwanted/cancel"));
        await().atMost(PATIENCE).until(() -> worker.say("extend", task, "").status() == 409);
        assertThat(worker.say("extend", task, "").body()).contains("an operator has cancelled it");
        worker.say("fail", task, "");

        assertThat(cancel.join().json().path("state").asString()).isEqualTo("cancelled");
        assertThat(worker.leaseOne().path("id").asString()).isEqualTo("next");
    }

    @Test
    void limitsHoldForTasksOfWorkers() {
        String queue = QUEUES.get(6);
        PullWorker worker = new PullWorker(server, queue);
        for (int i = 0; i < 4; i++) {
            submit(queue, "t-" + i, "k" + i);
        }
        List<JsonNode> two = worker.leaseAll(2);
        assertThat(worker.say("lease", "{\"max\": 4, \"wait\": \"1s\"}")
                        .json()
                        .path("tasks")
                        .size())
                .as("two may run")
                .isZero();
        two.forEach(worker::finish);
        assertThat(worker.leaseAll(2)).hasSize(2);
    }

    @Test
    void metricsCountTasksOfWorkersAsThoseOfHandlers() {
        String queue = QUEUES.get(7);
        PullWorker worker = new PullWorker(server, queue);
        submit(queue, "a", "k");
        JsonNode task = worker.leaseOne();
        assertThat(metric("tandem_leases", queue)).isEqualTo(1);
        worker.finish(task);

        assertThat(metric("tandem_leases", queue)).isZero();
        assertThat(server.get("/actuator/prometheus").body())
                .containsPattern("tandem_task_run_seconds_count\\{outcome=\"succeeded\",queue=\"" + queue
                        + "\",type=\"any\"} 1");
    }

    private static double metric(String name, String queue) {
        return server.get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + "{") && line.contains("\"" + queue + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }
}
