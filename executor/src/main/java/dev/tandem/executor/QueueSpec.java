package dev.tandem.executor;

import dev.tandem.api.FinalError;
import dev.tandem.api.Handler;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Interceptor;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.ordering.Run;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.TaskRelations;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Settings of one queue of an {@link Executor}: its source, its store, and how its tasks are run. Immutable. */
public final class QueueSpec {

    /** The default of {@link Builder#timeout}: 30 s. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** The default of {@link Builder#maxAttempts}: 8. */
    public static final int DEFAULT_MAX_ATTEMPTS = 8;

    /** The default of {@link Builder#retry}: 1 s, doubled after each attempt, at most 1 h, ± 20 %. */
    public static final RetryPolicy DEFAULT_RETRY =
            RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);

    private final SharedQueueSettings parts;
    private final QueuePolicy policy;
    /** Null if the store says which executors share the partitions. */
    private final @Nullable Supplier<Set<String>> members;

    private QueueSpec(Builder from) {
        RunRules rules = new RunRules(
                from.timeout,
                from.timeoutLimit,
                from.maxAttempts,
                from.maxAttemptsLimit,
                from.retry,
                from.finalErrors,
                from.options);
        this.parts = new SharedQueueSettings(
                from.name,
                Objects.requireNonNull(from.source, () -> "Queue '" + from.name + "' has no source"),
                Objects.requireNonNull(from.store, () -> "Queue '" + from.name + "' has no store"),
                from.topic == null ? from.name : from.topic,
                rules,
                new HandlerRegistry(
                        from.handlers, from.fallback, from.defaultType, from.interceptors, from.unhandledPolicy),
                new PayloadReader(from.json == null ? JsonMapper.builder().build() : from.json),
                from.custody,
                from.breaker,
                from.log,
                from.notes,
                from.relations,
                from.fanOuts,
                from.pull);
        this.policy = Objects.requireNonNull(from.policy, () -> "Queue '" + from.name + "' has no policy");
        this.members = from.members;
    }

    private QueueSpec(SharedQueueSettings parts, QueuePolicy policy, @Nullable Supplier<Set<String>> members) {
        this.parts = parts;
        this.policy = policy;
        this.members = members;
    }

    QueueSpec withConcurrency(int concurrency) {
        return new QueueSpec(parts, policy.withConcurrency(concurrency), members);
    }

    /** Returns these settings with the members that the store knows, unless others were set. */
    QueueSpec sharedWith(Supplier<Set<String>> known) {
        return members == null ? new QueueSpec(parts, policy, known) : this;
    }

    /**
     * Returns a builder with the defaults.
     *
     * @param name the queue's name, the same in all executors
     * @throws IllegalArgumentException if the name is not 1 to 200 letters, digits, dots, underscores or hyphens
     */
    public static Builder queue(String name) {
        return new Builder(name);
    }

    /** Returns the queue's name. */
    public String name() {
        return parts.name();
    }

    /** Returns the queue's order, concurrency and bounds. */
    public QueuePolicy policy() {
        return policy;
    }

    Source source() {
        return parts.source();
    }

    Store store() {
        return parts.store();
    }

    /** Returns the longest run of a task; 0 if there is no limit. */
    long timeoutMillisOf(Task task) {
        return parts.rules().timeoutMillisOf(task, parts.handlers().typeOf(task.type()));
    }

    OutcomeDecider deciderOf(Task task) {
        return parts.rules().deciderOf(parts.handlers().typeOf(task.type()));
    }

    HandlerRegistry handlers() {
        return parts.handlers();
    }

    PayloadReader payloads() {
        return parts.payloads();
    }

    Supplier<Set<String>> members() {
        return members == null ? Set::of : members;
    }

    SharedQueueSettings parts() {
        return parts;
    }

    /** Returns whether pull workers run its tasks. */
    boolean isPulled() {
        return parts.pull() != null;
    }

    int maxAttemptsOf(Task task) {
        return parts.rules().maxAttemptsOf(task, parts.handlers().typeOf(task.type()));
    }

    /** Returns the publisher's id, else one made from the task's place in the broker. */
    String idOf(Run run) {
        return TaskIds.idOf(this, run.task(), run.place());
    }

    /** Collects the settings of a queue. Source, store and policy are required. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final Map<String, Handler> handlers = new LinkedHashMap<>();
        private final Map<String, HandlerOptions> options = new LinkedHashMap<>();
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
        private @Nullable Duration timeoutLimit;
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private int maxAttemptsLimit;
        private RetryPolicy retry = DEFAULT_RETRY;
        private @Nullable Supplier<Set<String>> members;
        private CustodyBounds custody = CustodyBounds.DEFAULTS;
        private BreakerPolicy breaker = BreakerPolicy.DEFAULTS;
        private LogPolicy log = LogPolicy.DEFAULTS;
        private UnhandledPolicy unhandledPolicy = UnhandledPolicy.DEFAULT;
        private NotePolicy notes = NotePolicy.DEFAULTS;
        private TaskRelations relations = TaskRelations.DEFAULT;
        private @Nullable FanOuts fanOuts;
        private @Nullable PullPolicy pull;

        private Builder(String name) {
            if (!Partition.isName(name)) {
                throw new IllegalArgumentException("The queue name '" + name
                        + "' is not allowed: use 1 to 200 letters, digits, dots, underscores or hyphens");
            }
            this.name = name;
        }

        /** Sets where tasks come from. The executor closes the source; no other queue may have the same one. */
        public Builder source(Source value) {
            source = value;
            return this;
        }

        /**
         * Sets what keeps delayed and failed tasks and decides claims. Several queues may have the same store. The
         * executor does not close it; close it after the executor has stopped.
         */
        public Builder store(Store value) {
            store = value;
            return this;
        }

        /** Sets the queue's order, concurrency and bounds. */
        public Builder policy(QueuePolicy value) {
            policy = value;
            return this;
        }

        /** Sets the topic, with which the ids of tasks without an id begin. Default: the queue's name. */
        public Builder topic(String value) {
            topic = value;
            return this;
        }

        /** Adds the handler for tasks of this type. @throws IllegalArgumentException if the type has one already */
        public Builder handler(String type, Handler handler) {
            if (handlers.putIfAbsent(type, handler) != null) {
                throw new IllegalArgumentException(
                        "Queue '" + name + "' has two handlers for type '" + type + "': leave one out");
            }
            return this;
        }

        /** Adds the handler for tasks of this type and its aliases, with options of its own. Throws as {@link #handler(String, Handler)}. */
        public Builder handler(String type, Handler handler, HandlerOptions own) {
            handler(type, handler);
            own.aliases().forEach(alias -> handler(alias, handler));
            Stream.concat(Stream.of(type), own.aliases().stream()).forEach(each -> options.put(each, own));
            return this;
        }

        /** Does the same with code that succeeds when it returns. */
        public Builder action(String type, Handler.Action action) {
            return handler(type, Handler.of(action));
        }

        /** Sets the handler for types that have none of their own. Default: none, see {@link #unhandledPolicy}. */
        public Builder fallback(Handler handler) {
            fallback = handler;
            return this;
        }

        /** Sets what becomes of tasks that have no handler here. Default: {@link UnhandledPolicy#DEFAULT}. */
        public Builder unhandledPolicy(UnhandledPolicy value) {
            unhandledPolicy = value;
            return this;
        }

        /** Sets the type of tasks that name none. Default: none; such tasks go to the fallback handler. */
        public Builder defaultType(String type) {
            defaultType = type;
            return this;
        }

        /** Adds an interceptor around every handler, inside of the interceptors that were added before. */
        public Builder interceptor(Interceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        /**
         * Sets after which time a handler is interrupted, for tasks that name no timeout.
         *
         * @param value 0 for no timeout; default {@link #DEFAULT_TIMEOUT}
         */
        public Builder timeout(Duration value) {
            timeout = notNegative("timeout", value);
            return this;
        }

        /**
         * Sets how many attempts a task may have in all, for tasks that name no number.
         *
         * @param value 1 or more; default {@link #DEFAULT_MAX_ATTEMPTS}
         */
        public Builder maxAttempts(int value) {
            if (value < 1) {
                throw new IllegalArgumentException(
                        "max-attempts of queue '" + name + "' is " + value + ", it must be 1 or more");
            }
            maxAttempts = value;
            return this;
        }

        /**
         * Sets the longest timeout that a task may name. A longer one counts as this.
         *
         * @param value 0 for any timeout; default: that of {@link #timeout}
         */
        public Builder timeoutLimit(Duration value) {
            timeoutLimit = notNegative("timeout-limit", value);
            return this;
        }

        private Duration notNegative(String setting, Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException(
                        setting + " of queue '" + name + "' is " + value + ", it must be 0 (no limit) or more");
            }
            return value;
        }

        /**
         * Sets the most attempts that a task may name. A higher number counts as this.
         *
         * @param value default, and the least that counts: that of {@link #maxAttempts}
         */
        public Builder maxAttemptsLimit(int value) {
            maxAttemptsLimit = value;
            return this;
        }

        /** Sets the delays between attempts. Default: {@link #DEFAULT_RETRY}. */
        public Builder retry(RetryPolicy value) {
            retry = value;
            return this;
        }

        /** Adds exceptions, subclasses included, that make a task dead at once, as every {@link FinalError} does. */
        public Builder finalErrors(Collection<Class<? extends Throwable>> types) {
            finalErrors.addAll(types);
            return this;
        }

        /**
         * Sets what returns the ids ({@link Executor#id}) of all executors that share this queue's partitions now. Only
         * used where the broker assigns no partitions. Called several times a second on the queue's loop, so it must return
         * at once. Default: those that are {@linkplain Store#register registered} in the store.
         */
        public Builder members(Supplier<Set<String>> live) {
            members = live;
            return this;
        }

        /** Sets how much of each partition the store may hold. Default: {@link CustodyBounds#DEFAULTS}. */
        public Builder custody(CustodyBounds bounds) {
            custody = bounds;
            return this;
        }

        /** Sets when starts are slowed down. Default: {@link BreakerPolicy#DEFAULTS}. */
        public Builder breaker(BreakerPolicy policy) {
            breaker = policy;
            return this;
        }

        /** Sets what log lines say of tasks. Default: {@link LogPolicy#DEFAULTS}. */
        public Builder log(LogPolicy policy) {
            log = policy;
            return this;
        }

        /** Sets how much runs may note in the store. Default: {@link NotePolicy#DEFAULTS}. */
        public Builder notes(NotePolicy value) {
            notes = value;
            return this;
        }

        /** Sets how tasks relate to others. Default: {@link TaskRelations#DEFAULT}. */
        public Builder relations(TaskRelations value) {
            relations = value;
            return this;
        }

        /** Sets what tasks fan out with. Default: nothing, so that they cannot. */
        public Builder fanOuts(@Nullable FanOuts value) {
            fanOuts = value;
            return this;
        }

        /** Has pull workers run all tasks, see {@link Executor#leases}. Default: the handlers run them. */
        public Builder pulled(PullPolicy value) {
            pull = value;
            return fallback(PulledHandlers.NONE);
        }

        /** Sets what reads payloads for {@link TaskContext#payload(Class)}. Default: Jackson's defaults. */
        public Builder json(JsonMapper mapper) {
            json = mapper;
            return this;
        }

        /** Builds the settings. @throws NullPointerException if source, store or policy is missing */
        public QueueSpec build() {
            return new QueueSpec(this);
        }
    }
}
