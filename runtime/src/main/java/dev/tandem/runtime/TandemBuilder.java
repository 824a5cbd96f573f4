package dev.tandem.runtime;

import dev.tandem.api.Interceptor;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskTracing;
import dev.tandem.api.TracingMode;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.queues.QueueClients;
import dev.tandem.runtime.queues.QueueHandlers;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Collects the settings and handlers of a {@link Tandem}. Not thread-safe. */
public final class TandemBuilder {

    private static final Logger log = LoggerFactory.getLogger(Tandem.class);

    private final ProgramSettings settings;
    private final Map<String, QueueBuilder> queues = new LinkedHashMap<>();
    private final List<Interceptor> interceptors = new ArrayList<>();
    private final List<SubmitInterceptor> submitInterceptors = new ArrayList<>();
    private final Map<String, RecurringBuilder> recurring = new LinkedHashMap<>();
    private JsonMapper json = JsonMapper.builder().build();
    private ExecutorMetrics metrics = ExecutorMetrics.NONE;
    private @Nullable TaskTracing tracing;
    private @Nullable Boolean virtualThreads;
    private boolean shutdownHook = true;

    TandemBuilder(ProgramSettings settings) {
        this.settings = settings;
    }

    /** Sets where Kafka is: {@code host:port}, several separated by commas. Same as {@code tandem.kafka.bootstrap-servers}. */
    public TandemBuilder kafka(String bootstrapServers) {
        settings.kafka(bootstrapServers);
        return this;
    }

    /** Sets where RabbitMQ is, such as {@code amqp://user:password@host:5672}. Same as {@code tandem.rabbit.uri}. */
    public TandemBuilder rabbit(String uri) {
        settings.rabbit(uri);
        return this;
    }

    /** Sets where Redis is, such as {@code redis://host:6379}. Same as {@code tandem.redis.uri}. */
    public TandemBuilder redis(String uri) {
        settings.set("tandem.redis.uri", uri);
        return this;
    }

    /**
     * Sets any setting. It counts more than the same one in a file.
     *
     * @param name the full name, such as {@code tandem.executor.concurrency}
     * @param value as it would be written in a file
     */
    public TandemBuilder setting(String name, String value) {
        settings.set(name, value);
        return this;
    }

    /**
     * Returns the builder of a queue's handlers. This process runs the tasks of the queues that are named here, and of no
     * others. Called again with the same name, returns the same builder.
     *
     * @param name the queue's name, as in the settings. Where the program makes its settings itself, a name is enough: all
     *     else has defaults, and the broker is the one that {@link #kafka} or {@link #rabbit} names
     */
    public QueueBuilder queue(String name) {
        return queues.computeIfAbsent(name, none -> new QueueBuilder(this, settings, name));
    }

    /**
     * Adds a schedule: a task that is submitted again and again, by this process or another one with the same schedule.
     *
     * @param id names the schedule in all processes
     * @param describe says when, and which task: {@code each -> each.queue("reports").type("daily").cron("0 30 2 * * *")}
     * @throws IllegalArgumentException if the id was given before
     */
    public TandemBuilder recurring(String id, Consumer<RecurringBuilder> describe) {
        RecurringBuilder schedule = new RecurringBuilder(id);
        if (recurring.putIfAbsent(id, schedule) != null) {
            throw new IllegalArgumentException(
                    "The program has two schedules '" + id + "': rename one, or leave it out");
        }
        describe.accept(schedule);
        return this;
    }

    /**
     * Adds a limit of the tasks that run at once in all executors together. Same as the settings under {@code tandem.limits}.
     *
     * @param name the same in all programs. Limits of one name are one limit
     * @param describe says how many, and which tasks: {@code each -> each.maxRunning(5).types("export")}
     */
    public TandemBuilder limit(String name, Consumer<LimitBuilder> describe) {
        describe.accept(new LimitBuilder(settings, name));
        return this;
    }

    /**
     * Adds a limit of how many tasks begin in a time in all executors together. Same as the settings under {@code
     * tandem.rate-limits}.
     *
     * @param name the same in all programs. Rate limits of one name are one limit
     * @param describe says how many, and which tasks: {@code each -> each.rate("100/s").types("mail")}
     */
    public TandemBuilder rateLimit(String name, Consumer<RateLimitBuilder> describe) {
        describe.accept(new RateLimitBuilder(settings, name));
        return this;
    }

