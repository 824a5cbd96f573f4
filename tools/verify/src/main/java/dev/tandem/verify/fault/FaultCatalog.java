package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.WorkerOrders.FreezePoint;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What faults share, and the list of them. */
final class FaultCatalog {

    private static final long BUSY_MILLIS = 5_000;

    static final List<Fault> ALL = List.of(
            new NoFault(),
            new ExecutorKill(),
            new ExecutorFreeze(null),
            new ExecutorFreeze(FreezePoint.SETTLE),
            new ExecutorFreeze(FreezePoint.COMMIT),
            new NetworkPartition(List.of(Server.STORE)),
            new NetworkPartition(List.of(Server.BROKER)),
            new NetworkPartition(List.of(Server.BROKER, Server.STORE)),
            new BrokerRestart(false),
            new BrokerRestart(true),
            new KafkaDiskFull(),
            new RabbitDiskAlarm(),
            new RedisRestart(),
            new RedisWriteLoss(),
            new RedisMemoryFull(),
            new RedisDiskFull(),
            new RedisFailover(false),
            new RedisFailover(true),
            new ClockSetBack(),
            new Churn(),
            new RollingReplacement(),
            new CombinedFault(List.of(new ExecutorKill(), new RedisWriteLoss())),
            new CombinedFault(List.of(new ExecutorFreeze(null), new RedisRestart())),
            new CombinedFault(List.of(new ExecutorKill(), new BrokerRestart(false))),
            new CombinedFault(List.of(new ExecutorKill(), new BrokerRestart(true))));

    private FaultCatalog() {}

    /** Two that can strike one trial at once. */
    static Fault anyTwo(RandomGenerator random) {
        List<Fault> single = ALL.stream()
                .filter(each -> !(each instanceof NoFault) && !(each instanceof CombinedFault))
                .toList();
        while (true) {
            Fault one = single.get(random.nextInt(single.size()));
            Fault other = single.get(random.nextInt(single.size()));
            if (!one.equals(other) && fit(one, other)) {
                return new CombinedFault(List.of(one, other));
            }
        }
    }

    private static boolean fit(Fault one, Fault other) {
        Set<Requirement> needs = EnumSet.noneOf(Requirement.class);
        needs.addAll(one.needs());
        needs.addAll(other.needs());
        boolean single = needs.contains(Requirement.OWN_REDIS) || needs.contains(Requirement.WAYS);
        boolean several = needs.contains(Requirement.SENTINEL) || needs.contains(Requirement.CLUSTER);
        boolean oneBroker = Stream.of(true, false).anyMatch(rabbit -> one.suits(rabbit) && other.suits(rabbit));
        return Collections.disjoint(one.servers(), other.servers()) && !(single && several) && oneBroker;
    }

    static Fault of(String name) {
        if (name.contains("+")) {
            List<Fault> parts =
                    Arrays.stream(name.split("\\+", -1)).map(FaultCatalog::of).toList();
            for (int i = 0; i < parts.size(); i++) {
                for (Fault other : parts.subList(i + 1, parts.size())) {
                    if (!fit(parts.get(i), other)) {
                        throw new IllegalArgumentException("'" + parts.get(i).name() + "' and '" + other.name()
                                + "' can't strike at once: they need different brokers, or take the same one down");
                    }
                }
            }
            return new CombinedFault(parts);
        }
        return ALL.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no fault '" + name + "', only "
                        + ALL.stream().map(Fault::name).collect(Collectors.joining(", "))));
    }

    /** The executor that runs most tasks, as soon as one has just begun tasks that last a while. */
    static WorkerProcess busiest(FaultContext stage) throws InterruptedException {
        List<WorkerProcess> all = stage.executors();
        stage.live().await(BUSY_MILLIS, live -> all.stream().anyMatch(each -> live.fresh(each.name()) > 0));
        return all.stream()
                .max(Comparator.comparingLong(
                                (WorkerProcess each) -> stage.live().fresh(each.name()))
                        .thenComparingInt(
                                each -> stage.live().running(each.name()).size()))
                .orElseThrow(() -> new IllegalStateException("No executor runs"));
    }

    /** Until all these tasks were started again, or that takes too long, which the judge will say. */
    static void awaitTakenOver(FaultContext stage, Set<String> ids, long since) throws InterruptedException {
        long limit = stage.lease().multipliedBy(2).plusSeconds(20).toMillis();
        stage.live().await(limit, live -> live.haveStartedSince(ids, since));
    }
}
