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

    private final MailOfTests mail = new MailOfTests();
    private final LeasesOfTests leases = new LeasesOfTests("owner");
    private final CompletableFuture<Boolean> ownerLives = new CompletableFuture<>();
    private final PullExchange server = new PullExchange("server", mail, queue -> null, id -> ownerLives);
    private final PullExchange owner =
            new PullExchange("owner", mail, queue -> leases, id -> CompletableFuture.completedFuture(true));

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

    private LeasedTask lease() throws Exception {
        mail.announce(QUEUE, "1 owner");
        List<LeasedTask> tasks = server.lease(QUEUE, new LeaseCall(1, 1 << 20, 20_000, 0, "w"))
                .get(10, TimeUnit.SECONDS);
        assertThat(tasks).hasSize(1);
        return tasks.get(0);
    }

    private CompletableFuture<LeaseAnswer> finish(LeaseName lease) {
        return server.apply(QUEUE, List.of(new LeaseOrder(lease, new Finish(null))))
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
}
