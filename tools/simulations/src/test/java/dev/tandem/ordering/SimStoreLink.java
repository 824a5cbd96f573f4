package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayDeque;

/** The store link of one process to one partition: in order, delayed, and sometimes broken. */
final class SimStoreLink {

    /** One connection. Requests on a broken one may still arrive, without an answer. */
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
    /** Whether the process knows of room in the store. */
    private boolean knowsRoom = true;

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
        simulation.trace(() -> process + " " + TraceFormat.of(request) + " -> " + TraceFormat.of(answer));
        if (simulation.plan.drops() && simulation.random.percent(1)) {
            // A client that believes the request lost sends it again.
            StoreAnswer again = simulation.store.apply(request);
            simulation.trace(() -> process + " again " + TraceFormat.of(request) + " -> " + TraceFormat.of(again));
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

    /** Breaks the connection. Requests on their way may still arrive, up to some point; their answers do not. */
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
                // Sometimes it takes longer than a lease.
                reconnect(
                        simulation.random.percent(5)
                                ? simulation.random.delay(1_500, 6_000)
                                : simulation.random.delay(40, 1_500));
            }
        });
    }

    /** Breaks the connection without telling the process, which has died. */
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
            tellRoom();
        });
    }

    /** Tells the process whether the store has room, in histories in which it may have none. */
    void tellRoom() {
        if (!simulation.storeFills()) {
            return;
        }
        StoreRoom room = simulation.storeRoom();
        process.post(() -> {
            knowsRoom = room.isLeft();
            process.core.storeRoom(partition, room);
        });
    }

    boolean knowsRoom() {
        return knowsRoom;
    }

    void woken() {
        Connection on = connection;
        process.post(() -> {
            if (up && connection == on) {
                process.core.woken(partition);
            }
        });
    }
}
