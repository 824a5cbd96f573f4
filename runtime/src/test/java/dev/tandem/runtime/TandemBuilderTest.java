package dev.tandem.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.api.Handler;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTracing;
import dev.tandem.api.TracingMode;
import dev.tandem.runtime.settings.LimitSettings;
import dev.tandem.runtime.settings.RateLimitSettings;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is refused before anything is started, and of the status where no broker answers. */
class TandemBuilderTest {

    record Ship(String order, int items) {}

    /** Nobody listens there. */
    private static final String NOWHERE = "127.0.0.1:1";

    private static final String UNSOURCED =
            "tandem.queues.orders is not set: the program has handlers for this queue: set"
                    + " its source, kafka or rabbit";

    @TempDir
    private Path folder;

    private Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), yaml);
    }

    private static QueueBuilder orders(TandemBuilder tandem) {
        return tandem.queue("orders").handler("ship", Ship.class, (ship, task) -> {});
    }

    private static List<String> problems(QueueBuilder builder) {
        SettingsException thrown = catchThrowableOfType(SettingsException.class, builder::start);
        assertThat(thrown).as("a refusal").isNotNull();
        return thrown.problems();
    }

    @Test
    void aQueueThatTheSettingsDoNotHaveIsRefused() throws IOException {
        Path file = file("tandem.queues: { order: { source: kafka }, mail: { source: rabbit } }");

        assertThat(problems(orders(Tandem.connect(file))))
                .containsExactly("tandem.queues.orders is not set: the program has handlers for this queue: set its"
                        + " source, kafka or rabbit, or name one of order, mail (" + file.getFileName()
                        + ", near line 1)");
    }

    @Test
    void aProgramThatNamesNoBrokerIsToldHow() {
        assertThat(problems(orders(Tandem.builder())))
                .singleElement()
                .asString()
                .startsWith("tandem.queues.orders.source is not set: the program names no broker for this queue: call"
                        + " kafka(\"localhost:9092\") or rabbit(\"amqp://localhost\")");
    }

    @Test
    void limitsOfTheProgramAreThoseOfTheSettings() {
        TandemSettings settings = orders(Tandem.builder()
                        .kafka(NOWHERE)
                        .redis("redis://" + NOWHERE)
                        .limit(
                                "erp.eu",
                                each -> each.maxRunning(5).queues("orders").types("export", "report, daily"))
                        .rateLimit(
                                "mail",
                                each -> each.rate("100/s")
                                        .burst(20)
                                        .perHeader("tenant")
                                        .keys("acme-*")))
                .program()
                .all();

        assertThat(settings.limits())
                .containsOnly(Map.entry(
                        "erp.eu",
                        new LimitSettings(5, List.of("orders"), List.of("export", "report, daily"), List.of())));
        assertThat(settings.rateLimits())
                .containsOnly(Map.entry(
                        "mail",
                        new RateLimitSettings("100/s", 20, "header:tenant", List.of(), List.of(), List.of("acme-*"))));
    }

    @Test
    void aLimitWithoutANumberIsRefused() {
        assertThat(problems(orders(Tandem.builder().kafka(NOWHERE).limit("erp", each -> each.types("export")))))
                .anyMatch(problem -> problem.startsWith("tandem.limits.erp.max-running"));
    }

    interface Shape {}

    @Test
    void aTypeThatNoPayloadCanBeReadAsIsRefused() {
        QueueBuilder shapes =
                Tandem.builder().kafka(NOWHERE).queue("orders").handler("draw", Shape.class, (shape, task) -> {});

        assertThatThrownBy(shapes::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The handler for type 'draw' of queue 'orders': no payload can be read as "
                        + Shape.class.getName())
                .hasMessageContaining("Use a record");
    }

    @Test
    void aHostedHandlerIsRefused() throws IOException {
        Path file = file("tandem.queues.orders: { source: kafka, handler: http }");

        assertThat(problems(orders(Tandem.connect(file))))
                .containsExactly("tandem.queues.orders.handler is 'http': hosted handlers run only in ./tandem server;"
                        + " in this program it must be a type that has a handler, ship, or be left out; no handler"
                        + " runs tasks without a type then (tandem.yml, line 1)");
    }

    @Test
    void aDefaultTypeWithoutAHandlerIsRefused() {
        TandemBuilder tandem = Tandem.builder().kafka(NOWHERE);

        assertThat(problems(orders(tandem).defaultType("shipp")))
                .singleElement()
                .asString()
                .startsWith("tandem.queues.orders.handler is 'shipp': in this program it must be a type that has a"
                        + " handler, ship")
                .endsWith("(set in the program)");
    }

    @Test
    void settingsOfTheProgramAreCheckedLikeThoseOfFiles() {
        TandemBuilder tandem = Tandem.builder().kafka("localhost").redis("localhost:6379");

        assertThat(problems(orders(tandem).setting("concurrncy", "8")))
                .as("all in one round")
                .satisfiesExactly(
                        problem -> assertThat(problem)
                                .isEqualTo("tandem.queues.orders.concurrncy is '8': there is no such setting; did you"
                                        + " mean tandem.queues.orders.concurrency? (set in the program)"),
                        problem -> assertThat(problem).startsWith("tandem.kafka.bootstrap-servers is 'localhost':"),
                        problem -> assertThat(problem).startsWith("tandem.redis.uri is 'localhost:6379':"));
    }

    @Test
    void aQueueNeedsABroker() {
        assertThat(problems(orders(Tandem.builder().kafka(NOWHERE).rabbit("amqp://" + NOWHERE))))
                .containsExactly(UNSOURCED);
    }

    @Test
    void handlersThatCannotWorkAreRefusedWhereTheyAreWritten() {
        QueueBuilder orders = orders(Tandem.builder());

        assertThatThrownBy(() -> orders.handler("ship", String.class, (text, task) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Queue 'orders' has two handlers for type 'ship': leave one out");
        assertThatThrownBy(() ->
                        orders.handler("send", String.class, (text, task) -> {}, HandlerOptions.NONE.withAlias("ship")))
                .hasMessageContaining("two handlers for type 'ship'");
        assertThat(problems(Tandem.builder().kafka(NOWHERE).queue("orders")))
                .anySatisfy(problem -> assertThat(problem).contains("has no handler for it"));
        assertThatThrownBy(Tandem.builder()::start)
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("tandem.queues is not set: the program has no handler");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> Tandem.connect(folder.resolve("missing.yml")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing.yml");
    }

    @Test
    void theStatusNamesTheSettingsOfBrokersThatDoNotAnswer() throws IOException {
        Path file = file("""
                tandem:
                  redis.uri: redis://127.0.0.1:1
                  queues:
                    orders: { source: kafka, topic: shipments }
                    mail: { source: rabbit, handler: http, http.url: "http://localhost:9000" }
                """);
        try (Tandem tandem = orders(Tandem.connect(file).kafka(NOWHERE)).start()) {
            TandemStatus status = tandem.status();

            assertThat(tandem.healthy()).isFalse();
            assertThat(status.problems())
                    .anySatisfy(problem -> assertThat(problem).startsWith("tandem.redis.uri: "))
                    .anySatisfy(problem -> assertThat(problem).startsWith("tandem.kafka.bootstrap-servers: "));
            assertThat(status.queues())
                    .extracting(TandemStatus.QueueState::name)
                    .containsExactly("orders");
        }
    }

    @Test
    void aProcessThatShallRunNoTasksRunsNone() throws IOException {
        Path file = file("""
                tandem:
                  executor.enabled: false
                  redis.uri: redis://127.0.0.1:1
                  queues.orders.source: kafka
                """);
        try (Tandem tandem = orders(Tandem.connect(file)).start()) {
            assertThat(tandem.status().queues()).isEmpty();
        }
    }

    /** Knows what it was told. */
    private record FakeTracing(TracingMode mode, boolean keys, boolean logContext) implements TaskTracing {

        @Override
        public TaskTracing withMode(TracingMode value) {
            return new FakeTracing(value, keys, logContext);
        }

        @Override
        public TaskTracing withKeys(boolean value) {
            return new FakeTracing(mode, value, logContext);
        }

        @Override
        public TaskTracing withLogContext(boolean value) {
            return new FakeTracing(mode, keys, value);
        }

        @Override
        public Result around(TaskContext task, Handler next) throws Exception {
            return next.handle(task);
        }

        @Override
        public TaskRef<?> around(TaskRequest<?> task, Next next) {
            return next.submit(task);
        }
    }

    @Test
    void tracingIsOutsideOfOtherInterceptorsAndDoesWhatTheSettingsSay() {
        SubmitInterceptor own = (task, next) -> next.submit(task);
        TandemBuilder tandem = Tandem.builder()
                .kafka(NOWHERE)
                .submitInterceptor(own)
                .tracing(new FakeTracing(TracingMode.LINK, true, true))
                .setting("tandem.tracing.mode", "child")
                .setting("tandem.log.keys", "false");

        assertThat(orders(tandem).program().submitInterceptors())
                .containsExactly(new FakeTracing(TracingMode.CHILD, false, true), own);
    }

    @Test
    void tracingThatIsSwitchedOffLeavesNothingBehind() {
        TandemBuilder tandem = Tandem.builder()
                .kafka(NOWHERE)
                .tracing(new FakeTracing(TracingMode.LINK, true, true))
                .setting("tandem.tracing.mode", "off");

        assertThat(orders(tandem).program().submitInterceptors()).isEmpty();
    }
}
