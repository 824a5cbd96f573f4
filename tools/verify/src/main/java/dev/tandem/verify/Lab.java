package dev.tandem.verify;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.local.MissingBrokerException;
import dev.tandem.local.PortReservations;
import dev.tandem.verify.fault.Need;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event.Link;
import dev.tandem.verify.worker.TcpProxy;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a run: those that the user named, or ones of our own, as processes that can be killed, started when they
 * are first needed. Between an executor and our own ones lies a proxy for each, for those trials that close ways.
 */
final class Lab implements AutoCloseable {

    /** Executors that can run at once in a trial. */
    static final int SLOTS = 5;

    /** @param kafka bootstrap servers, and so on; null: one of our own */
    record Addresses(
            @Nullable String kafka,
            @Nullable String rabbit,
            @Nullable String redis) {}

    private final Addresses given;
    private final Consumer<String> voice;
    private final List<AutoCloseable> closing = new ArrayList<>();
    private final List<String> products = new ArrayList<>();
    private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();
    private final int[] kafkaListeners = new int[SLOTS];
    private final int[] kafkaWays = new int[SLOTS];
    private @Nullable LocalKafka kafka;
    private @Nullable LocalAmqp amqp;
    private @Nullable LocalRedis redis;
    private @Nullable LocalRedisSentinel sentinel;
    private @Nullable LocalRedisCluster cluster;

    Lab(Addresses given, Consumer<String> voice) {
        this.given = given;
        this.voice = voice;
    }

    /** Why a trial can't be had here; empty if it can. */
    Optional<String> obstacle(Set<Need> needs, Workload workload) {
        boolean ownBroker = (workload.isRabbit() ? given.rabbit() : given.kafka()) == null;
        boolean ownRedis = given.redis() == null;
        for (Need need : needs) {
            boolean met = switch (need) {
                case OWN_BROKER, RABBITMQ -> ownBroker;
                case OWN_REDIS, SENTINEL, CLUSTER -> ownRedis;
                case WAYS -> ownBroker && ownRedis;
                case FILE_LIMITS -> isOnPath("prlimit");
            };
            if (!met) {
                return Optional.of("needs " + need.text());
            }
        }
        boolean rabbitOnly = workload.isOrdered() || needs.contains(Need.RABBITMQ);
        if (workload.isRabbit() && rabbitOnly && given.rabbit() == null) {
            try {
                if (!amqp().isRabbit()) {
                    return Optional.of("needs RabbitMQ, and there is only " + amqp().product());
                }
            } catch (MissingBrokerException e) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        }
        return Optional.empty();
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Arrays.stream(path.split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** What was started or named. */
    synchronized List<String> products() {
        return List.copyOf(products);
    }

    // Without its port, which is another one in each lane.
    private static String text(LocalBroker broker) {
        boolean file = broker.origin().startsWith("/");
        return broker.product() + " (" + (file ? "installed" : broker.origin()) + ")";
    }

    private static String several(List<LocalRedis> nodes) {
        return nodes.size() + " times " + text(nodes.get(0));
    }

    private static LocalMode process() {
        return LocalMode.configured().withoutDocker();
    }

    private <T extends AutoCloseable> T started(T broker, String product) {
        closing.add(broker);
        products.add(product);
        voice.accept(product);
        return broker;
    }

    synchronized LocalKafka kafka() {
        if (kafka == null) {
            LocalKafka.Builder builder = LocalKafka.builder().setting("num.network.threads", "1");
            for (int slot = 0; slot < SLOTS; slot++) {
                kafkaListeners[slot] = PortReservations.reserve();
                kafkaWays[slot] = PortReservations.reserve();
                builder.proxiedListener(kafkaListeners[slot], kafkaWays[slot]);
            }
            kafka = builder.start();
            started(kafka, text(kafka));
        }
        return kafka;
    }

    synchronized LocalAmqp amqp() {
        if (amqp == null) {
            amqp = LocalAmqp.builder().mode(process()).start();
            started(amqp, text(amqp));
        }
        return amqp;
    }

    synchronized LocalRedis redis() {
        if (redis == null) {
            redis = LocalRedis.builder().mode(process()).start();
            started(redis, text(redis));
        }
        return redis;
    }

    synchronized LocalRedisSentinel sentinel() {
        if (sentinel == null) {
            sentinel = LocalRedisSentinel.start();
            started(sentinel, "Sentinels, and " + several(sentinel.nodes()));
        }
        return sentinel;
    }

    synchronized LocalRedisCluster cluster() {
        if (cluster == null) {
            cluster = LocalRedisCluster.start();
            started(cluster, "A Redis Cluster: " + several(cluster.nodes()));
        }
        return cluster;
    }

    /** The broker of a workload, if it is one of our own. */
    LocalBroker broker(Workload workload) {
        if (broker(workload.isRabbit()) != null) {
            throw new IllegalStateException("This broker is not ours");
        }
        return workload.isRabbit() ? amqp() : kafka();
    }

    private @Nullable String broker(boolean rabbit) {
        return rabbit ? given.rabbit() : given.kafka();
    }

    /** Where its clients connect. */
    String brokerAddress(Workload workload) {
        String named = broker(workload.isRabbit());
        return named != null ? named : broker(workload).address();
    }

    /** Where the store is: one address, or a cluster's, separated by spaces. */
    String storeAddress(Set<Need> needs) {
        if (needs.contains(Need.SENTINEL)) {
            return sentinel().address();
        }
        if (needs.contains(Need.CLUSTER)) {
            return cluster().address().replace(',', ' ');
        }
        String named = given.redis();
        return named != null ? named : redis().address();
    }

    /** The ways of the executor in a slot, all open. */
    synchronized Map<Link, TcpProxy> ways(Workload workload, int slot) {
        Map<Link, TcpProxy> ways = new EnumMap<>(Link.class);
        ways.put(Link.BROKER, workload.isRabbit() ? proxy("amqp" + slot, 0, amqp().port()) : kafkaWay(slot));
        ways.put(Link.STORE, proxy("redis" + slot, 0, redis().port()));
        ways.values().forEach(way -> way.set(TcpProxy.Mode.OPEN));
        return ways;
    }

    private TcpProxy kafkaWay(int slot) {
        kafka();
        return proxy("kafka" + slot, kafkaWays[slot], kafkaListeners[slot]);
    }

    private TcpProxy proxy(String name, int port, int target) {
        return proxies.computeIfAbsent(name, made -> new TcpProxy(port, target));
    }

    @Override
    public synchronized void close() {
        proxies.values().forEach(TcpProxy::close);
        for (AutoCloseable each : closing) {
            try {
                each.close();
            } catch (Exception e) {
                voice.accept("It did not end: " + e.getMessage());
            }
        }
    }
}
