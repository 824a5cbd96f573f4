package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.StartPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Examples of the core: a burst of one tenant that is larger than memory does not keep the tasks of others unread. */
class TenantBurstsTest {

    private static final int WINDOW = 20;
    private static final int BURST = 200;

    private final CoreScript core = CoreScript.log(
                    new QueuePolicy(true, 2, DeadHead.HALT, WINDOW, 1 << 20, 100, 100, 100)
                            .withStarts(new StartPolicy(StartPolicy.NO_WEIGHT, 0, new FairPolicy(null, "/", Map.of()))))
            .owns();

    private void bursts(int from, int tasks, IntFunction<String> key) {
        core.delivers(IntStream.range(from, from + tasks)
                .mapToObj(i -> key.apply(i) + i)
                .toArray(String[]::new));
    }

    /** A key of tenant a. Digits are no part of keys in these tests. */
    private static String ofA(int i) {
        return "a/" + (char) ('a' + i % 7);
    }

    /** Lets all that runs succeed, until nothing runs. Returns the starts in order. */
    private List<String> runsOut() {
        List<String> starts = new ArrayList<>();
        for (int i = 0; i < 10 * BURST && !core.running().isEmpty(); i++) {
            String next = core.running().iterator().next();
            starts.add(next);
            core.succeeds(next);
            core.passes(20);
        }
        return starts;
    }

    @Test
    void aTaskBehindABurstStartsAfterAFewStarts() {
        bursts(0, BURST, TenantBurstsTest::ofA);
        assertThat(core.isPaused()).isFalse();
        core.delivers("b/" + BURST);

        List<String> starts = runsOut();
        core.passes(10_000);

        assertThat(starts).hasSize(BURST + 1).doesNotHaveDuplicates();
        assertThat(starts.indexOf("b/" + BURST)).isLessThan(4);
        assertThat(core.committed()).isEqualTo(BURST + 1);
        for (int key = 0; key < 7; key++) {
            String prefix = ofA(key);
            assertThat(starts.stream()
                            .filter(name -> name.startsWith(prefix))
                            .map(name -> Integer.parseInt(name.substring(prefix.length()))))
                    .isSorted();
        }
    }

    @Test
    void theCommitStaysBeforeABurstThatWaits() {
        bursts(0, BURST, TenantBurstsTest::ofA);
        core.delivers("b/" + BURST);
        core.succeeds("a/a0");
        core.succeeds("b/" + BURST);
        core.passes(100);
        assertThat(core.committed()).isLessThan(WINDOW);
    }

    @Test
    void memoryThatIsFullOfOneTenantIsClearedWhenOthersCome() {
        // Half of the window is for a, which then has more than the quarter that two tenants have each.
        bursts(0, WINDOW / 2, TenantBurstsTest::ofA);
        bursts(WINDOW / 2, BURST, i -> "b/" + (char) ('a' + i % 7));
        core.delivers("c/" + (BURST + WINDOW / 2));
        assertThat(core.isPaused()).isFalse();
        List<String> starts = runsOut();
        assertThat(starts).hasSize(BURST + WINDOW / 2 + 1).doesNotHaveDuplicates();
        assertThat(starts.indexOf("c/" + (BURST + WINDOW / 2))).isLessThan(8);
    }
}
