package dev.tandem.ordering.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.FairPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each tenant may have in memory. */
class TenantSharesTest {

    private static final FairPolicy FAIR = new FairPolicy(null, "/", Map.of("c", 3));

    private final Map<String, ArrayDeque<TaskEntry>> inMemory = new HashMap<>();
    private long bytes = Long.MAX_VALUE;
    private final TenantShares shares = new TenantShares(FAIR, 100, () -> bytes);
    private long offset;

    private void comes(String tenant, int tasks) {
        for (int i = 0; i < tasks; i++) {
            TaskEntry entry = Entries.delivered(tenant + "/k", offset++);
            shares.add(entry);
            inMemory.computeIfAbsent(tenant, name -> new ArrayDeque<>()).add(entry);
        }
    }

    private void goes(String tenant, int tasks) {
        for (int i = 0; i < tasks; i++) {
            shares.remove(inMemory.get(tenant).remove());
        }
    }

    @Test
    void oneTenantHasHalfOfTheWindowBeforeItHasTooMuch() {
        comes("a", 50);
        assertThat(shares.hasTooMuch("a")).isFalse();
        comes("a", 1);
        assertThat(shares.hasTooMuch("a")).isTrue();
        assertThat(shares.hasTooMuch("b")).isFalse();
    }

    @Test
    void nobodyHasTooMuchWhileHalfOfTheWindowIsFree() {
        comes("a", 49);
        comes("b", 1);
        assertThat(shares.shareOf("a")).isEqualTo(25);
        assertThat(shares.hasTooMuch("a")).isFalse();
        comes("b", 1);
        assertThat(shares.hasTooMuch("a")).isTrue();
        assertThat(shares.excess("a")).isEqualTo(24);
        assertThat(shares.withExcess()).containsExactly("a");
    }

    @Test
    void sharesFollowTheWeightsOfThoseThatHaveTasks() {
        comes("a", 1);
        assertThat(shares.shareOf("c")).isEqualTo(37);
        comes("c", 1);
        comes("b", 1);
        assertThat(shares.shareOf("a")).isEqualTo(10);
        assertThat(shares.shareOf("c")).isEqualTo(30);
        goes("a", 1);
        goes("b", 1);
        assertThat(shares.shareOf("c")).isEqualTo(50);
    }

    @Test
    void largeTasksAreMeasuredByTheirBytes() {
        comes("a", 10);
        bytes = 10L * inMemory.get("a").peek().weight();
        assertThat(shares.hasTooMuch("a")).isTrue();
        assertThat(shares.excess("a")).isEqualTo(6);
        goes("a", 6);
        assertThat(shares.mayTake("a")).isTrue();
        assertThat(shares.hasTooMuch("a")).isFalse();
    }

    @Test
    void aWatchedTenantIsToldOnceItHasLessThanHalfOfItsShare() {
        comes("a", 51);
        shares.watch("a", true);
        goes("a", 26);
        assertThat(shares.takeWithRoom()).isEmpty();
        goes("a", 1);
        assertThat(shares.takeWithRoom()).containsExactly("a");
        assertThat(shares.takeWithRoom()).isEmpty();
        shares.watch("a", false);
        goes("a", 24);
        assertThat(shares.takeWithRoom()).isEmpty();
    }

    /** Whatever comes and goes: a tenant within its share never has too much, and who has nothing has room. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theSharesOfAllFitIntoHalfOfTheWindow(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < 5_000; step++) {
            String tenant = String.valueOf((char) ('a' + random.nextInt(6)));
            if (random.nextInt(100) < 55) {
                comes(tenant, 1);
                if (shares.hasTooMuch(tenant)) {
                    shares.remove(inMemory.get(tenant).removeLast());
                }
            } else if (!inMemory.getOrDefault(tenant, new ArrayDeque<>()).isEmpty()) {
                goes(tenant, 1);
            }
            check(seed, step);
        }
    }

    private void check(long seed, int step) {
        int sum = 0;
        int tasks = 0;
        List<String> present = new ArrayList<>();
        for (String tenant : List.of("a", "b", "c", "d", "e", "f")) {
            int has = inMemory.getOrDefault(tenant, new ArrayDeque<>()).size();
            assertThat(shares.tasksOf(tenant))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(has);
            tasks += has;
            if (has > 0) {
                present.add(tenant);
                sum += shares.shareOf(tenant);
            } else {
                assertThat(shares.hasRoom(tenant)).isTrue();
            }
            boolean within = has <= shares.shareOf(tenant);
            assertThat(shares.hasTooMuch(tenant) && within)
                    .as("seed %d, step %d", seed, step)
                    .isFalse();
        }
        assertThat(sum)
                .as("shares of %s, seed %d, step %d", present, seed, step)
                .isLessThanOrEqualTo(50);
        assertThat(tasks).as("seed %d, step %d", seed, step).isLessThanOrEqualTo(100 + present.size());
    }
}
