package dev.tandem.spring;

import dev.tandem.api.Interceptor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.runtime.TandemStarter;
import dev.tandem.runtime.TandemStatus;
import dev.tandem.runtime.settings.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.SmartLifecycle;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the application's tasks between the start and the stop of its context. Starts last and stops first, so that handlers
 * end while everything that they use is there. Thread-safe.
 */
final class TandemLifecycle implements SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(TandemLifecycle.class);

    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

    private final StartCheck check;
    private final SettingsEnvironment environment;
    private final JsonMapper json;
    private final List<Interceptor> interceptors;
    private final Function<Wiring, ExecutorMetrics> metrics;
    private final boolean virtualThreads;
    private final TandemStarter starter;
    private volatile @Nullable AutoCloseable tandem;
    private volatile boolean running;

    TandemLifecycle(
            StartCheck check,
            SettingsEnvironment environment,
            JsonMapper json,
            List<Interceptor> interceptors,
            Function<Wiring, ExecutorMetrics> metrics,
            boolean virtualThreads,
            TandemStarter starter) {
        this.check = check;
        this.environment = environment;
        this.json = json;
        this.interceptors = interceptors;
        this.metrics = metrics;
        this.virtualThreads = virtualThreads;
        this.starter = starter;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        Wiring wiring = check.wiring();
        if (wiring.runsTasks()) {
            warnOfShortStop(wiring.settings().executor().drainTimeout());
            TandemBuilder builder = Tandem.connect(environment.get())
                    .json(json)
                    .metrics(metrics.apply(wiring))
                    .virtualThreads(virtualThreads)
                    .shutdownHook(false);
            interceptors.forEach(builder::interceptor);
            wiring.handlers()
                    .forEach(each -> builder.queue(each.queue()).handler(each.type(), each.handler(), each.options()));
            tandem = starter.start(builder);
        }
        running = true;
    }

    private void warnOfShortStop(Duration drain) {
        Duration phase = Binder.get(environment.get())
                .bind(PHASE_TIMEOUT, Duration.class)
                .orElse(Duration.ofSeconds(30));
        if (drain.compareTo(phase) >= 0) {
            log.warn(
                    "tandem.executor.drain-timeout is {} and {} is {}: other parts of this application stop while its"
                            + " handlers still run. Make the first one shorter",
                    DurationText.of(drain),
                    PHASE_TIMEOUT,
                    DurationText.of(phase));
        }
    }

    /** Returns at once, so that others of the same phase stop meanwhile. */
    @Override
    public void stop(Runnable callback) {
        new Thread(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        },
                        "tandem-stop")
                .start();
    }

    @Override
    public synchronized void stop() {
        AutoCloseable stopping = tandem;
        tandem = null;
        running = false;
        if (stopping != null) {
            close(stopping);
        }
    }

    private static void close(AutoCloseable stopping) {
        try {
            stopping.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The tasks of this application could not be stopped", e);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Waits for a stop that takes longer than the phase may, since the beans that handlers use are destroyed next. */
    @Override
    public void destroy() {
        stop();
    }

    /** Returns what this process does; null while it runs no tasks. */
    @Nullable
    TandemStatus status() {
        return tandem instanceof Tandem running ? running.status() : null;
    }
}
