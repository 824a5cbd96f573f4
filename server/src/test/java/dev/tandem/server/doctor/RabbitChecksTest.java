package dev.tandem.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.rabbit.ForgottenQueues;
import dev.tandem.rabbit.QueueExam.Broker;
import dev.tandem.rabbit.QueueExam.Look;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of RabbitMQ and of its queues. */
class RabbitChecksTest {

    private static List<Finding> of(boolean ordered, Look... looks) {
        List<Finding> all = RabbitChecks.of(new RabbitFacts(
                null,
                new Broker("RabbitMQ 4.0.5", true, true),
                List.of(new RabbitFacts.Queue("mail", ordered, null, List.of(looks), null, null))));
        assertThat(all.get(0).text()).contains("RabbitMQ 4.0.5");
        return all.subList(1, all.size());
    }

    private static Look look(boolean exists, String difference) {
        return new Look("mail", exists, 7, difference, difference.isEmpty() ? "" : "inequivalent " + difference, false);
    }

    @Test
    void queuesAsTandemDeclaresThemAreWell() {
        assertThat(of(false, look(true, "")))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.OK));
        assertThat(of(false, look(false, "")))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("The broker lacks mail"));
    }

    @ParameterizedTest
    @CsvSource({
        "durable, PROBLEM",
        "x-message-ttl, PROBLEM",
        "x-max-length, PROBLEM",
        "x-queue-type, WARNING",
        "x-delivery-limit, WARNING"
    })
    void whatMayDropTasksIsAProblem(String argument, Level level) {
        assertThat(of(false, look(true, argument)))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(level))
                .satisfies(each -> assertThat(each.text()).contains(argument));
        assertThat(of(true, look(true, argument)).get(0).level())
                .as("executors refuse such a sub-queue")
                .isEqualTo(Level.PROBLEM);
    }

    @Test
    void queuesThatAnotherOrderingHasLeftAreAProblemOnceTasksWaitThere() {
        assertThat(RabbitChecks.of(forgotten(7))).last().satisfies(each -> {
            assertThat(each.check()).isEqualTo("rabbitmq-forgotten");
            assertThat(each.level()).isEqualTo(Level.PROBLEM);
            assertThat(each.text())
                    .isEqualTo("In RabbitMQ, 2 queues stand, 'mail.0' to 'mail.1', beside 'mail'. If 'ordering: key'"
                            + " made them, they still get every message, and nobody consumes them; 7 messages wait"
                            + " there");
            assertThat(each.remedy()).contains("Delete what is empty", "'ordering: key' until they have run");
        });
        assertThat(RabbitChecks.of(forgotten(0)))
                .last()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.WARNING));
    }

    private static RabbitFacts forgotten(long ready) {
        ForgottenQueues left = new ForgottenQueues(List.of("mail.0", "mail.1"), ready, "key", "'mail'");
        return new RabbitFacts(
                null,
                new Broker("RabbitMQ 4.0.5", true, true),
                List.of(new RabbitFacts.Queue("mail", false, null, List.of(look(true, "")), left, null)));
    }

    @Test
    void deadLettersAreNamed() {
        assertThat(of(false, new Look("mail.dead-letter", true, 3, "", "", true)))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("gave up 3 messages"));
    }

    private static List<Finding> managed(String type, Map<String, Object> arguments, Map<String, Object> policy) {
        return managed(false, "", type, arguments, policy);
    }

    private static List<Finding> managed(
            boolean ordered,
            String difference,
            String type,
            Map<String, Object> arguments,
            Map<String, Object> policy) {
        return asked(
                ordered,
                look(true, difference),
                new RabbitFacts.Management(
                        null,
                        List.of(new RabbitFacts.Managed(
                                "mail", type, true, arguments, policy.isEmpty() ? null : "cap", policy))));
    }

    /** Returns what is not well. */
    private static List<Finding> asked(boolean ordered, Look look, RabbitFacts.Management management) {
        return RabbitChecks.of(new RabbitFacts(
                        null,
                        new Broker("RabbitMQ 4.0.5", true, true),
                        List.of(new RabbitFacts.Queue("mail", ordered, null, List.of(look), null, management))))
                .stream()
                .filter(each -> each.level() != Level.OK)
                .toList();
    }

    @Test
    void whatThePluginShowsIsSaidOnce() {
        Map<String, Object> expiring = Map.of("x-message-ttl", 60_000L);
        assertThat(managed(false, "x-message-ttl", "classic", expiring, Map.of()))
                .singleElement()
                .satisfies(each -> assertThat(each.check()).isEqualTo("rabbitmq-dropping"));
        assertThat(managed(true, "x-message-ttl", "classic", expiring, Map.of()))
                .singleElement()
                .satisfies(each -> assertThat(each.remedy()).contains("executors refuse it"));
        assertThat(managed(false, "auto_delete", "classic", Map.of(), Map.of()))
                .singleElement()
                .satisfies(each -> assertThat(each.check()).isEqualTo("rabbitmq-queue"));
    }

    @Test
    void policiesThatDropTasksAreProblems() {
        Map<String, Object> ours = Map.of("x-delivery-limit", 1_000_000L, "x-overflow", "reject-publish");
        assertThat(managed("quorum", ours, Map.of())).isEmpty();
        assertThat(managed("quorum", ours, Map.of("max-length", 1_000L)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.level()).isEqualTo(Level.PROBLEM);
                    assertThat(each.text()).contains("max-length 1000 (policy cap)");
                    assertThat(each.remedy()).contains("policy");
                });
        assertThat(managed("classic", Map.of("x-message-ttl", 60_000L), Map.of()))
                .singleElement()
                .satisfies(each -> assertThat(each.remedy()).isEqualTo("Declare the queue without x-message-ttl"));
    }

    @Test
    void theLowerLimitOfDeliveriesCounts() {
        assertThat(managed("quorum", Map.of("x-delivery-limit", 1_000_000L), Map.of("delivery-limit", 20L)))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("delivery-limit 20 (policy cap)"))
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.WARNING));
        assertThat(managed("quorum", Map.of(), Map.of()))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("no delivery-limit"));
        assertThat(managed("classic", Map.of(), Map.of())).isEmpty();
    }

    @Test
    void aManagementPluginThatDoesNotKnowTheQueueIsAWarning() {
        Look there = new Look("mail", true, 0, "", "", false);
        assertThat(asked(false, there, new RabbitFacts.Management(null, List.of())))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("does not know mail"))
                .satisfies(each -> assertThat(each.remedy()).contains("tandem.rabbit.management-uri"));
    }

    @Test
    void aSilentManagementPluginIsAWarning() {
        Look there = new Look("mail", true, 0, "", "", false);
        assertThat(asked(false, there, new RabbitFacts.Management("status 401", List.of())))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.WARNING))
                .satisfies(each -> assertThat(each.text()).contains("status 401"));
    }

    @Test
    void brokersThatDoNotFitAreNamed() {
        assertThat(RabbitChecks.of(new RabbitFacts("refused", null, List.of()))
                        .get(0)
                        .level())
                .isEqualTo(Level.PROBLEM);
        assertThat(RabbitChecks.of(new RabbitFacts(null, new Broker("RabbitMQ 3.9", true, false), List.of()))
                        .get(0)
                        .level())
                .isEqualTo(Level.PROBLEM);
        assertThat(RabbitChecks.of(new RabbitFacts(null, new Broker("qpid 9", false, true), List.of()))
                        .get(0)
                        .level())
                .isEqualTo(Level.WARNING);
    }
}
