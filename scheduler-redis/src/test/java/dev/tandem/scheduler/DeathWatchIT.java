package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.ProcessRegistry.Hold;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Executors that are proven dead, and executors with fixed names. */
class DeathWatchIT extends OperatorTestBase {

    private static final long LEASE = 60_000;

    private final String name = UniqueNames.fresh("name");

    @Test
    void theLeasesOfADeadExecutorEndAtOnce() throws Exception {
        claim(0, "k");
        StoreRequest.RenewLeases renewal =
                new StoreRequest.RenewLeases(owner.header(), TestOwner.LEASE, List.of(), new long[0]);
        try (DeathWatch deaths = deathWatch("executor-two")) {
            TestOwner next = new TestOwner(store, partition, "executor-two");
            next.ask(next.acquireRequest(List.of()), StoreAnswer.Refused.class);

            get(deaths.declareDead("executor-one", Set.of(queue), "the test says so"));

            owner.ask(renewal, StoreAnswer.Fenced.class);
            StoreAnswer.Acquired acquired = next.acquire();
            assertThat(acquired.otherClaims()).hasSize(1);
            assertThat(acquired.epoch()).isGreaterThan(owner.token);
            assertThat(patrol(next).returned()).isEqualTo(1);
        }
    }

    @Test
    void theOwnerIsWokenForTheClaimsOfADeadFormerOwner() throws Exception {
        claim(0, "k");
        TestOwner next = new TestOwner(store, partition, "executor-two");
        owner.ask(new StoreRequest.Release(owner.header()), StoreAnswer.Ok.class);
        next.acquire();
        int wakes = next.wakes.get();
        try (DeathWatch deaths = deathWatch("executor-three")) {
            get(deaths.declareDead("executor-one", Set.of(queue), "the test says so"));

            await("the wake").until(() -> next.wakes.get() > wakes);
            assertThat(patrol(next).returned()).isEqualTo(1);
            next.renew();
        }
    }

    @Test
    void nothingEndsForAnotherExecutor() throws Exception {
        claim(0, "k");
        try (DeathWatch deaths = deathWatch("executor-two")) {
            get(deaths.declareDead("executor-on", Set.of(queue), "the test says so"));

            TestOwner next = new TestOwner(store, partition, "executor-two");
            next.ask(next.acquireRequest(List.of()), StoreAnswer.Refused.class);
            assertThat(patrol(owner).returned()).isZero();
        }
    }

    @Test
    void aRegisteredProcessIsForgottenInTime() throws Exception {
        HostProcess process = new HostProcess(UniqueNames.fresh("host"), 1, 2);
        AdminConnection redis = store.adminConnection();
        byte[] key = redis.keys().processes(process.host());

        get(store.processes().register("executor-one", process, Set.of(queue)));

        assertThat(get(store.processes().processes(process.host()))).containsOnlyKeys("executor-one");
        assertExpires(key);
        // As a process of an earlier version may have left it that died between its two commands.
        get(redis.run(commands -> commands.persist(key)));
        get(store.processes().register("executor-two", process, Set.of(queue)));
        assertExpires(key);
        assertThat(get(store.processes().processes(process.host()))).containsKeys("executor-one", "executor-two");
    }

    @Test
    void aSilentPredecessorOfOneNameIsDead() throws Exception {
        get(store.processes().hold(name, "executor-one", Hold.TAKE, ""));
        Names events = new Names();
        try (DeathWatch deaths = deathWatch("executor-two");
                FixedName second = store.fixedName(deaths, name, "executor-two", LEASE, events)) {
            second.start();
            assertThat(events.next("held")).isEqualTo("held");

            new TestOwner(store, partition, "executor-two").acquire();
            assertThat(get(store.processes().hold(name, "executor-one", Hold.KEEP, ""))
                            .executor())
                    .as("what the first one finds")
                    .isEqualTo("executor-two");
        }
    }

    @Test
    void aLivingHolderKeepsItsNameAndItsLeases() throws Exception {
        Names ofFirst = new Names();
        Names ofSecond = new Names();
        try (DeathWatch deaths = deathWatch("executor-two");
                FixedName second = store.fixedName(deaths, name, "executor-two", LEASE, ofSecond)) {
            try (FixedName first = store.fixedName(deaths, name, "executor-one", LEASE, ofFirst)) {
                first.start();
                assertThat(ofFirst.next("held")).isEqualTo("held");
                second.start();
                // For longer than a holder may be silent.
                for (int i = 0; i < 10; i++) {
                    assertThat(ofSecond.next("")).isEqualTo("waiting executor-one");
                }
            }
            assertThat(ofSecond.next("held")).isEqualTo("held");

            TestOwner next = new TestOwner(store, partition, "executor-two");
            next.ask(next.acquireRequest(List.of()), StoreAnswer.Refused.class);
        }
    }

    @Test
    void silenceAfterALifeTogetherProvesNothing() throws Exception {
        get(store.processes().hold(name, "executor-one", Hold.TAKE, ""));
        Names events = new Names();
        try (DeathWatch deaths = deathWatch("executor-two");
                FixedName second = store.fixedName(deaths, name, "executor-two", LEASE, events)) {
            second.start();
            events.next("waiting executor-one");
            get(store.processes().hold(name, "executor-one", Hold.KEEP, ""));
            await("silence")
                    .until(() -> get(store.processes().hold(name, "executor-three", Hold.KEEP, ""))
                                    .silentMillis()
                            > 2 * FixedName.SILENT_MILLIS);
            assertThat(events.all).doesNotContain("held");
        }
    }

    private void assertExpires(byte[] key) throws Exception {
        Long left = get(store.adminConnection().run(commands -> commands.pttl(key)));
        assertThat(left).isBetween(1L, ProcessRegistry.KEPT_MILLIS);
    }

    private DeathWatch deathWatch(String executor) {
        return store.deathWatch(executor, Set.of(queue), dead -> {});
    }

    private static StoreAnswer.LeasesExpired patrol(TestOwner of) {
        return of.ask(new StoreRequest.ExpireLeases(of.header(), 10, 0, true), StoreAnswer.LeasesExpired.class);
    }

    /** Records the events of a fixed name. */
    private static final class Names implements FixedName.Listener {
        final List<String> all = new CopyOnWriteArrayList<>();
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        /** Returns the next event; the next one that is wanted, unless that is "". */
        String next(String wanted) throws InterruptedException {
            String event = events.poll(60, TimeUnit.SECONDS);
            while (event != null && !wanted.isEmpty() && !event.equals(wanted)) {
                event = events.poll(60, TimeUnit.SECONDS);
            }
            return event;
        }

        private void add(String event) {
            all.add(event);
            events.add(event);
        }

        @Override
        public void held() {
            add("held");
        }

        @Override
        public void waiting(String holder) {
            add("waiting " + holder);
        }

        @Override
        public void lost(String holder) {
            add("lost " + holder);
        }
    }
}
