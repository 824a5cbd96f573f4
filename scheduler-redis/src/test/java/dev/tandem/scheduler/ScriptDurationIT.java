package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Prints how long the owner's scripts keep Redis busy where a partition holds very much. {@code -Dtandem.durations.tasks=N}
 * says how many tasks are scheduled, {@code -Dtandem.durations.dead=N} how many halt their keys,
 * {@code -Dtandem.durations.parked=N} how many wait in one lane. Checks only that all is counted.
 */
class ScriptDurationIT {

    private static final int TASKS = Integer.getInteger("tandem.durations.tasks", 20_000);
    private static final int DEAD = Integer.getInteger("tandem.durations.dead", TASKS / 10);
    private static final int PARKED = Integer.getInteger("tandem.durations.parked", TASKS / 100);
    private static final int KNOWN = Integer.getInteger("tandem.durations.known", 10_000);
    private static final int DUE = TASKS / 10;
    private static final int SETTLED_BLOCKS = DEAD / 100;
    private static final int BATCH = 500;
    /** Tasks that a drained partition still holds. */
    private static final int LEFT = 300;
    /** Of scripts that take less, nothing is noted. */
    private static final long SHORT_MICROS = 500;
    /** The offset of the head of a long lane. Its tasks follow. */
    private static final long LANE = 1_000_000_000L;

    private static final int FIRST_BLOCK = 50_000_000;

    private RedisCommands<String, String> commands;
    private TestOwner owner;
    private long scheduled;

