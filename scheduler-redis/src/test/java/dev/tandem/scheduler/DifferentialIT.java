package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.MissingBrokerException;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Compares the scripts with the model of the store over random histories of requests, at the same times: on a current
 * Redis, on the oldest supported one, and on a Redis Cluster.
 *
 * <p>The ordinary run takes the same histories every time. {@code -Dsimulation.from=random} hunts through others, and
 * {@code -Dsimulation.from=N} begins with the history of seed N. {@code -Ddifferential.histories=N} says how many. {@code
 * -Dsimulation.seed=N} runs that one history.
 */
class DifferentialIT {

    private static final Long ONLY = Long.getLong("simulation.seed");
    private static final int HISTORIES = ONLY != null ? 1 : Integer.getInteger("differential.histories", 90);
    private static final long FROM = ONLY != null ? ONLY : from(System.getProperty("simulation.from", "1"));
    private static final int LENGTH = 150;

    /** After so many requests, groups of dead tasks are compared. */
    private static final int CHECKED = 15;

    private static final Pattern FAR_OFF = Pattern.compile("nextDueMillis=\\d{5,}");

    private static long from(String setting) {
        return setting.equals("random") ? System.nanoTime() & 0xffff_ffff_ffffL : Long.parseLong(setting);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void scriptsAnswerLikeTheModelForLogs() {
        compare(current(), false, HISTORIES);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void scriptsAnswerLikeTheModelForMessageQueues() {
        compare(current(), true, HISTORIES);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void passesOnTheOldestSupportedRedis() {
        SharedRedis oldest = Brokers.oldestRedis();
        assertThat(oldest.toString()).startsWith("Redis 6.2");
        compare(oldest, false, third());
        compare(oldest, true, third());
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void passesOnACluster() {
        try (LocalRedisCluster cluster = Brokers.ownRedisCluster();
                RedisClusterClient client =
                        RedisClusterClient.create(cluster.nodes().get(0).address())) {
            for (boolean queue : new boolean[] {false, true}) {
                try (FixedTimeScripts scripts = FixedTimeScripts.on(client)) {
                    compare(cluster.toString(), scripts, queue, third());
                }
            }
        }
    }

    private static int third() {
        return Math.max(1, HISTORIES / 3);
    }

    private static SharedRedis current() {
        SharedRedis redis = Brokers.redis();
        return Brokers.orSkip(() -> {
            if (redis.toString().startsWith("Redis 6")) {
                throw new MissingBrokerException("There is only " + redis + ": install a Redis of 7 or later.");
            }
            return redis;
        });
    }

    private static void compare(SharedRedis redis, boolean queue, int count) {
        try (FixedTimeScripts scripts = FixedTimeScripts.on(redis.client())) {
            compare(redis.toString(), scripts, queue, count);
        }
    }

    private static void compare(String where, FixedTimeScripts scripts, boolean queue, int count) {
        String name = UniqueNames.fresh("differential");
        System.out.printf(
                "Comparing %d histories of %s, seeds from %d on, on %s%n",
                count, queue ? "queues" : "logs", FROM, where);
        for (int i = 0; i < count; i++) {
            compare(FROM + i, scripts, Partition.of(name, i), queue);
        }
    }

    private static void compare(long seed, FixedTimeScripts scripts, Partition partition, boolean queue) {
        StoreModel model = new StoreModel("run0");
        RandomRequests random = new RandomRequests(
                seed, partition, queue, position -> model.partition(partition).claim(position) != null);
        Deque<Exchange> recent = new ArrayDeque<>();
        long now = 1_800_000_000_000L;
        scripts.setRunId(partition, "run0");
        for (int step = 0; step < LENGTH; step++) {
            now += random.pause();
            scripts.setTime(partition, now);
            if (random.restarts()) {
                scripts.setRunId(partition, "run" + step);
                model.restarted("run" + step);
            }
            StoreRequest request = random.next(now);
            StoreAnswer expected = model.apply(request, now);
            recent.add(new Exchange(now, request, expected));
            if (recent.size() > 40) {
                recent.poll();
            }
            StoreAnswer answer;
            try {
                answer = scripts.ask(request);
            } catch (RuntimeException e) {
                throw new AssertionError(failure(seed, step, recent), e);
            }
            int failedStep = step;
            assertThat(text(answer)).as(() -> failure(seed, failedStep, recent)).isEqualTo(text(expected));
            random.learn(request, answer);
            if (step % CHECKED == CHECKED - 1) {
                try {
                    checkGroups(scripts, model, partition);
                } catch (AssertionError e) {
                    throw new AssertionError(failure(seed, step, recent), e);
                }
            }
        }
        assertThat(scripts.successes(partition).stream().map(Object::toString))
                .as(() -> "What is kept of successes. " + failure(seed, LENGTH, recent))
                .containsExactlyElementsOf(model.partition(partition).successes().stream()
                        .map(kept -> new SuccessPage.Kept(kept.position(), kept.success()).toString())
                        .toList());
    }

    /** Checks that the counts of dead groups are those of the model's dead tasks. */
    private static void checkGroups(FixedTimeScripts scripts, StoreModel model, Partition partition) {
        StoredGroups groups = scripts.groups(partition);
        groups.check(Set.of());
        assertThat(groups.grouped().keySet())
                .containsExactlyInAnyOrderElementsOf(model.partition(partition).dead().stream()
                        .map(Position::text)
                        .toList());
    }

    /** A request and the model's answer. Made into text only for a failure, since there are tens of thousands. */
    private record Exchange(long now, StoreRequest request, StoreAnswer expected) {
        @Override
        public String toString() {
            return now + " " + CanonicalText.of(request) + "\n    -> " + CanonicalText.of(expected);
        }
    }

    private static String failure(long seed, int step, Deque<Exchange> recent) {
        return "History " + seed + " failed at step " + step + ". Repeat it with\n"
                + "  mvn -pl scheduler-redis -am verify -Dit.test=DifferentialIT -Dsimulation.seed=" + seed
                + " -Dtest=NoSuchTest -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false\n"
                + "The last requests and expected answers:\n"
                + recent.stream().map(Exchange::toString).collect(Collectors.joining("\n")) + "\n";
    }

    /** For a far-off task the scripts return the time when its list is opened, somewhat before the task is due. */
    private static String text(StoreAnswer answer) {
        return FAR_OFF.matcher(CanonicalText.of(answer)).replaceAll("nextDueMillis=far");
    }
}
