package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Examples of the core: a key that is slow, or that has more waiting tasks than any bound allows, holds up neither the commit
 * nor another key.
 */
class SlowAndFullLanesTest {

    private static final long UNTIL_DURABLE = SETTINGS.horizonMillis() + 2 * SETTINGS.probeMillis();

    /** Two tasks may be parked behind each key. */
    private static CoreScript withSmallLanes() {
        return withLanesOf(2);
    }

    private static CoreScript withLanesOf(int parked) {
        return CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 10_000, 1 << 20, parked, 100_000, 100_000))
                .owns();
    }

    // ---- slow ----

    @Test
    void aSlowKeyIsParkedSoThatTheCommitMovesOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9");
        core.delivers("x10");
        core.succeeds("x10");

        // Each task takes a second, so none of them is long itself.
        for (int i = 0; i < 4; i++) {
            core.passes(1_000);
            core.succeeds("k" + i);
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k4");
        assertThat(core.committed()).isEqualTo(11);
    }

    @Test
    void aSlowKeyIsParkedWhenItFillsMemory() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 8, 1 << 20, 100, 100, 100))
                .owns();
        core.delivers("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
        assertThat(core.isPaused()).isTrue();

        core.passes(4 * SETTINGS.probeMillis());
        assertThat(core.isPaused()).isFalse();

        core.delivers("x8");
        assertThat(core.running()).containsExactly("k0", "x8");
    }

    @Test
    void aFastKeyWithManyTasksIsNotParkedThoughMemoryIsFull() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 40, 1 << 20, 100, 100, 100))
                .owns();
        core.delivers(IntStream.range(0, 40).mapToObj(i -> "k" + i).toArray(String[]::new));
        assertThat(core.isPaused()).isTrue();

        // At ten tasks a second all would have ended after four seconds. Half of memory is free after two.
        for (int i = 0; i <= 20; i++) {
            core.passes(100);
            core.succeeds("k" + i);
        }

        assertThat(core.isPaused()).isFalse();
        assertThat(core.store().lane("k")).isEmpty();
        assertThat(core.running()).containsExactly("k21");
    }

    @Test
    void aFastKeyThatKeepsMemoryFullIsParkedAfterAHorizon() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 40, 1 << 20, 1_000, 1_000, 1_000))
                .owns();
        int next = 0;
        int ended = 0;
        for (int millis = 0;
                millis < 2 * SETTINGS.horizonMillis() && core.store().lane("k").isEmpty();
                millis += 40) {
            while (!core.isPaused()) {
                core.delivers("k" + next++);
            }
            core.passes(40);
            core.succeeds("k" + ended++);
        }

        assertThat(core.store().lane("k")).isNotEmpty();
        assertThat(ended).isGreaterThan((int) SETTINGS.horizonMillis() / 40 - 1);
    }

    @Test
    void tasksThatWaitForASlotAreNotParked() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("x0", "k1", "k2", "k3");
        core.succeeds("x0");
        for (int i = 1; i < 3; i++) {
            core.passes(SETTINGS.horizonMillis() - 1);
            core.succeeds("k" + i);
        }

        assertThat(core.store().holds(at(3))).isFalse();
    }

    // ---- full ----

    @Test
    void whatALaneHasNoRoomForStaysInTheLog() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 600_000);

        core.delivers("k1", "k2", "k3", "k4", "x5", "k6");
        core.succeeds("x5");
        core.passes(UNTIL_DURABLE);

        assertThat(core.isPaused()).isFalse();
        assertThat(core.store().lane("k")).containsExactly(at(1), at(2));
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void whatStayedInTheLogIsReadAgainInOrder() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers(IntStream.rangeClosed(1, 9).mapToObj(i -> "k" + i).toArray(String[]::new));

        core.passes(5_000);
        for (int i = 0; i < 10; i++) {
            core.passes(2 * SETTINGS.retryMillis());
            assertThat(core.running()).containsExactly("k" + i);
            core.succeeds("k" + i);
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.committed()).isEqualTo(10);
    }

    @Test
    void aFailedReadIsTriedAgain() {
        CoreScript core = withSmallLanes();
        core.readsNothingAgain(true);
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers("k1", "k2", "k3", "k4");
        core.passes(5_000);
        for (int i = 0; i < 4; i++) {
            core.succeeds("k" + i);
            core.passes(2 * SETTINGS.retryMillis());
        }
        assertThat(core.running()).isEmpty();
        assertThat(core.recalls()).isNotEmpty();

        core.readsNothingAgain(false);
        core.passes(2 * SETTINGS.retryMillis());
        assertThat(core.running()).containsExactly("k4");
    }

    /** While a recall is on its way, its key fails again, and what was read before is left in the log once more. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    void aLateAnswerToARecallBreaksNoOrder(int failing) {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers(IntStream.rangeClosed(1, 39).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.passes(5_000);

        for (int i = 0; i < 40; i++) {
            core.passes(2 * SETTINGS.retryMillis());
            assertThat(core.running()).containsExactly("k" + i);
            if (i == failing) {
                core.recallsStall(true);
                core.passes(2 * SETTINGS.retryMillis());
                core.fails("k" + i, 5_000);
                core.passes(5_000);
                core.succeeds("k" + i);
                core.passes(2 * SETTINGS.retryMillis());
                core.recallsStall(false);
            } else {
                core.succeeds("k" + i);
            }
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.committed()).isEqualTo(40);
    }

    /**
     * While a recall for two keys is on its way, one of them fails, and what waits in memory is left in the log once more: behind
     * the beginning of the recall, which is at the other key's first record, and before what the recall brings.
     */
    @Test
    void aRecallOfTwoKeysTakesNothingOfTheOneOfWhichMoreWasLeftInTheLogSince() {
        CoreScript core = withLanesOf(1);
        List<String> ended = new ArrayList<>();
        core.delivers("k0", "j1");
        core.fails("k0", 1_000);
        core.fails("j1", 1_000);
        core.delivers(names("j", 2, 6));
        core.delivers(names("k", 7, 40));
        core.recallsStall(true);
        core.passes(1_000);
        endsAllInStore(core, "k", ended);
        endsAllInStore(core, "j", ended);
        assertThat(core.recalls()).hasSize(1);

        core.recallsStall(false);
        core.recallsStall(true);
        core.passes(SETTINGS.probeMillis());
        assertThat(core.running()).contains("k9");
        assertThat(core.recalls()).hasSize(2);
        assertThat(core.recalls().get(1).from()).isEqualTo(4);
        core.fails("k9", 1_000);
        core.recallsStall(false);
        while (ended.size() < 41 && ended.size() == Set.copyOf(ended).size()) {
            core.passes(2 * SETTINGS.retryMillis());
            core.running().forEach(name -> {
                core.succeeds(name);
                ended.add(name);
            });
        }

        assertThat(ended)
                .filteredOn(name -> name.startsWith("k"))
                .containsExactly(Stream.concat(Stream.of("k0"), Stream.of(names("k", 7, 40)))
                        .toArray(String[]::new));
        assertThat(ended).filteredOn(name -> name.startsWith("j")).containsExactly(names("j", 1, 6));
    }

    private static String[] names(String key, int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(i -> key + i).toArray(String[]::new);
    }

    private static void endsAllInStore(CoreScript core, String key, List<String> ended) {
        while (core.store().blocked(key) != null) {
            String name = core.running().stream()
                    .filter(running -> running.startsWith(key))
                    .findFirst()
                    .orElseThrow();
            core.succeeds(name);
            ended.add(name);
            core.passes(2 * SETTINGS.retryMillis());
        }
    }

    @Test
    void aNewOwnerIsGivenWhatStayedInTheLog() {
        CoreScript old = withSmallLanes();
        old.delivers("k0");
        old.fails("k0", 600_000);
        old.delivers("k1", "k2", "k3", "k4");
        old.passes(UNTIL_DURABLE);
        assertThat(old.committed()).isEqualTo(3);
        old.revoked();

        CoreScript core = old.anotherExecutor().owns();
        core.delivers("k3", "k4", "x5");

        assertThat(core.running()).containsExactly("x5");
        core.passes(UNTIL_DURABLE);
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void aHaltedKeyMayHaveAMillionTasksBehindIt() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.dies("k0");

        for (int from = 1; from <= 1_000_000; from += 500) {
            core.delivers(IntStream.range(from, from + 500)
                    .mapToObj(i -> i % 500 == 0 ? "x" + i : "k" + i)
                    .toArray(String[]::new));
            core.running().forEach(core::succeeds);
            assertThat(core.isPaused()).isFalse();
        }

        assertThat(core.running()).isEmpty();
        assertThat(core.store().lane("k")).hasSize(2);
    }
}
