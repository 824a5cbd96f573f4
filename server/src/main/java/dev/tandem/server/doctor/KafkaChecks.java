package dev.tandem.server.doctor;

import dev.tandem.server.doctor.KafkaFacts.Known;
import dev.tandem.server.doctor.KafkaFacts.Topic;
import dev.tandem.server.findings.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Judges Kafka, and the topics of queues. Pure. */
public final class KafkaChecks {

    private static final String AREA = "kafka";
    private static final Duration SHORT_RETENTION = Duration.ofDays(1);

    private final Known topic;
    private final int brokers;
    private final List<Finding> findings = new ArrayList<>();

    private KafkaChecks(Known topic, int brokers) {
        this.topic = topic;
        this.brokers = brokers;
    }

    public static List<Finding> of(KafkaFacts facts) {
        if (facts.failure() != null) {
            return List.of(Finding.problem(
                    AREA,
                    null,
                    "kafka-reached",
                    "Kafka cannot be asked: " + facts.failure(),
                    "Start it, or name it in tandem.kafka.bootstrap-servers; docs/security.md has its login"));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(
                AREA,
                null,
                "kafka-reached",
                "Kafka answers: " + facts.brokers() + (facts.brokers() == 1 ? " broker" : " brokers")
                        + (facts.version().isEmpty() ? "" : ", " + facts.version())));
        facts.topics().forEach(topic -> findings.addAll(judge(topic, facts.brokers())));
        return findings;
    }

    private static List<Finding> judge(Topic topic, int brokers) {
        if (topic instanceof Known known) {
            return new KafkaChecks(known, brokers).judge();
        }
        return List.of(
                topic instanceof KafkaFacts.Unknown unknown
                        ? Finding.problem(
                                AREA,
                                topic.queue(),
                                "topic-known",
                                "The topic " + topic.name() + " cannot be looked at: " + unknown.failure(),
                                "Grant the rights of docs/security.md, or set the queue's topic")
                        : Finding.warning(
                                AREA,
                                topic.queue(),
                                "topic-exists",
                                "The topic " + topic.name() + " does not exist",
                                "Start an executor that may create it, or create it with the settings that you want"));
    }

    private List<Finding> judge() {
        findings.add(Finding.ok(AREA, topic.queue(), "topic", summary()));
        leaders();
        replication();
        if (topic.config().isEmpty()) {
            warning(
                    "topic-settings",
                    "The settings of the topic " + topic.name() + " may not be read",
                    "Grant DescribeConfigs on it");
        } else {
            cleanup();
            retention();
            elections();
        }
        rights(topic.mayDo(), Set.of("READ", "WRITE"), "the topic " + topic.name());
        rights(topic.mayDoWithGroup(), Set.of("READ"), "the group " + topic.group());
        return findings;
    }

    private String summary() {
        String size = "The topic " + topic.name() + " has " + topic.partitions()
                + (topic.partitions() == 1 ? " partition, " : " partitions, ") + topic.replicas()
                + (topic.replicas() == 1 ? " replica of each" : " replicas of each");
        if (topic.config().isEmpty()) {
            return size;
        }
        String stamp = topic.config().getOrDefault("message.timestamp.type", "");
        return size + ", of which " + minInSync() + " must confirm; it keeps records for " + kept()
                + (stamp.isEmpty() ? "" : "; their time is " + stamp);
    }

    private void leaders() {
        if (!topic.leaderless().isEmpty()) {
            problem(
                    "topic-leaders",
                    "Partitions " + topic.leaderless() + " of the topic " + topic.name() + " have no leader",
                    "Start the brokers that have their replicas");
        }
    }

