package dev.tandem.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks whether a Redis is fit to have custody of tasks, by its INFO and settings. Pure. */
final class RedisPreflight {

    private static final int MAJOR = 6;
    private static final int MINOR = 2;
    private static final String UNLESS_LOST = " tandem.redis.durability=none if tasks may be lost";

    /**
     * The result of a check.
     *
     * @param errors reasons not to use this Redis
     * @param warnings what is unknown, or should be changed
     */
    record Report(List<Complaint> errors, List<Complaint> warnings) {}

    private RedisPreflight() {}

    /** The settings of Redis that {@link #check} reads, if it may. */
    static final List<String> CONFIG = List.of("appendfsync", "no-appendfsync-on-rewrite", "min-replicas-to-write");

    /**
     * @param info the answer to INFO
     * @param config the values of {@link #CONFIG}; empty where CONFIG is not allowed
     */
    static Report check(RedisSettings settings, String info, Map<String, String> config) {
        Map<String, String> facts = facts(info);
        List<Complaint> errors = new ArrayList<>();
        List<Complaint> warnings = new ArrayList<>();
        version(facts, errors);
        role(settings, facts, errors);
        memory(facts, errors);
        if (settings.durable()) {
            durability(facts, config, errors, warnings);
            replicas(settings, Replication.of(facts).replicas(), config, errors, warnings);
        } else {
            warnings.add(new Complaint(
                    "tandem.redis.durability is none, so tasks in custody are lost when Redis forgets writes",
                    "set it to horizon"));
        }
        return new Report(errors, warnings);
    }

    private static void version(Map<String, String> facts, List<Complaint> errors) {
        String version = facts.getOrDefault("redis_version", "");
        String[] parts = version.split("\\.", -1);
        try {
            int major = Integer.parseInt(parts[0]);
            int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
            if (major < MAJOR || major == MAJOR && minor < MINOR) {
                errors.add(new Complaint("Redis " + version + " is too old", "Tandem needs 6.2 or later, or Valkey"));
            }
        } catch (NumberFormatException e) {
            errors.add(new Complaint(
                    "its version '" + version + "' is unknown", "Tandem needs Redis 6.2 or later, or Valkey"));
        }
    }

    /** Returns whether this Redis has WAITAOF and an append-only file. */
    static boolean hasWaitAof(String info) {
        Map<String, String> facts = facts(info);
        String[] parts = facts.getOrDefault("redis_version", "0.0").split("\\.", -1);
        int major = Integer.parseInt(parts[0]);
        int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
        return (major > 7 || major == 7 && minor >= 2)
                && facts.getOrDefault("aof_enabled", "0").equals("1");
    }

    private static void role(RedisSettings settings, Map<String, String> facts, List<Complaint> errors) {
        if (facts.getOrDefault("role", "master").equals("slave")) {
            errors.add(new Complaint("it is a replica", "set tandem.redis.uri to the master, or to its Sentinels"));
        }
        boolean clustered = facts.getOrDefault("cluster_enabled", "0").equals("1");
        if (clustered && !settings.cluster()) {
            errors.add(new Complaint("it is a node of a Redis Cluster", "set tandem.redis.cluster=true"));
        }
    }

    private static void memory(Map<String, String> facts, List<Complaint> errors) {
        String policy = facts.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            errors.add(new Complaint(
                    "maxmemory-policy is " + policy + ", so Redis drops tasks when memory is full",
                    "set maxmemory-policy noeviction"));
        }
    }

    private static void durability(
            Map<String, String> facts, Map<String, String> config, List<Complaint> errors, List<Complaint> warnings) {
        String fsync = config.get("appendfsync");
        if (facts.getOrDefault("aof_enabled", "0").equals("0")) {
            errors.add(new Complaint(
                    "appendonly is off, so a restart forgets tasks", "set appendonly yes, or" + UNLESS_LOST));
        } else if (fsync == null) {
            warnings.add(new Complaint(
                    "CONFIG is not allowed, so appendfsync and no-appendfsync-on-rewrite are unknown",
                    "they must be everysec or always, and no. To have them checked, allow +config|get in ACL SETUSER"));
        } else if (fsync.equals("no")) {
            errors.add(new Complaint(
                    "appendfsync is no, so a crash forgets more than the horizon allows for",
                    "set appendfsync everysec, or" + UNLESS_LOST));
        }
        if (config.getOrDefault("no-appendfsync-on-rewrite", "no").equals("yes")) {
            errors.add(new Complaint(
                    "no-appendfsync-on-rewrite is yes, so a crash during a rewrite forgets more than the horizon"
                            + " allows for",
                    "set no-appendfsync-on-rewrite no, or" + UNLESS_LOST));
        }
    }

    private static void replicas(
            RedisSettings settings,
            int seen,
            Map<String, String> config,
            List<Complaint> errors,
            List<Complaint> warnings) {
        int required = settings.replicas().orElse(seen);
        boolean promotes =
                settings.replicas().isPresent() && settings.uris().get(0).contains("-sentinel://");
        if (required == 0 && (seen > 0 || promotes)) {
            errors.add(new Complaint(
                    "tandem.redis.replicas is 0, but "
                            + (seen > 0 ? "it has " + seen + " replicas" : "its Sentinels promote replicas")
                            + ". When one is promoted, tasks that had not reached it are lost",
                    "set tandem.redis.replicas=auto, or" + UNLESS_LOST));
        } else if (required < seen) {
            warnings.add(new Complaint(
                    "tandem.redis.replicas is " + required + ", but it has " + seen
                            + " replicas. When one is promoted, tasks that had not reached it are lost",
                    "set tandem.redis.replicas=auto unless the others can never be promoted"));
        }
        if (required > 0 && config.getOrDefault("min-replicas-to-write", "").equals("0")) {
            warnings.add(new Complaint(
                    "min-replicas-to-write is 0, so it goes on accepting writes when it is cut off from its"
                            + " replicas, and forgets them when it comes back as a replica",
                    "set min-replicas-to-write 1 on all nodes"));
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
