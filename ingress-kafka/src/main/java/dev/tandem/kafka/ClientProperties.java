package dev.tandem.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;

/** The properties of Kafka's own clients: fixed ones, Tandem's defaults, and those that a user adds. */
final class ClientProperties {

    /** Tandem's guarantees depend on these. */
    private static final Map<String, String> FIXED_CONSUMER = Map.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
            ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic",
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName(),
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");

    private static final Map<String, String> FIXED_PRODUCER =
            Map.of(ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");

    /** Properties that have settings of their own, or belong to the code. */
    private static final Set<String> REFUSED = Set.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG);

    /** With these, the tasks of a key would not be where all other publishers put them, so the key would have no order. */
    private static final Set<String> PARTITIONERS =
            Set.of(ProducerConfig.PARTITIONER_CLASS_CONFIG, ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);

    /**
     * Heartbeats are frequent because a partition that moves rests until all members have heard of the rebalance, each
     * at its next heartbeat.
     *
     * <p>The fetch settings fit many small records and short polls. A fetch waits at most
     * 100 ms, which also delays a partition that is opened or resumed meanwhile: about as long as half of its memory
     * lasts when tasks are short. How much it returns depends on the memory: {@link FetchSizes}. A poll returns few records,
     * and a source polls until it has enough of them: {@link PollMemory}. New partitions of a topic are noticed within a
     * minute.
     */
    private static final Map<String, String> CONSUMER_DEFAULTS = Map.of(
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "8000",
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "500",
            ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, "60000",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "50",
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "100",
            ConsumerConfig.METADATA_MAX_AGE_CONFIG, "60000",
            ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "15000");

    /**
     * Sends one request at a time. A broker that has just learned of a new topic may refuse a first batch and accept
     * the second; retries of the first one would then be out of order until it fails.
     */
    private static final Map<String, String> PRODUCER_DEFAULTS = Map.of(
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1",
            ProducerConfig.BATCH_SIZE_CONFIG, "65536",
            ProducerConfig.LINGER_MS_CONFIG, "2",
            ProducerConfig.MAX_BLOCK_MS_CONFIG, "5000",
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000",
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "30000");

    private static final Map<String, String> FIXED_ADMIN = Map.of(
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000",
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "10000");

    /** Bytes for headers and for what a batch and a request add to a payload. */
    private static final int REQUEST_OVERHEAD = 1 << 20;

    private static final long MIN_BUFFER_BYTES = 32 << 20;

    private static final Pattern SERVER = Pattern.compile("\\s*\\S+:[0-9]{1,5}\\s*");

    private ClientProperties() {}