    private void replication() {
        int required = minInSync();
        String name = "The topic " + topic.name();
        if (topic.inSync() < required && topic.leaderless().isEmpty()) {
            problem(
                    "topic-in-sync",
                    name + " takes no tasks: " + topic.inSync() + " replicas are in step, and min.insync.replicas is "
                            + required,
                    "Start the brokers that are missing");
        } else if (topic.inSync() < topic.replicas()) {
            warning(
                    "topic-in-sync",
                    name + " has partitions with " + topic.inSync() + " of " + topic.replicas() + " replicas in step",
                    "Start the brokers that are missing");
        }
        if (topic.replicas() == 1) {
            warning(
                    "topic-replication",
                    name + " has one replica of each partition, so a broken disk loses tasks",
                    brokers > 1
                            ? "Give it more replicas, with kafka-reassign-partitions.sh"
                            : "Run at least three brokers where tasks matter");
        } else if (required < 2) {
            warning(
                    "topic-replication",
                    name + " has min.insync.replicas=" + required
                            + ", so a task that one broker alone has counts as accepted",
                    "Set min.insync.replicas=2");
        } else if (required >= topic.replicas()) {
            warning(
                    "topic-replication",
                    name + " has min.insync.replicas=" + required
                            + " and as many replicas, so it takes no tasks while one" + " broker is away",
                    "Give it one more replica");
        }
    }

    private void cleanup() {
        String policy = topic.config().getOrDefault("cleanup.policy", "delete");
        if (policy.contains("compact")) {
            problem(
                    "topic-cleanup",
                    "The topic " + topic.name() + " has cleanup.policy=" + policy
                            + ", so Kafka deletes tasks that have not run when later ones have the same key",
                    "Set cleanup.policy=delete");
        }
    }

    private void retention() {
        long millis = number("retention.ms");
        if (millis >= 0 && millis < SHORT_RETENTION.toMillis()) {
            warning(
                    "topic-retention",
                    "The topic " + topic.name() + " keeps records for " + kept()
                            + ": tasks that wait there for longer are deleted",
                    "Raise retention.ms to longer than an outage may last");
        }
        long bytes = number("retention.bytes");
        if (bytes >= 0) {
            warning(
                    "topic-retention",
                    "The topic " + topic.name() + " keeps " + bytes
                            + " bytes of each partition: tasks beyond that are deleted, also those that have not run",
                    "Set retention.bytes=-1, or make sure that a backlog never gets so long");
        }
    }

    private void elections() {
        if (topic.config()
                .getOrDefault("unclean.leader.election.enable", "false")
                .equals("true")) {
            problem(
                    "topic-elections",
                    "The topic " + topic.name() + " has unclean.leader.election.enable=true, so a broker without the"
                            + " latest tasks may become the leader, which loses them",
                    "Set unclean.leader.election.enable=false");
        }
    }

    private void rights(@Nullable Set<String> may, Set<String> needed, String what) {
        if (may == null) {
            return;
        }
        Set<String> missing = new TreeSet<>(needed);
        missing.removeAll(may);
        if (!missing.isEmpty()) {
            problem(
                    "kafka-rights",
                    "This server lacks the right to " + String.join(", ", missing) + " on " + what,
                    "Grant it with kafka-acls.sh (docs/security.md)");
        }
    }

    private int minInSync() {
        return (int) Math.max(1, number("min.insync.replicas"));
    }

    private long number(String setting) {
        String value = topic.config().getOrDefault(setting, "");
        return value.matches("-?\\d{1,18}") ? Long.parseLong(value) : -1;
    }

    private String kept() {
        long millis = number("retention.ms");
        if (millis < 0) {
            return "ever";
        }
        Duration kept = Duration.ofMillis(millis);
        return kept.toDays() > 0 ? kept.toDays() + " d" : kept.toHours() > 0 ? kept.toHours() + " h" : millis + " ms";
    }

    private void warning(String check, String text, String remedy) {
        findings.add(Finding.warning(AREA, topic.queue(), check, text, remedy));
    }

    private void problem(String check, String text, String remedy) {
        findings.add(Finding.problem(AREA, topic.queue(), check, text, remedy));
    }
}
