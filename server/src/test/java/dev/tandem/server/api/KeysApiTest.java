package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Blocked keys: what is shown of them, and what operators may do with their heads. */
class KeysApiTest extends ApiTestBase {

    private static final String KEYS = "/api/v1/queues/orders/keys";
    private static final String TASKS = "/api/v1/queues/orders/tasks/";

    @Test
    void keysAreShownWithTheirHeadTasks() {
        PLATFORM.keys.put("k", key("k"));
        put(info("0", "1:7", TaskState.PARKED, Task.of("orders", "k", bytes("x")), new TaskRef("0", "1:1")));

        JsonNode listed = get(KEYS, 200).path("keys").get(0);
        JsonNode shown = get(KEYS + "/k", 200);

        assertThat(listed.has("behind")).isFalse();
        for (JsonNode key : new JsonNode[] {listed, shown}) {
            JsonNode head = key.path("headTask");
            assertThat(head.path("id").asString()).isEqualTo("orders:0:1");
            assertThat(head.path("type").asString()).isEqualTo("noop");
            assertThat(head.path("state").asString()).isEqualTo("dead");
            assertThat(head.path("halts").asBoolean()).isTrue();
            assertThat(head.path("attempts").asInt()).isEqualTo(2);
            assertThat(head.path("maxAttempts").asInt()).isEqualTo(8);
            assertThat(head.path("error").asString()).isEqualTo("it failed");
        }
        assertThat(shown.path("behind").get(0).path("ref").asString()).isEqualTo("@0/1:7");
        assertThat(shown.path("behind").get(0).path("behind").asString()).isEqualTo("@0/1:1");
    }

    @Test
    void haltedKeysComeFirst() {
        PLATFORM.keys.put("a", new KeyInfo("a", "0", BlockReason.HEAD, null, new TaskRef("0", "1:2"), 0, null));
        PLATFORM.keys.put("k", key("k"));

        JsonNode keys = get(KEYS, 200).path("keys");

        assertThat(keys.get(0).path("key").asString()).isEqualTo("k");
        assertThat(keys.get(1).path("key").asString()).isEqualTo("a");
    }

