package dev.tandem.runtime.settings;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.runtime.settings.TandemSettings.Durability;
import dev.tandem.runtime.settings.TandemSettings.ExecutorSettings;
import dev.tandem.runtime.settings.TandemSettings.FanOutSettings;
import dev.tandem.runtime.settings.TandemSettings.HistorySettings;
import dev.tandem.runtime.settings.TandemSettings.HttpCallSettings;
import dev.tandem.runtime.settings.TandemSettings.IdempotencySettings;
import dev.tandem.runtime.settings.TandemSettings.RabbitSettings;
import dev.tandem.runtime.settings.TandemSettings.RedisSettings;
import dev.tandem.runtime.targets.AddressRanges;
import dev.tandem.task.Partition;
import dev.tandem.task.fanout.Subtask;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.util.unit.DataSize;

/**
 * Checks the settings that all queues share: bounds, addresses, and combinations that are not allowed. The settings of
 * queues are checked by {@link QueueSettingsCheck}.
 */
final class SettingsCheck {

    private static final Pattern HOST_PORT = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5}");
    private static final int MAX_REPLICAS = 16;
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");

    /** Loopback may be plain. */
    private static final Pattern PLAIN_WITHOUT_USER =
            Pattern.compile("(?i)http://(?!localhost[:/]|127\\.|\\[::1])[^/@]*(/|$)");

    private final TandemSettings settings;
    private final SettingProblems problems = new SettingProblems();

    private SettingsCheck(TandemSettings settings) {
        this.settings = settings;
    }

    static List<SettingProblem> check(TandemSettings settings, KnownHandlers handlers) {
        SettingsCheck check = new SettingsCheck(settings);
        check.checkKafka(settings.kafka());
        split(settings.rabbit().uri())
                .forEach(uri -> check.problems.checkAddress("tandem.rabbit.uri", uri, Set.of("amqp", "amqps")));
        check.problems.checkRange(
                "tandem.rabbit.consumer-timeout",
                settings.rabbit().consumerTimeout(),
                Duration.ofSeconds(1),
                Duration.ofDays(365));
        if (!settings.rabbit().managementUri().isEmpty()) {
            check.problems.checkAddress(
                    "tandem.rabbit.management-uri", settings.rabbit().managementUri(), Set.of("http", "https"));
            check.checkManagement(settings.rabbit().managementUri());
        }
        check.checkRedis(settings.redis());
        check.checkFiles();
        check.checkExecutor(settings.executor());
        check.checkHistory(settings.history());
        check.problems.checkRange(
                "tandem.statistics.keep", settings.statistics().keep(), Duration.ofHours(1), Duration.ofDays(14));
        ArchiveSettingsCheck.check(settings, check.problems);
        check.checkFanOuts(settings.fanOuts());
        check.problems.checkRange(
                "tandem.outbox.lease", settings.outbox().lease(), Duration.ofSeconds(1), Duration.ofMinutes(10));
        check.problems.checkRange("tandem.outbox.batch", settings.outbox().batch(), 1, 100_000);
        check.problems.checkRange("tandem.outbox.grace", settings.outbox().grace(), Duration.ZERO, Duration.ofDays(30));
        check.checkMaxPayload(settings.maxPayload());
        check.checkAllowedHosts(settings.api().allowedHosts());
        check.problems.checkRange(
                "tandem.api.body-timeout", settings.api().bodyTimeout(), Duration.ofSeconds(1), Duration.ofMinutes(10));
        check.problems.checkRange("tandem.api.audit-max", settings.api().auditMax(), 0, 1_000_000);
        check.problems.checkRange(
                "tandem.api.session-idle", settings.api().sessionIdle(), Duration.ofSeconds(1), Duration.ofDays(30));
        check.problems.checkRange(
                "tandem.api.session-max", settings.api().sessionMax(), Duration.ofSeconds(1), Duration.ofDays(30));
        IdempotencySettings idempotency = settings.api().idempotency();
        check.problems.checkRange(
                "tandem.api.idempotency.keep", idempotency.keep(), Duration.ofMinutes(1), Duration.ofDays(7));
        check.problems.checkRange("tandem.api.idempotency.max", idempotency.max(), 10, 10_000_000);
        check.checkProxy(settings.api().proxy());
        check.checkHttp(settings.http());
        new QueueSettingsCheck(settings, handlers, check.problems).checkAll();
        new ScheduleSettingsCheck(settings, check.problems).checkAll();
        new CommandSettingsCheck(settings, check.problems).checkAll();
        new LimitSettingsCheck(settings, check.problems).checkAll();
        return check.problems.all();
    }

    private void checkKafka(TandemSettings.KafkaSettings kafka) {
        boolean wellFormed = Arrays.stream(kafka.bootstrapServers().split(",", -1))
                .allMatch(address -> HOST_PORT.matcher(address.strip()).matches());
        if (!wellFormed) {
            problems.add(
                    "tandem.kafka.bootstrap-servers",
                    kafka.bootstrapServers(),
                    "it must be host:port, several separated by commas");
        }
        checkKafkaProperties(kafka.properties());
    }

    /** Kafka's module knows the rules. Checks each property alone, then all of them together. */
    private void checkKafkaProperties(Map<String, String> properties) {
        int before = problems.all().size();
        properties.forEach(
                (name, value) -> checkKafkaProperties("tandem.kafka.properties." + name, value, Map.of(name, value)));
        if (problems.all().size() == before) {
            checkKafkaProperties("tandem.kafka.properties", String.join(", ", properties.keySet()), properties);
        }
    }

    private void checkKafkaProperties(String setting, String value, Map<String, String> properties) {
        try {
            KafkaSettings.of("localhost:9092", "check").withProperties(properties);
        } catch (IllegalArgumentException e) {
            problems.add(setting, value, String.valueOf(e.getMessage()));
        }
    }

    private void checkRedis(RedisSettings redis) {
        checkRedisAddresses(redis);
        problems.checkRange(
                "tandem.redis.answer-timeout", redis.answerTimeout(), Duration.ofMillis(100), Duration.ofMinutes(1));
        if (!(redis.headroom() >= 0 && redis.headroom() <= 0.9)) {
            problems.add("tandem.redis.headroom", Double.toString(redis.headroom()), "it must be 0 to 0.9");
        }
        checkReplicas(redis);
        checkNamespace(redis.namespace());
        problems.checkRange("tandem.redis.horizon", redis.horizon(), Duration.ofSeconds(1), Duration.ofMinutes(1));
        Duration lease = settings.executor().lease();
        if (redis.durability() == Durability.HORIZON && redis.horizon().compareTo(lease.multipliedBy(2)) > 0) {
            problems.add(
                    "tandem.redis.horizon",
                    DurationText.of(redis.horizon()),
                    "it must be at most twice tandem.executor.lease, which is " + DurationText.of(lease));
        }
    }

    /** Without a user of its own, the plugin is told the password of AMQP. */
    private void checkManagement(String uri) {
        if (PLAIN_WITHOUT_USER.matcher(uri).lookingAt()) {
            problems.add(
                    "tandem.rabbit.management-uri",
                    uri,
                    "it must begin with https://, because the password of AMQP is sent there; or name a user of its own,"
                            + " as in http://monitor:password@host:15672");
        }
    }

    private void checkFiles() {
        ConnectionFilesCheck files = new ConnectionFilesCheck(problems);
        RedisSettings redis = settings.redis();
        files.check("tandem.redis", redis.uri(), "rediss", redis.username(), redis.passwordFile(), redis.tls());
        RabbitSettings rabbit = settings.rabbit();
        files.check("tandem.rabbit", rabbit.uri(), "amqps", rabbit.username(), rabbit.passwordFile(), rabbit.tls());
    }

    private void checkReplicas(RedisSettings redis) {
        try {
            int count = redis.requiredReplicas().orElse(0);
            if (count >= 0 && count <= MAX_REPLICAS) {
                return;
            }
        } catch (NumberFormatException e) {
            // The problem names the value.
        }
        problems.add("tandem.redis.replicas", redis.replicas(), "it must be auto, or 0 to " + MAX_REPLICAS);
    }

    private void checkNamespace(String namespace) {
        if (!dev.tandem.scheduler.RedisSettings.isNamespace(namespace)) {
            problems.add(
                    "tandem.redis.namespace",
                    namespace,
                    "it must be 1 to 50 letters, digits, dots, underscores or hyphens");
        }
    }

    private void checkRedisAddresses(RedisSettings redis) {
        List<String> addresses = split(redis.uri());
        if (addresses.get(0).matches("rediss?-sentinel://.*")) {
            if (redis.cluster()) {
                problems.add(
                        "tandem.redis.cluster",
                        "true",
                        "it cannot be combined with a redis-sentinel address in tandem.redis.uri: leave one out");
            }
            if (!redis.uri().contains("#")) {
                problems.add(
                        "tandem.redis.uri",
                        redis.uri(),
                        "a sentinel address ends with # and the master's name: redis-sentinel://host:26379#mymaster");
            }
            return;
        }
        addresses.forEach(address -> problems.checkAddress("tandem.redis.uri", address, Set.of("redis", "rediss")));
        if (addresses.size() > 1 && !redis.cluster()) {
            problems.add(
                    "tandem.redis.uri",
                    redis.uri(),
                    "several addresses need tandem.redis.cluster=true, or one redis-sentinel:// address");
        }
    }

    private void checkExecutor(ExecutorSettings executor) {
        String id = executor.id();
        if (!id.isEmpty() && (!Partition.isName(id) || id.length() > 100)) {
            problems.add(
                    "tandem.executor.id",
                    id,
                    "it must be 1 to 100 letters, digits, dots, underscores or hyphens, or empty for a generated name");
        }
        problems.checkRange("tandem.executor.concurrency", executor.concurrency(), 1, 10_000);
        problems.checkRange("tandem.executor.lease", executor.lease(), Duration.ofSeconds(2), Duration.ofMinutes(10));
        DataSize memory = executor.memory();
        if (memory != null && memory.toMegabytes() < 1) {
            problems.add("tandem.executor.memory", memory.toString(), "it must be 1MB or more");
        }
        problems.checkRange(
                "tandem.executor.drain-timeout", executor.drainTimeout(), Duration.ZERO, Duration.ofHours(1));
    }

    private void checkHttp(HttpCallSettings http) {
        problems.checkRange(
                "tandem.http.connect-timeout", http.connectTimeout(), Duration.ofMillis(10), Duration.ofMinutes(2));
        problems.checkRange("tandem.http.keep-alive", http.keepAlive(), Duration.ofSeconds(1), Duration.ofMinutes(10));
        if (http.connectionsPerHost() != null) {
            problems.checkRange("tandem.http.connections-per-host", http.connectionsPerHost(), 1, 10_000);
        }
    }

    private void checkHistory(HistorySettings history) {
        problems.checkRange(
                "tandem.history.dead-age", history.deadAge(), Duration.ofMinutes(1), Duration.ofDays(3_650));
        problems.checkRange("tandem.history.dead-max", history.deadMax(), 1, 100_000_000);
        problems.checkRange("tandem.history.succeeded-max", history.succeededMax(), 0, 100_000_000);
        problems.checkRange(
                "tandem.history.succeeded-age", history.succeededAge(), Duration.ofSeconds(1), Duration.ofDays(3_650));
        if (history.succeededBytes().toKilobytes() < 1) {
            problems.add(
                    "tandem.history.succeeded-bytes",
                    history.succeededBytes().toString(),
                    "it must be 1KB or more; tandem.history.succeeded-max: 0 keeps nothing");
        }
    }

    private void checkFanOuts(FanOutSettings fanOuts) {
        problems.checkRange("tandem.fan-outs.max-subtasks", fanOuts.maxSubtasks(), 1, (int) Subtask.MOST);
        problems.checkRange("tandem.fan-outs.max-depth", fanOuts.maxDepth(), 1, 100);
        problems.checkRange("tandem.fan-outs.keep", fanOuts.keep(), Duration.ofMinutes(1), Duration.ofDays(365));
    }

    private void checkMaxPayload(DataSize size) {
        if (size.toBytes() < 1 || size.toMegabytes() > 64) {
            problems.add("tandem.max-payload", size.toString(), "it must be 1B to 64MB");
        }
    }

    private void checkAllowedHosts(List<String> hosts) {
        for (int i = 0; i < hosts.size(); i++) {
            if (!HOST.matcher(hosts.get(i)).matches()) {
                problems.add(
                        "tandem.api.allowed-hosts[" + i + "]",
                        hosts.get(i),
                        "it must be a host name, without a scheme, a port or a wildcard");
            }
        }
    }

    private void checkProxy(ProxySettings proxy) {
        List<String> addresses = proxy.addresses();
        for (int i = 0; i < addresses.size(); i++) {
            if (!AddressRanges.isRange(addresses.get(i))) {
                problems.add(
                        "tandem.api.proxy.addresses[" + i + "]",
                        addresses.get(i),
                        "it must be an address or a range, such as 10.0.0.5 or 10.0.0.0/24");
            }
        }
        if (!addresses.isEmpty() && proxy.roles().isEmpty()) {
            problems.add(
                    "tandem.api.proxy.roles",
                    "",
                    "list the groups of each role, as in tandem.api.proxy.roles.viewer, or nobody gets in");
        }
    }

    private static List<String> split(String addresses) {
        return Arrays.stream(addresses.split(",", -1)).map(String::strip).toList();
    }
}
