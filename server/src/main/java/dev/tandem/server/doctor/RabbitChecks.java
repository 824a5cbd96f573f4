package dev.tandem.server.doctor;

import dev.tandem.rabbit.ForgottenQueues;
import dev.tandem.rabbit.QueueExam.Look;
import dev.tandem.server.doctor.RabbitFacts.Managed;
import dev.tandem.server.doctor.RabbitFacts.Management;
import dev.tandem.server.doctor.RabbitFacts.Queue;
import dev.tandem.server.findings.Finding;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges RabbitMQ, and the broker's queues. Pure. */
public final class RabbitChecks {

    private static final String AREA = "rabbitmq";

    private RabbitChecks() {}

    public static List<Finding> of(RabbitFacts facts) {
        if (facts.failure() != null || facts.broker() == null) {
            return List.of(Finding.problem(
                    AREA,
                    null,
                    "rabbitmq-reached",
                    "RabbitMQ cannot be asked: " + facts.failure(),
                    "Start it, or name it in tandem.rabbit.uri"));
        }
        String name = facts.broker().name();
        List<Finding> findings = new ArrayList<>();
        if (!facts.broker().supported()) {
            findings.add(Finding.problem(
                    AREA, null, "rabbitmq-reached", "The broker is " + name, "Tandem needs RabbitMQ 3.10 or later"));
        } else if (!facts.broker().rabbit()) {
            findings.add(Finding.warning(
                    AREA,
                    null,
                    "rabbitmq-reached",
                    "The broker is " + name + ", on which only queues with 'ordering: none' work",
                    "Use RabbitMQ for queues with an order"));
        } else {
            findings.add(Finding.ok(AREA, null, "rabbitmq-reached", name + " answers"));
        }
        facts.queues().forEach(queue -> findings.addAll(judge(queue)));
        return findings;
    }

    private static List<Finding> judge(Queue queue) {
        List<Finding> findings = new ArrayList<>();
        if (queue.failure() != null) {
            findings.add(Finding.problem(
                    AREA,
                    queue.name(),
                    "rabbitmq-queues",
                    "Its queues cannot be looked at: " + queue.failure(),
                    "Grant the rights of docs/security.md"));
            return findings;
        }
        List<String> missing = queue.looks().stream()
                .filter(look -> !look.exists())
                .map(Look::name)
                .toList();
        if (!missing.isEmpty()) {
            findings.add(Finding.warning(
                    AREA,
                    queue.name(),
                    "rabbitmq-queues",
                    "The broker lacks " + String.join(", ", missing),
                    "Start an executor, which declares them"));
        }
        queue.looks().stream()
                .filter(Look::exists)
                .forEach(look -> findings.addAll(BrokerQueueChecks.of(queue, look, managed(queue, look.name()))));
        forgotten(queue, findings);
        plugin(queue, findings);
        if (findings.isEmpty()) {
            String policies = queue.management() == null
                    ? "; their policies are unknown without tandem.rabbit.management-uri"
                    : ", and no policy drops messages";
            findings.add(Finding.ok(
                    AREA, queue.name(), "rabbitmq-queues", "Its queues are as Tandem declares them" + policies));
        }
        return findings;
    }

    private static void forgotten(Queue queue, List<Finding> findings) {
        ForgottenQueues forgotten = queue.forgotten();
        if (forgotten != null) {
            String text = "In RabbitMQ, " + forgotten.says();
            findings.add(
                    forgotten.ready() > 0
                            ? Finding.problem(AREA, queue.name(), "rabbitmq-forgotten", text, forgotten.remedy())
                            : Finding.warning(AREA, queue.name(), "rabbitmq-forgotten", text, forgotten.remedy()));
        }
    }

    private static @Nullable Managed managed(Queue queue, String name) {
        Management management = queue.management();
        return management == null
                ? null
                : management.queues().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElse(null);
    }

    /** Says what the management plugin does not say although it is asked. */
    private static void plugin(Queue queue, List<Finding> findings) {
        Management management = queue.management();
        if (management == null) {
            return;
        } else if (management.failure() != null) {
            findings.add(Finding.warning(
                    AREA,
                    queue.name(),
                    "rabbitmq-management",
                    "The management plugin says nothing of its queues: " + management.failure(),
                    "See tandem.rabbit.management-uri, and that its user has the tag monitoring"));
            return;
        }
        List<String> unknown = queue.looks().stream()
                .filter(Look::exists)
                .map(Look::name)
                .filter(name -> managed(queue, name) == null)
                .toList();
        if (!unknown.isEmpty()) {
            findings.add(Finding.warning(
                    AREA,
                    queue.name(),
                    "rabbitmq-management",
                    "The management plugin does not know " + String.join(", ", unknown)
                            + ", which the broker has, so their policies are unknown",
                    "See that tandem.rabbit.management-uri is of the same cluster as tandem.rabbit.uri"));
        }
    }
}
