package dev.tandem.spring;

import dev.tandem.api.Backoff;
import dev.tandem.api.Batch;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.Durations;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Recurring;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskHandler;
import dev.tandem.executor.BatchedHandler;
import dev.tandem.runtime.PayloadType;
import dev.tandem.spring.MethodHandler.Argument;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Checks a method with {@link TaskHandler}, and makes a handler of it. */
final class HandlerMethodParser {

    private static final String ASYNC = "org.springframework.scheduling.annotation.Async";

    private final JsonMapper json;
    private final Function<String, @Nullable String> placeholders;

    /** @param placeholders replaces <code>${...}</code> in the annotation's texts */
    HandlerMethodParser(JsonMapper json, Function<String, @Nullable String> placeholders) {
        this.json = json;
        this.placeholders = placeholders;
    }

    /**
     * Parses a method.
     *
     * @param type the bean's class, behind its proxies
     * @throws IllegalArgumentException if the method cannot run tasks; the message says what to do
     */
    HandlerMethod parse(BeanReference bean, Class<?> type, Method method, TaskHandler annotation) {
        checkModifiers(type, method);
        checkReturned(method);
        BatchOptions batch = batch(annotation.batch());
        Argument[] parameters = new Argument[method.getParameterCount()];
        JavaType payload = null;
        for (int i = 0; i < parameters.length; i++) {
            Type declared = method.getGenericParameterTypes()[i];
            Type each = batch == null ? declared : BatchMethods.element(declared);
            if (each == TaskContext.class) {
                parameters[i] = Argument.CONTEXT;
            } else if (payload == null) {
                parameters[i] = Argument.PAYLOAD;
                payload = payload(each, type);
            } else {
                throw new IllegalArgumentException("the method has two parameters for the payload, of the types "
                        + payload.getRawClass().getSimpleName() + " and "
                        + method.getParameterTypes()[i].getSimpleName()
                        + ": leave one of them; all else about the task is in TaskContext");
            }
        }
        if (payload != null) {
            new PayloadType<>(json, payload).check();
        }
        MethodHandler handler = new MethodHandler(bean, method, parameters, payload, json);
        if (batch != null) {
            BatchMethods.checkReturned(method);
        }
        return new HandlerMethod(
                type.getName() + "." + method.getName(),
                text("queue", annotation.queue()),
                text("type", annotation.type()),
                options(annotation),
                payload,
                batch == null ? handler : new BatchedHandler(handler::handleBatch, batch),
                null);
    }

    /** Parses a method with {@link Recurring}, as the method with the same name and fewer parameters. */
    HandlerMethod parse(BeanReference bean, Class<?> type, Method method, TaskHandler annotation, Recurring recurring) {
        HandlerMethod handler = parse(bean, type, method, annotation);
        JavaType payload = handler.payload();
        boolean json =
                payload != null && payload.getRawClass() != String.class && payload.getRawClass() != byte[].class;
        return handler.withRecurring(RecurringMethod.of(
                recurring, handler.queue(), handler.type(), json, text -> resolved("@Recurring", text)));
    }

    private static void checkModifiers(Class<?> type, Method method) {
        if (Modifier.isStatic(method.getModifiers())) {
            throw new IllegalArgumentException("a static method belongs to no bean: make it an instance method");
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            throw new IllegalArgumentException(
                    "a private method cannot be called through the proxies of its bean: make it package-private");
        }
        if (MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(ASYNC)
                || MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ASYNC)) {
            throw new IllegalArgumentException("with @Async the method returns before its work is done, and the task"
                    + " counts as succeeded: remove @Async; handlers run on threads of their own anyway");
        }
    }

    private static void checkReturned(Method method) {
        Class<?> returned = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(returned)
                || Future.class.isAssignableFrom(returned)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null) {
            throw new IllegalArgumentException("the method returns " + returned.getSimpleName()
                    + " before its work is done, and the task would count as succeeded: wait for the value, and return"
                    + " the value itself or nothing");
        }
    }

    private JavaType payload(Type declared, Class<?> bean) {
        Type resolved = GenericTypeResolver.resolveType(declared, bean);
        if (resolved instanceof TypeVariable<?> variable) {
            throw new IllegalArgumentException("the type of the payload, " + variable
                    + ", is not known: declare it in the class of the bean, or use a class");
        }
        return json.constructType(resolved);
    }

    private HandlerOptions options(TaskHandler annotation) {
        String timeout = resolved("timeout", annotation.timeout());
        return new HandlerOptions(
                timeout.isEmpty() ? null : Durations.parse("timeout", timeout),
                annotation.maxAttempts() == 0 ? null : annotation.maxAttempts(),
                backoff(annotation.backoff()),
                new LinkedHashSet<>(Arrays.asList(annotation.deadOn())),
                aliases(annotation));
    }

    private @Nullable BatchOptions batch(Batch batch) {
        if (batch.maxSize() == 0) {
            if (!batch.maxWait().equals("50ms")) {
                throw new IllegalArgumentException(
                        "the batch has no size, so that the rest of it has no effect: set maxSize too");
            }
            return null;
        }
        return BatchOptions.of(batch.maxSize(), resolved("batch.maxWait", batch.maxWait()));
    }

    private List<String> aliases(TaskHandler annotation) {
        return Arrays.stream(annotation.aliases())
                .map(each -> text("aliases", each))
                .toList();
    }

    private @Nullable RetryPolicy backoff(Backoff backoff) {
        String initial = resolved("backoff.initial", backoff.initial());
        if (initial.isEmpty()) {
            if (backoff.multiplier() != 2 || !backoff.max().equals("1h") || backoff.jitter() != 0.2) {
                throw new IllegalArgumentException(
                        "the backoff has no initial delay, so that the rest of it has no effect: set initial too");
            }
            return null;
        }
        Duration first = Durations.parse("backoff.initial", initial);
        Duration max = Durations.parse("backoff.max", resolved("backoff.max", backoff.max()));
        return RetryPolicy.exponential(first, backoff.multiplier(), max, backoff.jitter());
    }

    private String text(String attribute, String written) {
        String text = resolved(attribute, written);
        if (text.isBlank()) {
            throw new IllegalArgumentException("the annotation's " + attribute + " is empty: give it a name");
        }
        return text;
    }

    private String resolved(String attribute, String written) {
        String text = placeholders.apply(written);
        if (text == null) {
            throw new IllegalArgumentException(
                    "the annotation's " + attribute + ", '" + written + "', has no value: set what it refers to");
        }
        return text;
    }
}
