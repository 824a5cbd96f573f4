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

    private final Simulation simulation;
    private final SimProcess process;
    private final Partition partition;
    private Connection connection = new Connection();
    private boolean up;

    SimStoreLink(Simulation simulation, SimProcess process, Partition partition) {
        this.simulation = simulation;
        this.process = process;
        this.partition = partition;
        reconnect(simulation.random.delay(5, 100));
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
        on.lastArrival = Math.max(on.lastArrival, simulation.timeline.now() + simulation.random.delay(3, 60));
        simulation.timeline.at(on.lastArrival, () -> arrive(on));
    }

    private void arrive(Connection on) {
        long now = simulation.timeline.now();
        long wait = Math.max(on.notBefore, simulation.store.frozenUntil());
        if (wait > now) {
            on.lastArrival = Math.max(on.lastArrival, wait);
            simulation.timeline.at(wait, () -> arrive(on));
            return;
        }
        StoreRequest request = on.sent.poll();
        if (request == null || on.broken && on.stillArrive-- <= 0) {
            return;
        }
        simulation.store.full(simulation.storeIsFull());
        StoreAnswer answer = simulation.store.apply(request);
        simulation.trace(() -> process + " " + TraceFormat.it(request) + " -> " + TraceFormat.it(answer));
        if (simulation.plan.drops() && simulation.random.percent(1)) {
            // A client that sends again what it believes lost.
            StoreAnswer again = simulation.store.apply(request);
            simulation.trace(() -> process + " again " + TraceFormat.it(request) + " -> " + TraceFormat.it(again));
        }
        if (request instanceof StoreRequest.SettleLate || request instanceof StoreRequest.ForwardRedeliveries) {
            simulation.wakeOwner(partition);
        }
        if (!on.broken) {
            on.lastAnswer = Math.max(on.lastAnswer, now + simulation.random.delay(3, 60));
            simulation.timeline.at(on.lastAnswer, () -> {
                if (!on.broken) {
                    process.post(() -> {
                        if (connection == on && up) {
                            process.answered(request, answer);
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
        process.post(() -> {
            if (connection == on) {
                up = false;
                process.core.storeDown(partition);
                // Sometimes for longer than the lease.
                reconnect(
                        simulation.random.percent(5)
                                ? simulation.random.delay(1_500, 6_000)
                                : simulation.random.delay(40, 1_500));
            }
        });
    }

    /** The process died. */
    void cut() {
        Connection on = connection;
        on.broken = true;
        on.stillArrive = simulation.random.below(on.sent.size() + 1);
        on.notBefore = simulation.timeline.now() + simulation.random.delay(10, 600);
    }

    private void reconnect(long millis) {
        simulation.timeline.in(millis, () -> {
            Connection fresh = new Connection();
            process.post(() -> {
                connection = fresh;
                up = true;
                process.core.storeUp(partition);
            });
        });
    }

    void woken() {
        Connection on = connection;
        process.post(() -> {
            if (up && connection == on) {
                process.core.woken(partition);
            }
        });
    }

    boolean quiet() {
        return up && connection.sent.isEmpty();
    }
}
