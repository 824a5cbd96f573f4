package dev.tandem.ordering.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.FairPolicy;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of the tasks that may start comes first: by priority, then by tenant, then by order. */
class ReadyTasksTest {

    private static final FairPolicy BY_TENANT = new FairPolicy("tenant", null, Map.of("big", 3));

    private long offset;

    private TaskEntry entry(@Nullable String key, @Nullable String tenant, int priority) {
        Map<String, String> headers = new HashMap<>();
        if (tenant != null) {
            headers.put("tenant", tenant);
        }
        if (priority > 0) {
            headers.put("tandem-priority", Integer.toString(priority));
        }
        Task task = new Task(null, "orders", "ship", key, new byte[0], headers, 0, 0, 0, 0, null);
        offset++;
        return new TaskEntry(Position.of(1, offset), key, offset, offset, offset, task, null, 0, false, null);
    }

    private static List<TaskEntry> claimAll(Lanes lanes) {
        List<TaskEntry> claimed = new ArrayList<>();
        for (TaskEntry next = lanes.pollReady(); next != null; next = lanes.pollReady()) {
            claimed.add(next);
        }
        return claimed;
    }

    private static List<String> tenants(List<TaskEntry> entries) {
        return entries.stream()
                .map(each -> each.requireTask().headers().getOrDefault("tenant", ""))
                .toList();
    }

    @Test
    void higherPrioritiesComeFirstAndEqualOnesInTheirOrder() {
        Lanes lanes = new Lanes(10, null, key -> false);
        TaskEntry low = entry("a", null, 0);
        TaskEntry high = entry("b", null, 7);
        TaskEntry middle = entry(null, null, 3);
        TaskEntry alsoHigh = entry("c", null, 7);
        TaskEntry alsoLow = entry(null, null, 0);
        List.of(low, high, middle, alsoHigh, alsoLow).forEach(lanes::enter);

        assertThat(lanes.ready().count()).isEqualTo(5);
        assertThat(claimAll(lanes)).containsExactly(high, alsoHigh, middle, low, alsoLow);
        assertThat(lanes.hasReady()).isFalse();
    }

    @Test
    void taskOfHigherPriorityWaitsForThoseBeforeItOfItsKey() {
        Lanes lanes = new Lanes(10, null, key -> false);
        TaskEntry first = entry("a", null, 0);
        TaskEntry second = entry("a", null, 9);
        TaskEntry other = entry("b", null, 1);
        List.of(first, second, other).forEach(lanes::enter);

        assertThat(claimAll(lanes)).containsExactly(other, first);
        lanes.claimAnswered(first);
        lanes.free(first);
        assertThat(claimAll(lanes)).containsExactly(second);
    }

    @Test
    void burstOfOneTenantDelaysAnotherByAsManyStartsAsItsWeightSays() {
        Lanes lanes = new Lanes(10, BY_TENANT, key -> false);
        for (int i = 0; i < 5_000; i++) {
            lanes.enter(entry(i % 2 == 0 ? null : "k" + i, "big", 0));
        }
        for (int i = 0; i < 100; i++) {
            lanes.pollReady();
        }
        lanes.enter(entry("x", "small", 0));
        lanes.enter(entry(null, null, 0));
        List<String> next = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            next.add(tenants(List.of(lanes.pollReady())).get(0));
        }

        assertThat(next.indexOf("small")).isBetween(0, 3);
        assertThat(next.indexOf("")).isBetween(0, 4);
    }

    @Test
    void tenantsThatAlwaysHaveTasksStartByTheirWeights() {
        Lanes lanes = new Lanes(10, BY_TENANT, key -> false);
        for (int i = 0; i < 400; i++) {
            lanes.enter(entry(null, "big", 0));
            lanes.enter(entry(null, "small", 0));
            lanes.enter(entry(null, "other", 0));
        }
        List<String> first = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            first.add(tenants(List.of(lanes.pollReady())).get(0));
        }

        assertThat(first.stream().filter("big"::equals).count()).isBetween(298L, 302L);
        assertThat(first.stream().filter("small"::equals).count()).isBetween(98L, 102L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nothingIsLostAndKeysKeepTheirOrderWhateverThePrioritiesAndTenants(long seed) {
        Random random = new Random(seed);
        Lanes lanes = new Lanes(10, seed % 2 == 0 ? BY_TENANT : null, key -> false);
        Map<String, Long> lastOfKey = new HashMap<>();
        List<TaskEntry> running = new ArrayList<>();
        int entered = 0;
        int claimed = 0;
        for (int step = 0; step < 20_000 || claimed < entered; step++) {
            int what = random.nextInt(step < 20_000 ? 4 : 3);
            if (what == 3) {
                entered++;
                String key = random.nextInt(3) == 0 ? null : "k" + random.nextInt(20);
                lanes.enter(entry(key, "t" + random.nextInt(5), random.nextInt(4) == 0 ? random.nextInt(10) : 0));
            } else if (what == 2 && !running.isEmpty()) {
                TaskEntry ends = running.remove(random.nextInt(running.size()));
                lanes.claimAnswered(ends);
                lanes.free(ends);
            } else {
                TaskEntry next = random.nextInt(5) == 0 ? lanes.pollReadyHead() : lanes.pollReady();
                if (next != null) {
                    claimed++;
                    running.add(next);
                    String key = next.key();
                    if (key != null) {
                        assertThat(next.order()).as("seed %s", seed).isGreaterThan(lastOfKey.getOrDefault(key, 0L));
                        lastOfKey.put(key, next.order());
                    }
                }
            }
        }
        assertThat(lanes.hasReady()).isFalse();
        assertThat(lanes.ready().count()).isZero();
    }
}
