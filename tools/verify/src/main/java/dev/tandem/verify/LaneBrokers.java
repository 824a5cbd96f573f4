package dev.tandem.verify;

import dev.tandem.kit.TcpProxy;
import dev.tandem.local.BrokerAddresses;
import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.local.MissingBrokerException;
import dev.tandem.local.PortReservations;
import dev.tandem.local.StartedBrokers;
import dev.tandem.scheduler.DeathWatch;
import dev.tandem.verify.fault.Requirement;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event.Server;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * The brokers of one lane: those that the user named, or our own processes, which are started when they are first
 * needed and can be killed. Trials that cut executors off from them use proxies, one for each slot and server.
 */
final class LaneBrokers implements AutoCloseable {

    /** How many executors can run at once in a trial. */
    static final int SLOTS = 5;

    private final BrokerAddresses named;
    private final Consumer<String> messages;
    private final StartedBrokers started;
    private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();
    private final int[] kafkaListenerPorts = new int[SLOTS];
    private final int[] kafkaProxyPorts = new int[SLOTS];
    private @Nullable LocalKafka kafka;
    private @Nullable LocalAmqp amqp;
    private @Nullable LocalPostgres postgres;
    private @Nullable LocalRabbitCluster rabbitCluster;
    private @Nullable LocalRedis redis;
    private @Nullable LocalRedisSentinel sentinel;
    private @Nullable LocalRedisCluster cluster;

    /** @param messages receives a line for each broker that is started */
    LaneBrokers(BrokerAddresses named, Consumer<String> messages) {
        this.named = named;
        this.messages = messages;
        this.started = new StartedBrokers(messages);
    }

    /** Returns why a trial is not possible with these brokers; empty if it is. */
    Optional<String> obstacle(Set<Requirement> requirements, Workload workload) {
        boolean ownBroker = namedBroker(workload) == null;
        boolean ownRedis = named.redis() == null;
        for (Requirement requirement : requirements) {
            boolean met = switch (requirement) {
                case OWN_BROKER, RABBITMQ, RABBIT_CLUSTER -> ownBroker;
                case OWN_REDIS, SENTINEL, CLUSTER -> ownRedis;
                case PROXIES -> ownBroker && ownRedis;
                case DEATH_PROOF -> DeathWatch.isAvailable();
                case FILE_LIMITS -> isOnPath("prlimit");
                case OUTBOX -> workload.isOutbox();
            };
            if (!met) {
                return Optional.of("needs " + requirement.description());
            }
        }
        if (workload.isOutbox()) {
            try {
                postgres();
            } catch (MissingBrokerException e) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        }
        if (!workload.isRabbit() || !ownBroker) {
            return Optional.empty();
        }
        if (requirements.contains(Requirement.RABBIT_CLUSTER)) {
            return rabbitClusterObstacle();
        }
        boolean rabbitOnly = workload.isOrdered() || requirements.contains(Requirement.RABBITMQ);
        return rabbitOnly ? rabbitObstacle() : Optional.empty();
    }

