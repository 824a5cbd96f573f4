package dev.tandem.benchmarks;

import dev.tandem.scheduler.EventFeed;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Cost of the hot path per task in Redis: plain successes settled and as many tasks claimed, without an executor. */
final class StoreScripts implements Scenario {

    private static final int TASKS = 100_000;
    private static final int BATCHES = 2_000;
    private static final int IN_FLIGHT = 4;
    private static final int KEYS = 5_000;
    private static final int PAGE_TASKS = 200_000;

    /** One line of the result. */
    private record Load(
            int batch, boolean keyed, boolean otherKeyBlocked, boolean queue, boolean kept, boolean events) {

        Load(int batch, boolean keyed, boolean otherKeyBlocked, boolean queue) {
            this(batch, keyed, otherKeyBlocked, queue, true, false);
        }

        String name() {
            return "Redis time per task in settle_and_claim, batches of " + batch
                    + (keyed ? ", keyed" : ", no keys")
                    + (otherKeyBlocked ? ", another key blocked" : "")
                    + (queue ? ", message queue" : "")
                    + (kept ? "" : ", nothing kept of successes")
                    + (events ? ", with events" : "");
        }
    }

    private static final List<Load> LOADS = List.of(
            new Load(256, true, false, false),
            new Load(256, true, false, false, false, false),
            new Load(256, true, false, false, true, true),
            new Load(256, true, false, false, false, true),
            new Load(256, false, false, false),
            new Load(256, true, true, false),
            new Load(256, true, false, true),
            new Load(64, true, false, false),
            new Load(16, true, false, false),
            new Load(1, true, false, false),
            new Load(1, true, false, false, false, false),
            new Load(16, true, false, false, true, true),
            new Load(1, true, false, false, true, true));

    /** More than there is room for in a round, so that none is dropped. */
    private static final EventPolicy ALL_EVENTS = new EventPolicy(Set.of(EventKind.SUCCEEDED), 1 << 30, false);

    private static final int EVENT_BATCH_BYTES = 256 << 10;
    private static final Retention NOTHING_KEPT = new Retention(Duration.ofDays(1), 1, Duration.ofDays(1), 0, 1);

    @Override
    public String name() {
        return "scripts";
    }

    @Override
    public String about() {
        return "Redis's time per task in the script of the hot path, by batch size";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Measurement> lines = new ArrayList<>();
        for (Load load : LOADS) {
            int tasks = Math.min(context.sizes().tasksOr(TASKS), load.batch() * BATCHES);
            String queue = context.uniqueName("scripts");
            try (RedisStore store = RedisStore.open(
                            RedisSettings.of(context.brokers().redis()),
                            load.kept() ? Retention.DEFAULTS : NOTHING_KEPT,
                            load.events() ? Map.of(queue, ALL_EVENTS) : Map.of());
                    RedisStatistics redis =
                            new RedisStatistics(context.brokers().redis());
                    Owner owner = new Owner(store, Partition.of(queue, 0))) {
                owner.acquire();
                if (load.otherKeyBlocked()) {
                    owner.blockAnotherKey();
                }
                owner.run(load, tasks / 4, 0);
                List<Double> micros = new ArrayList<>();
                List<Double> bytes = new ArrayList<>();
                for (int round = 1; round <= context.sizes().rounds(); round++) {
                    double before = redis.scriptMicros();
                    RedisStatistics.Usage usage = redis.usage();
                    owner.run(load, tasks, round * 1_000_000L);
                    micros.add((redis.scriptMicros() - before) / tasks);
                    bytes.add(redis.usage().since(usage).fileBytes() / tasks);
                    if (load.events()) {
                        takeEvents(context, store, redis, owner.partition(), tasks);
                    }
                }
                lines.add(Measurement.withoutBudget(load.name(), Median.of(micros), "µs"));
                context.say("%s: %.2f µs, %.0f bytes of its file", load.name(), Median.of(micros), Median.of(bytes));
                if (load.kept()) {
                    search(context, store, redis, owner.partition().queue());
                }
            }
        }
        return lines;
    }