    @Test
    void changesOfHaltedKeysSayWhatTheyDid() {
        PLATFORM.keys.put("k", key("k"));

        assertThat(post(KEYS + "/k/retry", 202).path("did").asString())
                .isEqualTo("The dead task @0/1:1 runs again now, with all its attempts.");
        assertThat(post(KEYS + "/k/skip", 202).path("did").asString())
                .isEqualTo("The dead task @0/1:1 stays dead. The next of the 3 tasks behind it goes on.");
        assertThat(post(KEYS + "/k/drain", 202).path("did").asString())
                .isEqualTo("The dead task @0/1:1 stays dead. The tasks parked behind it died too (3 when this began):"
                        + " the key is open.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"skip", "drain"})
    void headThatIsAliveIsGivenUpOnlyByForce(String action) {
        waiting("k", 2);

        JsonNode problem = post(KEYS + "/k/" + action, 409);
        assertThat(problem.path("detail").asString())
                .isEqualTo(
                        "The key 'k' is not halted: its head, @0/1:1, waits for its next attempt, after 2 of 8, and is"
                                + " due at 2026-11-20T10:00:00Z");
        assertThat(problem.path("remedy").asString()).contains("force=true", "--force");
        assertThat(PLATFORM.changes).isEmpty();

        assertThat(post(KEYS + "/k/" + action + "?force=true", 202).path("did").asString())
                .startsWith("The task @0/1:1 was alive, and is dead now. ");
        assertThat(PLATFORM.changes).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry", "skip", "drain"})
    void onlyTheHeadThatIsNamedIsChanged(String action) {
        PLATFORM.keys.put("k", key("k"));

        assertThat(post(KEYS + "/k/" + action + "?head=@0/1:9", 409)
                        .path("detail")
                        .asString())
                .isEqualTo("The key 'k' has another head by now: @0/1:1");
        assertThat(post(KEYS + "/k/" + action + "?head=order-7", 400).toString())
                .contains("not a reference of a task");
        assertThat(PLATFORM.changes).isEmpty();

        post(KEYS + "/k/" + action + "?head=@0/1:1", 202);
        assertThat(PLATFORM.changes).hasSize(1);
    }

    @Test
    void changeThatIsMadeInPartSaysWhatWasDone() {
        KeyInfo other = new KeyInfo("k", "3", BlockReason.HALTED, null, new TaskRef("3", "1:9"), 0, null);
        PLATFORM.keyChanges.addAll(List.of(new KeyChange(Change.DONE, key("k")), new KeyChange(Change.RUNNING, other)));
        assertThat(post(KEYS + "/k/skip", 409).path("detail").asString())
                .isEqualTo(
                        "Partition 3: The head of the key 'k', @3/1:9, is running. Done in partition 0: The dead task"
                                + " @0/1:1 stays dead. The next of the 3 tasks behind it goes on.");

        PLATFORM.keyChanges.clear();
        PLATFORM.keyChanges.add(new KeyChange(Change.DONE_IN_PART, other));
        assertThat(post(KEYS + "/k/drain", 409).path("detail").asString())
                .endsWith(
                        "has changed while the key was drained: tasks behind it that had died by then stay dead, and the others wait");

        PLATFORM.keyChanges.clear();
        PLATFORM.keyChanges.add(
                new KeyChange(Change.UNKNOWN, other, "Redis is not available: it did not answer in time"));
        JsonNode problem = post(KEYS + "/k/drain", 503);
        assertThat(problem.path("detail").asString())
                .isEqualTo("Redis is not available: it did not answer in time. The change of the key 'k' may have been"
                        + " made, wholly or in part");
        assertThat(problem.path("remedy").asString()).contains("head=@3/1:9");
    }

    @Test
    void retryOfAWaitingHeadSaysThatItIsNotDead() {
        waiting("k", 0);

        assertThat(post(KEYS + "/k/retry", 202).path("did").asString())
                .isEqualTo(
                        "The task @0/1:1 was not dead. It is due now instead of at 2026-11-20T10:00:00Z; it has spent"
                                + " 2 of 8 attempts.");
    }

    @Test
    void headThatTheBrokerHasCannotBeRetried() {
        PLATFORM.keys.put(
                "k",
                new KeyInfo(
                        "k",
                        "0",
                        BlockReason.REDELIVERY,
                        Instant.parse("2026-11-20T10:00:00Z"),
                        new TaskRef("0", "1:1"),
                        0,
                        null));

        assertThat(post(KEYS + "/k/retry", 409).path("detail").asString())
                .isEqualTo("The head of the key 'k', @0/1:1, is not in Redis: its executor died, and its broker will"
                        + " deliver it again");
    }

    @Test
    void deletionTakesOnlyWhatItIsMeantFor() {
        put("0", "1:1", TaskState.SCHEDULED, named("waits"));
        put("0", "1:2", TaskState.DEAD, named("died"));
        put(info("0", "1:3", TaskState.DEAD, named("halts"), new TaskRef("0", "1:3")));

        assertThat(refusal("waits?only=dead"))
                .contains("is not dead: its state is scheduled")
                .contains("tasks cancel");
        assertThat(refusal("waits?only=dead-not-halting")).contains("is not dead");
        assertThat(refusal("died?only=waiting")).contains("is dead: there is nothing to cancel");
        assertThat(refusal("halts?only=dead-not-halting")).contains("halts the key 'k'");
        assertThat(send("DELETE", TASKS + "died?only=gone", null, null, 400).toString())
                .contains("dead, dead-not-halting or waiting");
        assertThat(post(TASKS + "waits/retry?only=dead", 409).toString()).contains("is not dead");
        assertThat(PLATFORM.changes).isEmpty();

        assertThat(send("DELETE", TASKS + "died?only=dead", null, null, 202).has("opened"))
                .isFalse();
        assertThat(send("DELETE", TASKS + "halts?only=dead", null, null, 202)
                        .path("opened")
                        .asString())
                .isEqualTo("k");
        send("DELETE", TASKS + "waits?only=waiting", null, null, 202);
        assertThat(PLATFORM.changes).hasSize(3);
    }

    private static String refusal(String taskAndQuery) {
        return send("DELETE", TASKS + taskAndQuery, null, null, 409).toString();
    }

    private static void waiting(String key, long parked) {
        TaskRef head = new TaskRef("0", "1:1");
        TaskInfo task = info("0", "1:1", TaskState.RETRY, Task.of("orders", key, bytes("x")), head);
        PLATFORM.keys.put(
                key,
                new KeyInfo(key, "0", BlockReason.HEAD, Instant.parse("2026-11-20T09:00:00Z"), head, parked, task));
    }
}
