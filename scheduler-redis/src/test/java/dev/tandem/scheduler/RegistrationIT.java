package dev.tandem.scheduler;

import static dev.tandem.task.store.Registration.OperatorPause.NO;
import static dev.tandem.task.store.Registration.OperatorPause.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.PortReservations;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.Registration;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Executors that are registered in the store: who sees them, and what they hear. */
class RegistrationIT extends OperatorTestBase {

    /** An executor of one queue, and what it heard of pauses. */
    private record TestExecutor(String id, String queue, List<Registration.OperatorPause> pauses)
            implements Registration.Registrant {

        TestExecutor(String queue) {
            this(UniqueNames.fresh("executor"), queue, new CopyOnWriteArrayList<>());
        }

        @Override
        public Set<String> queues() {
            return Set.of(queue);
        }

        @Override
        public Map<String, Integer> shares() {
            return Map.of(queue, 3);
        }

        @Override
        public Map<String, HandledTypes> handled() {
            return Map.of(queue, new HandledTypes(Set.of("ship"), false));
        }

        @Override
        public void paused(String paused, Registration.OperatorPause isPaused) {
            assertThat(paused).isEqualTo(queue);
            pauses.add(isPaused);
        }
    }

    @Test
    void executorsShareAQueueWithThoseThatAreRegistered() {
        TestExecutor one = new TestExecutor(queue);
        TestExecutor two = new TestExecutor(queue);
        try (RedisStore other = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Registration first = store.register(one)) {
            try (Registration second = other.register(two)) {
                await().untilAsserted(
                                () -> assertThat(first.sharing(queue)).containsExactlyInAnyOrder(one.id(), two.id()));
                assertThat(second.sharing(queue)).containsExactlyInAnyOrder(one.id(), two.id());
                assertThat(second.sharing("another")).isEmpty();
                assertThat(get(store.presence().executors()))
                        .filteredOn(each -> each.id().equals(two.id()))
                        .singleElement()
                        .satisfies(each -> assertThat(each.running()).containsEntry(queue, 3));
            }
            await().untilAsserted(() -> assertThat(first.sharing(queue)).containsExactly(one.id()));
        }
    }

    @Test
    void executorsHearOfPausesUntilTheyLeave() {
        TestExecutor early = new TestExecutor(queue);
        TestExecutor late = new TestExecutor(queue);
        try (Registration first = store.register(early)) {
            await().untilAsserted(() -> assertThat(early.pauses()).containsExactly(NO));
            get(store.admin().pause(queue));
            await().untilAsserted(() -> assertThat(early.pauses()).containsExactly(NO, YES));
            try (Registration second = store.register(late)) {
                await().untilAsserted(() -> assertThat(late.pauses()).containsExactly(YES));
            }
            get(store.admin().resume(queue));
            await().untilAsserted(() -> assertThat(early.pauses()).containsExactly(NO, YES, NO));
            assertThat(late.pauses()).containsExactly(YES);
        }
    }

    @Test
    void executorThatRegistersWithoutRedisHearsOfAPauseOnceItIsThere() {
        int port = PortReservations.reserve();
        TestExecutor patient = new TestExecutor(queue);
        try (RedisStore absent = RedisStore.open(RedisSettings.of("redis://127.0.0.1:" + port));
                Registration registration = absent.register(patient)) {
            assertThat(registration.sharing(queue)).isEmpty();
            assertThat(patient.pauses()).isEmpty();
            try (LocalRedis redis =
                    Brokers.orSkip(() -> LocalRedis.builder().port(port).start())) {
                assertThat(redis.isRunning()).isTrue();
                await().untilAsserted(() -> assertThat(patient.pauses()).containsExactly(NO));
                await().untilAsserted(
                                () -> assertThat(registration.sharing(queue)).containsExactly(patient.id()));
            }
        }
    }

    /** A heartbeat is on its way when the executor leaves. */
    @Test
    void executorThatLeavesIsNotRegisteredAgainByItsLastHeartbeat() throws Exception {
        try (LocalRedis redis = Brokers.orSkip(() -> LocalRedis.builder().start());
                RedisStore other = RedisStore.open(RedisSettings.of(redis.address()));
                RedisClient client = RedisClient.create(redis.address());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            TestExecutor leaving = new TestExecutor(queue);
            Registration registration = other.register(leaving);
            await().until(() -> get(other.presence().liveIds()).contains(leaving.id()));
            tellClients(connection, "PAUSE", "60000", "WRITE");
            await("a heartbeat that Redis has and does not take")
                    .until(() -> connection.sync().clientList().lines().anyMatch(RegistrationIT::isBlocked));

            Thread leave = new Thread(registration::close, "leave");
            leave.start();
            await("the executor to wait for Redis").until(() -> leave.getState() == Thread.State.TIMED_WAITING);
            tellClients(connection, "UNPAUSE");
            leave.join();

            assertThat(get(other.presence().liveIds())).isEmpty();
        }
    }

    private static void tellClients(StatefulRedisConnection<String, String> connection, String... words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        List.of(words).forEach(arguments::add);
        connection.sync().dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    /** Returns whether a line of CLIENT LIST is of a client whose command waits. */
    private static boolean isBlocked(String line) {
        return line.matches(".* flags=\\w*b\\w* .*");
    }
}
