package dev.tandem.runtime;

import dev.tandem.api.BatchHandler;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.Handler;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.TypedBatchHandler;
import dev.tandem.api.TypedHandler;
import dev.tandem.executor.BatchedHandler;
import dev.tandem.executor.QueueSpec;
import dev.tandem.runtime.settings.QueueSettings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Collects the handlers of one queue. Not thread-safe. */
public final class QueueBuilder {

    private record Entry(String type, Function<JsonMapper, Handler> handler, HandlerOptions options) {

        boolean runs(String other) {
            return type.equals(other) || options.aliases().contains(other);
        }
    }

    private final TandemBuilder tandem;
    private final ProgramSettings settings;
    private final String name;
    private final List<Entry> entries = new ArrayList<>();
    private final Set<String> types = new LinkedHashSet<>();

    QueueBuilder(TandemBuilder tandem, ProgramSettings settings, String name) {
        this.tandem = tandem;
        this.settings = settings;
        this.name = name;
    }

    /**
     * Adds the handler for tasks of this type.
     *
     * @param type a chosen name, which stays when classes are renamed
     * @param payload what payloads are read as: {@code byte[]} and {@link String} as they are, any other class from JSON. A
     *     task whose payload cannot be read is dead at once
     * @throws IllegalArgumentException if the type has a handler already
     */
    public <T> QueueBuilder handler(String type, Class<T> payload, TypedHandler<T> code) {
        return handler(type, payload, code, HandlerOptions.NONE);
    }

    /** Adds the handler for tasks of this type and its aliases, as {@link #handler(String, Class, TypedHandler)}. */
    public <T> QueueBuilder handler(String type, Class<T> payload, TypedHandler<T> code, HandlerOptions options) {
        return add(type, json -> typed(type, json, json.constructType(payload), code), options);
    }

    /**
     * Adds the handler for tasks of this type, as {@link #handler(String, Class, TypedHandler)}.
     *
     * @param payload a type with arguments, such as {@code new TypeReference<List<Ship>>() {}}
     */
    public <T> QueueBuilder handler(String type, TypeReference<T> payload, TypedHandler<T> code) {
        return handler(type, payload, code, HandlerOptions.NONE);
    }

    /** Adds the handler for tasks of this type and its aliases, as {@link #handler(String, TypeReference, TypedHandler)}. */
    public <T> QueueBuilder handler(
            String type, TypeReference<T> payload, TypedHandler<T> code, HandlerOptions options) {
        return add(type, json -> typed(type, json, json.constructType(payload.getType()), code), options);
    }

    /**
     * Adds the handler for tasks of this type, which reads payloads itself and returns how an attempt ended.
     *
     * @throws IllegalArgumentException if the type has a handler already
     */
    public QueueBuilder handler(String type, Handler handler) {
        return handler(type, handler, HandlerOptions.NONE);
    }

    /** Adds the handler for tasks of this type and its aliases, as {@link #handler(String, Handler)}. */
    public QueueBuilder handler(String type, Handler handler, HandlerOptions options) {
        return add(type, json -> handler, options);
    }

    /**
     * Adds the handler for tasks of this type that runs several of them in one call.
     *
     * @param payload what payloads are read as, as in {@link #handler(String, Class, TypedHandler)}
     * @throws IllegalArgumentException if the type has a handler already
     */
    public <T> QueueBuilder handlerBatch(String type, Class<T> payload, BatchOptions batch, TypedBatchHandler<T> code) {
        return handlerBatch(type, payload, batch, code, HandlerOptions.NONE);
    }

    /** Adds the handler for tasks of this type and its aliases, as the method with the same name and fewer parameters. */
    public <T> QueueBuilder handlerBatch(
            String type, Class<T> payload, BatchOptions batch, TypedBatchHandler<T> code, HandlerOptions options) {
        return add(
                type,
                json -> new BatchedHandler(
                        this.<T>reader(type, json, json.constructType(payload)).batchHandler(code), batch),
                options);
    }