    /** Takes all events as if a broker had confirmed them. */
    private static void takeEvents(
            ScenarioContext context, RedisStore store, RedisStatistics redis, Partition partition, int tasks) {
        double before = redis.scriptMicros();
        EventFeed.@Nullable Batch batch = null;
        int taken = 0;
        do {
            batch = store.events().take(partition, batch, EVENT_BATCH_BYTES).join();
            taken += batch.events().size();
        } while (!batch.events().isEmpty());
        double micros = (redis.scriptMicros() - before) / tasks;
        context.say("%d events were taken: %.2f µs of Redis's time each", taken, micros);
    }

    /** Looks for an id that no task has, which is searched for everywhere. */
    private static void search(ScenarioContext context, RedisStore store, RedisStatistics redis, String queue) {
        double before = redis.scriptMicros();
        store.inspector().tasks(queue, "no-such-id", 1).join();
        context.say("A search for a success that is not kept: %.0f µs", redis.scriptMicros() - before);
    }

    /** An owner of a partition that settles and claims tasks as an executor's core does. */
    private static final class Owner extends StoreOwner {

        Owner(Store store, Partition partition) {
            super(store, partition);
        }

        void blockAnotherKey() throws InterruptedException {
            Position head = new Position("head");
            Claim claim = new Claim(head, nextToken(), "blocked", false);
            send(request(false, List.of(), List.of(claim)));
            next(StoreAnswer.SettledAndClaimed.class);
            Verdict retry = new Verdict.Retry(3_600_000, new byte[40]);
            Settle settle = new Settle(head, claim.token(), "blocked", SettledMark.NONE, retry, 0);
            send(request(false, List.of(settle), List.of()));
            next(StoreAnswer.SettledAndClaimed.class);
        }

        /** Claims tasks in batches; each batch is settled three requests later. */
        void run(Load load, int tasks, long from) throws InterruptedException {
            Deque<List<Settle>> running = new ArrayDeque<>();
            int unanswered = 0;
            for (long offset = from; offset < from + tasks || !running.isEmpty(); ) {
                List<Claim> claims = new ArrayList<>(load.batch());
                List<Settle> outcomes = new ArrayList<>(load.batch());
                for (int i = 0; i < load.batch() && offset < from + tasks; i++, offset++) {
                    Claim claim = claim(load, offset);
                    SettledMark mark =
                            load.queue() ? new SettledMark.OnPage(offset / PAGE_TASKS) : new SettledMark.Offset(offset);
                    claims.add(claim);
                    SuccessRecord kept = new SuccessRecord(
                            null, null, claim.key(), 1, 1_800_000_000_000L + offset, 12, StoreOwner.EXECUTOR, null);
                    outcomes.add(new Settle(
                            claim.position(), claim.token(), claim.key(), mark, new Verdict.Success(kept), 0));
                }
                List<Settle> settles = running.size() >= 3 || claims.isEmpty() ? running.remove() : List.of();
                send(request(load.queue(), settles, claims));
                if (!outcomes.isEmpty()) {
                    running.add(outcomes);
                }
                if (++unanswered == IN_FLIGHT) {
                    checkAnswer();
                    unanswered--;
                }
            }
            for (; unanswered > 0; unanswered--) {
                checkAnswer();
            }
        }

        private Claim claim(Load load, long offset) {
            Position position = load.queue()
                    ? new Position(String.format("m%012x:k3w9x2h7.%s", offset * 7_919, Long.toString(offset, 36)))
                    : Position.of(0, offset);
            return new Claim(position, nextToken(), load.keyed() ? "customer-" + offset % KEYS : null, false);
        }

        private SettleAndClaim request(boolean queue, List<Settle> settles, List<Claim> claims) {
            Incarnation incarnation = queue ? Incarnation.NO_OFFSETS : Incarnation.of(0);
            return new SettleAndClaim(header(), StoreOwner.LEASE_MILLIS, incarnation, 0, settles, claims);
        }

        private void checkAnswer() throws InterruptedException {
            StoreAnswer.SettledAndClaimed answer = next(StoreAnswer.SettledAndClaimed.class);
            if (!answer.claims().stream().allMatch(ClaimResult.Ok.FIRST::equals)
                    || !answer.settles().stream().allMatch(SettleResult.Ok.PLAIN::equals)) {
                throw new IllegalStateException("A task was not claimed or not settled: " + answer);
            }
        }
    }
}
