package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.KeepClaims;
import dev.tandem.task.store.StoreRequest.Release;
import dev.tandem.task.store.StoreRequest.SettleLate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Examples of the core: one executor owns a partition, and what becomes of its runs when it does not any more. */
class OwnershipTest {

    @Test
    void deliveriesBeginWhenTheStoreHasMadeItTheOwner() {
        CoreScript core = CoreScript.log().assigned();
        core.storeStalls();

        core.connects();
        assertThat(core.isOpen()).isFalse();

        core.storeAnswers();
        assertThat(core.isOpen()).isTrue();
    }

    @Test
    void aFencedOwnerRewinds() {
        CoreScript core = CoreScript.log().owns();
        CoreScript other = core.anotherExecutor().owns();

        core.delivers("k0");

        assertThat(core.running()).isEmpty();
        assertThat(core.rewinds()).isEqualTo(1);
        // The broker says that the partition is still the first executor's, with a newer generation than the other's.
        assertThat(core.sent(Acquire.class)).hasSize(2);
        core.delivers("k0");
        assertThat(core.running()).containsExactly("k0");
        assertThat(other.running()).isEmpty();
    }

    @Test
    void aRevokedPartitionIsReleasedAfterItsOutcomes() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeStalls();
        core.succeeds("k0");

        core.revoked();
        assertThat(core.sent(Release.class)).isEmpty();
        assertThat(core.hasLeft()).isFalse();

        core.storeAnswers();
        assertThat(core.committed()).isEqualTo(1);
        assertThat(core.sent(Release.class)).hasSize(1);
        assertThat(core.hasLeft()).isTrue();
    }

    @Test
    void aLateOutcomeIsSentByToken() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        long token = core.run("k0").token();

        core.lost();
        core.succeeds("k0");

        assertThat(core.lastSent(SettleLate.class).settle().token()).isEqualTo(token);
        assertThat(core.store().isSettled(0)).isTrue();
    }

    @Test
    void aRunOfALostPartitionKeepsItsClaim() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");

        core.lost();
        core.passes(2 * SETTINGS.leaseMillis());

        assertThat(core.sent(KeepClaims.class)).isNotEmpty();
        assertThat(core.mayBegin("k0")).isTrue();
        assertThat(core.store().claim(at(0)).executor()).isEqualTo("executor-1");
    }

    @Test
    void allRunsOfALostPartitionKeepTheirClaims() {
        int runs = 1_200;
        CoreScript core = CoreScript.log(QueuePolicy.ordered(runs)).owns();
        String[] names = IntStream.range(0, runs).mapToObj(i -> "" + i).toArray(String[]::new);
        core.delivers(names);
        assertThat(core.running()).hasSize(runs);

        core.lost();
        core.passes(2 * SETTINGS.leaseMillis());

        assertThat(names).allMatch(core::mayBegin);
    }

    @Test
    void aKeyWaitsForItsRunInAnotherExecutor() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("k0", "x1");
        former.lost();

        CoreScript core = former.anotherExecutor().owns();
        core.delivers("k0", "x1", "k2", "y3");
        assertThat(core.running()).containsExactly("y3");

        former.succeeds("k0");
        core.passes(SETTINGS.renewMillis());
        assertThat(core.running()).containsExactly("y3", "k2");
    }

    @Test
    void aTaskOfADeadExecutorRunsAgainWithItsNextAttempt() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("k0", "k1");
        former.dies();

        CoreScript core = former.anotherExecutor().owns();
        core.delivers("k0", "k1");
        assertThat(core.running()).isEmpty();

        core.passes(SETTINGS.leaseMillis() + SETTINGS.renewMillis());
        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(2);
        assertThat(core.run("k0").lapses()).isEqualTo(1);
    }

    @Test
    void tokensOfAKeyGrowWhenItMovesBetweenPartitions() {
        CoreScript older = CoreScript.log().owns();
        older.passes(SETTINGS.leaseMillis());
        CoreScript younger = older.anotherExecutorOf(CoreScript.OTHER_PARTITION).owns();
        older.passes(SETTINGS.leaseMillis() + SETTINGS.renewMillis());

        List<Long> tokens = new ArrayList<>();
        for (String task : List.of("k0", "k1", "k2")) {
            for (CoreScript core : List.of(older, younger)) {
                core.delivers(task);
                tokens.add(core.run(task).token());
                core.succeeds(task);
                core.passes(1);
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aRestartedStoreIsQuietForALease() {
        CoreScript former = CoreScript.log().owns();
        former.redisRestarts();
        former.dies();

        CoreScript core = former.anotherExecutor().owns();
        core.delivers("k0");
        core.passes(SETTINGS.leaseMillis() - 1);
        assertThat(core.running()).isEmpty();

        core.passes(1);
        assertThat(core.running()).containsExactly("k0");
    }

    @Test
    void whatWaitedInALostPartitionIsLeftToItsNextOwner() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("k0", "k1");
        former.lost();
        former.succeeds("k0");
        assertThat(former.running()).isEmpty();

        CoreScript next = former.anotherExecutor().owns();
        next.delivers("k0", "k1");
        assertThat(next.running()).containsExactly("k1");
    }
}
