package dev.tandem.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The list of faults, and which of them can be combined. */
class FaultTest {

    @Test
    void findsEveryFaultByNameWithADescription() {
        assertThat(Fault.all()).extracting(Fault::name).doesNotHaveDuplicates();
        for (Fault fault : Fault.all()) {
            assertThat(Fault.of(fault.name())).isEqualTo(fault);
            assertThat(fault.description()).isNotBlank();
            assertThat(fault.supports(true) || fault.supports(false))
                    .as(fault.name())
                    .isTrue();
        }
        assertThat(Fault.of("freeze+redis-full").requirements()).containsExactly(Requirement.OWN_REDIS);
    }

    @Test
    void refusesAnUnknownNameAndListsTheKnownOnes() {
        assertThatThrownBy(() -> Fault.of("kill+flood"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("There is no fault 'flood', only none, kill, freeze");
    }

    @Test
    void refusesFaultsThatCannotBeCombined() {
        assertThatThrownBy(() -> Fault.of("redis-forgets+redis-full")).hasMessageContaining("cannot be combined");
        assertThatThrownBy(() -> Fault.of("sentinel-failover+partition-redis"))
                .hasMessageContaining("cannot be combined");
        assertThatThrownBy(() -> Fault.of("rabbit-restart+rabbit-disk-alarm"))
                .hasMessageContaining("cannot be combined");
        assertThatThrownBy(() -> Fault.of("kafka-restart+rabbit-restart")).hasMessageContaining("cannot be combined");
    }

    @Test
    void combinesOnlyFaultsWithDifferentServersAndTheSameKindOfRedis() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            Fault fault = Fault.randomPair(random);
            assertThat(fault.supports(true) || fault.supports(false))
                    .as(fault.name())
                    .isTrue();
            if (fault.requirements().contains(Requirement.SENTINEL)
                    || fault.requirements().contains(Requirement.CLUSTER)) {
                assertThat(fault.requirements())
                        .as(fault.name())
                        .doesNotContain(Requirement.OWN_REDIS, Requirement.PROXIES);
            }
            assertThat(fault.name()).doesNotContain("redis-restart+redis", "none");
        }
    }
}
