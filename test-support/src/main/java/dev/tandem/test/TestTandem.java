package dev.tandem.test;

import dev.tandem.api.Durations;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.client.TransactionBoundary;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.runtime.TandemProgram;
import dev.tandem.runtime.settings.TandemSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the handlers of a program in its tests, without brokers, by the rules of production: order by key, retries, delays,
 * limits and timeouts. Time stands still until {@link #advance}. Each queue runs one task at a time, unless {@link
 * #concurrency} says otherwise, and delays between attempts have no jitter, so a test has the same course every time.
 *
 * <pre>{@code
 * try (TestTandem tandem = TestTandem.start(program)) {
 *     tandem.client().submit(TaskRequest.of("orders", "ship", new Ship("o-7", 2)).with(delay("5m")));
 *     tandem.advance("5m");
 *     tandem.assertThat("ship").succeeded().attempts(1);
 * }
 * }</pre>
 *
 * <p>Tasks run in the background as soon as they are due. {@link #advance}, {@link #runDue}, {@link #tasks} and {@link
 * #assertThat} wait until all that is due has run. To be used by one thread; the client by any.
 */
public final class TestTandem implements AutoCloseable {

    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);

    private final TandemSettings settings;
    private final JsonMapper json;
    private final TandemClient client;
    private @Nullable TandemProgram program;
    private int concurrency = 1;
    private Duration patience = DEFAULT_PATIENCE;
    private volatile TestSession session;

    TestTandem(
            TandemSettings settings,
            JsonMapper json,
            List<SubmitInterceptor> interceptors,
            TransactionBoundary transactions) {
        this.settings = settings;
        this.json = json;
        this.session = newSession();
        TandemClientBuilder builder = TandemClient.builder().json(json).transactions(transactions);
        MemoryPublisher publisher = new MemoryPublisher(task -> session.publish(task), () -> session.now());
        settings.queues().forEach((name, queue) -> builder.queue(name, queue.ordered(), publisher));
        interceptors.forEach(builder::interceptor);
        this.client = builder.build(clock());
    }

    /**
     * Returns a builder of a program that has its settings from the test alone. Its queues have an order by key. {@link
     * #start(TandemBuilder)} runs it.
     */
    public static TandemBuilder program() {
        // Nothing connects to it. With it, queues need no more than their names.
        return Tandem.builder().kafka("no-broker:9092");
    }

    /**
     * Runs a program, without connecting to what its settings name.
     *
     * @throws dev.tandem.runtime.settings.SettingsException as the program itself would
     */
    public static TestTandem start(TandemBuilder builder) {
        return start(builder.program());
    }

    /** Runs a program, as {@link #start(TandemBuilder)}. */
    public static TestTandem start(QueueBuilder builder) {
        return start(builder.program());
    }

    private static TestTandem start(TandemProgram program) {
        TestTandem tandem =
                new TestTandem(program.all(), program.json(), program.submitInterceptors(), TransactionBoundary.NONE);
        tandem.run(program);
        return tandem;
    }

    /** Runs a program from now on, and forgets everything before. */
    void run(@Nullable TandemProgram next) {
        program = next;
        restart();
    }

    private TestSession newSession() {
        // The time of the machine, so that it fits what the application takes from there.
        return new TestSession(
                settings, program, () -> client, Instant.now().truncatedTo(ChronoUnit.SECONDS), concurrency, patience);
    }

    private void restart() {
        session.close();
        session = newSession();
    }

    /**
     * Sets how many tasks of each queue may run at once, and forgets everything before. Default: 1.
     *
     * @param value 1 or more
     */
    public TestTandem concurrency(int value) {
        concurrency = value;
        restart();
        return this;
    }

    /**
     * Sets how long the test waits for handlers that are due, by the clock of the machine, and forgets everything before.
     * Default: 10 s.
     */
    public TestTandem patience(Duration value) {
        patience = value;
        restart();
        return this;
    }

    /** Returns a client that submits to all queues of the settings. */
    public TaskClient client() {
        return client;
    }

    /** Returns the time of the test. */
    public Instant now() {
        return session.now();
    }

    /** Returns the clock of the test, for objects of the application. */
    public InstantSource clock() {
        return () -> session.now();
    }

    /**
     * Moves the clock forward, and runs everything that falls due on the way at its own time: delayed tasks, retries, and what
     * they submit.
     *
     * @param duration such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 7d} or {@code PT5M}
     * @throws IllegalStateException if a handler runs on for longer than the patience of this test and has no timeout within
     *     the duration; the message shows where it is
     */
    public TestTandem advance(String duration) {
        return advance(Durations.parse("duration", duration));
    }

    /** Moves the clock forward, as {@link #advance(String)}. */
    public TestTandem advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("The duration is " + duration + ": the clock does not go back");
        }
        session.advanceTo(now().plus(duration).toEpochMilli());
        return this;
    }

    /** Runs everything that is due now. Returns when no handler runs any more. */
    public TestTandem runDue() {
        session.runDue();
        return this;
    }

    /** Returns all tasks that were submitted, in that order, once everything that is due has run. */
    public List<TestedTask> tasks() {
        runDue();
        return session.log().tasks();
    }

    /** Returns the tasks of one type that were submitted, in that order, once everything that is due has run. */
    public List<TestedTask> tasks(String type) {
        return tasks().stream().filter(each -> type.equals(each.type())).toList();
    }

    /** Begins assertions about the tasks of one type, once everything that is due has run. */
    public TasksAssert assertThat(String type) {
        List<TestedTask> all = tasks();
        List<TestedTask> ran = session.log().succeeded();
        return new TasksAssert("type '" + type + "'", all, ran, each -> type.equals(each.type()), json);
    }

    /** Begins assertions about all tasks, once everything that is due has run. */
    public TasksAssert assertThatTasks() {
        List<TestedTask> all = tasks();
        return new TasksAssert("any type", all, session.log().succeeded(), each -> true, json);
    }

    /** Forgets all tasks, and sets the clock to the time of the machine. The handlers stay. */
    public void reset() {
        restart();
    }

    /** Ends the program. Handlers that still run are interrupted. */
    @Override
    public void close() {
        client.close();
        session.close();
    }
}
