package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationAdministration.Begun;
import dev.tandem.server.operations.OperationAdministration.Stop;
import dev.tandem.task.TaskState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Operations on many tasks, over HTTP. */
class OperationsApiTest extends ApiTestBase {

    private static final String PATH = "/api/v1/queues/orders/operations";

    @Test
    void anOperationBeginsWithWhatIsAskedFor() {
        JsonNode begun = post(
                PATH + "?action=retry&operation=o-1&state=dead,scheduled&type=noop&error=refused&died-before=-1h", 202);
        Operation operation = OPERATIONS.known.get(0).operation();
        assertThat(operation.action()).isEqualTo(Operation.Action.RETRY);
        assertThat(operation.selection().states()).containsExactly(TaskState.DEAD, TaskState.SCHEDULED);
        assertThat(operation.selection().orNoType())
                .as("the queue's handler is noop")
                .isTrue();
        assertThat(begun.path("operation").asString()).isEqualTo("o-1");
        assertThat(begun.path("state").asString()).isEqualTo("waiting");
        assertThat(begun.path("askedBy").asString()).isEqualTo("anybody");
        assertThat(begun.path("selection").toString())
                .isEqualTo("{\"states\":[\"dead\",\"scheduled\"],\"type\":\"noop\",\"error\":\"refused\","
                        + "\"diedBefore\":\"-1h\"}");
        assertThat(get(PATH + "/o-1", 200)).isEqualTo(begun);
        assertThat(get(PATH, 200).path("operations").size()).isEqualTo(1);
        assertThat(get("/api/v1/operations", 200).path("operations").size()).isEqualTo(1);
        assertThat(get("/api/v1/queues/mail/operations", 200).path("operations").size())
                .isZero();
        assertThat(post(PATH + "/o-1/stop", 202).path("operation").asString()).isEqualTo("o-1");
        assertThat(OPERATIONS.stopped).containsExactly("orders/o-1");
    }

    @Test
    void listsHaveDryRunsTooUnlessTheyAreLeftOut() {
        post(PATH + "?action=retry&operation=changes", 202);
        post(PATH + "?action=retry&operation=counts&dry-run=true", 202);

        for (String list : List.of(PATH, "/api/v1/operations")) {
            assertThat(ids(list)).containsExactly("changes", "counts");
            assertThat(ids(list + "?dry-run=false")).containsExactly("changes");
            assertThat(ids(list + "?dry-run=true")).containsExactly("counts");
            get(list + "?dry-run=perhaps", 400);
        }
    }

    private List<String> ids(String path) {
        return get(path, 200)
                .path("operations")
                .valueStream()
                .map(each -> each.path("operation").asString())
                .toList();
    }

    @Test
    void usualStatesAreTakenAndAnIdIsMadeIfNoneIsNamed() {
        assertThat(post(PATH + "?action=cancel", 202).path("operation").asString())
                .hasSize(36);
        post(PATH + "?action=reschedule&delay=5m&dry-run=true", 202);
        assertThat(OPERATIONS.known.get(0).operation().selection().states())
                .containsExactly(TaskState.SCHEDULED, TaskState.RETRY, TaskState.PARKED, TaskState.ACTIVE);
        assertThat(OPERATIONS.known.get(1).operation().at()).isEqualTo("+5m");
        assertThat(OPERATIONS.known.get(1).operation().dryRun()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                      | parameter action is missing",
                "action=explode                          | is 'explode', which is none",
                "action=delete&state=parked              | delete takes no such tasks",
                "action=cancel&state=dead,parked         | state is 'dead', but cancel takes no such tasks",
                "action=cancel&key=                      | parameter key is empty",
                "action=cancel&partition=%00             | is not the name of a partition",
                "action=cancel&halting=true              | halting is for action=delete",
                "action=cancel&at=1                      | at and delay are for action=reschedule",
                "action=reschedule                       | one of at and delay",
                "action=reschedule&at=1&delay=1          | one of at and delay",
                "action=reschedule&delay=9999999999d     | parameter at is '+9999999999d'",
                "action=reschedule&delay=-5m             | delay is '-5m', which is less than zero",
                "action=reschedule&at=tomorrow           | parameter at is 'tomorrow'",
                "action=retry&died-before=1h             | parameter died-before is '1h'",
                "action=retry&due-after=-99999999999d    | use epoch milliseconds",
                "action=retry&operation=a/b              | no id of an operation",
                "action=retry&halts=true                 | no parameter 'halts'",
                "action=retry&dry-run=perhaps            | dry-run"
            })
    void whatIsWrongIsRefusedAndSaysWhatToDo(String query, String detail) {
        JsonNode problem = post(PATH + "?" + query, 400);
        assertThat(problem.path("detail").asString()).contains(detail);
        assertThat(OPERATIONS.known).isEmpty();
    }

    @Test
    void textsAreBounded() {
        JsonNode problem = post(PATH + "?action=retry&error=" + "x".repeat(1_025), 400);
        assertThat(problem.path("detail").asString()).isEqualTo("The parameter error is longer than 1024 bytes");
        post(PATH + "?action=retry&error=" + "x".repeat(1_024), 202);
    }

    @Test
    void operationsThatCannotBeginOrStopSaySo() {
        OPERATIONS.begun = Begun.DIFFERS;
        assertThat(post(PATH + "?action=retry&operation=o", 409).path("detail").asString())
                .contains("another operation 'o' already");
        OPERATIONS.begun = Begun.NO_ROOM;
        assertThat(post(PATH + "?action=retry", 409).path("remedy").asString()).contains("./tandem operations");
        OPERATIONS.stop = Stop.ENDED;
        assertThat(post(PATH + "/o/stop", 409).path("detail").asString()).contains("has ended already");
        OPERATIONS.stop = Stop.UNKNOWN;
        post(PATH + "/o/stop", 404);
        get(PATH + "/o", 404);
        post("/api/v1/queues/none/operations?action=retry", 404);
    }
}
