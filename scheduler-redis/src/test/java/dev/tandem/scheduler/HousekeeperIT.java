package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trimming of history. */
class HousekeeperIT extends OperatorTestBase {

    @Test
    void trimsHistoryButNotADeadTaskThatHaltsItsKey() {
        halt("k", 1);
        for (int offset = 2; offset < 9; offset++) {
            long token = claim(offset, null);
            Position position = Position.of(0, offset);
            owner.settleAndClaim(
                    List.of(new Settle(
                            position,
                            token,
                            null,
                            new SettledMark.Offset(offset),
                            offset < 6
                                    ? new Verdict.Dead(DeadHead.SKIP, envelope(null, token))
                                    : new Verdict.Success(envelope(null, token)),
                            0)),
                    List.of());
        }
        assertThat(trim(new Retention(Duration.ofDays(1), 2, 2))).isEqualTo(2 + 1);
        assertThat(offsets(TaskState.DEAD)).containsExactly(5L, 4L, 1L);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(8L, 7L);
        assertThat(trim(new Retention(Duration.ZERO, 3, 2))).isEqualTo(2);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
    }

    private long trim(Retention retention) {
        ClientResources resources = DefaultClientResources.create();
        RedisTopology topology =
                RedisTopology.of(RedisSettings.of(Brokers.redis().uri()), resources);
        try {
            return get(new Housekeeper(new AdminConnection(topology, 5_000), retention).trim(partition));
        } finally {
            topology.close().join();
            resources.shutdown();
        }
    }
}
