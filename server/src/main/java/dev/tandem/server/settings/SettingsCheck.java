package dev.tandem.server.settings;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.server.settings.QueueSettings.KeySource;
import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.server.settings.TandemSettings.Durability;
import dev.tandem.task.Partition;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** The rules for settings that can be read: bounds, addresses, and what does not go together. */
final class SettingsCheck {

    private static final Pattern HOST_PORT = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5}");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");

    private final TandemSettings settings;
    private final List<SettingProblem> problems = new ArrayList<>();

    private SettingsCheck(TandemSettings settings) {
        this.settings = settings;
    }

    static List<SettingProblem> check(TandemSettings settings) {
        SettingsCheck check = new SettingsCheck(settings);
        check.shared();
        check.queues();
        return check.problems;
    }

    // ---- What all queues share

    private void shared() {
        for (String address : settings.kafka().bootstrapServers().split(",", -1)) {
            if (!HOST_PORT.matcher(address.strip()).matches()) {
                problem(
                        "tandem.kafka.bootstrap-servers",
                        settings.kafka().bootstrapServers(),
                        "it must be host:port, several separated by commas");
                break;
            }
        }
        kafkaProperties(settings.kafka().properties());
        split(settings.rabbit().uri()).forEach(uri -> uri("tandem.rabbit.uri", uri, Set.of("amqp", "amqps")));
        redis(settings.redis());

        TandemSettings.ExecutorSettings executor = settings.executor();
        if (!executor.id().isEmpty()
                && (!Partition.isName(executor.id()) || executor.id().length() > 100)) {
            problem(
                    "tandem.executor.id",
                    executor.id(),
                    "it must be 1 to 100 letters, digits, dots, underscores or hyphens, or empty for a name of its own");
        }
        range("tandem.executor.concurrency", executor.concurrency(), 1, 10_000);
        range("tandem.executor.lease", executor.lease(), Duration.ofSeconds(2), Duration.ofMinutes(10));
        range("tandem.executor.drain-timeout", executor.drainTimeout(), Duration.ZERO, Duration.ofHours(1));
        range("tandem.history.dead-age", settings.history().deadAge(), Duration.ofMinutes(1), Duration.ofDays(3_650));
        range("tandem.history.dead-max", settings.history().deadMax(), 1, 100_000_000);
        range("tandem.history.succeeded-max", settings.history().succeededMax(), 0, 1_000_000);
        DataSize size = settings.maxPayload();
        if (size.toBytes() < 1 || size.toMegabytes() > 64) {
            problem("tandem.max-payload", size.toString(), "it must be 1B to 64MB");
        }
        for (int i = 0; i < settings.api().allowedHosts().size(); i++) {
            String host = settings.api().allowedHosts().get(i);
            if (!HOST.matcher(host).matches()) {
                problem(
                        "tandem.api.allowed-hosts[" + i + "]",
                        host,
                        "it must be a host name, without a scheme, a port or a wildcard");
            }
        }
    }

    /** The module that uses them knows the rules: first each by itself, then all together. */
    private void kafkaProperties(Map<String, String> properties) {
        int before = problems.size();
        properties.forEach(
                (name, value) -> kafkaProperties("tandem.kafka.properties." + name, value, Map.of(name, value)));
        if (problems.size() == before) {
            kafkaProperties("tandem.kafka.properties", "as a whole not allowed", properties);
        }
    }

    private void kafkaProperties(String setting, String value, Map<String, String> properties) {
        try {
            KafkaSettings.of("localhost:9092", "check").withProperties(properties);
        } catch (IllegalArgumentException e) {
            problem(setting, value, String.valueOf(e.getMessage()));
        }
    }

    private void redis(TandemSettings.RedisSettings redis) {
        String name = "tandem.redis.uri";
        List<String> addresses = split(redis.uri());
        boolean sentinel = addresses.get(0).startsWith("redis-sentinel://")
                || addresses.get(0).startsWith("rediss-sentinel://");
        if (sentinel) {
            if (redis.cluster()) {
                problem(
                        "tandem.redis.cluster",
                        "true",
                        "it does not go together with a redis-sentinel address in tandem.redis.uri: leave one out");
            }
            if (!redis.uri().contains("#")) {
                problem(
                        name,
                        redis.uri(),
                        "a sentinel address ends with # and the master's name: redis-sentinel://host:26379#mymaster");
            }
        } else {
            addresses.forEach(address -> uri(name, address, Set.of("redis", "rediss")));
            if (addresses.size() > 1 && !redis.cluster()) {
                problem(
                        name,
                        redis.uri(),
                        "several addresses need tandem.redis.cluster=true, or one redis-sentinel:// address");
            }
        }
        range("tandem.redis.answer-timeout", redis.answerTimeout(), Duration.ofMillis(100), Duration.ofMinutes(1));
        range("tandem.redis.replicas", redis.replicas(), 0, 16);
        range("tandem.redis.horizon", redis.horizon(), Duration.ofSeconds(1), Duration.ofMinutes(1));
        if (redis.durability() == Durability.HORIZON
                && redis.horizon().compareTo(settings.executor().lease().multipliedBy(2)) > 0) {
            problem(
                    "tandem.redis.horizon",
                    DurationText.text(redis.horizon()),
                    "it must be at most twice tandem.executor.lease, which is "
                            + DurationText.text(settings.executor().lease()));
        }
    }

    // ---- Queues

    private void queues() {
        if (settings.queues().isEmpty()) {
            problem(
                    "tandem.queues",
                    null,
                    "configure at least one queue, for instance tandem.queues.orders.source=kafka and"
                            + " tandem.queues.orders.handler=log; a file is given with --config FILE");
        }
        settings.queues().forEach(this::queue);
        shared("topic", SourceType.KAFKA, "topic", (name, queue) -> queue.effectiveTopic(name));
        shared("queue", SourceType.RABBIT, "RabbitMQ queue", (name, queue) -> queue.effectiveQueue(name));
    }

    private void queue(String name, QueueSettings queue) {
        String at = at(name);
        if (!Partition.isName(name)) {
            problem(at, name, "a queue's name must be 1 to 200 letters, digits, dots, underscores or hyphens");
        }
        source(at, name, queue);
        range(at + "partitions", queue.partitions(), 1, 1_000);
        range(at + "concurrency", queue.concurrency(), 1, 10_000);
        if (queue.maxRunning() != 0) {
            problem(
                    at + "max-running",
                    Integer.toString(queue.maxRunning()),
                    "a limit for the whole cluster is not supported yet: leave it at 0, and set " + at
                            + "concurrency, which counts in each server process");
        }
        range(at + "timeout", queue.timeout(), Duration.ofMillis(1), Duration.ofDays(30));
        range(at + "max-attempts", queue.maxAttempts(), 1, 1_000);
        backoff(at + "backoff.", queue.backoff());
        if (queue.deadHead() != null && !queue.ordered()) {
            problem(
                    at + "dead-head",
                    queue.deadHead().toString(),
                    "it says what becomes of a key, and " + at + "ordering is none"
                            + (queue.ordering() == null ? " (the default for rabbit)" : "") + ": leave one out");
        }
        handler(at, queue);
    }

    private void source(String at, String name, QueueSettings queue) {
        SourceType source = queue.source();
        if (source == null) {
            problem(at + "source", null, "it must be kafka or rabbit");
            return;
        }
        switch (source) {
            case KAFKA -> {
                belongs(at, "exchange", queue.exchange(), "kafka", "rabbit");
                belongs(at, "routing-key", queue.routingKey(), "kafka", "rabbit");
                belongs(at, "queue", queue.queue(), "kafka", "rabbit");
                belongs(at, "key", queue.key(), "kafka", "rabbit");
                belongs(at, "prefetch", queue.prefetch(), "kafka", "rabbit");
                String topic = queue.effectiveTopic(name);
                if (!topic.matches("[A-Za-z0-9._-]{1,249}") || topic.equals(".") || topic.equals("..")) {
                    problem(
                            at + "topic",
                            topic,
                            "Kafka allows 1 to 249 letters, digits, dots, underscores and hyphens");
                }
                if (queue.group() != null
                        && (queue.group().isBlank() || queue.group().length() > 249)) {
                    problem(at + "group", queue.group(), "it must be 1 to 249 characters");
                }
            }
            case RABBIT -> {
                belongs(at, "topic", queue.topic(), "rabbit", "kafka");
                belongs(at, "group", queue.group(), "rabbit", "kafka");
                amqpName(at + "exchange", queue.effectiveExchange());
                amqpName(at + "queue", queue.effectiveQueue(name));
                if (queue.effectiveQueue(name).startsWith("amq.")) {
                    problem(
                            at + "queue",
                            queue.effectiveQueue(name),
                            "names that begin with amq. belong to the broker");
                }
                if (bytes(queue.effectiveRoutingKey(name)) > 255) {
                    problem(at + "routing-key", queue.effectiveRoutingKey(name), "AMQP allows 255 bytes");
                }
                range(at + "prefetch", queue.effectivePrefetch(), 1, 65_535);
                boolean byRoutingKey = queue.ordered() && queue.effectiveKey() == KeySource.ROUTING_KEY;
                if (byRoutingKey && !isPattern(queue.effectiveRoutingKey(name))) {
                    problem(
                            at + "routing-key",
                            queue.effectiveRoutingKey(name),
                            "with key: routing-key the routing keys are the ordering keys, so this must be a pattern with"
                                    + " * or #, for instance '" + name + ".#'");
                }
            }
        }
    }

    private static boolean isPattern(String routingKey) {
        return List.of(routingKey.split("\\.", -1)).stream().anyMatch(word -> word.equals("*") || word.equals("#"));
    }

    private void belongs(String at, String setting, @Nullable Object value, String source, String other) {
        if (value != null) {
            problem(
                    at + setting,
                    value.toString(),
                    "it is for " + other + " queues, and " + at + "source is " + source + ": leave it out");
        }
    }

    private void amqpName(String setting, String name) {
        if (name.isEmpty() || bytes(name) > 200) {
            problem(setting, name, "it must be 1 to 200 bytes");
        }
    }

    private void backoff(String at, QueueSettings.BackoffSettings backoff) {
        range(at + "initial", backoff.initial(), Duration.ZERO, Duration.ofDays(30));
        range(at + "max", backoff.max(), Duration.ZERO, Duration.ofDays(365));
        if (!(backoff.multiplier() >= 1 && backoff.multiplier() <= 100)) {
            problem(at + "multiplier", Double.toString(backoff.multiplier()), "it must be 1 to 100");
        }
        if (!(backoff.jitter() >= 0 && backoff.jitter() <= 1)) {
            problem(at + "jitter", Double.toString(backoff.jitter()), "it must be 0 to 1");
        }
        if (backoff.initial().compareTo(backoff.max()) > 0) {
            problem(
                    at + "initial",
                    DurationText.text(backoff.initial()),
                    "it must not be longer than " + at + "max, which is " + DurationText.text(backoff.max()));
        }
    }

    private void handler(String at, QueueSettings queue) {
        Set<String> hosted = HostedTypes.of(settings.demo());
        String handler = queue.handler();
        if (handler != null && !hosted.contains(handler)) {
            problem(at + "handler", handler, "it must be " + String.join(" or ", hosted));
        }
        if (handler == null && !queue.types().isEmpty()) {
            problem(
                    at + "types",
                    String.join(",", queue.types()),
                    "these types go to " + at + "handler, which is not set: set it");
        }
        for (int i = 0; i < queue.types().size(); i++) {
            String type = queue.types().get(i);
            if (type.isBlank()) {
                problem(at + "types[" + i + "]", type, "it must name a type, or be * for any");
            } else if (hosted.contains(type) && !type.equals(handler)) {
                problem(at + "types[" + i + "]", type, "this is a hosted handler's own name: choose another type");
            }
        }
        QueueSettings.HttpSettings http = queue.http();
        if (http.url() == null) {
            if (HostedTypes.HTTP.equals(handler)) {
                problem(at + "http.url", null, at + "handler is http, so it must say where tasks are posted");
            } else if (!http.deadOn().isEmpty() || !http.headers().isEmpty()) {
                problem(at + "http.url", null, "other settings under " + at + "http need it: set it or remove them");
            }
        } else {
            url(at + "http.url", http.url());
        }
        for (int i = 0; i < http.deadOn().size(); i++) {
            int status = http.deadOn().get(i);
            if (status < 300 || status > 599) {
                problem(
                        at + "http.dead-on[" + i + "]",
                        Integer.toString(status),
                        "it must be an HTTP status of 300 to 599");
            }
        }
        http.headers().forEach((name, value) -> {
            if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
                    || Set.of("host", "content-length", "connection", "expect", "upgrade", "transfer-encoding")
                            .contains(name.toLowerCase(java.util.Locale.ROOT))
                    || value.chars().anyMatch(c -> (c < 32 && c != '\t') || c == 127)) {
                problem(
                        at + "http.headers." + name,
                        "***",
                        "the name must be an HTTP header's that may be set freely, and the value on one line");
            }
        });
    }

    private interface NameOf {
        String name(String queueName, QueueSettings queue);
    }

    /** Two queues on one source would take each other's tasks, or run each twice. */
    private void shared(String setting, SourceType source, String what, NameOf nameOf) {
        Map<String, String> seen = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.source() == source) {
                String used = nameOf.name(name, queue);
                String other = seen.putIfAbsent(used, name);
                if (other != null) {
                    problem(
                            at(name) + setting,
                            used,
                            "the queue " + other + " reads this " + what
                                    + " already: remove one of them, or give each its own");
                }
            }
        });
    }

    // ---- Helpers

    private void uri(String setting, String value, Set<String> schemes) {
        String form = "it must be an address such as "
                + schemes.stream().sorted().findFirst().orElseThrow() + "://host:port";
        try {
            URI uri = new URI(value);
            if (uri.getScheme() == null || !schemes.contains(uri.getScheme()) || uri.getHost() == null) {
                problem(setting, value, form);
            }
        } catch (URISyntaxException e) {
            problem(setting, value, form + "; characters such as @ / : % in a user or password are percent-encoded");
        }
    }

    private void url(String setting, String value) {
        try {
            URI uri = new URI(value);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (!http || uri.getHost() == null) {
                problem(setting, value, "it must begin with http:// or https:// and name a host");
            } else if (uri.getUserInfo() != null) {
                problem(
                        setting,
                        value,
                        "it must not hold a user and password: send an Authorization header with http.headers");
            } else if (uri.getFragment() != null) {
                problem(setting, value, "it must not have a part behind #");
            }
        } catch (URISyntaxException e) {
            problem(setting, value, "it is not a URL: " + e.getReason());
        }
    }

    private void range(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            problem(setting, Long.toString(value), "it must be " + min + " to " + max);
        }
    }

    private void range(String setting, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            problem(
                    setting,
                    DurationText.text(value),
                    "it must be " + DurationText.text(min) + " to " + DurationText.text(max)
                            + " (a number without a unit means milliseconds)");
        }
    }

    private void problem(String setting, @Nullable String value, String remedy) {
        String name = setting.endsWith(".") ? setting.substring(0, setting.length() - 1) : setting;
        problems.add(new SettingProblem(name, value, remedy));
    }

    private static String at(String queue) {
        return queue.matches("[A-Za-z0-9-]+") ? "tandem.queues." + queue + "." : "tandem.queues[" + queue + "].";
    }

    private static List<String> split(String addresses) {
        return List.of(addresses.split(",", -1)).stream().map(String::strip).toList();
    }

    private static int bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    }
}
