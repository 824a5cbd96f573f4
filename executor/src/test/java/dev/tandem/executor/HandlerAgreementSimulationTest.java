package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random executors come and go, and see one another late. Some never hold a partition, and some die again and again. Each history
 * follows from its seed.
 */
class HandlerAgreementSimulationTest {

    private static final int HISTORIES = 150;
    private static final int STEP_MILLIS = 1_000;
    private static final int GRACE_STEPS = 6;
    private static final int MAX_SPREAD_STEPS = 2;
    private static final int MAX_LATE_STEPS = 3;
    private static final int MAX_JOIN_STEPS = 2;
    private static final int STEPS = 180;
    private static final List<String> TYPES = List.of("a", "b", "c");

    private enum Kind {
        SOUND,
        /** Announces its handlers and never holds a partition: it cannot join, or there are none left. */
        IDLE,
        /** Dies after less than the grace, and starts again at once. */
        CRASHING
    }

    /** An executor, and what it decided last. */
    private static final class Member {
        final String name;
        final Kind kind;
        final HandledTypes handled;
        String id = "";
        long startedAt;
        HandlerAgreement agreement;
        boolean refused;
        /** The step from which on it holds partitions. */
        int holdsFrom;
        /** How many steps without a break it has held some. */
        int worked;

        int diesAt;

        Member(int number, int step, Random random) {
            this.name = "e" + random.nextInt(10) + "-" + number;
            int dice = random.nextInt(6);
            this.kind = dice == 0 ? Kind.IDLE : dice == 1 ? Kind.CRASHING : Kind.SOUND;
            Set<String> types = new HashSet<>(TYPES);
            types.removeIf(type -> random.nextBoolean());
            this.handled = new HandledTypes(types, random.nextInt(20) == 0);
            this.agreement = begin(step, random);
        }

        HandlerAgreement begin(int step, Random random) {
            id = name + "-" + step;
            startedAt = step;
            refused = false;
            worked = 0;
            holdsFrom = step + random.nextInt(MAX_JOIN_STEPS + 1);
            diesAt = kind == Kind.CRASHING
                    ? step + 2 + random.nextInt(GRACE_STEPS - MAX_LATE_STEPS - 1)
                    : Integer.MAX_VALUE;
            agreement = new HandlerAgreement(
                    id, handled, new UnhandledPolicy(Duration.ofMillis(GRACE_STEPS * STEP_MILLIS), true));
            return agreement;
        }

        boolean works(int step) {
            return kind != Kind.IDLE && !refused && step >= holdsFrom;
        }

        void check(int step, List<HandlerPeer> seen, Random random) {
            boolean before = refused;
            refused = agreement
                    .check((long) step * STEP_MILLIS, works(step), seen)
                    .refused();
            if (before && !refused) {
                holdsFrom = step + 1 + random.nextInt(MAX_JOIN_STEPS);
            }
        }
    }

    private final List<Member> members = new ArrayList<>();
    private final Deque<List<HandlerPeer>> views = new ArrayDeque<>();
    /** The handlers with which one executor has worked for the grace, and the last step at which it had. */
    private final Map<HandledTypes, Integer> established = new HashMap<>();

    private final Deque<Set<HandledTypes>> establishedLately = new ArrayDeque<>();

    @Test
    void someExecutorAlwaysGoesOnAndNobodyIsRefusedForOneThatDoesNoWork() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            members.clear();
            views.clear();
            established.clear();
            establishedLately.clear();
            run(seed);
        }
    }

    private void run(int seed) {
        Random random = new Random(seed);
        int nobodyWorks = 0;
        // Refused executors may come back one after another, each with more handlers than the one before.
        int stage = GRACE_STEPS + MAX_SPREAD_STEPS + MAX_LATE_STEPS + MAX_JOIN_STEPS;
        int quietAfter = STEPS - (TYPES.size() + 3) * stage - 2 * GRACE_STEPS;
        for (int step = 0; step < STEPS; step++) {
            boolean changes = change(step, quietAfter, random);
            int now = step;
            views.addFirst(members.stream()
                    .map(each -> new HandlerPeer(each.id, each.startedAt, each.works(now), each.handled))
                    .toList());
            if (views.size() > MAX_LATE_STEPS) {
                views.removeLast();
            }
            establish(step);
            for (Member each : members) {
                int late = random.nextInt(Math.min(MAX_LATE_STEPS, views.size()));
                List<HandlerPeer> seen = views.stream().skip(late).findFirst().orElseThrow();
                boolean before = each.refused;
                each.check(step, seen, random);
                if (!before && each.refused) {
                    assertThat(establishedLately)
                            .as(
                                    "seed %d, step %d: %s is refused for handlers with which others work",
                                    seed, step, each.id)
                            .anyMatch(sets -> sets.stream().anyMatch(other -> !each.handled.covers(other)));
                }
            }
            boolean nobody = members.stream().anyMatch(each -> each.kind == Kind.SOUND)
                    && members.stream().allMatch(each -> each.kind != Kind.SOUND || each.refused)
                    && members.stream().noneMatch(each -> each.works(now));
            // The last one that worked may just have left, which the others see late.
            nobodyWorks = nobody && !changes ? nobodyWorks + 1 : 0;
            assertThat(nobodyWorks)
                    .as("seed %d, step %d: steps in which nobody works", seed, step)
                    .isLessThanOrEqualTo(MAX_LATE_STEPS);
        }
        for (Member each : members) {
            if (each.kind == Kind.SOUND) {
                boolean lacks = members.stream()
                        .anyMatch(other ->
                                other.kind == Kind.SOUND && !other.refused && !each.handled.covers(other.handled));
                assertThat(each.refused).as("seed %d: %s", seed, each.id).isEqualTo(lacks);
            }
        }
    }

    /** Lets executors come, leave and die. @return whether one did */
    private boolean change(int step, int quietAfter, Random random) {
        boolean comes = step < quietAfter && random.nextInt(4) == 0;
        if (comes) {
            members.add(new Member(step, step, random));
        }
        boolean leaves = step < quietAfter && members.size() > 1 && random.nextInt(6) == 0;
        if (leaves) {
            members.remove(random.nextInt(members.size()));
        }
        boolean dies = false;
        for (Member each : members) {
            if (each.diesAt <= step) {
                each.begin(step, random);
                dies = true;
            }
        }
        return comes || leaves || dies;
    }

    private void establish(int step) {
        Set<HandledTypes> working = new HashSet<>();
        for (Member each : members) {
            each.worked = each.works(step) ? each.worked + 1 : 0;
            if (each.worked > 0) {
                working.add(each.handled);
            }
            // Others may have seen the beginning of its work at once, and its end late.
            if (each.worked > GRACE_STEPS - MAX_LATE_STEPS && each.kind == Kind.SOUND) {
                established.put(each.handled, step);
            }
        }
        established.keySet().retainAll(working);
        established.values().removeIf(proven -> step - proven > 2 * GRACE_STEPS + MAX_LATE_STEPS);
        establishedLately.addFirst(Set.copyOf(established.keySet()));
        if (establishedLately.size() > GRACE_STEPS + MAX_SPREAD_STEPS + MAX_LATE_STEPS) {
            establishedLately.removeLast();
        }
    }
}