    /**
     * Adds the handler for tasks of this type that runs several of them in one call, reads payloads itself, and returns how
     * each attempt ended.
     *
     * @throws IllegalArgumentException if the type has a handler already
     */
    public QueueBuilder handlerBatch(String type, BatchOptions batch, BatchHandler code) {
        return handlerBatch(type, batch, code, HandlerOptions.NONE);
    }

    /** Adds the handler for tasks of this type and its aliases, as the method with the same name and fewer parameters. */
    public QueueBuilder handlerBatch(String type, BatchOptions batch, BatchHandler code, HandlerOptions options) {
        return handler(type, new BatchedHandler(code, batch), options);
    }

    private <T> Handler typed(String type, JsonMapper json, JavaType payload, TypedHandler<T> code) {
        return this.<T>reader(type, json, payload).handler(code);
    }

    /** Returns what reads the payloads of a type. @throws IllegalArgumentException if no payload can be read so */
    private <T> PayloadType<T> reader(String type, JsonMapper json, JavaType payload) {
        PayloadType<T> reader = new PayloadType<>(json, payload);
        try {
            reader.check();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The handler for type '" + type + "' of queue '" + name + "': " + e.getMessage(), e);
        }
        return reader;
    }

    private QueueBuilder add(String type, Function<JsonMapper, Handler> handler, HandlerOptions options) {
        claim(type);
        options.aliases().forEach(this::claim);
        entries.add(new Entry(type, handler, options));
        return this;
    }

    private void claim(String type) {
        if (type.isBlank()) {
            throw new IllegalArgumentException("A handler of queue '" + name + "' has an empty type: give it a name");
        }
        if (!types.add(type)) {
            throw new IllegalArgumentException(
                    "Queue '" + name + "' has two handlers for type '" + type + "': leave one out");
        }
    }

    /** Sets the type of tasks that name none. Same as the queue's setting {@code handler}. Default: such tasks are dead. */
    public QueueBuilder defaultType(String type) {
        return setting("handler", type);
    }

    /**
     * Sets any setting of this queue. It counts more than the same one in a file.
     *
     * @param setting the name below the queue, such as {@code concurrency} or {@code backoff.initial}
     * @param value as it would be written in a file
     */
    public QueueBuilder setting(String setting, String value) {
        settings.set(name, setting, value);
        return this;
    }

    /** Returns the builder of another queue, as {@link TandemBuilder#queue}. */
    public QueueBuilder queue(String other) {
        return tandem.queue(other);
    }

    /** Adds a schedule, as {@link TandemBuilder#recurring}. */
    public QueueBuilder recurring(String id, Consumer<RecurringBuilder> describe) {
        tandem.recurring(id, describe);
        return this;
    }

    /** Builds and starts all queues, as {@link TandemBuilder#start}. */
    public Tandem start() {
        return tandem.start();
    }

    /** Checks and returns what was collected, and starts nothing, as {@link TandemBuilder#program}. */
    public TandemProgram program() {
        return tandem.program();
    }

    Set<String> types() {
        return types;
    }

    /** @throws IllegalArgumentException if no payload can be read as the type of a handler */
    void check(JsonMapper json) {
        for (Entry entry : entries) {
            Handler unused = entry.handler.apply(json);
        }
    }

    void addTo(QueueSpec.Builder spec, JsonMapper json, QueueSettings queue) {
        String defaultType = queue.handler();
        for (Entry entry : entries) {
            Handler handler = entry.handler.apply(json);
            spec.handler(entry.type, handler, entry.options);
            if (defaultType != null && entry.runs(defaultType)) {
                spec.defaultType(defaultType);
                addFurtherTypes(spec, handler, queue);
            }
        }
    }

    /** The settings may give the default type's handler further types. */
    private void addFurtherTypes(QueueSpec.Builder spec, Handler handler, QueueSettings queue) {
        for (String type : queue.types()) {
            if (type.equals("*")) {
                spec.fallback(handler);
            } else if (!types.contains(type)) {
                spec.handler(type, handler);
            }
        }
    }
}
