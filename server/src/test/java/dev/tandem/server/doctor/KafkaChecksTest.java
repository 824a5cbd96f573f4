package dev.tandem.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.doctor.KafkaFacts.Known;
import dev.tandem.server.doctor.KafkaFacts.Topic;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of Kafka and of the topics of queues. */
class KafkaChecksTest {

    private static final Map<String, String> GOOD = Map.of(
            "cleanup.policy", "delete",
            "retention.ms", "604800000",
            "retention.bytes", "-1",
            "min.insync.replicas", "2",
            "unclean.leader.election.enable", "false",
            "message.timestamp.type", "CreateTime");

    private static Topic topic(int replicas, int inSync, Map<String, String> config, @Nullable Set<String> may) {
        return new Known("orders", "orders", "tandem.orders", 8, replicas, inSync, List.of(), config, may, may);
    }

    private static List<Finding> of(Topic topic) {
        List<Finding> all = KafkaChecks.of(new KafkaFacts(null, 3, "metadata.version 25", List.of(topic)));
        assertThat(all.get(0).level()).isEqualTo(Level.OK);
        return all.stream().skip(1).filter(each -> each.level() != Level.OK).toList();
    }

    @Test
    void aGoodTopicIsSummedUp() {
        Topic good = topic(3, 3, GOOD, Set.of("READ", "WRITE", "DESCRIBE"));
        assertThat(of(good)).isEmpty();
        assertThat(KafkaChecks.of(new KafkaFacts(null, 3, "", List.of(good))))
                .last()
                .satisfies(each -> assertThat(each.text())
                        .contains("8 partitions", "3 replicas", "2 must confirm", "7 d", "CreateTime"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cleanup.policy                 | compact        | topic-cleanup     | PROBLEM
            cleanup.policy                 | compact,delete | topic-cleanup     | PROBLEM
            unclean.leader.election.enable | true           | topic-elections   | PROBLEM
            retention.ms                   | 3600000        | topic-retention   | WARNING
            retention.bytes                | 1000           | topic-retention   | WARNING
            min.insync.replicas            | 1              | topic-replication | WARNING
            min.insync.replicas            | 3              | topic-replication | WARNING
            min.insync.replicas            | 4              | topic-in-sync     | PROBLEM
            """)
    void eachSettingThatLosesOrStopsTasksIsNamed(String setting, String value, String check, Level level) {
        Map<String, String> config = new HashMap<>(GOOD);
        config.put(setting, value);
        assertThat(of(topic(3, 3, config, null))).anySatisfy(each -> {
            assertThat(each.check()).isEqualTo(check);
            assertThat(each.level()).isEqualTo(level);
            assertThat(each.remedy()).isNotBlank();
            assertThat(each.text()).contains(setting.startsWith("retention.ms") ? "1 h" : value);
        });
    }

    @Test
    void replicasThatAreBehindAreNamed() {
        assertThat(of(topic(3, 2, GOOD, null)))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.WARNING));
        assertThat(of(topic(3, 1, GOOD, null)))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.PROBLEM));
    }

    @Test
    void missingRightsAreNamedForTopicAndGroup() {
        assertThat(of(topic(3, 3, GOOD, Set.of("DESCRIBE", "WRITE"))))
                .extracting(Finding::text)
                .containsExactly(
                        "This server lacks the right to READ on the topic orders",
                        "This server lacks the right to READ on the group tandem.orders");
    }

    @Test
    void whatCannotBeSeenIsSaid() {
        assertThat(of(topic(3, 3, Map.of(), null))).extracting(Finding::check).contains("topic-settings");
        assertThat(of(new KafkaFacts.Missing("orders", "o")))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("does not exist"));
        assertThat(of(new KafkaFacts.Unknown("orders", "o", "denied")))
                .singleElement()
                .satisfies(each -> assertThat(each.text()).contains("cannot be looked at: denied"))
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.PROBLEM));
        assertThat(of(new Known("orders", "o", "g", 2, 3, 0, List.of(1), GOOD, null, null)))
                .extracting(Finding::check)
                .contains("topic-leaders");
        assertThat(KafkaChecks.of(new KafkaFacts("no answer in time", 0, "", List.of())))
                .singleElement()
                .satisfies(each -> assertThat(each.level()).isEqualTo(Level.PROBLEM));
    }
}
