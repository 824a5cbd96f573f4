package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.ordering.LeaseAssigner.Plan;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Examples of how executors share the partitions of a message queue, and histories of many executors. */
class LeaseAssignerTest {

    private static final long JOIN = 500;
    private static final long STEADY = 3_000;

    @Test
    void aSingleExecutorTakesAllPartitions() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);

        assertThat(assigner.plan(0, partitions(5), Set.of(), List.of("a")))
                .isEqualTo(new Plan(Set.copyOf(partitions(5)), Set.of()));
    }

    @Test
    void anExecutorCountsItselfAsLive() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);

        assertThat(assigner.plan(0, partitions(4), Set.of(), List.of("b")).acquire())
                .hasSize(2);
    }

    @Test
    void allExecutorsMakeTheSamePlan() {
        for (int executors = 1; executors <= 9; executors++) {
            List<String> live =
                    IntStream.range(0, executors).mapToObj(i -> "executor-" + i).toList();
            Map<Partition, String> planned = new HashMap<>();
            for (String id : live) {
                Set<Partition> share = new LeaseAssigner(id, JOIN, STEADY)
                        .plan(0, partitions(16), Set.of(), live)
                        .acquire();
                assertThat(share.size()).isBetween(16 / executors, (16 + executors - 1) / executors);
                share.forEach(
                        p -> assertThat(planned.put(p, id)).as("%s twice", p).isNull());
            }
            assertThat(planned).hasSize(16);
        }
    }

    @Test
    void surplusPartitionsAreGivenUpOnlyWhileTheExecutorsStayTheSame() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);
        List<Partition> all = partitions(4);

        assertThat(assigner.plan(0, all, all, List.of("a", "b")).giveUp()).isEmpty();
        assertThat(assigner.plan(STEADY - 1, all, all, List.of("a")).giveUp()).isEmpty();
        assertThat(assigner.plan(STEADY, all, all, List.of("a", "b")).giveUp()).isEmpty();
        assertThat(assigner.plan(2 * STEADY, all, all, List.of("a", "b")).giveUp())
                .hasSize(2);
    }

    @Test
    void executorsThatJoinTogetherGetTheirSharesInOneStep() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);
        List<Partition> all = partitions(6);
        assertThat(assigner.plan(0, all, Set.of(), List.of("a")).acquire()).hasSize(6);

        assertThat(assigner.plan(STEADY, all, all, List.of("a", "b")).giveUp()).isEmpty();
        assertThat(assigner.plan(STEADY + JOIN - 1, all, all, List.of("a", "b", "c"))
                        .giveUp())
                .isEmpty();
        assertThat(assigner.plan(STEADY + 2 * JOIN - 2, all, all, List.of("a", "b", "c"))
                        .giveUp())
                .isEmpty();
        assertThat(assigner.plan(STEADY + 2 * JOIN - 1, all, all, List.of("a", "b", "c"))
                        .giveUp())
                .hasSize(4);
    }

    @Test
    void partitionsOfALeaverAreTakenAtOnce() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);
        List<Partition> all = partitions(4);
        Set<Partition> own = assigner.plan(0, all, Set.of(), List.of("a", "b")).acquire();

        assertThat(assigner.plan(1, all, own, List.of("a")).acquire())
                .hasSize(2)
                .doesNotContainAnyElementsOf(own);
    }

    @Test
    void partitionsOfALeaverAreTakenAtOnceEvenWhileOthersAreStillToBeGivenUp() {
        List<Partition> all = partitions(6);
        for (int i = 0; i < 20; i++) {
            LeaseAssigner assigner = new LeaseAssigner("a" + i, JOIN, STEADY);
            Set<Partition> own =
                    assigner.plan(0, all, Set.of(), List.of("b", "c")).acquire();
            Set<Partition> share = new LeaseAssigner("a" + i, JOIN, STEADY)
                    .plan(0, all, Set.of(), List.of("b"))
                    .acquire();

            Set<Partition> both = new HashSet<>(own);
            both.addAll(assigner.plan(1, all, own, List.of("b")).acquire());
            assertThat(both).as("a%d", i).containsAll(share);
        }
    }

    @Test
    void allPartitionsAreGivenUpWhileTheBrokerCannotBeReached() {
        LeaseAssigner assigner = new LeaseAssigner("a", JOIN, STEADY);

        assertThat(assigner.plan(0, List.of(), partitions(3), List.of("a")))
                .isEqualTo(new Plan(Set.of(), Set.copyOf(partitions(3))));
    }

    @Test
    void moreExecutorsThanPartitionsLeaveSomeWithoutAny() {
        List<String> live = List.of("a", "b", "c", "d", "e");

        long idle = live.stream()
                .filter(id -> new LeaseAssigner(id, JOIN, STEADY)
                        .plan(0, partitions(3), Set.of(), live)
                        .acquire()
                        .isEmpty())
                .count();

        assertThat(idle).isEqualTo(2);
    }

    @Test
    void aJoinMovesLittleMoreThanTheJoinersShare() {
        int moved = 0;
        int shares = 0;
        for (int executors = 1; executors <= 12; executors++) {
            List<String> before =
                    IntStream.range(0, executors).mapToObj(i -> "x" + i).toList();
            List<String> after =
                    IntStream.rangeClosed(0, executors).mapToObj(i -> "x" + i).toList();
            Map<Partition, String> was = plan(64, before);
            Map<Partition, String> is = plan(64, after);
            moved += (int) is.entrySet().stream()
                    .filter(e -> !e.getValue().equals(was.get(e.getKey())))
                    .count();
            shares += 64 / (executors + 1);
        }

        assertThat(moved).isLessThan(shares * 2);
    }

    @Test
    void aNegativeTimeIsRefused() {
        assertThatThrownBy(() -> new LeaseAssigner("a", -1, 0)).hasMessageContaining("joinMillis is -1");
        assertThatThrownBy(() -> new LeaseAssigner("a", 2, 1)).hasMessageContaining("joinMillis is 2");
    }

    @Test
    void afterJoinsLeavesAndCrashesEachPartitionHasAnOwnerAndNoExecutorHasMoreThanItsShare() {
        for (int i = 0; i < 60; i++) {
            long seed = 7_000 + i;
            new History(seed).run();
        }
    }

    private static List<Partition> partitions(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Partition.of("orders", i))
                .toList();
    }

    private static Map<Partition, String> plan(int count, List<String> live) {
        Map<Partition, String> owners = new HashMap<>();
        for (String id : live) {
            new LeaseAssigner(id, JOIN, STEADY)
                    .plan(0, partitions(count), Set.of(), live)
                    .acquire()
                    .forEach(p -> owners.put(p, id));
        }
        return owners;
    }

    /** Executors that join, leave and crash, with a store of leases and outdated views of which executors are live. */
    private static final class History {
        private static final long TURN = 500;
        private static final long LEASE = 10_000;
        private static final long VIEW_DELAY = 2_500;
        private static final long CALM = LEASE + VIEW_DELAY + STEADY + 2_000;

        private record Lease(String owner, long until) {}

        private record Change(long at, Set<String> live) {}

        private final long seed;
        private final Random random;
        private final List<Partition> all;
        private final Map<Partition, Lease> leases = new HashMap<>();
        private final Map<String, LeaseAssigner> running = new LinkedHashMap<>();
        private final Map<String, Long> lastSign = new HashMap<>();
        private final List<Change> views = new ArrayList<>();
        private long now;
        private int started;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.all = partitions(1 + random.nextInt(40));
        }

        void run() {
            start();
            for (int phase = 0; phase < 6; phase++) {
                for (int events = random.nextInt(5); events > 0; events--) {
                    disturb();
                    for (int turns = random.nextInt(8); turns > 0; turns--) {
                        turn();
                    }
                }
                for (long until = now + CALM; now < until; ) {
                    turn();
                }
                checkRest();
                Map<Partition, Lease> before = owners();
                for (int turns = 0; turns < 40; turns++) {
                    turn();
                }
                assertThat(owners()).as("seed %d: moved at rest", seed).isEqualTo(before);
            }
        }

        private void disturb() {
            switch (random.nextInt(4)) {
                case 0, 1 -> start();
                case 2 -> leave();
                default -> crash();
            }
        }

        private void start() {
            String id = "e" + ++started;
            running.put(id, new LeaseAssigner(id, JOIN, STEADY));
        }

        private void leave() {
            String id = any();
            if (id != null) {
                running.remove(id);
                lastSign.remove(id);
                leases.values().removeIf(lease -> lease.owner().equals(id));
            }
        }

        private void crash() {
            String id = any();
            if (id != null) {
                running.remove(id);
            }
        }

        /** Returns a random executor; null if only one is left. */
        private String any() {
            List<String> ids = List.copyOf(running.keySet());
            return ids.size() < 2 ? null : ids.get(random.nextInt(ids.size()));
        }

        private void turn() {
            now += TURN;
            running.keySet().forEach(id -> lastSign.put(id, now));
            lastSign.values().removeIf(at -> now - at > LEASE);
            views.add(new Change(now, Set.copyOf(lastSign.keySet())));
            leases.values().removeIf(lease -> lease.until() < now);
            for (String id : List.copyOf(running.keySet())) {
                step(id);
            }
        }

        private void step(String id) {
            Set<Partition> owned = ownedBy(id);
            Set<String> live = new HashSet<>(seen());
            live.add(id);
            Plan plan = running.get(id).plan(now, all, owned, live);
            assertThat(plan.acquire().size())
                    .as("seed %d: %s of %d with %d live", seed, id, all.size(), live.size())
                    .isLessThanOrEqualTo(share(live.size()));
            plan.giveUp().forEach(leases::remove);
            plan.acquire().forEach(p -> leases.computeIfAbsent(p, free -> new Lease(id, now + LEASE)));
            ownedBy(id).forEach(p -> leases.put(p, new Lease(id, now + LEASE)));
        }

        private int share(int executors) {
            return (all.size() + executors - 1) / executors;
        }

        /** Returns the live executors as they were a random time ago. */
        private Set<String> seen() {
            long at = now - random.nextLong(VIEW_DELAY);
            Change seen = views.get(0);
            for (int i = views.size() - 1; i >= 0; i--) {
                if (views.get(i).at() <= at) {
                    seen = views.get(i);
                    break;
                }
            }
            return seen.live();
        }

        private Set<Partition> ownedBy(String id) {
            Set<Partition> owned = new HashSet<>();
            leases.forEach((partition, lease) -> {
                if (lease.owner().equals(id)) {
                    owned.add(partition);
                }
            });
            return owned;
        }

        private Map<Partition, Lease> owners() {
            Map<Partition, Lease> owners = new HashMap<>();
            leases.forEach((partition, lease) -> owners.put(partition, new Lease(lease.owner(), 0)));
            return owners;
        }

        private void checkRest() {
            assertThat(leases.keySet())
                    .as("seed %d: partitions without an owner", seed)
                    .hasSameSizeAs(all);
            for (String id : running.keySet()) {
                assertThat(ownedBy(id).size())
                        .as("seed %d: %s", seed, id)
                        .isBetween(all.size() / running.size(), share(running.size()));
            }
        }
    }
}
