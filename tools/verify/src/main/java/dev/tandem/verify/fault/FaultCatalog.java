package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.WorkerOrders.FreezePoint;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The list of all faults, and which of them can be combined. */
final class FaultCatalog {

    static final List<Fault> ALL = List.of(
            new NoFault(),
            new ExecutorKill(false),
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
            new RabbitClusterFault(RabbitClusterFault.Kind.NODE_DISCONNECT),
            new RabbitClusterFault(RabbitClusterFault.Kind.LEADER_MOVE),
            new RabbitClusterFault(RabbitClusterFault.Kind.NODE_RESTART),
            new RedisRestart(),
            new RedisWriteLoss(),
            new RedisMemoryFull(),
            new RedisDiskFull(),
            new RedisFailover(false),
            new RedisFailover(true),
            new HandlerOutage(),
            new RedisSplit(),
            new ClockSetBack(),
            new ExecutorKill(true),
            new Churn(),
            new RollingReplacement(),
            new RelayKill(),
            new RelayFreeze(),
            new PostgresRestart(),
            new CombinedFault(List.of(new RelayKill(), new BrokerRestart(false))),
            new CombinedFault(List.of(new ExecutorKill(false), new RedisWriteLoss())),
            new CombinedFault(List.of(new ExecutorFreeze(null), new RedisRestart())),
            new CombinedFault(List.of(new ExecutorKill(false), new BrokerRestart(false))),
            new CombinedFault(List.of(new ExecutorKill(false), new BrokerRestart(true))));

    private FaultCatalog() {}

    static Fault randomPair(RandomGenerator random) {
        List<Fault> single = ALL.stream()
                .filter(fault -> !(fault instanceof NoFault) && !(fault instanceof CombinedFault))
                .toList();
        while (true) {
            Fault one = single.get(random.nextInt(single.size()));
            Fault other = single.get(random.nextInt(single.size()));
            if (!one.equals(other) && canCombine(one, other)) {
                return new CombinedFault(List.of(one, other));
            }
        }
    }

    private static boolean canCombine(Fault one, Fault other) {
        Set<Requirement> requirements = EnumSet.noneOf(Requirement.class);
        requirements.addAll(one.requirements());
        requirements.addAll(other.requirements());
        boolean singleRedis =
                requirements.contains(Requirement.OWN_REDIS) || requirements.contains(Requirement.PROXIES);
        boolean severalRedis =
                requirements.contains(Requirement.SENTINEL) || requirements.contains(Requirement.CLUSTER);
        boolean singleBroker = requirements.contains(Requirement.PROXIES)
                || requirements.contains(Requirement.OWN_BROKER)
                || requirements.contains(Requirement.RABBITMQ);
        boolean severalNodes = requirements.contains(Requirement.RABBIT_CLUSTER);
        boolean sameBroker = Stream.of(true, false).anyMatch(rabbit -> one.supports(rabbit) && other.supports(rabbit));
        return Collections.disjoint(one.serversTakenDown(), other.serversTakenDown())
                && !(singleRedis && severalRedis)
                && !(singleBroker && severalNodes)
                && sameBroker;
    }

    static Fault of(String name) {
        if (name.contains("+")) {
            return combined(
                    Arrays.stream(name.split("\\+", -1)).map(FaultCatalog::of).toList());
        }
        return ALL.stream()
                .filter(fault -> fault.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no fault '" + name + "', only "
                        + ALL.stream().map(Fault::name).collect(Collectors.joining(", "))));
    }

    private static Fault combined(List<Fault> faults) {
        for (int i = 0; i < faults.size(); i++) {
            for (Fault other : faults.subList(i + 1, faults.size())) {
                if (!canCombine(faults.get(i), other)) {
                    throw new IllegalArgumentException("'" + faults.get(i).name() + "' and '" + other.name()
                            + "' cannot be combined: they need different brokers, or take the same one down");
                }
            }
        }
        return new CombinedFault(faults);
    }
}
