package dev.tandem.scheduler;

import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a Redis whether it is fit to have custody of tasks: by its INFO, its settings, and a write. Thread-safe. */
final class RedisFitness {

    private static final Logger log = LoggerFactory.getLogger(RedisFitness.class);

    /**
     * How Redis refuses every write, whichever it is: it cannot save to its disk, lacks replicas, loads its data, is a
     * replica, or belongs to a cluster that is down. A single slot that nobody serves is refused in other words.
     */
    private static final List<String> REFUSALS =
            List.of("MISCONF", "NOREPLICAS", "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN The cluster is down");

    private static final int LONGEST_REFUSAL = 200;
    private static final byte[] NO_FIELD = "fitness".getBytes(StandardCharsets.UTF_8);

    private final RedisSettings settings;

    /** Warnings that were logged before: each warning of a node is logged once. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    RedisFitness(RedisSettings settings) {
        this.settings = settings;
    }

    /**
     * An answer.
     *
     * @param mayAskConfig whether CONFIG is allowed
     * @param errors why this Redis must not be used; empty if it is fit
     * @param warnings what is unknown, or should be changed
     */
    record Answer(String info, boolean mayAskConfig, List<Complaint> errors, List<Complaint> warnings) {

        boolean isFit() {
            return errors.isEmpty();
        }

        String describe() {
            return errors.stream().map(Complaint::toString).collect(Collectors.joining("; "));
        }
    }

    /**
     * Asks. Logs warnings. The future fails if Redis does not answer.
     *
     * @param probe a key that lies on this Redis, for the write; null if none is known
     * @param asksConfig false if CONFIG is not allowed: each refusal is noted in Redis's ACL log
     */
    CompletableFuture<Answer> ask(
            StatefulRedisConnection<byte[], byte[]> connection,
            RedisNode node,
            byte @Nullable [] probe,
            boolean asksConfig) {
        CompletableFuture<String> info = connection.async().info().toCompletableFuture();
        CompletableFuture<Map<String, String>> config =
                asksConfig ? config(connection) : CompletableFuture.completedFuture(Map.of());
        CompletableFuture<String> refusal =
                probe == null ? CompletableFuture.completedFuture("") : refusal(connection, probe);
        return info.thenCombine(config, (facts, values) -> answer(node, facts, values))
                .thenCombine(refusal, RedisFitness::withRefusal);
    }

    private Answer answer(RedisNode node, String info, Map<String, String> config) {
        RedisPreflight.Report report = RedisPreflight.check(settings, info, config);
        for (Complaint warning : report.warnings()) {
            if (warned.add(node + ": " + warning)) {
                log.warn("Redis at {}: {}", node, warning);
            }
        }
        return new Answer(info, !config.isEmpty(), report.errors(), report.warnings());
    }

    private static Answer withRefusal(Answer answer, String refusal) {
        if (refusal.isEmpty()) {
            return answer;
        }
        List<Complaint> errors = new ArrayList<>(answer.errors());
        errors.add(new Complaint("it refuses all writes (" + refusal + ")", null));
        return new Answer(answer.info(), answer.mayAskConfig(), errors, answer.warnings());
    }

    /** Returns the values of {@link RedisPreflight#CONFIG}; none where CONFIG is not allowed, as in hosted Redis. */
    private static CompletableFuture<Map<String, String>> config(StatefulRedisConnection<byte[], byte[]> connection) {
        // Redis 6.2 takes one name at a time.
        List<CompletableFuture<Map<String, String>>> values = RedisPreflight.CONFIG.stream()
                .map(name ->
                        connection.async().configGet(name).toCompletableFuture().exceptionally(refused -> Map.of()))
                .toList();
        return CompletableFuture.allOf(values.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Map<String, String> config = new HashMap<>();
            values.forEach(each -> config.putAll(each.join()));
            return config;
        });
    }

    /** Sends a write that changes nothing, and needs no memory. Returns how Redis refuses writes; "" if it does not. */
    private static CompletableFuture<String> refusal(StatefulRedisConnection<byte[], byte[]> connection, byte[] probe) {
        return connection.async().hdel(probe, NO_FIELD).toCompletableFuture().handle((deleted, failure) -> {
            // Anything else concerns this key or this connection, not all writes.
            String text = failure == null ? "" : RedisFailures.describe(failure);
            return REFUSALS.stream().anyMatch(text::startsWith)
                    ? text.substring(0, Math.min(text.length(), LONGEST_REFUSAL))
                    : "";
        });
    }
}
