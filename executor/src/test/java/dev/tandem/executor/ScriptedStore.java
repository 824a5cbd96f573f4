package dev.tandem.executor;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.Registration;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that grants every request on the caller's thread, and records the requests. */
final class ScriptedStore implements Store {

    final List<StoreRequest> requests = new CopyOnWriteArrayList<>();
    /** A task that is due, of each partition that has one. */
    final Map<Partition, Task> due = new ConcurrentHashMap<>();

    final Map<Partition, Listener> listeners = new ConcurrentHashMap<>();
    private final Queue<Runnable> withheld = new ConcurrentLinkedQueue<>();
    private final AtomicLong epoch = new AtomicLong();
    /** While true, answers are withheld. */
    volatile boolean silent;

    /** Whether all replicas and disks have what was written. */
    volatile boolean durable = true;

    /** While set, acquires are refused, because an owner reads this source. */
    volatile String otherSource = "";

    volatile boolean reachable = true;
    /** Whether a part of the store answers, although the links are down. */
    volatile boolean partReachable;
    /** While true, new links stay down until the test calls their listener's up. */
    volatile boolean slowLinks;

    /** The executor that is registered; null if none is. */
    volatile Registration.@Nullable Registrant registrant;

    /** The executors that announce their handlers, of every queue. */
    volatile List<HandlerPeer> peers = List.of();

    /** Whether a registered executor hears at once that its queues are not paused. */
    volatile boolean knowsPauses = true;

    @Override
    public Registration register(Registration.Registrant executor) {
        registrant = executor;
        if (knowsPauses) {
            executor.queues().forEach(queue -> executor.paused(queue, Registration.OperatorPause.NO));
        }
        return new Registration() {
            @Override
            public Set<String> sharing(String queue) {
                return Set.of();
            }

            @Override
            public List<HandlerPeer> peers(String queue) {
                return peers;
            }

            @Override
            public void close() {
                registrant = null;
            }
        };
    }

    /** Keeps track of what a test tells a link's listener. */
    private record TrackingListener(Listener to, AtomicBoolean usable) implements Listener {
        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            to.answered(request, answer);
        }

        @Override
        public void down(String why) {
            usable.set(false);
            to.down(why);
        }

        @Override
        public void up() {
            usable.set(true);
            to.up();
        }

        @Override
        public void woken() {
            to.woken();
        }
    }

    /** Gives the withheld answers, and answers at once from now on. */
    void answerWithheld() {
        silent = false;
        for (Runnable answer = withheld.poll(); answer != null; answer = withheld.poll()) {
            answer.run();
        }
    }

    long count(Class<? extends StoreRequest> type) {
        return requests.stream().filter(type::isInstance).count();
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        AtomicBoolean usable = new AtomicBoolean(reachable && !slowLinks);
        listeners.put(partition, new TrackingListener(listener, usable));
        if (usable.get()) {
            listener.up();
        }
        return new Link() {
            @Override
            public void send(StoreRequest request) {
                if (!usable.get()) {
                    // Store.Link.send: requests are dropped until the link is up.
                    return;
                }
                requests.add(request);
                StoreAnswer answer = answer(request);
                if (silent) {
                    withheld.add(() -> listener.answered(request, answer));
                } else {
                    listener.answered(request, answer);
                }
            }

            @Override
            public void close() {
                listeners.remove(partition);
            }
        };
    }

    @Override
    public void findReachablePart(Runnable reached) {
        if (partReachable) {
            reached.run();
        }
    }

    @Override
    public void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        found.accept(due.keySet().stream()
                .filter(partition -> !except.contains(partition))
                .toList());
    }

    private StoreAnswer.DueTasks due(StoreRequest.ClaimDue request) {
        Task task = due.remove(request.partition());
        List<StoreAnswer.DueTask> claimed = task == null
                ? List.of()
                : List.of(new StoreAnswer.DueTask(
                        Position.of(0, 7), request.firstToken(), 0, new Envelope(task, 0, 0, null).encode(), false));
        return new StoreAnswer.DueTasks(claimed, List.of(), -1, false);
    }

    private StoreAnswer answer(StoreRequest request) {
        if (request instanceof StoreRequest.Acquire && !otherSource.isEmpty()) {
            return new StoreAnswer.Refused("stranger", 10_000, otherSource);
        } else if (request instanceof StoreRequest.Acquire acquire) {
            List<Long> tokens = acquire.presented().stream()
                    .map(StoreRequest.PresentedClaim::token)
                    .toList();
            return new StoreAnswer.Acquired(
                    epoch.addAndGet(1_000_000),
                    "run",
                    1,
                    0,
                    acquire.committed(),
                    List.of(),
                    List.of(),
                    List.of(),
                    0,
                    due.containsKey(acquire.partition()) ? 0 : -1,
                    -1,
                    0,
                    tokens);
        } else if (request instanceof StoreRequest.SettleAndClaim step) {
            return new StoreAnswer.SettledAndClaimed(
                    step.settles().stream()
                            .map(settle -> (StoreAnswer.SettleResult) StoreAnswer.SettleResult.Ok.PLAIN)
                            .toList(),
                    step.claims().stream()
                            .map(claim -> (StoreAnswer.ClaimResult) StoreAnswer.ClaimResult.Ok.FIRST)
                            .toList());
        } else if (request instanceof StoreRequest.TakeCustody hand) {
            return new StoreAnswer.CustodyTaken(
                    hand.entries().stream()
                            .map(entry -> StoreAnswer.HandOverResult.OK)
                            .toList(),
                    -1);
        } else if (request instanceof StoreRequest.ClaimDue claim) {
            return due(claim);
        } else if (request instanceof StoreRequest.RenewLeases) {
            return new StoreAnswer.LeasesRenewed(
                    "run",
                    List.of(),
                    List.of(),
                    -1,
                    -1,
                    StoreAnswer.Custody.NONE,
                    0,
                    StoreAnswer.TokenTime.NONE,
                    durable);
        } else if (request instanceof StoreRequest.ExpireLeases) {
            return new StoreAnswer.LeasesExpired(0, List.of(), -1, -1);
        } else if (request instanceof StoreRequest.KeepClaims) {
            return new StoreAnswer.ClaimsKept(List.of());
        } else if (request instanceof StoreRequest.SettleLate) {
            return new StoreAnswer.LateSettled(true);
        }
        return StoreAnswer.Ok.NOTHING_DUE;
    }

    @Override
    public void close() {}
}