    /** Adds an interceptor around every handler, inside of the interceptors that were added before. */
    public TandemBuilder interceptor(Interceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    /** Adds an interceptor around every submission, inside of those that were added before. */
    public TandemBuilder submitInterceptor(SubmitInterceptor interceptor) {
        submitInterceptors.add(interceptor);
        return this;
    }

    /**
     * Traces the submissions and runs of this program, outside of all other interceptors. {@code tandem.tracing.mode}, {@code
     * tandem.log.keys} and {@code tandem.log.mdc} say how.
     *
     * @param value such as {@code OpenTelemetryTracing.of(openTelemetry)} of {@code tandem-opentelemetry}
     */
    public TandemBuilder tracing(TaskTracing value) {
        tracing = value;
        return this;
    }

    /** Sets what reads payloads, and writes those of submitted tasks. Default: Jackson's defaults. */
    public TandemBuilder json(JsonMapper mapper) {
        json = mapper;
        return this;
    }

    /** Sets what receives the measurements of runs. Default: nothing does. */
    public TandemBuilder metrics(ExecutorMetrics value) {
        metrics = value;
        return this;
    }

    /**
     * Sets whether handlers run on virtual threads. Default: yes on Java 21 and later. {@link #start} fails with true on an
     * older Java.
     */
    public TandemBuilder virtualThreads(boolean value) {
        virtualThreads = value;
        return this;
    }

    /**
     * Sets whether the end of the process (Ctrl-C, SIGTERM, {@link System#exit}) closes what is built. Default: true. With
     * false, call {@link Tandem#close} yourself: otherwise other processes wait until its leases have run out.
     */
    public TandemBuilder shutdownHook(boolean value) {
        shutdownHook = value;
        return this;
    }

    /**
     * Builds and starts. Does not wait for the brokers: what cannot be reached yet is tried again and again, and named by
     * {@link Tandem#status}.
     *
     * @throws SettingsException naming every setting that is wrong or does not fit the handlers
     * @throws IllegalArgumentException if no payload can be read as the type of a handler
     */
    public Tandem start() {
        TandemProgram program = program();
        TandemClientBuilder client = QueueClients.builder(program.all()).json(json);
        program.submitInterceptors().forEach(client::interceptor);
        Tandem tandem = new Tandem(
                program.own(),
                program.all(),
                client.build(),
                json,
                program.handlers(),
                metrics,
                virtualThreads,
                shutdownHook);
        tandem.start();
        return tandem;
    }

    /**
     * Checks and returns what was collected, and starts nothing.
     *
     * @throws SettingsException naming every setting that is wrong or does not fit the handlers
     * @throws IllegalArgumentException if no payload can be read as the type of a handler
     */
    public TandemProgram program() {
        if (queues.isEmpty()) {
            throw SettingsException.of(
                    "tandem.queues",
                    null,
                    "the program has no handler: name a queue and its handlers, for instance"
                            + " queue(\"orders\").handler(\"ship\", Ship.class, (ship, task) -> ...)");
        }
        recurring.values().forEach(each -> each.addTo(settings, json));
        Map<String, Set<String>> types = new LinkedHashMap<>();
        queues.forEach((name, queue) -> types.put(name, queue.types()));
        TandemSettings all = settings.load(types);
        queues.values().forEach(each -> each.check(json));
        TaskTracing traced = tracing(all);
        return new TandemProgram(
                all,
                onlyOwn(all),
                handlers(outside(traced, interceptors)),
                json,
                metrics,
                outside(traced, submitInterceptors));
    }

    /** Returns the tracing as the settings say it; null if nothing is traced. */
    private @Nullable TaskTracing tracing(TandemSettings all) {
        TracingMode mode = all.tracing().mode();
        return tracing == null || mode == TracingMode.OFF
                ? null
                : tracing.withMode(mode)
                        .withKeys(all.log().keys())
                        .withLogContext(all.log().mdc());
    }

    private static <T> List<T> outside(@Nullable T outermost, List<T> others) {
        List<T> all = new ArrayList<>(others);
        if (outermost != null) {
            all.add(0, outermost);
        }
        return all;
    }

    private QueueHandlers handlers(List<Interceptor> all) {
        return (name, queue, spec) -> {
            all.forEach(spec::interceptor);
            spec.json(json);
            queue(name).addTo(spec, json, queue);
        };
    }

    /** A settings file may be shared by programs with different handlers, so other queues are left to the others. */
    private TandemSettings onlyOwn(TandemSettings all) {
        Map<String, QueueSettings> own = new LinkedHashMap<>();
        all.queues().forEach((name, queue) -> {
            if (queues.containsKey(name)) {
                own.put(name, queue);
                log.info(
                        "Queue {}: this program runs the types {}",
                        name,
                        String.join(", ", queue(name).types()));
            } else {
                log.info("This program has no handler for queue {}, so it runs none of its tasks", name);
            }
        });
        return all.withQueues(own);
    }
}
