package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.client.TransactionBoundary.Outcome;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.task.Publisher.PublishException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks that fail after the commit, when their callers have returned and keep no reference. */
class LostSubmissionsTest {

    private final FakePublisher publisher = new FakePublisher();
    private final FakePublisher mail = new FakePublisher();
    private final FakeTransactions transactions = new FakeTransactions();
    private final TandemClient client = TandemClient.builder()
            .queue("orders", new Route(publisher, true))
            .queue("mail", new Route(mail, true))
            .transactions(transactions)
            .build();
    private final Logger logger = (Logger) org.slf4j.LoggerFactory.getLogger(LostSubmissions.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void readTheLog() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(logged);
    }

    private List<String> errors() {
        return logged.list.stream()
                .filter(each -> each.getLevel() == Level.ERROR)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static TaskRequest<?> task(String queue, String id) {
        return TaskRequest.of(queue, "ship", null).with(TaskOptions.id(id));
    }

    @Test
    void withoutRoomTheOtherTasksOfTheQueueDoNotWaitForIt() {
        transactions.begin();
        List<TaskRef<?>> refs = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            refs.add(client.submit(task("orders", "o" + i)));
        }
        client.submit(task("mail", "m"));
        publisher.full = "the broker is away";
        transactions.end(Outcome.COMMITTED);

        assertThat(publisher.refused).as("tasks that waited for room").isEqualTo(1);
        assertThat(mail.ids()).containsExactly("m");
        assertThat(client.lostAfterCommit()).isEqualTo(50);
        assertThat(errors()).hasSize(LostSubmissions.MAX_LINES);
        assertThat(errors().get(0))
                .contains("Task o0 of queue 'orders' may be lost")
                .contains("the broker is away");
        assertThatThrownBy(() -> refs.get(49).await(Duration.ofMillis(1)))
                .isInstanceOf(SubmitException.class)
                .hasMessageContaining("one before it was not: the broker is away");

        publisher.full = null;
        transactions.begin();
        client.submit(task("orders", "next"));
        transactions.end(Outcome.COMMITTED);
        assertThat(publisher.ids()).containsExactly("next");
    }

    @Test
    void aTaskThatIsRefusedOrThrowsHoldsUpNoOther() {
        transactions.begin();
        client.submit(TaskRequest.of("orders", "refused-by-client", null).with(TaskOptions.id("1")));
        client.submit(task("orders", "2"));
        transactions.end(Outcome.COMMITTED);

        assertThat(publisher.ids()).containsExactly("1", "2");
        assertThat(errors()).singleElement().asString().contains("too large for the topic");

        transactions.begin();
        client.submit(TaskRequest.of("mail", "error", null));
        client.submit(task("orders", "3"));
        transactions.end(Outcome.COMMITTED);
        assertThat(publisher.ids()).contains("3");
        assertThat(errors().get(1)).contains("NoClassDefFoundError");
        assertThat(client.lostAfterCommit()).isEqualTo(2);
    }

    @Test
    void aFailureThatComesLaterIsToldToo() {
        transactions.begin();
        client.submit(task("orders", "1"));
        client.submit(task("orders", "2"));
        transactions.end(Outcome.COMMITTED);
        assertThat(errors()).isEmpty();

        publisher.ends.get(0).accept(new PublishException("not acknowledged within 30 s"));
        publisher.acknowledge(1);

        assertThat(errors()).singleElement().asString().contains("Task 1 of").contains("30 s");
        assertThat(client.lostAfterCommit()).isEqualTo(1);
    }

    @Test
    void onlyWhatMayHaveBeenCommittedCountsAsLost() {
        transactions.begin();
        client.submit(task("orders", "1"));
        transactions.end(Outcome.ROLLED_BACK);
        assertThat(client.lostAfterCommit()).isZero();

        transactions.begin();
        client.submit(task("orders", "2"));
        transactions.end(Outcome.UNKNOWN);
        assertThat(client.lostAfterCommit()).isEqualTo(1);
        assertThat(errors()).singleElement().asString().contains("nobody knows whether");
    }

    @Test
    void theLogGoesOnWithTheNextWindow() {
        AtomicLong now = new AtomicLong();
        LostSubmissions losses = new LostSubmissions(now::get);
        Submission<?> task = new Submission<>("1", "orders");
        for (int i = 0; i <= LostSubmissions.MAX_LINES; i++) {
            losses.add(task, "why");
        }
        now.set(LostSubmissions.WINDOW_NANOS);
        losses.add(task, "why");

        assertThat(errors()).hasSize(LostSubmissions.MAX_LINES + 1);
        assertThat(errors().get(LostSubmissions.MAX_LINES)).contains("loss number 12");
    }

    @Test
    void aBrokerThatIsAwayHoldsTheCommitUpOnce() {
        KafkaSettings nowhere =
                KafkaSettings.of("127.0.0.1:1", "orders").withProperties(Map.of("max.block.ms", "1000"));
        try (TandemClient away =
                TandemClient.builder().queue(nowhere).transactions(transactions).build()) {
            transactions.begin();
            for (int i = 0; i < 100; i++) {
                away.submit(task("orders", "o" + i));
            }
            long before = System.nanoTime();
            transactions.end(Outcome.COMMITTED);

            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .as("100 waits take 100 s")
                    .isLessThan(Duration.ofSeconds(60));
            assertThat(away.lostAfterCommit()).isEqualTo(100);
            assertThat(errors()).isNotEmpty();
        }
    }
}
