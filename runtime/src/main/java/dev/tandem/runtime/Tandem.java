package dev.tandem.runtime;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskResults;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.queues.FanOutService;
import dev.tandem.runtime.queues.QueueHandlers;
import dev.tandem.runtime.queues.QueueRuntime;
import dev.tandem.runtime.queues.Schedules;
import dev.tandem.runtime.queues.StoreSettings;
import dev.tandem.runtime.schedules.ScheduleMetrics;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.RedisStore;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the tasks of queues in this process with the program's own handlers. Made by {@link #builder} or {@link #connect}. Any
 * number of processes share a queue. Runs until {@link #close}, or until the process is told to end: then it releases what it
 * has, and other processes go on at once. Thread-safe.
 */
public final class Tandem implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Tandem.class);

    private final TandemSettings settings;
    private final RedisStore store;
    private final TaskClient client;
    private final TaskResults results;
    /** Null if the settings say that this process runs no tasks. */
    private final @Nullable QueueRuntime queues;

    /** Null if this process has none. */
    private final @Nullable Schedules schedules;

    private final @Nullable Thread hook;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * @param settings with the queues that this process runs
     * @param all with all queues, to which its tasks may fan out
     * @param client is closed when the program is
     * @param json reads results
     */
    Tandem(
            TandemSettings settings,
            TandemSettings all,
            TaskClient client,
            JsonMapper json,
            QueueHandlers handlers,
            ExecutorMetrics metrics,
            @Nullable Boolean virtualThreads,
            boolean shutdownHook) {
        this.settings = settings;
        this.client = client;
        this.store = StoreSettings.open(settings);
        this.results = new StoredResults(store, json);
        this.queues = settings.executor().enabled() ? queues(all, json, handlers, metrics, virtualThreads) : null;
        this.schedules = queues == null
                ? null
                : Schedules.of(settings, store, client, queues.executorId(), ScheduleMetrics.of(metrics));
        this.hook = shutdownHook ? new Thread(this::close, "tandem-shutdown") : null;
    }

    private QueueRuntime queues(
            TandemSettings all,
            JsonMapper json,
            QueueHandlers handlers,
            ExecutorMetrics metrics,
            @Nullable Boolean virtualThreads) {
        try {
            FanOutService fanOuts = FanOutService.of(all, store, json, metrics);
            return new QueueRuntime(settings, store, handlers, metrics, fanOuts, virtualThreads, null);
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /** Returns a builder for a program that makes its settings itself. Files and variables have no effect on it. */
    public static TandemBuilder builder() {
        return new TandemBuilder(ProgramSettings.ofProgram());
    }

    /**
     * Returns a builder with the settings from the places in which the server looks: {@code application.yml} in the working
     * directory and on the class path, system properties, and variables such as {@code TANDEM_REDIS_URI}.
     */
    public static TandemBuilder connect() {
        return new TandemBuilder(ProgramSettings.ofFiles(null));
    }

    /**
     * Returns a builder with the settings of this file and of the places of {@link #connect()}.
     *
     * @param file YAML or properties, as the server's {@code --config}
     * @throws IllegalArgumentException if there is no such file
     */
    public static TandemBuilder connect(Path file) {
        return new TandemBuilder(ProgramSettings.ofFiles(file));
    }

    /**
     * Returns a builder with the settings of an application that has read its files itself.
     *
     * @param environment is read when the program starts, and not changed
     */
    public static TandemBuilder connect(ConfigurableEnvironment environment) {
        return new TandemBuilder(ProgramSettings.ofEnvironment(environment));
    }

    void start() {
        if (hook != null) {
            Runtime.getRuntime().addShutdownHook(hook);
        }
        if (queues == null) {
            log.warn("This process runs no tasks, because tandem.executor.enabled is 'false'");
        } else {
            queues.start();
        }
        if (schedules != null) {
            schedules.start();
        }
    }

    /**
     * Returns a client that submits tasks to all queues of the settings, those of other programs too. It connects at its first
     * task, and is closed with this program, after the handlers have ended.
     */
    public TaskClient client() {
        return client;
    }

    /** Returns what awaits the results of tasks of all queues of the settings. */
    public TaskResults results() {
        return results;
    }

    /** Returns what this process is doing, and in {@link TandemStatus#problems} what is wrong. Does not wait. */
    public TandemStatus status() {
        return StatusReport.of(settings, queues);
    }

    /** Returns whether tasks of all queues can run. Does not wait. */
    public boolean healthy() {
        return status().healthy();
    }

    /**
     * Releases the queues, so that other processes go on with them at once, and waits for the handlers that run, for {@code
     * tandem.executor.drain-timeout} at most. A second call waits for the first.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            awaitClosed();
            return;
        }
        try {
            removeHook();
            if (schedules != null) {
                schedules.close();
            }
            if (queues != null) {
                queues.stop();
            }
        } finally {
            client.close();
            store.close();
            closed.countDown();
        }
    }

    private void awaitClosed() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void removeHook() {
        if (hook == null || Thread.currentThread() == hook) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            log.debug("The process ends already", e);
        }
    }
}