    @Test
    void measuresScriptsWhereMuchIsStored() {
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RedisClient client = RedisClient.create(redis.address());
            try {
                commands = client.connect().sync();
                commands.configSet("slowlog-log-slower-than", Long.toString(SHORT_MICROS));
                commands.configSet("slowlog-max-len", "4096");
                owner = new TestOwner(store, Partition.of("orders", 0), "executor-1f3a9c27d4");
                owner.acquire();
                fill();
                measureOwner();
                measureTakeOver(store);
                measureKnownPositions(store);
                measureDrained(store);
            } finally {
                client.shutdown();
            }
        }
    }

    private void fill() {
        long now = System.currentTimeMillis();
        measured(
                "take_custody, " + BATCH + " scheduled within a day",
                () -> batches(TASKS - 2 * DUE, i -> {
                    long at = now + 100_000 + (i * 7_919L) % 86_400_000L;
                    return handOver(scheduled++, "customer-" + i % 100_000, new Move.Schedule(at));
                }));
        measured(
                "take_custody, " + BATCH + " far, due soon",
                () -> batches(
                        DUE, i -> handOver(scheduled++, "soon-" + i, new Move.Schedule(now + 95_000 + i % 5_000))));
        measured("settle_and_claim, " + BATCH + " dead that halt", this::halt);
        measured("settle_and_claim, the head of a lane", () -> {
            Claim head = new Claim(Position.of(0, LANE), owner.nextToken(), "lane", false);
            owner.settleAndClaim(List.of(), List.of(head));
            owner.settleAndClaim(
                    List.of(new Settle(
                            head.position(),
                            head.token(),
                            "lane",
                            SettledMark.NONE,
                            new Verdict.Retry(86_400_000, envelope("lane")),
                            0)),
                    List.of());
        });
        measured(
                "take_custody, " + BATCH + " parked in one lane",
                () -> batches(PARKED, i -> handOver(LANE + 1 + i, "lane", new Move.Park())));
        measured(
                "take_custody, " + BATCH + " due now",
                () -> batches(DUE, i -> handOver(scheduled++, "due-" + i, new Move.Schedule(now))));
    }

    private void halt() {
        for (int from = 0; from < DEAD; from += BATCH) {
            List<Claim> claims = new ArrayList<>();
            List<Settle> settles = new ArrayList<>();
            for (int i = from; i < from + BATCH; i++) {
                Position position = Position.of(0, 2 * LANE + i);
                Claim claim = new Claim(position, owner.nextToken(), "halted-" + i, false);
                claims.add(claim);
                settles.add(new Settle(
                        position,
                        claim.token(),
                        claim.key(),
                        new SettledMark.Offset(i),
                        new Verdict.Dead(DeadHead.HALT, envelope(claim.key())),
                        0));
            }
            owner.settleAndClaim(List.of(), claims);
            owner.settleAndClaim(settles, List.of());
        }
    }

    private void measureOwner() {
        measured("settle_and_claim, 256 claims of halted keys", () -> {
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                claims.add(new Claim(Position.of(0, 3 * LANE + i), owner.nextToken(), "halted-" + i, false));
            }
            assertThat(owner.settleAndClaim(List.of(), claims).claims())
                    .hasOnlyElementsOfType(StoreAnswer.ClaimResult.KeyBlocked.class);
        });
        measured("claim_due, 1,000 offers", () -> {
            int offered = 0;
            while (offered < DUE) {
                offered += claimDue(1_000).offered().size();
            }
        });
        if (commands.zcard("tandem:{" + owner.partition + "}:minutes") > 0 && TASKS > 1_000_000) {
            measured("claim_due, opens lists of far-off tasks", () -> {
                long until = System.currentTimeMillis() + 100_000;
                while (System.currentTimeMillis() < until && commands.zcard(key("scheduled")) < 2 * DUE) {
                    claimDue(0);
                }
            });
        }
        measured("renew_leases", () -> {
            StoreAnswer.LeasesRenewed renewed = owner.renew();
            assertThat(renewed.blockedKeys()).isEqualTo(DEAD + 1);
            assertThat(renewed.custody().bytes()).as("estimated").isPositive();
        });
    }

    private StoreAnswer.DueTasks claimDue(int offers) {
        long first = owner.token + 1;
        owner.token += 64;
        return owner.ask(
                new StoreRequest.ClaimDue(owner.header(), TestOwner.LEASE, 64, offers, first, true),
                StoreAnswer.DueTasks.class);
    }

    private void measureTakeOver(RedisStore store) {
        for (int from = 0; from < SETTLED_BLOCKS; from += 10_000) {
            Map<String, String> blocks = new HashMap<>();
            for (int i = from; i < Math.min(SETTLED_BLOCKS, from + 10_000); i++) {
                blocks.put(Integer.toString(FIRST_BLOCK + i), "x".repeat(64));
            }
            commands.hset(key("settled"), blocks);
        }
        StoreRequest.PresentedClaim last = new StoreRequest.PresentedClaim(
                Position.of(0, LANE + PARKED), owner.nextToken(), "lane", 1, SettledMark.NONE);
        measured(
                "acquire, with a claim of the last task of a lane",
                () -> owner.ask(
                        new StoreRequest.Acquire(
                                owner.header(), "executor-1f3a9c27d4", 10_000, -1, "", -1, List.of(last)),
                        StoreAnswer.Acquired.class));
        TestOwner next = new TestOwner(store, owner.partition, "executor-2");
        StoreRequest.Acquire acquire =
                new StoreRequest.Acquire(next.header(), "executor-2", 10_000, 1, "", -1, List.of());
        measured("acquire by another executor, and its pages", () -> {
            StoreAnswer.Acquired acquired = next.ask(acquire, StoreAnswer.Acquired.class);
            assertThat(acquired.blockedKeys()).isEqualTo(DEAD + 1);
            assertThat(acquired.blocked()).hasSize(1);
        });
    }

    private void measureKnownPositions(RedisStore store) {
        TestOwner asker = new TestOwner(store, Partition.of("known", 0), "asker");
        String prefix = "tandem:{" + asker.partition + "}:";
        for (int from = 0; from < KNOWN; from += 10_000) {
            Map<String, String> lapsed = new HashMap<>();
            Map<String, String> given = new HashMap<>();
            for (int i = from; i < Math.min(KNOWN, from + 10_000); i++) {
                lapsed.put(String.format("ml%011d:w.%d", i, i), "1");
                given.put(String.format("mg%011d:w.%d", i, i), "Oasker");
                commands.zadd(prefix + "owed", System.currentTimeMillis(), String.format("mo%011d:w.%d", i, i));
                if (i % 5 == 0) {
                    commands.rpush(prefix + "pages", "\0\0\0\1" + "mABCDEFGHIJK".repeat(20));
                }
            }
            commands.hset(prefix + "attempts", lapsed);
            commands.hset(prefix + "given", given);
        }
        measured("list_known_positions, and its pages", () -> {
            StoreAnswer.KnownPositions known =
                    asker.ask(new StoreRequest.ListKnownPositions(asker.partition), StoreAnswer.KnownPositions.class);
            assertThat(known.history().lapsed()).hasSize(KNOWN);
            assertThat(known.history().awaitingRedelivery()).hasSize(KNOWN);
        });
    }

    /** Redis keeps the buckets of a hash that is drained while it saves: the renewal samples what is left. */
    private void measureDrained(RedisStore store) {
        TestOwner next = new TestOwner(store, Partition.of("drained", 0), "executor-1f3a9c27d4");
        String tasks = "tandem:{" + next.partition + "}:tasks";
        for (int from = 0; from < TASKS; from += 10_000) {
            Map<String, String> envelopes = new HashMap<>();
            for (int i = from; i < Math.min(TASKS, from + 10_000); i++) {
                envelopes.put("0:" + i, "x".repeat(100));
            }
            commands.hset(tasks, envelopes);
        }
        commands.configSet("rdb-key-save-delay", "1000000");
        commands.bgsave();
        for (int from = LEFT; from < TASKS; from += 1_000) {
            commands.hdel(
                    tasks,
                    IntStream.range(from, Math.min(TASKS, from + 1_000))
                            .mapToObj(i -> "0:" + i)
                            .toArray(String[]::new));
        }
        next.acquire();
        measured(
                "renew_leases, " + LEFT + " tasks left",
                () -> assertThat(next.renew().custody().tasks()).isEqualTo(LEFT));
        measured("renew_leases, again, 100 times", () -> {
            for (int i = 0; i < 100; i++) {
                next.renew();
            }
        });
    }

    // ---- requests ----

    private void batches(int count, IntFunction<HandOver> entry) {
        for (int from = 0; from < count; from += BATCH) {
            List<HandOver> entries = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + BATCH); i++) {
                entries.add(entry.apply(i));
            }
            owner.ask(
                    new StoreRequest.TakeCustody(
                            owner.header(), Incarnation.of(0), 0, Integer.MAX_VALUE, Integer.MAX_VALUE, entries),
                    StoreAnswer.CustodyTaken.class);
        }
    }

    private static HandOver handOver(long offset, String key, Move move) {
        return new HandOver(Position.of(0, offset), key, SettledMark.NONE, move, envelope(key));
    }

    private static byte[] envelope(String key) {
        return new Envelope(Task.of("orders", key, new byte[64]), 0, 0, null).encode();
    }

    private String key(String name) {
        return "tandem:{" + owner.partition + "}:" + name;
    }

    // ---- durations ----

    private void measured(String what, Runnable action) {
        commands.slowlogReset();
        long begin = System.nanoTime();
        action.run();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        List<Long> micros = new ArrayList<>();
        for (Object entry : commands.slowlogGet(4_096)) {
            List<?> fields = (List<?>) entry;
            List<?> command = (List<?>) fields.get(3);
            if (command.get(0).toString().equalsIgnoreCase("EVALSHA")) {
                micros.add((Long) fields.get(2));
            }
        }
        micros.sort(null);
        System.out.printf(
                "durations: %s: %s; %d ms in all%n",
                what,
                micros.isEmpty()
                        ? "under 0.5 ms"
                        : String.format(
                                "longest %.1f ms, 99th percentile %.1f ms, median %.1f ms of %d that took 0.5 ms",
                                micros.get(micros.size() - 1) / 1e3,
                                micros.get(micros.size() * 99 / 100) / 1e3,
                                micros.get(micros.size() / 2) / 1e3,
                                micros.size()),
                millis);
    }
}
