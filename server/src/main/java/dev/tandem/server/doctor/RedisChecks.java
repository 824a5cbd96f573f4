package dev.tandem.server.doctor;

import dev.tandem.scheduler.Complaint;
import dev.tandem.scheduler.RedisExam;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Judges Redis. Whether it is fit to have custody is decided by the store, which refuses one that is not. Pure. */
public final class RedisChecks {

    private static final String AREA = "redis";

    /** Rights without which all works, and something is not known as exactly. */
    private static final Set<String> OPTIONAL = Set.of("config|get", "waitaof", "memory|usage");

    /** Rights that nothing depends on. */
    private static final Set<String> UNUSED = Set.of("client|setinfo", "client|setname");

    private static final int FULL_PERCENT = 75;

    private RedisChecks() {}

    /** @param unreached why Redis cannot be used by this server; empty if it can be */
    public static List<Finding> of(List<RedisExam> exams, String unreached) {
        List<Finding> findings = new ArrayList<>();
        if (!unreached.isEmpty()
                && exams.stream()
                        .allMatch(
                                each -> each.failure() == null && each.errors().isEmpty())) {
            findings.add(Finding.problem(
                    AREA,
                    null,
                    "redis-used",
                    "This server does not use Redis: " + unreached,
                    "Look at the server's log"));
        }
        exams.forEach(exam -> add(exam, findings));
        return findings;
    }

    private static void add(RedisExam exam, List<Finding> findings) {
        if (exam.failure() != null) {
            findings.add(Finding.problem(
                    AREA,
                    exam.node(),
                    "redis-reached",
                    "Redis cannot be asked: " + exam.failure(),
                    "Start it, or name another in tandem.redis.uri"));
            return;
        }
        String version = "Redis " + (exam.version().isEmpty() ? "of an unknown version" : exam.version());
        findings.add(Finding.ok(AREA, exam.node(), "redis-reached", version + " answers"));
        exam.errors().forEach(each -> findings.add(fit(exam, Level.PROBLEM, each)));
        exam.warnings().forEach(each -> findings.add(fit(exam, Level.WARNING, each)));
        if (exam.errors().isEmpty() && exam.warnings().isEmpty()) {
            findings.add(Finding.ok(
                    AREA, exam.node(), "redis-fit", "It keeps tasks on disk, evicts none and accepts writes"));
        }
        findings.add(replicas(exam));
        findings.add(memory(exam));
        findings.addAll(rights(exam));
        findings.add(ClockChecks.of(exam.node(), "Redis", exam.aheadMillis(), exam.roundTripMillis()));
    }

    private static Finding fit(RedisExam exam, Level level, Complaint complaint) {
        return new Finding(AREA, exam.node(), "redis-fit", level, complaint.text(), complaint.remedy());
    }

    private static Finding replicas(RedisExam exam) {
        int missing = exam.replicasRequired() - exam.replicas();
        if (missing > 0) {
            return Finding.problem(
                    AREA,
                    exam.node(),
                    "redis-replicas",
                    missing + " of the " + exam.replicasRequired()
                            + " replicas that must confirm are not connected, so nothing becomes durable",
                    "Start them, or lower tandem.redis.replicas if they are gone for good");
        }
        return Finding.ok(
                AREA,
                exam.node(),
                "redis-replicas",
                exam.replicas() == 0 ? "No replica is connected" : exam.replicas() + " replicas are connected");
    }

    private static Finding memory(RedisExam exam) {
        if (exam.maxBytes() <= 0) {
            return Finding.warning(
                    AREA,
                    exam.node(),
                    "redis-memory",
                    "maxmemory is not set, so Redis may grow until the kernel kills it",
                    "Set maxmemory to less than the machine has");
        }
        long percent = Math.round(exam.usedBytes() * 100.0 / exam.maxBytes());
        String used = percent + " % of maxmemory is used (" + exam.usedBytes() + " of " + exam.maxBytes() + " bytes)";
        if (!exam.hasRoom()) {
            return Finding.problem(
                    AREA,
                    exam.node(),
                    "redis-memory",
                    used + ", so fresh tasks wait in their broker",
                    "Raise maxmemory, or delete dead tasks");
        }
        return percent < FULL_PERCENT
                ? Finding.ok(AREA, exam.node(), "redis-memory", used)
                : Finding.warning(
                        AREA,
                        exam.node(),
                        "redis-memory",
                        used,
                        "Raise maxmemory before tandem.redis.headroom is reached");
    }

    private static List<Finding> rights(RedisExam exam) {
        List<String> refused = exam.refused();
        if (refused == null) {
            return List.of(Finding.ok(
                    AREA,
                    exam.node(),
                    "redis-rights",
                    "Which commands its user may use is unknown: Redis tells from 7.0 on"));
        }
        List<Finding> findings = new ArrayList<>();
        List<String> needed = refused.stream()
                .filter(each -> !OPTIONAL.contains(each) && !UNUSED.contains(each))
                .toList();
        List<String> optional = refused.stream().filter(OPTIONAL::contains).toList();
        if (!needed.isEmpty()) {
            findings.add(Finding.problem(
                    AREA,
                    exam.node(),
                    "redis-rights",
                    "The user of Tandem may not use " + String.join(", ", needed),
                    grant(needed)));
        }
        if (!optional.isEmpty()) {
            findings.add(Finding.warning(
                    AREA,
                    exam.node(),
                    "redis-rights",
                    "The user of Tandem may not use " + String.join(", ", optional) + ", which it can do without",
                    grant(optional)));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(AREA, exam.node(), "redis-rights", "Its user may use all commands that it needs"))
                : findings;
    }

    private static String grant(List<String> commands) {
        return "ACL SETUSER <user> +" + String.join(" +", commands)
                + ", on the keys and channels of the namespace (docs/security.md)";
    }
}
