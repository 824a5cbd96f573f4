package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.runtime.settings.HttpSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Posts tasks whose receivers end them later. */
class PostedQueueTest {

    private static final HttpSettings HTTP = new HttpSettings(
            "http://receiver",
            List.of(),
            List.of(),
            Map.of(),
            HttpSettings.Body.PAYLOAD,
            HttpSettings.Answers.LATER,
            Duration.ofSeconds(5),
            List.of(),
            null);

    private final List<Long> leased = new CopyOnWriteArrayList<>();
    private final List<Long> givenBack = new CopyOnWriteArrayList<>();
    private final List<Long> ended = new CopyOnWriteArrayList<>();

    /** Has at least four tasks; gives two a call if so many are wanted. */
    private final TaskLeases leases = new TaskLeases() {
        @Override
        public CompletableFuture<List<LeasedTask>> lease(LeaseCall call) {
            if (leased.size() >= 4) {
                return new CompletableFuture<>();
            }
            List<LeasedTask> tasks = Stream.iterate(leased.size() + 1L, token -> token + 1)
                    .limit(Math.min(2, call.max()))
                    .map(PostedQueueTest::task)
                    .toList();
            tasks.forEach(each -> leased.add(each.lease().token()));
            return CompletableFuture.completedFuture(tasks);
        }

        @Override
        public void giveBack(Collection<LeaseName> names) {
            names.forEach(each -> givenBack.add(each.token()));
        }

        @Override
        public CompletableFuture<LeaseAnswer> apply(LeaseName lease, LeaseRequest request) {
            ended.add(lease.token());
            return CompletableFuture.completedFuture(LeaseAnswer.done());
        }

        @Override
        public void whenStartable(Runnable listener) {}

        @Override
        public Status status() {
            return new Status(0, 0, 0, 0, 0);
        }
    };

    private static LeasedTask task(long token) {
        return new LeasedTask(
                new LeaseName("0", token, token, "e"),
                30_000,
                "t-" + token,
                "0/1:" + token,
                "http",
                null,
                null,
                1,
                8,
                0,
                Map.of(),
                new byte[0]);
    }

    /** Rejects the first task, as a pool may that has no thread left. */
    private static final class RejectsOnce extends ThreadPoolExecutor {
        private final AtomicInteger executed = new AtomicInteger();

        RejectsOnce() {
            super(2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(Runnable task) {
            if (executed.getAndIncrement() == 0) {
                throw new RejectedExecutionException("none is free");
            }
            super.execute(task);
        }
    }

    @Test
    void tasksThatCannotBePostedGoBackAndTheNextOnesArePosted() {
        PostedQueue.Posting posting = (task, more, time) -> {
            throw new HttpStatusException("no connection");
        };
        try (PostedQueue queue = new PostedQueue("orders", HTTP, 2, posting, leases, new RejectsOnce())) {
            queue.start();
            await().untilAsserted(() -> assertThat(ended).contains(3L, 4L));
        }
        assertThat(givenBack).containsExactly(1L, 2L);
    }

    @Test
    void anErrorOfARequestEndsTheAttempt() {
        PostedQueue.Posting posting = (task, more, time) -> {
            throw new StackOverflowError("as payloads may cause");
        };
        try (PostedQueue queue = new PostedQueue("orders", HTTP, 2, posting, leases)) {
            queue.start();
            await().untilAsserted(() -> assertThat(ended).contains(1L, 2L, 3L, 4L));
        }
        assertThat(givenBack).isEmpty();
    }
}
