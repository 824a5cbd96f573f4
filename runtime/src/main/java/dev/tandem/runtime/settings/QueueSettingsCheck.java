package dev.tandem.runtime.settings;

import dev.tandem.runtime.settings.QueueSettings.BackoffSettings;
import dev.tandem.runtime.settings.QueueSettings.BreakerSettings;
import dev.tandem.runtime.settings.QueueSettings.DedupSettings;
import dev.tandem.runtime.settings.QueueSettings.DependencySettings;
import dev.tandem.runtime.settings.QueueSettings.KeySource;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.Partition;
import dev.tandem.task.StartPolicy;
import dev.tandem.task.store.DedupPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Checks the settings of queues, each queue alone and all of them together. */
final class QueueSettingsCheck {

    private static final int MAX_ROUTING_KEY_BYTES = 255;
    private static final int MAX_RESULT_BYTES = 32 << 10;

    private final TandemSettings settings;
    private final KnownHandlers handlers;
    private final SettingProblems problems;

    QueueSettingsCheck(TandemSettings settings, KnownHandlers handlers, SettingProblems problems) {
        this.settings = settings;
        this.handlers = handlers;
        this.problems = problems;
    }

    void checkAll() {
        if (handlers instanceof KnownHandlers.OfProgram program) {
            new ProgramHandlersCheck(settings, program.types(), problems).checkAll();
        } else if (settings.queues().isEmpty()) {
            problems.add(
                    "tandem.queues",
                    null,
                    "configure at least one queue, for instance tandem.queues.orders.source=kafka and"
                            + " tandem.queues.orders.handler=log; a file is given with --config FILE");
        }
        settings.queues().forEach(this::checkQueue);
        new EventSettingsCheck(settings, problems).checkAll();
        checkUnique("topic", SourceType.KAFKA, "topic", (name, queue) -> queue.effectiveTopic(name));
        checkUnique("queue", SourceType.RABBIT, "RabbitMQ queue", (name, queue) -> queue.effectiveQueue(name));
    }

