package dev.tandem.server.doctor;

import dev.tandem.rabbit.QueueExam.Look;
import dev.tandem.server.doctor.RabbitFacts.Managed;
import dev.tandem.server.doctor.RabbitFacts.Queue;
import dev.tandem.server.findings.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges one queue of the broker, each fact once: by what the management plugin says, or if that is not known, by the first
 * difference that the broker names over AMQP. Pure.
 */
final class BrokerQueueChecks {

    private static final String AREA = "rabbitmq";

    /** The limits that make a broker drop messages that have not run, by their names in a policy. */
    private static final List<String> DROPPING = List.of("message-ttl", "expires", "max-length", "max-length-bytes");

    /** The facts that the plugin shows more exactly than AMQP. */
    private static final Set<String> SHOWN_BY_PLUGIN = Set.of(
            "durable",
            "x-message-ttl",
            "x-expires",
            "x-max-length",
            "x-max-length-bytes",
            "x-delivery-limit",
            "x-queue-type");

    /** A lower limit may be reached by executors that die while they have a message. */
    private static final long LOW_LIMIT = 1_000;

    private final Queue queue;
    private final List<Finding> findings = new ArrayList<>();

    private BrokerQueueChecks(Queue queue) {
        this.queue = queue;
    }

    /** @param managed what the plugin says of it; null if nothing */
    static List<Finding> of(Queue queue, Look look, @Nullable Managed managed) {
        BrokerQueueChecks checks = new BrokerQueueChecks(queue);
        checks.deadLetters(look);
        checks.declared(look, managed);
        if (managed != null) {
            checks.managed(managed, look.difference());
        }
        return checks.findings;
    }

    private void deadLetters(Look look) {
        if (look.deadLetters() && look.ready() > 0) {
            findings.add(Finding.warning(
                    AREA,
                    queue.name(),
                    "rabbitmq-dead-letters",
                    "The broker gave up " + look.ready() + " messages, which are in " + look.name(),
                    "Look for a policy that caps or expires messages, and publish them again"));
        }
    }

    /** Judges how it differs from what Tandem declares. The broker names the first difference only. */
    private void declared(Look look, @Nullable Managed managed) {
        String argument = look.difference();
        String text = "The queue " + look.name() + " is not as Tandem declares it: " + look.refusal();
        if (look.refusal().isEmpty()) {
            return;
        } else if (argument.isEmpty()) {
            warning(
                    "rabbitmq-queue",
                    "Whether " + look.name() + " is as it should be is unknown: " + look.refusal(),
                    "Compare it with docs/rabbitmq.md");
        } else if (queue.ordered()) {
            problem(
                    "rabbitmq-queue",
                    text,
                    "Delete it once it is empty, or give the queue another name; executors refuse it");
        } else if (managed == null || !SHOWN_BY_PLUGIN.contains(argument)) {
            different(argument, text);
        }
    }

    private void different(String argument, String text) {
        boolean drops = argument.equals("x-overflow") || isDropping(argument);
        if (argument.equals("durable") || argument.equals("auto_delete")) {
            problem(
                    "rabbitmq-queue",
                    text + ", so a restart of the broker loses its messages",
                    "Delete it once it is empty; executors declare a durable one");
        } else if (drops) {
            problem(
                    "rabbitmq-queue",
                    text + ", so the broker may drop tasks that have not run",
                    "Declare it without " + argument);
        } else {
            warning(
                    "rabbitmq-queue",
                    text,
                    "If it is a quorum queue, set a policy with a high delivery-limit and a dead-letter-exchange"
                            + " (docs/rabbitmq.md)");
        }
    }

    private static boolean isDropping(String argument) {
        return DROPPING.stream().anyMatch(limit -> argument.equals("x-" + limit));
    }

    /** @param said the difference of an ordered queue that was named already; empty if none was */
    private void managed(Managed managed, String said) {
        if (!managed.durable() && !(queue.ordered() && said.equals("durable"))) {
            problem(
                    "rabbitmq-durable",
                    "The queue " + managed.name() + " is not durable, so a restart of the broker loses its messages",
                    "Delete it once it is empty; executors declare a durable one");
        }
        for (String limit : DROPPING) {
            Object value = lower(managed, limit);
            boolean isSaid = queue.ordered() && said.equals("x-" + limit) && !ofPolicy(managed, limit);
            if (value != null && !isSaid) {
                problem(
                        "rabbitmq-dropping",
                        "The queue " + managed.name() + " has " + limit + " " + value + from(managed, limit)
                                + ", so the broker may refuse or drop tasks that have not run",
                        ofPolicy(managed, limit)
                                ? "Take it out of the policy, or let the policy not match this queue"
                                : "Declare the queue without x-" + limit);
            }
        }
        if (managed.type().equals("quorum")) {
            deliveries(managed);
        }
    }

    private void deliveries(Managed managed) {
        Object limit = lower(managed, "delivery-limit");
        if (limit == null) {
            warning(
                    "rabbitmq-deliveries",
                    "The queue " + managed.name()
                            + " has no delivery-limit, and RabbitMQ 4 gives up a message after 20 deliveries",
                    "Set a policy with a high delivery-limit and a dead-letter-exchange");
        } else if (limit instanceof Number number && number.longValue() >= 0 && number.longValue() < LOW_LIMIT) {
            warning(
                    "rabbitmq-deliveries",
                    "The queue " + managed.name() + " has delivery-limit " + limit + from(managed, "delivery-limit")
                            + ", which executors that die may reach",
                    "Raise it to 1000000; Tandem counts attempts itself");
        }
    }

    /** Returns the limit that holds: of argument and policy the lower one. Null if there is none. */
    private static @Nullable Object lower(Managed managed, String limit) {
        Object argument = managed.arguments().get("x-" + limit);
        Object policy = managed.effective().get(limit);
        if (argument instanceof Number one && policy instanceof Number other) {
            return Math.min(one.longValue(), other.longValue());
        }
        return argument == null ? policy : argument;
    }

    private static boolean ofPolicy(Managed managed, String limit) {
        return managed.effective().containsKey(limit);
    }

    private static String from(Managed managed, String limit) {
        return ofPolicy(managed, limit) ? " (policy " + managed.policy() + ")" : "";
    }

    private void warning(String check, String text, String remedy) {
        findings.add(Finding.warning(AREA, queue.name(), check, text, remedy));
    }

    private void problem(String check, String text, String remedy) {
        findings.add(Finding.problem(AREA, queue.name(), check, text, remedy));
    }
}
