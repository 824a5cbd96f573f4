package dev.tandem.ordering;

import dev.tandem.task.FairPolicy;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.StartPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tenants of a history whose tasks come in bursts that are larger than memory. Its draws are its own. */
final class SimTenants {

    static final String HEADER = "tenant";

    private static final String SEPARATOR = "/";
    private static final Map<String, Integer> WEIGHTS = Map.of("t1", 3);

    private final SeededRandom random;
    /** Whether a header names the tenant, so that the tasks of a key may be of several. Otherwise the key does. */
    private final boolean byHeader;

    private final int count;
    private final int burst;

    SimTenants(SeededRandom random) {
        this.random = random;
        this.byHeader = random.percent(50);
        this.count = random.between(1, 3);
        this.burst = random.between(1, 8);
    }

    /** Returns the plan with tenants, and with a small memory. */
    HistoryPlan plan(HistoryPlan plan) {
        FairPolicy fair = new FairPolicy(byHeader ? HEADER : null, byHeader ? null : SEPARATOR, WEIGHTS);
        QueuePolicy policy = plan.policy().withStarts(new StartPolicy(StartPolicy.NO_WEIGHT, 0, fair));
        int tasks = random.between(2, 12);
        return plan.withPolicy(policy.withMemory(tasks, random.percent(20) ? 200L * tasks : 1 << 20));
    }

    /** How many tasks come where one comes otherwise. */
    int burst() {
        return random.percent(30) ? burst : 1;
    }

    /** Returns the name of a key. */
    @Nullable
    String key(@Nullable String key) {
        boolean named = key != null && !byHeader && count > 1;
        return named ? "t" + key.hashCode() % count + SEPARATOR + key : key;
    }

    /** Names the tenant of a task. Some tasks have none. */
    void name(SimTask task) {
        if (byHeader && random.percent(85)) {
            task.tenant = "t" + (random.percent(60) ? 0 : random.below(count));
        }
    }
}
