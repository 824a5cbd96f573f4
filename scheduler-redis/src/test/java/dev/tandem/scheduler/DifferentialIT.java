package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import dev.tandem.testkit.SharedRedis;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** The scripts and the model answer the same to the same random histories, at the same times. */
class DifferentialIT {

    private static final int HISTORIES = Integer.getInteger("tandem.differential.histories", 120);
    private static final int LENGTH = 150;

    @Test
    void theScriptsAnswerAsTheModelDoesForLogs() {
        histories(false, Brokers.redis(), HISTORIES);
    }

    @Test
    void theScriptsAnswerAsTheModelDoesForQueues() {
        histories(true, Brokers.redis(), HISTORIES);
    }

    @Test
    void soTheyDoOnTheOldestRedis() {
        histories(false, Brokers.oldestRedis(), HISTORIES / 3);
        histories(true, Brokers.oldestRedis(), HISTORIES / 3);
    }

    private static void histories(boolean queue, SharedRedis redis, int count) {
        String name = Names.fresh("frozen");
        long first = Long.getLong("tandem.seed", System.nanoTime());
        try (FrozenScripts scripts = new FrozenScripts(redis.client(), name)) {
            for (int i = 0; i < count; i++) {
                history(first + i, scripts, Partition.of(name, i), queue);
            }
        }
    }

    private static void history(long seed, FrozenScripts scripts, Partition partition, boolean queue) {
        StoreModel model = new StoreModel("run0");
        RandomRequests random = new RandomRequests(
                seed, partition, queue, position -> model.partition(partition).claim(position) != null);
        Deque<String> lately = new ArrayDeque<>();
        long now = 1_800_000_000_000L;
        String run = "run0";
        scripts.runId(run);
        for (int step = 0; step < LENGTH; step++) {
            now += random.pause();
            scripts.time(now);
            if (random.restarts()) {
                run = "run" + step;
                scripts.runId(run);
                model.restarted(run);
            }
            StoreRequest request = random.next(now);
            StoreAnswer expected = model.apply(request, now);
            lately.add(now + " " + Canonical.of(request) + "\n    -> " + Canonical.of(expected));
            if (lately.size() > 40) {
                lately.poll();
            }
            StoreAnswer answer;
            try {
                answer = scripts.ask(request, random.executorOf(request));
            } catch (RuntimeException e) {
                throw new AssertionError("-Dtandem.seed=" + seed + "\n" + String.join("\n", lately), e);
            }
            assertThat(text(answer))
                    .as("-Dtandem.seed=%d, step %d, after\n%s\n", seed, step, String.join("\n", lately))
                    .isEqualTo(text(expected));
            random.learn(request, answer);
        }
    }

    /** Of far-off tasks the scripts say the time when their list is opened, which is some time before they are due. */
    private static String text(StoreAnswer answer) {
        return Canonical.of(answer).replaceAll("nextDueMillis=\\d{5,}", "nextDueMillis=far");
    }
}
