package dev.tandem.server.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest.Finish;
import dev.tandem.executor.pull.LeasedTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server without an executor that hands out the tasks of another process, while messages go wrong. */
class PullExchangeTest {

    private static final String QUEUE = "exports";
    private static final long SILENCE_MILLIS = 100;

    private final MailOfTests mail = new MailOfTests();
    private final LeasesOfTests leases = new LeasesOfTests("owner");
    private final CompletableFuture<String> lookedUp = new CompletableFuture<>();
    private final CompletableFuture<Boolean> ownerLives = new CompletableFuture<>();
    private final PullExchange server = new PullExchange("server", mail, queue -> null, this::isLive, SILENCE_MILLIS);
    private final PullExchange owner = new PullExchange("owner", mail, queue -> leases, this::isLive, SILENCE_MILLIS);

    @BeforeEach
    void start() {
        server.start(List.of(QUEUE));
        owner.start(List.of(QUEUE));
    }

    @AfterEach
    void close() {
        server.close();
        owner.close();
    }

    private CompletableFuture<Boolean> isLive(String process) {
        lookedUp.complete(process);
        return ownerLives;
    }

    private LeasedTask lease() throws Exception {
        mail.announce(QUEUE, "1 owner");
        List<LeasedTask> tasks =
                server.lease(QUEUE, new LeaseCall(1, 1 << 20, 20_000, 0, "w")).get(10, TimeUnit.SECONDS);
        assertThat(tasks).hasSize(1);
        return tasks.get(0);
    }

    private CompletableFuture<LeaseAnswer> finish(LeaseName lease) {
        return server.apply("worker", QUEUE, List.of(new LeaseOrder(lease, new Finish(null))))
                .thenApply(answers -> answers.get(0));
    }

    private LeaseAnswer finished(LeaseName lease) throws Exception {
        return finish(lease).get(10, TimeUnit.SECONDS);
    }

    @Test
    void aTaskThatRedisDeliversTwiceStaysWithItsWorker() throws Exception {
        mail.twice.add("server");
        LeaseName first = lease().lease();
        LeaseName second = lease().lease();
        // Its message comes after whatever the server says of the repeats.
        assertThat(finished(second)).isEqualTo(LeaseAnswer.done());

        assertThat(leases.givenBack).isEmpty();
        assertThat(first.token()).isNotEqualTo(second.token());
    }

    @Test
    void aRequestForTasksThatRedisDeliversTwiceIsAnsweredOnce() throws Exception {
        mail.twice.add("owner");
        LeaseName lease = lease().lease();
        finished(lease);
        assertThat(leases.handedOut).containsExactly(lease);
    }

    /** The desk ends the run of a lease that is given back, so that nobody else gets this token. */
    @Test
    void aTaskIsGivenBackIfItIsNotCertainWhetherItsMessageHasArrived() throws Exception {
        mail.unsure.add("server");
        LeaseName lease = lease().lease();
        mail.unsure.clear();
        finished(lease);
        await().untilAsserted(() -> assertThat(leases.givenBack).containsExactly(lease));
    }

    @Test
    void anEndIsLostOnlyIfItsExecutorCannotTakeItAnyMore() throws Exception {
        LeaseName lease = lease().lease();
        mail.freeze("owner");
        CompletableFuture<LeaseAnswer> answer = finish(lease);
        assertThat(lookedUp.get(10, TimeUnit.SECONDS)).isEqualTo("owner");
        ownerLives.complete(false);

        assertThat(answer.get(10, TimeUnit.SECONDS).status()).isEqualTo(LeaseAnswer.Status.LOST);
        assertThat(mail.wake("owner")).as("messages that the owner finds").isZero();
        assertThat(leases.applied).isEmpty();
    }

    @Test
    void anEndThatItsExecutorTakesLateIsNotCalledLost() throws Exception {
        LeaseName lease = lease().lease();
        mail.freeze("owner");
        CompletableFuture<LeaseAnswer> answer = finish(lease);
        assertThat(lookedUp.get(10, TimeUnit.SECONDS)).isEqualTo("owner");
        leases.answer = new CompletableFuture<>();
        assertThat(mail.wake("owner")).isEqualTo(1);
        await().until(() -> leases.applied.size() == 1);
        ownerLives.complete(false);

        // Whatever follows the look-up comes before the end of this request.
        lease();
        assertThat(answer).isNotDone();
        leases.answer.complete(LeaseAnswer.done());
        assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(LeaseAnswer.done());
    }
}
