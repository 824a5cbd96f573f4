package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Declined;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes random requests of two executors, which remember enough for most of their requests to make sense. Some requests
 * make none, or are wrong. There are only few positions and keys, so that requests meet.
 */
final class RandomRequests {

    private static final int POSITIONS = 24;
    private final Random random;
    private final Partition partition;
    private final Predicate<Position> claimed;
    private final boolean queue;
    private final List<Executor> executors = new ArrayList<>();
    private long committed = -1;

    /** Tasks scheduled so far off that a store may keep them apart until they are claimed at their time. */
    private final Map<Position, Long> far = new HashMap<>();

    private long now;

    /**
     * @param queue whether the partition is one of a message queue, not of a log
     * @param claimed whether a position has a claim; such tasks are only adopted
     */
    RandomRequests(long seed, Partition partition, boolean queue, Predicate<Position> claimed) {
        this.claimed = claimed;
        this.queue = queue;
        this.random = new Random(seed);
        this.partition = partition;
        executors.add(new Executor("one"));
        executors.add(new Executor("two"));
    }

    private static final class Executor {
        private final String name;
        private long number;
        private long epoch;
        private long token;
        private long incarnation;

        /** The claims that it believes to have, with their tokens. */
        private final Map<Position, Long> running = new LinkedHashMap<>();

        Executor(String name) {
            this.name = name;
        }
    }

    long pause() {
        if (random.nextInt(40) == 0) {
            return queue ? 1_000 : 300_000;
        }
        return random.nextInt(4) == 0 ? random.nextInt(120) : random.nextInt(4);
    }

    boolean restarts() {
        return random.nextInt(60) == 0;
    }

    private Executor of(StoreRequest.OwnerRequest request) {
        return executors.stream()
                .filter(executor -> request.header().writer().equals("w-" + executor.name))
                .findFirst()
                .orElseThrow();
    }

    StoreRequest next(long time) {
        now = time;
        Executor executor = executors.get(random.nextInt(5) == 0 ? 1 : 0);
        if (executor.epoch > 0 && random.nextInt(6) == 0) {
            return RandomRunRequests.next(random, partition, executor.running, executor.epoch, this::position);
        }
        if (executor.epoch == 0 || random.nextInt(25) == 0) {
            return acquire(executor);
        }
        int dice = random.nextInt(queue ? 110 : 100);
        if (dice < 45) {
            return settleAndClaim(executor);
        } else if (dice < 65) {
            return takeCustody(executor);
        } else if (dice < 78) {
            return new StoreRequest.ClaimDue(
                    header(executor),
                    lease(),
                    random.nextInt(4),
                    random.nextInt(4),
                    random.nextInt(3),
                    executor.token + 1,
                    random.nextInt(8) > 0,
                    random.nextBoolean() ? null : busyKeys());
        } else if (dice < 80) {
            return dice == 78 ? declineOffers(executor) : RandomLines.read(random, header(executor));
        } else if (dice < 84) {
            List<Position> positions = List.copyOf(executor.running.keySet());
            return new StoreRequest.RenewLeases(header(executor), lease(), positions, tokens(executor, positions));
        } else if (dice < 90) {
            long extend = random.nextInt(6) == 0 ? random.nextInt(100) : 0;
            int limit = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 100;
            return new StoreRequest.ExpireLeases(header(executor), limit, extend, random.nextInt(8) > 0);
        } else if (dice < 92) {
            committed = Math.max(committed, random.nextInt(POSITIONS));
            return new StoreRequest.RecordCommit(header(executor), incarnation(executor), committed);
        } else if (dice < 94) {
            Position position = position();
            boolean keyless = queue && random.nextBoolean();
            return new StoreRequest.AbandonPosition(header(executor), position, keyless ? null : key(position));
        } else if (dice < 95) {
            return new StoreRequest.Release(header(executor));
        } else if (dice < 97) {
            List<Position> positions = List.copyOf(executor.running.keySet());
            return new StoreRequest.KeepClaims(partition, lease(), positions, tokens(executor, positions));
        } else if (dice >= 105) {
            return new StoreRequest.ListKnownPositions(partition);
        } else if (dice >= 100) {
            return forwardRedeliveries();
        }
        return new StoreRequest.SettleLate(partition, incarnation(executor), settle(executor));
    }

