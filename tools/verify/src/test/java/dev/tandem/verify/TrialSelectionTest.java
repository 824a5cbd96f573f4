package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.verify.fault.Requirement;
import dev.tandem.verify.load.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which faults are combined with which workloads. */
class TrialSelectionTest {

    @Test
    void faultsOfTheOutboxNeedAWorkloadWithOne() {
        assertThat(new TrialSelection(List.of("relay-kill", "postgres-restart"), List.of()).cases(false))
                .extracting(TrialCase::workload)
                .containsOnly(Workload.KAFKA_OUTBOX, Workload.RABBIT_OUTBOX);
        assertThatThrownBy(() -> new TrialSelection(List.of("relay-kill"), List.of("kafka-zipf")).cases(false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("relay-kill does not apply to");
    }

    @Test
    void workloadsWithFeaturesMeetRestartsFailoversAndAFullRedis() {
        for (Workload workload : List.of(Workload.KAFKA_FEATURES, Workload.RABBIT_FEATURES)) {
            assertThat(new TrialSelection(List.of(), List.of(workload.label())).cases(false))
                    .extracting(each -> each.fault().name())
                    .contains("kill", "redis-restart", "redis-full", "cluster-failover")
                    .contains(workload.isRabbit() ? "rabbit-restart" : "kafka-restart");
        }
        assertThat(new TrialSelection(List.of(), List.of()).cases(true))
                .extracting(TrialCase::workload)
                .contains(Workload.KAFKA_FEATURES, Workload.RABBIT_FEATURES);
    }

    @Test
    void aSoakTriesTheOutboxWithItsOwnFaults() {
        TrialSelection all = new TrialSelection(List.of(), List.of());

        assertThat(all.cases(false))
                .filteredOn(each -> each.workload() == Workload.KAFKA_OUTBOX)
                .extracting(each -> each.fault().name())
                .containsExactlyInAnyOrder(
                        "kill",
                        "kafka-restart",
                        "relay-kill",
                        "relay-freeze",
                        "postgres-restart",
                        "relay-kill+kafka-restart");
        assertThat(all.soakCases(1))
                .allMatch(each -> each.workload().isOutbox()
                        || !each.fault().requirements().contains(Requirement.OUTBOX));
    }
}