    static Map<String, Object> consumer(KafkaSettings settings) {
        Map<String, Object> all = new HashMap<>(CONSUMER_DEFAULTS);
        addFor(ConsumerConfig.configNames(), settings.properties(), all);
        all.putAll(FIXED_CONSUMER);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        all.put(ConsumerConfig.GROUP_ID_CONFIG, settings.groupId());
        if (!settings.memberId().isEmpty()) {
            all.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, settings.memberId());
        }
        return all;
    }

    /** @param maxPayload the largest payload in bytes, which must fit into a request and into the buffer */
    static Map<String, Object> producer(String servers, Map<String, String> properties, int maxPayload) {
        Map<String, Object> all = new HashMap<>(PRODUCER_DEFAULTS);
        int largest = Math.min(maxPayload, Integer.MAX_VALUE / 2) + REQUEST_OVERHEAD;
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, largest);
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(MIN_BUFFER_BYTES, 2L * largest));
        if (!properties.containsKey(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
                && properties.containsKey(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG)) {
            // A delivery may not end before its request. Kafka's own default is long enough for a longer request.
            all.remove(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
        }
        addFor(ProducerConfig.configNames(), properties, all);
        all.putAll(FIXED_PRODUCER);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        return all;
    }

    static Map<String, Object> admin(String servers, Map<String, String> properties) {
        Map<String, Object> all = new HashMap<>();
        addFor(AdminClientConfig.configNames(), properties, all);
        // A user's timeouts are meant for fetches. Lookups are small and retried, so they keep short ones.
        all.putAll(FIXED_ADMIN);
        all.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        return all;
    }

    /** Adds the properties that the client knows, and those that no client knows, since plug-ins read their own. */
    private static void addFor(Set<String> known, Map<String, String> properties, Map<String, Object> all) {
        properties.forEach((name, value) -> {
            if (known.contains(name) || !knownToAny(name)) {
                all.put(name, value);
            }
        });
    }

    private static boolean knownToAny(String name) {
        return ConsumerConfig.configNames().contains(name)
                || ProducerConfig.configNames().contains(name)
                || AdminClientConfig.configNames().contains(name);
    }

    /** @throws IllegalArgumentException naming the setting, its value and what is allowed */
    static void checkServers(String servers) {
        for (String server : servers.split(",", -1)) {
            if (!SERVER.matcher(server).matches()) {
                throw new IllegalArgumentException("The Kafka setting 'bootstrap-servers' is '" + servers
                        + "': use host:port, several separated by commas");
            }
        }
    }

    /** @throws IllegalArgumentException naming the property, what is wrong and what is allowed, but no secret value */
    static void check(Map<String, String> properties) {
        properties.forEach((name, value) -> {
            String fixed = FIXED_CONSUMER.getOrDefault(name, FIXED_PRODUCER.getOrDefault(name, value));
            if (!fixed.equals(value)) {
                throw new IllegalArgumentException("The Kafka property '" + name + "' is '" + value
                        + "', but the platform's guarantees need '" + fixed + "': leave it out");
            }
            if (name.equals(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG)) {
                throw new IllegalArgumentException("The Kafka property '" + name + "' is '" + value
                        + "', but a static member does not leave its group when it stops, so its partitions would rest"
                        + " for a session: leave it out");
            }
            if (PARTITIONERS.contains(name)) {
                throw new IllegalArgumentException("The Kafka property '" + name + "' is '" + value
                        + "', but the order of a key needs Kafka's own choice of the partition, the same for all"
                        + " publishers: leave it out");
            }
            if (REFUSED.contains(name)) {
                throw new IllegalArgumentException(
                        "The Kafka property '" + name
                                + "' cannot be set here: leave it out (servers and group have settings of their own, and members get their ids from Tandem)");
            }
        });
        checkValues(ConsumerConfig.configDef(), ConsumerConfig.configNames(), properties);
        checkValues(ProducerConfig.configDef(), ProducerConfig.configNames(), properties);
        checkValues(AdminClientConfig.configDef(), AdminClientConfig.configNames(), properties);
        long session = number(properties, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG);
        long heartbeat = number(properties, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG);
        if (heartbeat * 2 > session) {
            throw new IllegalArgumentException("The Kafka property 'heartbeat.interval.ms' is " + heartbeat
                    + " and 'session.timeout.ms' is " + session + ": make the session at least twice the heartbeat");
        }
    }

    private static void checkValues(ConfigDef definition, Set<String> names, Map<String, String> properties) {
        Map<String, String> known = new HashMap<>(properties);
        known.keySet().retainAll(names);
        for (ConfigValue each : definition.validate(known)) {
            List<String> errors = each.errorMessages();
            if (!errors.isEmpty() && known.containsKey(each.name())) {
                throw new IllegalArgumentException(
                        "The Kafka property '" + each.name() + "' is not allowed: " + String.join("; ", errors));
            }
        }
    }

    /** Returns how often to check whether the topic was created again: twice within the age of the metadata. */
    static long topicCheckMillis(Map<String, String> properties) {
        return Math.max(100, metadataAgeMillis(properties) / 2);
    }

    static long metadataAgeMillis(Map<String, String> properties) {
        return number(properties, ConsumerConfig.METADATA_MAX_AGE_CONFIG);
    }

    private static long number(Map<String, String> properties, String name) {
        String value = properties.containsKey(name) ? properties.get(name) : CONSUMER_DEFAULTS.get(name);
        return Long.parseLong(Objects.requireNonNull(value, name).strip());
    }
}