    private Optional<String> rabbitObstacle() {
        try {
            return amqp().isRabbit()
                    ? Optional.empty()
                    : Optional.of("needs RabbitMQ, and there is only " + amqp().product());
        } catch (MissingBrokerException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> rabbitClusterObstacle() {
        try {
            rabbitCluster();
            return Optional.empty();
        } catch (MissingBrokerException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Arrays.stream(path.split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Returns the products that were started. */
    List<String> products() {
        return started.products();
    }

    // Without the port, which differs between lanes.
    private static String describe(LocalBroker broker) {
        boolean file = broker.origin().startsWith("/");
        return broker.product() + " (" + (file ? "installed" : broker.origin()) + ")";
    }

    private static String describe(List<LocalRedis> nodes) {
        return nodes.size() + " times " + describe(nodes.get(0));
    }

    private static LocalMode processMode() {
        return LocalMode.configured().withoutDocker();
    }

    private void add(AutoCloseable broker, String product) {
        started.add(broker, product);
        messages.accept(product);
    }

    synchronized LocalKafka kafka() {
        if (kafka == null) {
            LocalKafka.Builder builder = LocalKafka.builder().setting("num.network.threads", "1");
            for (int slot = 0; slot < SLOTS; slot++) {
                kafkaListenerPorts[slot] = PortReservations.reserve();
                kafkaProxyPorts[slot] = PortReservations.reserve();
                builder.proxiedListener(kafkaListenerPorts[slot], kafkaProxyPorts[slot]);
            }
            kafka = builder.start();
            add(kafka, describe(kafka));
        }
        return kafka;
    }

    synchronized LocalAmqp amqp() {
        if (amqp == null) {
            amqp = LocalAmqp.builder().mode(processMode()).start();
            add(amqp, describe(amqp));
        }
        return amqp;
    }

    synchronized LocalRabbitCluster rabbitCluster() {
        if (rabbitCluster == null) {
            rabbitCluster = LocalRabbitCluster.start();
            List<LocalAmqp> nodes = rabbitCluster.nodes();
            add(rabbitCluster, "A RabbitMQ cluster: " + nodes.size() + " times " + describe(nodes.get(0)));
        }
        return rabbitCluster;
    }

    synchronized LocalRedis redis() {
        if (redis == null) {
            redis = LocalRedis.builder().mode(processMode()).start();
            add(redis, describe(redis));
        }
        return redis;
    }

    synchronized LocalPostgres postgres() {
        if (postgres == null) {
            postgres = LocalPostgres.create();
            add(postgres, describe(postgres));
        }
        return postgres;
    }

    synchronized LocalRedisSentinel sentinel() {
        if (sentinel == null) {
            sentinel = LocalRedisSentinel.start();
            add(sentinel, "Sentinels, and " + describe(sentinel.nodes()));
        }
        return sentinel;
    }

    synchronized LocalRedisCluster cluster() {
        if (cluster == null) {
            cluster = LocalRedisCluster.start();
            add(cluster, "A Redis Cluster: " + describe(cluster.nodes()));
        }
        return cluster;
    }

    /** Returns the broker of a workload. @throws IllegalStateException if the user named it */
    LocalBroker broker(Workload workload) {
        if (namedBroker(workload) != null) {
            throw new IllegalStateException("The broker of " + workload + " was named, so it cannot be controlled");
        }
        return workload.isRabbit() ? amqp() : kafka();
    }

    private @Nullable String namedBroker(Workload workload) {
        return workload.isRabbit() ? named.rabbit() : named.kafka();
    }

    /** Returns the addresses of the workload's broker, which is started if necessary. */
    String brokerAddress(Set<Requirement> requirements, Workload workload) {
        if (requirements.contains(Requirement.RABBIT_CLUSTER)) {
            return rabbitCluster().address();
        }
        String address = namedBroker(workload);
        return address != null ? address : broker(workload).address();
    }

    /** Returns the address of the store: one address, or those of a cluster's nodes separated by spaces. */
    String storeAddress(Set<Requirement> requirements) {
        if (requirements.contains(Requirement.SENTINEL)) {
            return sentinel().address();
        }
        if (requirements.contains(Requirement.CLUSTER)) {
            return cluster().address().replace(',', ' ');
        }
        String address = named.redis();
        return address != null ? address : redis().address();
    }

    /** Returns the proxies of the executor in a slot, all open. */
    synchronized Map<Server, TcpProxy> proxies(Workload workload, int slot) {
        Map<Server, TcpProxy> ofSlot = new EnumMap<>(Server.class);
        ofSlot.put(Server.BROKER, workload.isRabbit() ? proxy("amqp" + slot, 0, amqp().port()) : kafkaProxy(slot));
        ofSlot.put(Server.STORE, proxy("redis" + slot, 0, redis().port()));
        ofSlot.values().forEach(proxy -> proxy.set(TcpProxy.Mode.OPEN));
        return ofSlot;
    }

    private TcpProxy kafkaProxy(int slot) {
        kafka(); // assigns the ports
        return proxy("kafka" + slot, kafkaProxyPorts[slot], kafkaListenerPorts[slot]);
    }

    private TcpProxy proxy(String name, int port, int target) {
        return proxies.computeIfAbsent(name, key -> new TcpProxy(port, target));
    }

    @Override
    public synchronized void close() {
        proxies.values().forEach(TcpProxy::close);
        started.close();
    }
}
