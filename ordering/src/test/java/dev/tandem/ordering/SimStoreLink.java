package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;

/** One process's way to one partition in the store: in order, delayed, and sometimes broken. */
final class SimStoreLink {

    /** A connection. What was sent on one that broke may still arrive, without an answer. */
    private static final class Connection {
        final ArrayDeque<StoreRequest> sent = new ArrayDeque<>();
        boolean broken;
        int stillArrive;
        long notBefore;
        long lastArrival;
        long lastAnswer;
    }

    private final Simulation world;
    private final SimProcess proc;
    private final Partition partition;
    private Connection connection = new Connection();
    private boolean up;

    SimStoreLink(Simulation world, SimProcess proc, Partition partition) {
        this.world = world;
        this.proc = proc;
        this.partition = partition;
        reconnect(world.random.delay(5, 100));
    }

    boolean up() {
        return up;
    }

    void send(StoreRequest request) {
        Connection on = connection;
        if (!up || on.broken) {
            return;
        }
        on.sent.add(request);
        on.lastArrival = Math.max(on.lastArrival, world.timeline.now() + world.random.delay(3, 60));
        world.timeline.at(on.lastArrival, () -> arrive(on));
    }

    private void arrive(Connection on) {
        long now = world.timeline.now();
        long wait = Math.max(on.notBefore, world.store.frozenUntil());
        if (wait > now) {
            on.lastArrival = Math.max(on.lastArrival, wait);
            world.timeline.at(wait, () -> arrive(on));
            return;
        }
        StoreRequest request = on.sent.poll();
        if (request == null || on.broken && on.stillArrive-- <= 0) {
            return;
        }
        world.store.full(world.storeIsFull());
        StoreAnswer answer = world.store.apply(request);
        world.trace(() -> proc + " " + TraceFormat.it(request) + " -> " + TraceFormat.it(answer));
        if (world.plan.drops() && world.random.percent(1)) {
            // A client that sends again what it believes lost.
            StoreAnswer again = world.store.apply(request);
            world.trace(() -> proc + " again " + TraceFormat.it(request) + " -> " + TraceFormat.it(again));
        }
        if (request instanceof StoreRequest.SettleLate || request instanceof StoreRequest.ForwardRedeliveries) {
            world.wakeOwner(partition);
        }
        if (!on.broken) {
            on.lastAnswer = Math.max(on.lastAnswer, now + world.random.delay(3, 60));
            world.timeline.at(on.lastAnswer, () -> {
                if (!on.broken) {
                    proc.post(() -> {
                        if (connection == on && up) {
                            proc.answered(request, answer);
                        }
                    });
                }
            });
        }
    }

    /** What is on its way may still arrive, up to some point; its answers do not. */
    void drop() {
        Connection on = connection;
        if (!up || on.broken) {
            return;
        }
        cut();
        proc.post(() -> {
            if (connection == on) {
                up = false;
                proc.core.storeDown(partition);
                // Sometimes for longer than the lease.
                reconnect(world.random.percent(5) ? world.random.delay(1_500, 6_000) : world.random.delay(40, 1_500));
            }
        });
    }

    /** The process died. */
    void cut() {
        Connection on = connection;
        on.broken = true;
        on.stillArrive = world.random.below(on.sent.size() + 1);
        on.notBefore = world.timeline.now() + world.random.delay(10, 600);
    }

    private void reconnect(long millis) {
        world.timeline.in(millis, () -> {
            Connection fresh = new Connection();
            proc.post(() -> {
                connection = fresh;
                up = true;
                proc.core.storeUp(partition);
            });
        });
    }

    void woken() {
        Connection on = connection;
        proc.post(() -> {
            if (up && connection == on) {
                proc.core.woken(partition);
            }
        });
    }

    boolean quiet() {
        return up && connection.sent.isEmpty();
    }
}
