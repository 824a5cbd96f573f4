package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer.Custody;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a renewal makes Redis sample the envelopes of a partition, and what it answers. */
class CustodyEstimateIT {

    private static final Pattern CALLS = Pattern.compile("cmdstat_memory\\|usage:calls=(\\d+)");
    private static final Partition PARTITION = Partition.of("orders", 0);
    private static final String PREFIX = "tandem:{" + PARTITION + "}:";
    private static final int RENEWALS = 50;
    private static final int BYTES = 1_000;

    private LocalRedis redis;
    private RedisStore store;
    private RedisClient client;
    private RedisCommands<String, String> commands;
    private TestOwner owner;

    @BeforeEach
    void start() {
        redis = Brokers.ownRedis();
        store = RedisStore.open(RedisSettings.of(redis.address()));
        client = RedisClient.create(redis.address());
        commands = client.connect().sync();
        owner = new TestOwner(store, PARTITION, "executor-1");
        owner.acquire();
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.shutdown();
        }
        if (store != null) {
            store.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    @Test
    void manyRenewalsSampleOnce() {
        hold(20_000);

        Custody first = owner.renew().custody();
        List<Custody> others = renewals();

        assertThat(first.tasks()).isEqualTo(20_000);
        assertThat(first.bytes()).isBetween(20_000L * BYTES, 2 * 20_000L * BYTES);
        assertThat(others).containsOnly(new Custody(20_000, Custody.NOT_ESTIMATED));
        assertThat(samplings()).isEqualTo(1);
    }

    @Test
    void aRenewalSamplesAgainAfterAMinute() {
        hold(1_000);
        owner.renew();

        commands.hset(PREFIX + "owner", "weighed", String.valueOf(System.currentTimeMillis() - 61_000));

        assertThat(owner.renew().custody().bytes()).isGreaterThan(1_000L * BYTES);
        assertThat(renewals()).containsOnly(new Custody(1_000, Custody.NOT_ESTIMATED));
        assertThat(samplings()).isEqualTo(2);
    }

    @Test
    void aNewOwnerGetsAnEstimateOfItsOwn() {
        hold(1_000);
        owner.renew();

        owner.acquire();

        assertThat(owner.renew().custody().bytes()).isGreaterThan(1_000L * BYTES);
        assertThat(samplings()).isEqualTo(2);
    }

    @Test
    void fewTasksAreNotSampled() {
        hold(63);

        assertThat(renewals()).containsOnly(new Custody(63, Custody.NOT_ESTIMATED));
        assertThat(samplings()).isZero();
    }

    @Test
    void whereTheCommandIsDeniedItIsTriedAsSeldom() {
        commands.aclSetuser("default", new AclSetuserArgs().removeCommand(CommandType.MEMORY));
        hold(1_000);

        assertThat(renewals()).containsOnly(new Custody(1_000, Custody.NOT_ESTIMATED));
        assertThat(commands.hget(PREFIX + "owner", "weighed")).isNotNull();
    }

    private void hold(int tasks) {
        Map<String, String> envelopes = new HashMap<>();
        for (int i = 0; i < tasks; i++) {
            envelopes.put("0:" + i, "x".repeat(BYTES));
        }
        commands.hset(PREFIX + "tasks", envelopes);
    }

    private List<Custody> renewals() {
        return Stream.generate(() -> owner.renew().custody()).limit(RENEWALS).toList();
    }

    /** How often Redis ran {@code MEMORY USAGE}. */
    private long samplings() {
        Matcher calls = CALLS.matcher(commands.info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
