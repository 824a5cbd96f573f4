package dev.tandem.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks whether a Redis is fit to have custody of tasks, by its INFO and settings. Pure. */
final class RedisPreflight {

    private static final int MAJOR = 6;
    private static final int MINOR = 2;

    /**
     * The result of a check.
     *
     * @param errors reasons not to use this Redis, each with its remedy
     * @param warnings what is unknown, or should be changed
     */
    record Report(List<String> errors, List<String> warnings) {}

    private RedisPreflight() {}

    /**
     * @param info the answer to INFO
     * @param fsync the setting {@code appendfsync}; null where CONFIG is not allowed
     */
    static Report check(RedisSettings settings, String info, @Nullable String fsync) {
        Map<String, String> facts = facts(info);
        List<String> errors = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        version(facts, errors);
        role(settings, facts, errors);
        memory(facts, errors);
        if (settings.durable()) {
            durability(facts, fsync, errors, warnings);
        } else {
            warnings.add("tandem.redis.durability is none: when Redis forgets writes, tasks in its custody are lost");
        }
        return new Report(errors, warnings);
    }

    private static void version(Map<String, String> facts, List<String> errors) {
        String version = facts.getOrDefault("redis_version", "");
        String[] parts = version.split("\\.", -1);
        try {
            int major = Integer.parseInt(parts[0]);
            int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
            if (major < MAJOR || major == MAJOR && minor < MINOR) {
                errors.add("Redis " + version + " is too old: Tandem needs 6.2 or later, or Valkey");
            }
        } catch (NumberFormatException e) {
            errors.add("its version '" + version + "' is unknown: Tandem needs Redis 6.2 or later, or Valkey");
        }
    }

    private static void role(RedisSettings settings, Map<String, String> facts, List<String> errors) {
        if (facts.getOrDefault("role", "master").equals("slave")) {
            errors.add("it is a replica: set tandem.redis.uri to the master, or to its Sentinels");
        }
        boolean clustered = facts.getOrDefault("cluster_enabled", "0").equals("1");
        if (clustered && !settings.cluster()) {
            errors.add("it is a node of a Redis Cluster: set tandem.redis.cluster=true");
        }
    }

    private static void memory(Map<String, String> facts, List<String> errors) {
        String policy = facts.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            errors.add("maxmemory-policy is " + policy
                    + ", so Redis drops tasks when memory is full: set maxmemory-policy noeviction");
        }
    }

    private static void durability(
            Map<String, String> facts, @Nullable String fsync, List<String> errors, List<String> warnings) {
        if (facts.getOrDefault("aof_enabled", "0").equals("0")) {
            errors.add("appendonly is off, so a restart forgets tasks: set appendonly yes, or"
                    + " tandem.redis.durability=none if tasks may be lost");
        } else if (fsync == null) {
            warnings.add("CONFIG is not allowed, so appendfsync is unknown: it must be everysec or always");
        } else if (fsync.equals("no")) {
            errors.add("appendfsync is no, so a crash forgets more than the horizon allows for: set"
                    + " appendfsync everysec, or tandem.redis.durability=none if tasks may be lost");
        }
    }

    /** Reads the fields of an answer to INFO. */
    static Map<String, String> facts(String info) {
        Map<String, String> facts = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1).trim());
            }
        });
        return facts;
    }
}
