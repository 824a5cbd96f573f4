package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** One queue for an {@link Executor}: where its tasks come from, who keeps them, and how they are run. Immutable. */
public final class QueueSpec {

    /** Longest run where neither task nor queue says otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** Starts in all where neither task nor queue says otherwise. */
    public static final int DEFAULT_MAX_ATTEMPTS = 8;

    /** Delays where the queue names none: from 1 s, doubled, at most 1 h, ± 20 %. */
    public static final RetryPolicy DEFAULT_RETRY =
            RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);

    private final String name;
    private final Source source;
    private final Store store;
    private final QueuePolicy policy;
    private final String topic;
    private final long timeoutMillis;
    private final int maxAttempts;
    private final OutcomeDecider decider;
    private final Handlers handlers;
    private final Payloads payloads;
    private final Supplier<Set<String>> members;

    private QueueSpec(Builder from) {
        this.name = from.name;
        this.source = Objects.requireNonNull(from.source, () -> "Queue '" + from.name + "' has no source");
        this.store = Objects.requireNonNull(from.store, () -> "Queue '" + from.name + "' has no store");
        this.policy = Objects.requireNonNull(from.policy, () -> "Queue '" + from.name + "' has no policy");
        this.topic = from.topic == null ? from.name : from.topic;
        this.timeoutMillis = from.timeout.toMillis();
        this.maxAttempts = from.maxAttempts;
        this.decider = new OutcomeDecider(from.retry, from.finalErrors);
        this.handlers = new Handlers(from.handlers, from.fallback, from.defaultType, from.interceptors);
        this.members = from.members;
        this.payloads = new Payloads(from.json == null ? JsonMapper.builder().build() : from.json);
    }

    private QueueSpec(QueueSpec from, QueuePolicy policy) {
        this.name = from.name;
        this.source = from.source;
        this.store = from.store;
        this.policy = policy;
        this.topic = from.topic;
        this.timeoutMillis = from.timeoutMillis;
        this.maxAttempts = from.maxAttempts;
        this.decider = from.decider;
        this.handlers = from.handlers;
        this.payloads = from.payloads;
        this.members = from.members;
    }

    QueueSpec withConcurrency(int concurrency) {
        QueuePolicy changed = new QueuePolicy(
                policy.ordered(),
                concurrency,
                policy.deadHead(),
                policy.maxInMemory(),
                policy.maxBytesInMemory(),
                policy.maxParkedPerKey(),
                policy.maxParkedPerPartition());
        return new QueueSpec(this, changed);
    }

    /**
     * Begins a queue's settings.
     *
     * @throws IllegalArgumentException if the name is not 1 to 200 letters, digits, dots, underscores or hyphens
     */
    public static Builder queue(String name) {
        return new Builder(name);
    }

    public String name() {
        return name;
    }

    public QueuePolicy policy() {
        return policy;
    }

    Source source() {
        return source;
    }

    Store store() {
        return store;
    }

    long timeoutMillis() {
        return timeoutMillis;
    }

    OutcomeDecider decider() {
        return decider;
    }

    Handlers handlers() {
        return handlers;
    }

    Payloads payloads() {
        return payloads;
    }

    Supplier<Set<String>> members() {
        return members;
    }

    int maxAttemptsOf(Task task) {
        return task.maxAttempts() > 0 ? task.maxAttempts() : maxAttempts;
    }

    /** The publisher's id, else one made from where the task stands. */
    String idOf(Run run) {
        String given = run.task().id();
        if (given != null) {
            return given;
        }
        return topic + ":" + run.partition().name() + ":" + place(run);
    }

    /** The same whether the task comes from the broker or from the store. */
    private String place(Run run) {
        if (run.sequence() >= 0) {
            return Long.toString(run.sequence());
        }
        String position = run.position().toString();
        return source.kind() == Source.Kind.LOG ? position.substring(position.indexOf(':') + 1) : position;
    }

    /** Collects a queue's settings. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final Map<String, Handler> handlers = new LinkedHashMap<>();
        private final List<Interceptor> interceptors = new ArrayList<>();
        private final Set<Class<? extends Throwable>> finalErrors = new LinkedHashSet<>();
        private @Nullable Source source;
        private @Nullable Store store;
        private @Nullable QueuePolicy policy;
        private @Nullable String topic;
        private @Nullable String defaultType;
        private @Nullable Handler fallback;
        private @Nullable JsonMapper json;
        private Duration timeout = DEFAULT_TIMEOUT;
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private RetryPolicy retry = DEFAULT_RETRY;
        private Supplier<Set<String>> members = Set::of;

        private Builder(String name) {
            if (!Partition.isName(name)) {
                throw new IllegalArgumentException("The queue name '" + name
                        + "' is not allowed: use 1 to 200 letters, digits, dots, underscores or hyphens");
            }
            this.name = name;
        }

        /** Where tasks come from. The executor closes it. */
        public Builder source(Source from) {
            source = from;
            return this;
        }

        /** Who keeps custody. May serve several queues; whoever made it closes it, after the executor has stopped. */
        public Builder store(Store keeper) {
            store = keeper;
            return this;
        }

        public Builder policy(QueuePolicy value) {
            policy = value;
            return this;
        }

        /** What default ids begin with: the topic, if its name is not the queue's. */
        public Builder topic(String value) {
            topic = value;
            return this;
        }

        /**
         * Runs tasks of this type.
         *
         * @throws IllegalArgumentException if the type has a handler already
         */
        public Builder handler(String type, Handler handler) {
            if (handlers.putIfAbsent(type, handler) != null) {
                throw new IllegalArgumentException(
                        "Queue '" + name + "' has two handlers for type '" + type + "': leave one out");
            }
            return this;
        }

        /** The same, for code that succeeds when it returns. */
        public Builder action(String type, Handler.Action action) {
            return handler(type, Handler.of(action));
        }

        /** Runs tasks of all types that have no handler of their own. Without it such tasks are dead at once. */
        public Builder fallback(Handler handler) {
            fallback = handler;
            return this;
        }

        /** The type of tasks that name none. */
        public Builder defaultType(String type) {
            defaultType = type;
            return this;
        }

        /** Wraps every handler, inside of those added before. */
        public Builder interceptor(Interceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        /** Longest run of tasks that name none; zero for no limit. */
        public Builder timeout(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException(
                        "timeout of queue '" + name + "' is " + value + ", it must be 0 (no limit) or more");
            }
            timeout = value;
            return this;
        }

        /** Starts in all of tasks that name no number. */
        public Builder maxAttempts(int value) {
            if (value < 1) {
                throw new IllegalArgumentException(
                        "max-attempts of queue '" + name + "' is " + value + ", it must be 1 or more");
            }
            maxAttempts = value;
            return this;
        }

        public Builder retry(RetryPolicy value) {
            retry = value;
            return this;
        }

        /** Exceptions, subclasses included, that make a task dead at once. {@link FinalError}s do so always. */
        public Builder finalErrors(Collection<Class<? extends Throwable>> types) {
            finalErrors.addAll(types);
            return this;
        }

        /**
         * The ids ({@link Executor#id}) of the executors that can own partitions of this queue now, for sources whose
         * broker assigns none: they share the partitions. Asked about once a second on the queue's thread, so it must
         * not wait for anything. Default: this executor alone.
         */
        public Builder members(Supplier<Set<String>> live) {
            members = live;
            return this;
        }

        /** Reads payloads for {@link TaskContext#payload(Class)}; default: Jackson's defaults. */
        public Builder json(JsonMapper mapper) {
            json = mapper;
            return this;
        }

        /**
         * Makes the queue.
         *
         * @throws NullPointerException if source, store or policy is missing
         */
        public QueueSpec build() {
            return new QueueSpec(this);
        }
    }
}
