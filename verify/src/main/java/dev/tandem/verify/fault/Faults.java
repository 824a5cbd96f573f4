package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Link;
import dev.tandem.verify.worker.Moments.Moment;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What faults share, and the list of them. */
final class Faults {

    private static final long BUSY_MILLIS = 5_000;

    static final List<Fault> ALL = List.of(
            new Calm(),
            new Kill(),
            new Freeze(null),
            new Freeze(Moment.SETTLE),
            new Freeze(Moment.COMMIT),
            new Partition(List.of(Link.STORE)),
            new Partition(List.of(Link.BROKER)),
            new Partition(List.of(Link.BROKER, Link.STORE)),
            new BrokerRestart(false),
            new BrokerRestart(true),
            new StoreRestart(),
            new StoreForgets(),
            new StoreFull(),
            new StoreFailover(false),
            new StoreFailover(true),
            new Comings(),
            new Rolling(),
            new Together(List.of(new Kill(), new StoreForgets())),
            new Together(List.of(new Freeze(null), new StoreRestart())),
            new Together(List.of(new Kill(), new BrokerRestart(false))),
            new Together(List.of(new Kill(), new BrokerRestart(true))));

    private Faults() {}

    static Fault of(String name) {
        if (name.contains("+")) {
            return new Together(Arrays.stream(name.split("\\+")).map(Faults::of).toList());
        }
        return ALL.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no fault '" + name + "', only "
                        + ALL.stream().map(Fault::name).collect(Collectors.joining(", "))));
    }

    /** The executor that runs most tasks, as soon as one runs any. */
    static WorkerProcess busiest(Stage stage) throws InterruptedException {
        List<WorkerProcess> all = stage.executors();
        stage.live()
                .await(
                        BUSY_MILLIS,
                        live -> all.stream()
                                .anyMatch(each -> !live.running(each.name()).isEmpty()));
        return all.stream()
                .max(Comparator.comparingInt(
                        each -> stage.live().running(each.name()).size()))
                .orElseThrow(() -> new IllegalStateException("No executor runs"));
    }

    /** Until all these tasks were started again, or that takes too long, which the judge will say. */
    static void awaitTakenOver(Stage stage, Set<String> ids, long since) throws InterruptedException {
        long limit = stage.lease().multipliedBy(2).plusSeconds(20).toMillis();
        stage.live().await(limit, live -> live.haveStartedSince(ids, since));
    }
}
