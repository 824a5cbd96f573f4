package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyPolicy;
import dev.tandem.task.store.DependencyRequest;
import dev.tandem.task.store.TaskIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of tasks that wait for others, over the model of the store: tasks come in either order, runs die with or
 * without telling so, requests and answers are lost or repeated, wake-ups are lost, and operators retry dead tasks.
 */
class DependencySimulationTest {

    private static final int HISTORIES = 400;
    private static final int IDS = 3;
    private static final long TIMEOUT = 3_600_000;

    /** A task that others wait for. */
    private static final class Awaited {
        private final String key;
        private final TaskIdentity bearer;
        private long token;
        private boolean arrived;
        private boolean running;
        private boolean succeeded;
        private boolean dead;
        /** Whether its last run failed. */
        private boolean failed;

        Awaited(int number) {
            key = "id-" + number;
            bearer = TaskIdentity.of("0", Position.of(0, number), false, "task-" + number);
        }
    }

    /** A task that waits for all of them. */
    private static final class Dependent {
        private final TaskPlace waiter = new TaskPlace(Partition.of("waiting", 0), Position.of(0, 1));
        private long looksAt;
        private @Nullable Outcome end;
        private boolean ran;
    }

    private final DedupModel model = new DedupModel();
    private final List<Awaited> tasks = new ArrayList<>();
    private final List<BusinessId> ids = new ArrayList<>();
    private final Dependent dependent = new Dependent();
    private Random random = new Random();
    private Policy policy = Policy.DIE;
    private long now;

    private void begin(long seed) {
        random = new Random(seed);
        policy = Policy.values()[random.nextInt(3)];
        now = 1_800_000_000_000L;
        dependent.looksAt = now + random.nextInt(2_000);
        for (int i = 0; i < IDS; i++) {
            tasks.add(new Awaited(i));
            ids.add(new BusinessId("q", "id-" + i));
        }
    }

    private boolean isLost() {
        return random.nextInt(5) == 0;
    }

    /** Sends a request, perhaps twice, because its answer was lost. */
    private DedupAnswer send(DedupRequest request) {
        if (isLost()) {
            model.apply("q", request, now);
        }
        return model.apply("q", request, now);
    }

    private void step(Awaited task) {
        if (!task.arrived) {
            task.arrived = true;
            send(new DedupRequest.Ask(task.key, task.bearer, false, 0, DedupPolicy.DEFAULT));
        } else if (task.dead) {
            task.dead = random.nextInt(4) != 0; // An operator retries it.
        } else if (!task.running && !task.succeeded) {
            task.token++;
            DedupAnswer answer =
                    send(new DedupRequest.Ask(task.key, task.bearer.inRun(task.token), true, 0, DedupPolicy.DEFAULT));
            assertThat(answer).isEqualTo(DedupAnswer.Go.INSTANCE);
            task.running = true;
            task.failed = false;
        } else if (task.running) {
            end(task);
        }
    }

    private void end(Awaited task) {
        task.running = false;
        int what = random.nextInt(4);
        if (what == 0) {
            return; // Its executor dies, and the task runs again.
        }
        boolean success = what > 1;
        // What is told counts from now on, even if the process dies before the outcome is recorded.
        task.succeeded = success;
        task.dead = !success;
        task.failed = !success;
        DedupAnswer answer = send(new DedupRequest.Tell(
                task.key, task.bearer.inRun(task.token), success ? Ending.SUCCEEDED : Ending.FAILED, 0));
        if (answer instanceof DedupAnswer.Noted noted && noted.awaited() && !isLost()) {
            dependent.looksAt = Math.min(dependent.looksAt, now);
        }
    }

    private void look() {
        List<@Nullable DependencyAnswer> answers = new ArrayList<>();
        for (BusinessId id : ids) {
            DependencyAnswer answer = model.apply(new DependencyRequest.Ask(id, dependent.waiter, TIMEOUT, 0), now);
            answers.add(isLost() ? null : answer);
        }
        DependencyRules rules = new DependencyRules(new DependencyPolicy(policy, TIMEOUT, false));
        Outcome outcome = rules.decide(new TaskDependencies(ids, policy, TIMEOUT), answers);
        if (outcome instanceof Outcome.Snoozed snoozed) {
            assertThat(snoozed.delayMillis()).isBetween(1L, DependencyRules.LONGEST_LOOK_MILLIS);
            dependent.looksAt = now + snoozed.delayMillis();
        } else {
            dependent.end = outcome;
            dependent.ran = outcome == null;
        }
    }

    private void check(String history) {
        boolean all = tasks.stream().allMatch(each -> each.succeeded);
        boolean anyFailed = tasks.stream().anyMatch(each -> each.failed);
        if (dependent.ran && policy != Policy.RUN) {
            assertThat(all).as("%s: it runs behind all of them", history).isTrue();
        } else if (dependent.ran) {
            assertThat(tasks).as("%s: each has ended", history).allMatch(each -> each.succeeded || each.failed);
        } else if (dependent.end instanceof Outcome.Dead) {
            assertThat(policy == Policy.DIE && anyFailed)
                    .as("%s: it dies with one of them", history)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000_000, 2_000_000})
    void aTaskRunsBehindAllThatItWaitsForAndNeverWaitsForEver(long from) {
        for (long seed = from; seed < from + HISTORIES; seed++) {
            DependencySimulationTest history = new DependencySimulationTest();
            history.begin(seed);
            history.run("seed " + seed);
        }
    }

    private void run(String history) {
        long end = now + TIMEOUT / 2;
        while (!dependent.ran && dependent.end == null && now < end) {
            now += 1 + random.nextInt(500);
            step(tasks.get(random.nextInt(IDS)));
            if (now >= dependent.looksAt) {
                look();
                check(history);
            }
        }
        assertThat(dependent.ran || dependent.end != null)
                .as("%s: it does not wait when all have ended", history)
                .isTrue();
    }
}