    /** Two queues that read the same topic would take each other's tasks, or run each task twice. */
    private void checkUnique(
            String setting, SourceType source, String what, BiFunction<String, QueueSettings, String> nameAtBroker) {
        Map<String, String> queueByName = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.source() == source) {
                String used = nameAtBroker.apply(name, queue);
                String other = queueByName.putIfAbsent(used, name);
                if (other != null) {
                    problems.add(
                            prefix(name) + setting,
                            used,
                            "the queue " + other + " reads this " + what
                                    + " already: remove one of them, or give each its own");
                }
            }
        });
    }

    private void checkMask(String setting, List<String> pointers) {
        if (pointers.size() > MaskPointer.MOST) {
            problems.add(setting, pointers.size() + " pointers", "it must have at most " + MaskPointer.MOST);
        }
        for (int i = 0; i < pointers.size(); i++) {
            String problem = MaskPointer.problem(pointers.get(i));
            if (problem != null) {
                problems.add(setting + "[" + i + "]", pointers.get(i), problem);
            }
        }
    }

    private void checkQueue(String name, QueueSettings queue) {
        String prefix = prefix(name);
        if (!Partition.isName(name)) {
            problems.add(
                    prefix.substring(0, prefix.length() - 1),
                    name,
                    "a queue's name must be 1 to 200 letters, digits, dots, underscores or hyphens");
        }
        checkSource(prefix, name, queue);
        problems.checkRange(prefix + "partitions", queue.partitions(), 1, 1_000);
        problems.checkRange(prefix + "concurrency", queue.effectiveConcurrency(), 1, 10_000);
        if (queue.weight() != null) {
            problems.checkRange(prefix + "weight", queue.weight(), 1, StartPolicy.MAX_WEIGHT);
        }
        checkFair(prefix + "fair.", queue.fair());
        problems.checkRange(prefix + "precedence", queue.precedence(), 0, StartPolicy.MAX_PRECEDENCE);
        problems.checkRange(prefix + "timeout", queue.effectiveTimeout(), Duration.ofMillis(1), Duration.ofDays(30));
        problems.checkRange(
                prefix + "unknown-type-grace", queue.unknownTypeGrace(), Duration.ZERO, Duration.ofDays(30));
        if (queue.ttl() != null) {
            problems.checkRange(prefix + "ttl", queue.ttl(), Duration.ofMillis(1), Duration.ofDays(3_650));
        }
        problems.checkRange(prefix + "max-attempts", queue.maxAttempts(), 1, 1_000);
        problems.checkRange(
                prefix + "max-checkpoint-bytes", queue.maxCheckpointBytes().toBytes(), 0, 1 << 20);
        problems.checkRange(prefix + "max-result-bytes", queue.maxResultBytes().toBytes(), 0, MAX_RESULT_BYTES);
        problems.checkRange(prefix + "max-log-lines", queue.maxLogLines(), 0, 100);
        checkMask(prefix + "mask", queue.mask());
        checkBounds(prefix, queue);
        checkLimits(prefix, queue);
        checkBackoff(prefix + "backoff.", queue.backoff());
        if (queue.deadHead() != null && !queue.ordered()) {
            problems.add(
                    prefix + "dead-head",
                    queue.deadHead().toString(),
                    "it applies to ordered queues only, and " + prefix + "ordering is none"
                            + (queue.ordering() == null ? " (the default for rabbit)" : "") + ": leave one out");
        }
        problems.checkRange(prefix + "max-in-redis", queue.maxInRedis(), 1, 1_000_000_000);
        if (queue.maxInRedisBytes().toBytes() < 1) {
            problems.add(prefix + "max-in-redis-bytes", queue.maxInRedisBytes().toString(), "it must be 1B or more");
        }
        checkBreaker(prefix + "breaker.", queue.breaker());
        checkDedup(prefix + "dedup.", queue);
        checkDependencies(prefix + "dependencies.", queue.dependencies());
        problems.checkRange(prefix + "growth-window", queue.growthWindow(), Duration.ZERO, Duration.ofDays(1));
        problems.checkRange(prefix + "max-blocked-keys", queue.maxBlockedKeys(), 1, 10_000_000);
        if (handlers instanceof KnownHandlers.Hosted) {
            checkHandler(prefix, queue);
            checkTypes(prefix, queue);
            new HttpSettingsCheck(problems).check(prefix, queue);
            new PullSettingsCheck(problems).check(prefix, queue);
        }
    }

    private void checkFair(String prefix, QueueSettings.FairSettings fair) {
        if (!fair.isReadable()) {
            problems.add(
                    prefix + "by",
                    String.valueOf(fair.by()),
                    "use header: and the name of a header, or key-prefix: and the text that ends the tenant in the key");
        }
        fair.weights()
                .forEach((tenant, weight) ->
                        problems.checkRange(prefix + "weights." + tenant, weight, 1, FairPolicy.MAX_WEIGHT));
        if (fair.by() == null && !fair.weights().isEmpty()) {
            problems.add(
                    prefix + "weights", fair.weights().toString(), "they need " + prefix + "by, which names tenants");
        }
    }

    private void checkDedup(String prefix, QueueSettings queue) {
        DedupSettings dedup = queue.dedup();
        problems.checkRange(prefix + "window", dedup.window(), Duration.ofSeconds(1), Duration.ofDays(365));
        problems.checkRange(prefix + "retention", dedup.retention(), Duration.ZERO, Duration.ofDays(365));
        Duration least = Duration.ofMillis(DedupPolicy.LEAST_LOST_AFTER);
        Duration timeout = queue.effectiveTimeoutLimit();
        // A task must not count as lost while it runs.
        problems.checkRange(
                prefix + "lost-after",
                dedup.lostAfter(),
                timeout.compareTo(least) > 0 ? timeout : least,
                Duration.ofDays(365));
    }

    private void checkDependencies(String prefix, DependencySettings dependencies) {
        Duration timeout = dependencies.timeout();
        problems.checkRange(prefix + "timeout", timeout, Duration.ofSeconds(1), Duration.ofDays(365));
        if (!dependencies.keep().isZero()) {
            // A task that comes after the one that it waits for must find its end for as long as it may wait.
            problems.checkRange(prefix + "keep", dependencies.keep(), timeout, Duration.ofDays(365));
        }
    }

    private void checkBounds(String prefix, QueueSettings queue) {
        problems.checkRange(prefix + "max-in-memory", queue.maxInMemory(), 100, 10_000_000);
        problems.checkRange(
                prefix + "max-in-memory-bytes", queue.maxInMemoryBytes().toBytes(), 1 << 20, 1L << 40);
        problems.checkRange(prefix + "max-parked", queue.maxParked(), 1, 10_000_000);
        Integer perKey = queue.maxParkedPerKey();
        if (perKey != null) {
            problems.checkRange(prefix + "max-parked-per-key", perKey, 1, queue.maxParked());
        }
    }

    // ---- Source

    private void checkSource(String prefix, String name, QueueSettings queue) {
        SourceType source = queue.source();
        if (source == null) {
            problems.add(prefix + "source", null, "it must be kafka or rabbit");
            return;
        }
        switch (source) {
            case KAFKA -> checkKafka(prefix, name, queue);
            case RABBIT -> checkRabbit(prefix, name, queue);
        }
    }

    private void checkKafka(String prefix, String name, QueueSettings queue) {
        refuseForeign(prefix, "exchange", queue.exchange(), "kafka", "rabbit");
        refuseForeign(prefix, "routing-key", queue.routingKey(), "kafka", "rabbit");
        refuseForeign(prefix, "queue", queue.queue(), "kafka", "rabbit");
        refuseForeign(prefix, "key", queue.key(), "kafka", "rabbit");
        refuseForeign(prefix, "prefetch", queue.prefetch(), "kafka", "rabbit");
        refuseForeign(prefix, "max-priority", queue.maxPriority(), "kafka", "rabbit");
        String topic = queue.effectiveTopic(name);
        if (!topic.matches("[A-Za-z0-9._-]{1,249}") || topic.equals(".") || topic.equals("..")) {
            problems.add(
                    prefix + "topic", topic, "Kafka allows 1 to 249 letters, digits, dots, underscores and hyphens");
        }
        if (queue.group() != null && (queue.group().isBlank() || queue.group().length() > 249)) {
            problems.add(prefix + "group", queue.group(), "it must be 1 to 249 characters");
        }
    }

    private void checkRabbit(String prefix, String name, QueueSettings queue) {
        refuseForeign(prefix, "topic", queue.topic(), "rabbit", "kafka");
        refuseForeign(prefix, "group", queue.group(), "rabbit", "kafka");
        problems.checkBytes(prefix + "exchange", queue.effectiveExchange(), 200);
        problems.checkBytes(prefix + "queue", queue.effectiveQueue(name), 200);
        if (queue.effectiveQueue(name).startsWith("amq.")) {
            problems.add(
                    prefix + "queue", queue.effectiveQueue(name), "names that begin with amq. belong to the broker");
        }
        problems.checkRange(prefix + "prefetch", queue.effectivePrefetch(), 1, 65_535);
        Integer maxPriority = queue.maxPriority();
        if (maxPriority != null) {
            problems.checkRange(prefix + "max-priority", maxPriority, 1, 255);
            if (queue.ordered()) {
                problems.add(
                        prefix + "max-priority",
                        maxPriority.toString(),
                        "it needs ordering: none, because the broker would change the order of keys");
            }
        }
        String routingKey = queue.effectiveRoutingKey(name);
        if (SettingProblems.utf8Length(routingKey) > MAX_ROUTING_KEY_BYTES) {
            problems.add(prefix + "routing-key", routingKey, "AMQP allows " + MAX_ROUTING_KEY_BYTES + " bytes");
        }
        boolean orderedByRoutingKey = queue.ordered() && queue.effectiveKey() == KeySource.ROUTING_KEY;
        if (orderedByRoutingKey && !isPattern(routingKey)) {
            problems.add(
                    prefix + "routing-key",
                    routingKey,
                    "with key: routing-key the routing keys are the ordering keys, so this must be a pattern with"
                            + " * or #, for instance '" + name + ".#'");
        }
    }

    private static boolean isPattern(String routingKey) {
        return Arrays.stream(routingKey.split("\\.", -1)).anyMatch(word -> word.equals("*") || word.equals("#"));
    }

    /** Refuses a setting that only the other source has. */
    private void refuseForeign(String prefix, String setting, @Nullable Object value, String source, String other) {
        if (value != null) {
            problems.add(
                    prefix + setting,
                    value.toString(),
                    "it is for " + other + " queues, and " + prefix + "source is " + source + ": leave it out");
        }
    }

    // ---- Runs

    private void checkLimits(String prefix, QueueSettings queue) {
        if (queue.timeoutLimit() != null) {
            problems.checkRange(
                    prefix + "timeout-limit", queue.timeoutLimit(), queue.effectiveTimeout(), Duration.ofDays(30));
        }
        if (queue.maxAttemptsLimit() != null) {
            problems.checkRange(prefix + "max-attempts-limit", queue.maxAttemptsLimit(), queue.maxAttempts(), 1_000);
        }
    }

    private void checkBackoff(String prefix, BackoffSettings backoff) {
        problems.checkRange(prefix + "initial", backoff.initial(), Duration.ZERO, Duration.ofDays(30));
        problems.checkRange(prefix + "max", backoff.max(), Duration.ZERO, Duration.ofDays(365));
        if (!(backoff.multiplier() >= 1 && backoff.multiplier() <= 100)) {
            problems.add(prefix + "multiplier", Double.toString(backoff.multiplier()), "it must be 1 to 100");
        }
        if (!(backoff.jitter() >= 0 && backoff.jitter() <= 1)) {
            problems.add(prefix + "jitter", Double.toString(backoff.jitter()), "it must be 0 to 1");
        }
        if (backoff.initial().compareTo(backoff.max()) > 0) {
            problems.add(
                    prefix + "initial",
                    DurationText.of(backoff.initial()),
                    "it must not be longer than " + prefix + "max, which is " + DurationText.of(backoff.max()));
        }
    }

    private void checkBreaker(String prefix, BreakerSettings breaker) {
        if (!(breaker.failures() > 0 && breaker.failures() <= 1)) {
            problems.add(
                    prefix + "failures", Double.toString(breaker.failures()), "it must be more than 0 and at most 1");
        }
        problems.checkRange(prefix + "attempts", breaker.attempts(), 1, 100_000);
        problems.checkRange(prefix + "window", breaker.window(), Duration.ofSeconds(1), Duration.ofHours(1));
    }

    private void checkHandler(String prefix, QueueSettings queue) {
        Set<String> hosted = HostedTypes.of(settings.demo());
        String handler = queue.handler();
        if (handler != null && !hosted.contains(handler)) {
            problems.add(
                    prefix + "handler",
                    handler,
                    "it must be " + String.join(" or ", hosted) + NearestWord.advice(handler, hosted));
        }
        if (handler == null && !queue.types().isEmpty()) {
            problems.add(
                    prefix + "types",
                    String.join(",", queue.types()),
                    "these types go to " + prefix + "handler, which is not set: set it");
        }
    }

    private void checkTypes(String prefix, QueueSettings queue) {
        Set<String> hosted = HostedTypes.of(settings.demo());
        for (int i = 0; i < queue.types().size(); i++) {
            String type = queue.types().get(i);
            if (type.isBlank()) {
                problems.add(prefix + "types[" + i + "]", type, "it must name a type, or be * for any");
            } else if (hosted.contains(type) && !type.equals(queue.handler())) {
                problems.add(
                        prefix + "types[" + i + "]", type, "this is a hosted handler's own name: choose another type");
            }
        }
    }

    /** The beginning of the names of a queue's settings. */
    static String prefix(String queue) {
        return SettingProblems.section("tandem.queues", queue) + ".";
    }
}
