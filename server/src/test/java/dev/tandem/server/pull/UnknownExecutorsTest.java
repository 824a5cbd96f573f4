package dev.tandem.server.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseAnswer.Status;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker chooses which executors its leases name, and how much it says. Redis must not have to keep all of that. */
class UnknownExecutorsTest {

    private static final String QUEUE = "exports";
    private static final int INVENTED = 1_000;
    private static final long SILENCE_MILLIS = 200;

    private final MailOfTests mail = new MailOfTests();
    private final List<String> lookedUp = new ArrayList<>();
    private volatile CompletableFuture<Boolean> live = CompletableFuture.completedFuture(false);
    private final PullExchange server = new PullExchange("server", mail, queue -> null, this::isLive, SILENCE_MILLIS);

    @BeforeEach
    void start() {
        server.start(List.of(QUEUE));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private CompletableFuture<Boolean> isLive(String executor) {
        lookedUp.add(executor);
        return live;
    }

    private static LeaseOrder order(String executor, LeaseRequest request) {
        return new LeaseOrder(new LeaseName("0", 7, 1, executor), request);
    }

    private List<LeaseAnswer> answers(List<LeaseOrder> orders) throws Exception {
        return server.apply("worker", QUEUE, orders).get(10, TimeUnit.SECONDS);
    }

    /** One of them may be an executor that drains. */
    @Test
    void fewExecutorsThatAWorkerHasInventedGetMessagesAndNoneKeepsThem() throws Exception {
        List<String> invented = IntStream.range(0, INVENTED)
                .mapToObj(each -> "invented-" + each)
                .toList();
        invented.forEach(mail::freeze);

        CompletableFuture<List<LeaseAnswer>> first = server.apply(
                "worker",
                QUEUE,
                invented.stream()
                        .map(each -> order(each, new LeaseRequest.Finish(null)))
                        .toList());
        List<LeaseAnswer> answers = first.get(10, TimeUnit.SECONDS);

        assertThat(answers).hasSize(INVENTED);
        assertThat(answers).filteredOn(answer -> answer.status() == Status.LOST).hasSize(KnownExecutors.MOST_STRANGERS);
        assertThat(answers)
                .filteredOn(answer -> answer.status() == Status.UNKNOWN)
                .hasSize(INVENTED - KnownExecutors.MOST_STRANGERS);
        assertThat(invented)
                .allSatisfy(each ->
                        assertThat(mail.wake(each)).as("messages of " + each).isZero());
        mail.freeze("one more");
        assertThat(answers(List.of(order("one more", new LeaseRequest.Discard()))))
                .extracting(LeaseAnswer::status)
                .containsExactly(Status.LOST);
    }

    /** Otherwise a worker could keep others from ending tasks whose executors drain. */
    @Test
    void aCallerWhoInventsExecutorsHoldsUpNobodyElseAndAllTogetherAreBounded() {
        KnownExecutors known = new KnownExecutors(this::isLive, () -> 0);
        CompletableFuture<String> silence = new CompletableFuture<>();
        for (int caller = 0; caller < 11; caller++) {
            String name = "caller-" + caller;
            List<CompletableFuture<String>> asked = IntStream.range(0, KnownExecutors.MOST_STRANGERS + 1)
                    .mapToObj(each -> known.ask(name, "invented-" + each, () -> silence.copy(), why -> "refused"))
                    .toList();
            assertThat(asked)
                    .filteredOn(CompletableFuture::isDone)
                    .hasSize(caller < 10 ? 1 : KnownExecutors.MOST_STRANGERS + 1);
        }
        silence.complete("gone");
        assertThat(known.ask("caller-0", "x", () -> silence, why -> "refused").join())
                .isEqualTo("gone");
    }

    @Test
    void whileRedisDoesNotSayWhoLivesItIsNotKnownWhatBecomesOfTheTask() throws Exception {
        live = CompletableFuture.failedFuture(new IllegalStateException("no connection"));
        assertThat(answers(List.of(order("other", new LeaseRequest.Discard()))))
                .extracting(LeaseAnswer::status)
                .containsExactly(Status.UNKNOWN);
    }

    @Test
    void anExecutorThatHasBeenHeardOfIsNotLookedUp() {
        AtomicLong now = new AtomicLong();
        KnownExecutors known = new KnownExecutors(this::isLive, now::get);
        known.seen("other");
        now.set(KnownExecutors.MILLIS);
        assertThat(known.knows("other")).isCompletedWithValue(true);
        assertThat(lookedUp).isEmpty();

        now.incrementAndGet();
        assertThat(known.knows("other")).isCompletedWithValue(false);
        live = CompletableFuture.completedFuture(true);
        assertThat(known.knows("other")).isCompletedWithValue(true);
        assertThat(known.knows("other")).isCompletedWithValue(true);
        assertThat(lookedUp).containsExactly("other", "other");
    }

    @Test
    void whatIsSaidOfManyTasksIsSentInPartsThatFitIntoMessages() {
        LeaseRequest.Fail longest = new LeaseRequest.Fail("é".repeat(2_000), -1);
        List<LeaseOrder> orders = IntStream.range(0, 1_000)
                .mapToObj(each -> new LeaseOrder(new LeaseName("0", each, 1, "e" + each % 3), longest))
                .toList();
        List<Integer> sizes = new ArrayList<>();

        List<LeaseAnswer> answers = OrderParts.apply(orders, (executor, part) -> {
                    assertThat(part)
                            .allSatisfy(
                                    each -> assertThat(each.lease().executor()).isEqualTo(executor));
                    sizes.add(PullCodec.encode(new PullMessage.Orders(1, "server", QUEUE, part)).length);
                    return CompletableFuture.completedFuture(part.stream()
                            .map(each -> LeaseAnswer.leased(each.lease().token()))
                            .toList());
                })
                .join();

        assertThat(sizes)
                .hasSizeGreaterThan(3)
                .allSatisfy(size -> assertThat(size).isLessThan(600 << 10));
        assertThat(answers)
                .extracting(LeaseAnswer::leaseMillis)
                .containsExactlyElementsOf(
                        orders.stream().map(each -> each.lease().token()).toList());
    }

    @Test
    void aCheckpointThatNoQueueWouldKeepIsNotSent() throws Exception {
        live = CompletableFuture.completedFuture(true);
        mail.freeze("other");
        byte[] tooLong = new byte[OrderParts.MOST_BYTES + 1];
        assertThat(answers(List.of(order("other", new LeaseRequest.SaveCheckpoint(tooLong)))))
                .extracting(LeaseAnswer::status)
                .containsExactly(Status.INVALID);
        assertThat(mail.wake("other")).isZero();
    }
}
