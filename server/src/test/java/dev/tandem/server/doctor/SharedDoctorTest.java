package dev.tandem.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.findings.Finding;
import dev.tandem.server.inspect.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How often the brokers are asked, and how many may wait for that. */
class SharedDoctorTest {

    private static final List<Finding> FOUND = List.of(Finding.ok("redis", null, "redis-reached", "Redis answers"));

    private long now;

    @Test
    void findingsAreGoodForTwoSeconds() {
        AtomicInteger exams = new AtomicInteger();
        SharedDoctor rare = new SharedDoctor(
                () -> {
                    exams.incrementAndGet();
                    return FOUND;
                },
                () -> now);
        rare.findings();
        now += TimeUnit.MILLISECONDS.toNanos(1_900);
        assertThat(rare.findings()).isEqualTo(FOUND);
        assertThat(exams).hasValue(1);
        now += TimeUnit.MILLISECONDS.toNanos(200);
        rare.findings();
        assertThat(exams).hasValue(2);
    }

    @Test
    void fewWaitForAnExamThatTakesLong() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        SharedDoctor rare = new SharedDoctor(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return FOUND;
                },
                System::nanoTime);
        ExecutorService callers = Executors.newCachedThreadPool();
        try {
            List<Future<List<Finding>>> answers = new ArrayList<>();
            for (int caller = 0; caller <= SharedDoctor.MOST_WAITING; caller++) {
                answers.add(callers.submit(rare::findings));
            }
            await().until(() -> rare.waiting() == SharedDoctor.MOST_WAITING);
            assertThatThrownBy(rare::findings)
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("ask again");
            end.countDown();
            for (Future<List<Finding>> answer : answers) {
                assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(FOUND);
            }
        } finally {
            callers.shutdownNow();
        }
    }
}
