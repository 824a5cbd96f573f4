package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random executors come and go, and see one another late. Each history follows from its seed. */
class HandlerAgreementSimulationTest {

    private static final int HISTORIES = 3_000;
    private static final int STEP_MILLIS = 1_000;
    private static final int GRACE_STEPS = 6;
    private static final int MAX_LATE_STEPS = 3;
    private static final int STEPS = 90;
    private static final List<String> TYPES = List.of("a", "b", "c");

    /** An executor, and what it decided last. */
    private static final class Member {
        final String id;
        final long startedAt;
        final HandledTypes handled;
        final HandlerAgreement agreement;
        boolean refused;

        Member(int number, long startedAt, Random random) {
            this.id = "e" + random.nextInt(10) + "-" + number;
            this.startedAt = startedAt;
            Set<String> types = new HashSet<>(TYPES);
            types.removeIf(type -> random.nextBoolean());
            this.handled = new HandledTypes(types, random.nextInt(20) == 0);
            this.agreement = new HandlerAgreement(
                    id, handled, new UnknownTypes(Duration.ofMillis(GRACE_STEPS * STEP_MILLIS), true));
        }
    }

    @Test
    void someExecutorAlwaysGoesOnAndInTheEndAllThatDoHaveWhatTheOthersLack() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            run(seed);
        }
    }

    private static void run(int seed) {
        Random random = new Random(seed);
        List<Member> members = new ArrayList<>();
        Deque<List<HandlerPeer>> views = new ArrayDeque<>();
        int allRefused = 0;
        // Refused executors may come back one after another, each with more handlers than the one before.
        int quietAfter = STEPS - (TYPES.size() + 2) * (GRACE_STEPS + MAX_LATE_STEPS);
        for (int step = 0; step < STEPS; step++) {
            boolean comes = step < quietAfter && random.nextInt(4) == 0;
            if (comes) {
                members.add(new Member(step, step, random));
            }
            boolean leaves = step < quietAfter && members.size() > 1 && random.nextInt(6) == 0;
            if (leaves) {
                members.remove(random.nextInt(members.size()));
            }
            views.addFirst(members.stream()
                    .map(each -> new HandlerPeer(each.id, each.startedAt, !each.refused, each.handled))
                    .toList());
            for (Member each : members) {
                int late = random.nextInt(Math.min(MAX_LATE_STEPS, views.size()));
                List<HandlerPeer> seen = views.stream().skip(late).findFirst().orElseThrow();
                each.refused =
                        each.agreement.check((long) step * STEP_MILLIS, seen).refused();
            }
            boolean nobody = !members.isEmpty() && members.stream().allMatch(each -> each.refused);
            // The last one that worked may just have left, which the others see late.
            allRefused = nobody && !comes && !leaves ? allRefused + 1 : 0;
            assertThat(allRefused)
                    .as("seed %d, step %d: steps in which nobody works", seed, step)
                    .isLessThanOrEqualTo(MAX_LATE_STEPS);
        }
        for (Member each : members) {
            boolean lacks = members.stream().anyMatch(other -> !other.refused && !each.handled.covers(other.handled));
            assertThat(each.refused).as("seed %d: %s", seed, each.id).isEqualTo(lacks);
        }
    }
}
