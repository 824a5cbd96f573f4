package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one task costs Redis on the hot path, settled and claimed in one step. Prints, and only checks the answers. */
class HotPathIT {

    private static final int TASKS = Integer.getInteger("tandem.hotpath.tasks", 100_000);

    @ParameterizedTest
    @CsvSource({
        "256, true, false, false",
        "256, false, false, false",
        "256, true, true, false",
        "256, true, false, true",
        "64, true, false, false",
        "16, true, false, false",
        "1, true, false, false"
    })
    void aStepCostsRedisLittle(int batch, boolean keyed, boolean keyBlocked, boolean queue) {
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RedisClient client = RedisClient.create(redis.address());
            try {
                RedisCommands<String, String> commands = client.connect().sync();
                Caller owner = new Caller(store, Partition.of("orders", 0), "executor-1f3a9c27d4");
                owner.acquire();
                if (keyBlocked) {
                    block(owner);
                }
                run(owner, batch, keyed, queue, Math.min(TASKS, batch * 2_000) / 4, 0);
                commands.configResetstat();
                double cpu = cpu(commands);
                int tasks = Math.min(TASKS, batch * 2_000);
                long began = System.nanoTime();
                run(owner, batch, keyed, queue, tasks, 1_000_000);
                double seconds = (System.nanoTime() - began) / 1e9;
                System.out.printf(
                        "hot path, batch %d, %s%s%s: %.2f us/task in the script, %.2f us/task of Redis's CPU, %.0f tasks/s%n",
                        batch,
                        keyed ? "keyed" : "unkeyed",
                        keyBlocked ? ", another key blocked" : "",
                        queue ? ", of a queue" : "",
                        evalshaMicros(commands) / tasks,
                        (cpu(commands) - cpu) * 1e6 / tasks,
                        tasks / seconds);
            } finally {
                client.shutdown();
            }
        }
    }

    private static void block(Caller owner) {
        Position head = new Position("head");
        owner.step(List.of(), List.of(new Claim(head, owner.nextToken(), "blocked", false)));
        owner.step(
                List.of(new Settle(head, owner.token, "blocked", -1, new Verdict.Retry(3_600_000, new byte[40]), 0)),
                List.of());
    }

    private static void run(Caller owner, int batch, boolean keyed, boolean queue, int tasks, long from) {
        Deque<List<Settle>> running = new ArrayDeque<>();
        int unanswered = 0;
        for (long offset = from; offset < from + tasks || !running.isEmpty(); ) {
            List<Claim> claims = new ArrayList<>(batch);
            List<Settle> next = new ArrayList<>(batch);
            for (int i = 0; i < batch && offset < from + tasks; i++, offset++) {
                long token = owner.nextToken();
                String key = keyed ? "customer-" + offset % 5_000 : null;
                Position position = queue
                        ? new Position(String.format("m%012x:k3w9x2h7.%s", offset * 7_919, Long.toString(offset, 36)))
                        : Position.of(0, offset);
                long bit = queue ? offset / 200_000 : offset;
                claims.add(new Claim(position, token, key, false));
                next.add(new Settle(position, token, key, bit, new Verdict.Success(null), 0));
            }
            List<Settle> settles = running.size() >= 3 || claims.isEmpty() ? running.poll() : List.of();
            owner.link.send(new SettleAndClaim(
                    owner.header(),
                    Caller.LEASE,
                    queue ? StoreRequest.NO_INCARNATION : 0,
                    0,
                    settles == null ? List.of() : settles,
                    claims));
            if (!next.isEmpty()) {
                running.add(next);
            }
            unanswered++;
            if (unanswered >= 4) {
                check(owner);
                unanswered--;
            }
        }
        while (unanswered-- > 0) {
            check(owner);
        }
    }

    private static void check(Caller owner) {
        StoreAnswer.SettledAndClaimed stepped = (StoreAnswer.SettledAndClaimed) owner.next();
        assertThat(stepped.claims()).allMatch(StoreAnswer.ClaimResult.Ok.FIRST::equals);
        assertThat(stepped.settles()).allMatch(StoreAnswer.SettleResult.Ok.PLAIN::equals);
    }

    private static double evalshaMicros(RedisCommands<String, String> commands) {
        Matcher usec = Pattern.compile("cmdstat_evalsha:calls=\\d+,usec=(\\d+)").matcher(commands.info("commandstats"));
        return usec.find() ? Double.parseDouble(usec.group(1)) : Double.NaN;
    }

    private static double cpu(RedisCommands<String, String> commands) {
        String info = commands.info("cpu");
        double sum = 0;
        Matcher used = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)").matcher(info);
        while (used.find()) {
            sum += Double.parseDouble(used.group(1));
        }
        return sum;
    }
}
