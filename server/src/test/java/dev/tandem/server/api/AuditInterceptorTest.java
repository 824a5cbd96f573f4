package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.logs.OperatorLog;
import dev.tandem.task.TaskState;
import dev.tandem.task.UrlText;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Acts of operators through the API stand in the log. */
class AuditInterceptorTest extends ApiTestBase {

    private final Logger logger = (Logger) LoggerFactory.getLogger(OperatorLog.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void capture() {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
        logger.setLevel(null);
    }

    /** Returns the lines of the log, but for those that sum up what tests before this one did. */
    private List<String> lines() {
        return List.copyOf(logged.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> !line.matches("Operator: \\d+ more times: .*"))
                .toList();
    }

    @Test
    void aChangeOfAScheduleHasALine() {
        post("/api/v1/schedules/nightly/pause", 202);
        send("DELETE", "/api/v1/schedules/nightly", null, null, 202);

        await().until(() -> lines().size() >= 2);
        assertThat(lines().get(0)).contains("pause of schedule nightly, asked by anybody at 127.0.0.1");
        assertThat(lines().get(1)).contains("delete of schedule nightly, asked by anybody at 127.0.0.1");
    }

    @Test
    void everyChangeHasALineAlsoIfItIsRefused() {
        PLATFORM.keys.put("customer 7", key("customer 7"));
        put("0", "1:1", TaskState.DEAD, named("order-7"));

        post("/api/v1/queues/orders/keys/customer%207/skip", 202);
        post("/api/v1/queues/orders/keys/open/drain", 409);
        post("/api/v1/queues/mail/pause", 202);
        post("/api/v1/queues/orders/tasks/order-7/retry", 202);
        send("DELETE", "/api/v1/queues/orders/tasks/%400%2F1:1", null, null, 202);

        await().until(() -> lines().size() >= 5);
        assertThat(lines())
                .containsExactly(
                        "Operator: skip of key 'customer 7' of queue orders, asked by anybody at 127.0.0.1: done (head @0/1:1)",
                        "Operator: drain of key 'open' of queue orders, asked by anybody at 127.0.0.1: refused with status 409",
                        "Operator: pause of queue mail, asked by anybody at 127.0.0.1: done",
                        "Operator: retry of task order-7 of queue orders, asked by anybody at 127.0.0.1: done",
                        "Operator: delete of task @0/1:1 of queue orders, asked by anybody at 127.0.0.1: done");
    }

    @Test
    void anEntryNamesTheQueueAndTheTaskWhole() {
        String id = "long of queue orders (" + "x".repeat(300);
        put("0", "1:1", TaskState.DEAD, named(id));
        post("/api/v1/queues/orders/tasks/" + UrlText.pathSegment(id) + "/retry", 202);
        post("/api/v1/queues/mail/pause", 202);

        await().until(() -> AUDIT.entries.size() == 2);
        assertThat(AUDIT.entries)
                .extracting(AuditEntry::queue, AuditEntry::task)
                .containsExactlyInAnyOrder(tuple("orders", id), tuple("mail", null));
        assertThat(get("/api/v1/audit", 200).path("entries").toString()).contains("\"task\":\"" + id + "\"");
    }

    @Test
    void parametersAreDecoded() {
        PLATFORM.keys.put("k", key("k"));

        post("/api/v1/queues/orders/keys/k/skip?head=%400%2F1%3A1", 202);

        await().until(() -> !lines().isEmpty());
        assertThat(lines().get(0)).contains("(head=@0/1:1)").doesNotContain("%40");
    }

    @Test
    void anActThatIsDoneInPartIsNotCalledRefused() {
        KeyInfo other = new KeyInfo("k", "3", BlockReason.HALTED, null, new TaskRef("3", "1:9"), 0, null);
        PLATFORM.keyChanges.addAll(List.of(
                new KeyChange(Change.DONE, key("k")),
                new KeyChange(Change.RUNNING, other),
                new KeyChange(Change.UNKNOWN, key("k"), "Redis is not available")));
        post("/api/v1/queues/orders/keys/k/skip", 503);
        PLATFORM.keyChanges.clear();
        PLATFORM.keyChanges.add(new KeyChange(Change.DONE_IN_PART, other));
        post("/api/v1/queues/orders/keys/k/drain", 409);
        PLATFORM.keyChanges.clear();
        PLATFORM.keyChanges.add(new KeyChange(Change.UNKNOWN, other, "Redis is not available"));
        post("/api/v1/queues/orders/keys/k/drain", 503);

        await().until(() -> lines().size() >= 3);
        assertThat(lines())
                .containsExactly(
                        "Operator: skip of key 'k' of queue orders, asked by anybody at 127.0.0.1: done in part, status 503 (head"
                                + " @0/1:1; not known of @0/1:1; not done: @3/1:9)",
                        "Operator: drain of key 'k' of queue orders, asked by anybody at 127.0.0.1: done in part, status 409 (some"
                                + " tasks behind @3/1:9 died)",
                        "Operator: drain of key 'k' of queue orders, asked by anybody at 127.0.0.1: failed with status 503, and may"
                                + " have been done (not known of @3/1:9)");
    }

    /** The first failure is certain, but the second change may have been made. */
    @Test
    void anActThatMayHaveBeenDoneIsNotCalledRefused() {
        KeyInfo other = new KeyInfo("k", "3", BlockReason.HALTED, null, new TaskRef("3", "1:9"), 0, null);
        PLATFORM.keyChanges.addAll(List.of(
                new KeyChange(Change.NOT_HALTED, key("k")),
                new KeyChange(Change.UNKNOWN, other, "Redis is not available")));
        assertThat(post("/api/v1/queues/orders/keys/k/skip", 503).path("remedy").asString())
                .contains("head=@3/1:9");

        await().until(() -> !lines().isEmpty());
        assertThat(lines())
                .containsExactly(
                        "Operator: skip of key 'k' of queue orders, asked by anybody at 127.0.0.1: failed with status 503,"
                                + " and may have been done (not known of @3/1:9; not done: @0/1:1)");
    }

    @Test
    void readingAndPublishingAreNoActs() {
        get("/api/v1/queues", 200);
        json("/api/v1/queues/orders/tasks", "{}", 202);
        post("/api/v1/queues/mail/resume", 202);

        await().until(() -> !lines().isEmpty());
        assertThat(lines()).containsExactly("Operator: resume of queue mail, asked by anybody at 127.0.0.1: done");
    }

    @Test
    void eachRequestThatPublishesIsInAPartOfTheAuditLogOfItsOwn() {
        json("/api/v1/queues/orders/tasks", "{}", 202);
        json("/api/v1/queues/orders/tasks", "{\"delay\": \"soon\"}", 400);
        send("POST", "/api/v1/queues/mail/tasks/batch", "application/x-ndjson", "{}\n{}\nno task\n", 202);

        await().until(() -> AUDIT.published.size() == 3);
        assertThat(AUDIT.published)
                .extracting(entry -> entry.action() + " to " + entry.subject() + " by " + entry.who() + ": "
                        + entry.tasks() + ", " + entry.result())
                .containsExactlyInAnyOrder(
                        "publish to queue orders by anybody: 1, done",
                        "publish to queue orders by anybody: 0, refused with status 400",
                        "publish to queue mail by anybody: 2, done");
        assertThat(AUDIT.entries).isEmpty();
        assertThat(get("/api/v1/audit?kind=published", 200).path("entries")).hasSize(3);
        assertThat(get("/api/v1/audit?kind=others", 400)
                        .at("/errors/0/parameter")
                        .asString())
                .isEqualTo("kind");
    }

    @Test
    void likeRequestsThatPublishAreCountedTogether() {
        AuditEntry one = AuditEntry.of(Instant.EPOCH, null, "::1", "publish", "queue orders", 202, "done")
                .published(3);
        AuditEntry other = AuditEntry.of(Instant.MAX, null, "::1", "publish", "queue orders", 202, "done")
                .published(4);

        assertThat(one.likeness()).isEqualTo(other.likeness());
        assertThat(one.and(other).and(other).tasks()).isEqualTo(11);
        assertThat(one.and(other).and(other).requests()).isEqualTo(3);
        assertThat(one.and(other).at()).isEqualTo(Instant.EPOCH);
    }
}
