package dev.tandem.verify.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Names of faults, and which of them can strike together. */
class FaultTest {

    @Test
    void everyFaultIsFoundByItsNameAndSaysWhatItDoes() {
        assertThat(Fault.all()).extracting(Fault::name).doesNotHaveDuplicates();
        for (Fault fault : Fault.all()) {
            assertThat(Fault.of(fault.name())).isEqualTo(fault);
            assertThat(fault.about()).isNotBlank();
            assertThat(fault.suits(true) || fault.suits(false)).as(fault.name()).isTrue();
        }
        assertThat(Fault.of("freeze+redis-full").needs()).containsExactly(Requirement.OWN_REDIS);
    }

    @Test
    void anUnknownNameIsAnsweredWithTheKnownOnes() {
        assertThatThrownBy(() -> Fault.of("kill+flood"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("There is no fault 'flood', only none, kill, freeze");
    }

    @Test
    void whatCannotStrikeTogetherIsRefused() {
        assertThatThrownBy(() -> Fault.of("redis-forgets+redis-full")).hasMessageContaining("can't strike at once");
        assertThatThrownBy(() -> Fault.of("sentinel-failover+partition-redis"))
                .hasMessageContaining("can't strike at once");
        assertThatThrownBy(() -> Fault.of("rabbit-restart+rabbit-disk-alarm"))
                .hasMessageContaining("can't strike at once");
        assertThatThrownBy(() -> Fault.of("kafka-restart+rabbit-restart")).hasMessageContaining("can't strike at once");
    }

    @Test
    void noTwoThatTakeTheSameServerDownOrNeedAnotherRedisStrikeTogether() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            Fault fault = Fault.anyTwo(random);
            assertThat(fault.suits(true) || fault.suits(false)).as(fault.name()).isTrue();
            if (fault.needs().contains(Requirement.SENTINEL) || fault.needs().contains(Requirement.CLUSTER)) {
                assertThat(fault.needs()).as(fault.name()).doesNotContain(Requirement.OWN_REDIS, Requirement.WAYS);
            }
            assertThat(fault.name()).doesNotContain("redis-restart+redis", "none");
        }
    }
}