    private StoreRequest.DeclineOffers declineOffers(Executor executor) {
        List<Declined> offers = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Position position = position();
            String key = key(position);
            // What is far off is not offered.
            if (key != null && !far.containsKey(position)) {
                offers.add(new Declined(position, key, random.nextInt(200)));
            }
        }
        return new StoreRequest.DeclineOffers(header(executor), offers);
    }

    /** Returns the keys of some positions. */
    private List<String> busyKeys() {
        return Stream.generate(() -> key(position()))
                .limit(random.nextInt(4))
                .filter(Objects::nonNull)
                .toList();
    }

    private StoreRequest.ForwardRedeliveries forwardRedeliveries() {
        List<Redelivery> messages = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Position position = position();
            messages.add(new Redelivery(position, envelope(position, 0)));
        }
        return new StoreRequest.ForwardRedeliveries(
                partition, random.nextBoolean() ? "x" : "y", random.nextInt(3) * 500L, messages);
    }

    /** Lets the executor remember what an answer said. */
    void learn(StoreRequest request, StoreAnswer answer) {
        if (!(request instanceof StoreRequest.OwnerRequest numbered)) {
            return;
        }
        Executor executor = of(numbered);
        if (answer instanceof StoreAnswer.Acquired acquired) {
            executor.epoch = acquired.epoch();
            executor.token = acquired.epoch();
            executor.incarnation = acquired.incarnation();
            executor.running.values().retainAll(acquired.presentedTokens());
        } else if (answer instanceof StoreAnswer.Gap gap) {
            executor.number = random.nextBoolean() ? gap.stored() : executor.number;
        } else if (answer instanceof StoreAnswer.Refused) {
            executor.number = numbered.header().number();
        } else if (answer instanceof StoreAnswer.SettledAndClaimed results && request instanceof SettleAndClaim sent) {
            learnClaims(executor, sent, results);
        } else if (answer instanceof StoreAnswer.DueTasks due) {
            far.values().removeIf(at -> at <= now);
            due.claimed().forEach(task -> {
                executor.running.put(task.position(), task.token());
                executor.token = Math.max(executor.token, task.token());
            });
        } else if (answer instanceof StoreAnswer.LeasesRenewed renewed && random.nextBoolean()) {
            renewed.lost().forEach(executor.running::remove);
        }
    }

    private void learnClaims(Executor executor, SettleAndClaim sent, StoreAnswer.SettledAndClaimed answer) {
        for (int i = 0; i < sent.settles().size(); i++) {
            Settle settle = sent.settles().get(i);
            if (answer.settles().get(i) instanceof StoreAnswer.SettleResult.Next next) {
                executor.running.put(next.position(), settle.nextToken());
            }
        }
        for (int i = 0; i < sent.claims().size(); i++) {
            Claim claim = sent.claims().get(i);
            if (answer.claims().get(i) instanceof StoreAnswer.ClaimResult.Ok) {
                executor.running.put(claim.position(), claim.token());
            }
        }
    }

    private Acquire acquire(Executor executor) {
        long generation = random.nextInt(3) == 0 ? -1 : 1 + random.nextInt(2);
        String source = queue || random.nextInt(3) == 0 ? "" : random.nextInt(20) == 0 ? "second" : "first";
        long from = queue ? -1 : random.nextInt(20) == 0 ? random.nextInt(POSITIONS) : committed;
        List<PresentedClaim> presented = new ArrayList<>();
        executor.running.forEach((position, token) -> {
            if (random.nextInt(4) > 0) {
                long outcome = random.nextInt(4) > 0 ? 0 : Math.max(0, executor.number - random.nextInt(3));
                SettledMark mark = queue ? SettledMark.NONE : offset(position);
                long after = presented.isEmpty() || random.nextBoolean()
                        ? 0
                        : presented.get(random.nextInt(presented.size())).token();
                presented.add(new PresentedClaim(
                        position, token, key(position), 1, mark, outcome, after < token ? after : 0));
            }
        });
        RequestHeader header = new RequestHeader(
                partition,
                "w-" + executor.name,
                executor.number += 1 + random.nextInt(3),
                random.nextBoolean() ? 0 : executor.epoch);
        long cutOf = random.nextBoolean() ? Acquire.ANY_INCARNATION : executor.incarnation + random.nextInt(3) - 1;
        long cut = queue || random.nextInt(10) > 0 ? Acquire.NO_CUT : random.nextInt(POSITIONS);
        return new Acquire(header, executor.name, lease(), generation, source, from, cut, cutOf, presented);
    }

    private SettleAndClaim settleAndClaim(Executor executor) {
        List<Settle> settles = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            settles.add(settle(executor));
        }
        List<Claim> claims = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Position position = position();
            boolean inStore = !far.containsKey(position) && random.nextInt(3) == 0;
            SettledMark check = queue || random.nextBoolean() ? SettledMark.NONE : offset(position);
            claims.add(new Claim(position, ++executor.token, key(position), inStore, check));
        }
        return new SettleAndClaim(
                header(executor), lease(), incarnation(executor), random.nextInt(POSITIONS), settles, claims);
    }

    private Settle settle(Executor executor) {
        List<Position> running = List.copyOf(executor.running.keySet());
        boolean known = !running.isEmpty() && random.nextInt(8) > 0;
        Position position = known ? running.get(random.nextInt(running.size())) : position();
        Long believed = executor.running.get(position);
        long token = believed == null || random.nextInt(12) == 0 ? executor.epoch + random.nextInt(20) : believed;
        if (random.nextInt(6) > 0) {
            executor.running.remove(position);
        }
        long next = random.nextInt(3) > 0 ? ++executor.token : 0;
        Verdict verdict = RandomVerdicts.next(random, position, key(position), token, envelope(position, token));
        Claim then = next == 0 && verdict instanceof Verdict.Success ? following(executor, position) : null;
        return new Settle(position, token, key(position), mark(position), verdict, next, then);
    }

    /** Returns a claim of the key's next task, as if it was started by relay; null if there is none. */
    private @Nullable Claim following(Executor executor, Position position) {
        Position next = position();
        String key = key(position);
        if (key == null || next.equals(position) || !key.equals(key(next)) || far.containsKey(next)) {
            return null;
        }
        Claim then = new Claim(next, ++executor.token, key, false);
        executor.running.put(next, then.token());
        return then;
    }

    private StoreRequest.TakeCustody takeCustody(Executor executor) {
        List<HandOver> entries = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            Position position = position();
            int dice = random.nextInt(10);
            Move move = claimed.test(position)
                    ? new Move.Adopt()
                    : dice < 5
                            ? new Move.Park(random.nextInt(20))
                            : dice < 7
                                    ? dice < 6 ? schedule(position) : RandomLines.join(random)
                                    : dice < 9
                                            ? new Move.Adopt()
                                            : RandomVerdicts.end(random, position, key(position), entries);
            boolean moves = move instanceof Move.Park && !far.containsKey(position) || move instanceof Move.Adopt;
            byte[] sent = moves && random.nextInt(3) == 0 ? null : envelope(position, 0);
            entries.add(new HandOver(position, key(position), mark(position), move, sent));
        }
        return new StoreRequest.TakeCustody(
                header(executor),
                incarnation(executor),
                random.nextInt(POSITIONS),
                1 + random.nextInt(5),
                4 + random.nextInt(20),
                entries);
    }

    private Move schedule(Position position) {
        if (random.nextInt(3) > 0) {
            return new Move.Schedule(now + random.nextInt(80) - 10);
        }
        long at = now + 200_000 + random.nextInt(80_000);
        far.put(position, at);
        return new Move.Schedule(at);
    }

    private RequestHeader header(Executor executor) {
        long number = executor.number;
        long epoch = executor.epoch;
        int dice = random.nextInt(60);
        if (dice == 0) {
            number += random.nextInt(3);
        } else if (dice == 1) {
            epoch--;
        } else {
            number++;
            executor.number = number;
        }
        return new RequestHeader(partition, "w-" + executor.name, number, epoch);
    }

    private SettledMark mark(Position position) {
        if (random.nextInt(6) == 0) {
            return SettledMark.NONE;
        } else if (queue) {
            return random.nextInt(3) == 0 ? SettledMark.AWAITS_REDELIVERY : new SettledMark.OnPage(random.nextInt(5));
        }
        return offset(position);
    }

    private Incarnation incarnation(Executor executor) {
        if (queue) {
            return Incarnation.NO_OFFSETS;
        }
        return Incarnation.of(random.nextInt(20) == 0 ? executor.incarnation + 1 : executor.incarnation);
    }

    private long lease() {
        return 30 + random.nextInt(60);
    }

    private Position position() {
        int number = random.nextInt(POSITIONS);
        // Every identity has two positions.
        return queue
                ? new Position(String.format("%c%012d:w.%02d", number % 4 < 2 ? 'm' : 'c', number / 2, number))
                : Position.of(0, number);
    }

    private static SettledMark offset(Position position) {
        return new SettledMark.Offset(number(position));
    }

    private static long number(Position position) {
        String text = position.text();
        return Long.parseLong(text.substring(Math.max(text.lastIndexOf(':'), text.lastIndexOf('.')) + 1));
    }

    /** A third of the positions have no key. The others share four keys. */
    private static @Nullable String key(Position position) {
        long number = number(position);
        return number % 3 == 0 ? null : "kö" + number % 4;
    }

    private static byte[] envelope(Position position, long token) {
        String error = token == 0
                ? null
                : token % 3 == 0 ? "HTTP status 503" : "boom " + token + (token % 3 == 1 ? "" : " now");
        return new Envelope(Task.of("q", key(position), new byte[] {7}), 1, token, error).encode();
    }

    private static long[] tokens(Executor executor, List<Position> positions) {
        return positions.stream().mapToLong(executor.running::get).toArray();
    }
}
