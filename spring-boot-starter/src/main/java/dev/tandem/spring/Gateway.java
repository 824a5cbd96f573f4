package dev.tandem.spring;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.CloudEventSettings;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.client.TransactionBoundary;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** The code behind a {@link TaskGateway}: submits a task for each call. Thread-safe. */
final class Gateway implements InvocationHandler {

    /** The longest wait of a method that returns nothing. Longer than the brokers' clients wait by themselves. */
    private static final Duration ACKNOWLEDGEMENT = Duration.ofMinutes(3);

    private final Class<?> type;
    private final String queue;
    private final TaskOptions options;
    private final Map<Method, GatewayMethod> methods;
    private final Supplier<TaskClient> client;
    private final Supplier<TransactionBoundary> transactions;
    private final Map<Method, MethodHandle> defaults = new ConcurrentHashMap<>();

    private Gateway(
            Class<?> type,
            String queue,
            TaskOptions options,
            Map<Method, GatewayMethod> methods,
            Supplier<TaskClient> client,
            Supplier<TransactionBoundary> transactions) {
        this.type = type;
        this.queue = queue;
        this.options = options;
        this.methods = methods;
        this.client = client;
        this.transactions = transactions;
    }

    /**
     * Parses an interface.
     *
     * @param client is asked for at the first submission
     * @throws StartException naming every method that cannot submit tasks
     */
    static Gateway of(
            Class<?> type,
            Function<String, @Nullable String> placeholders,
            Supplier<TaskClient> client,
            Supplier<TransactionBoundary> transactions) {
        TaskGateway annotation = AnnotatedElementUtils.findMergedAnnotation(type, TaskGateway.class);
        if (annotation == null || !type.isInterface()) {
            throw new StartException(List.of(type.getName() + ": @TaskGateway belongs on an interface"));
        }
        String queue = placeholders.apply(annotation.queue());
        if (queue == null || queue.isBlank()) {
            throw new StartException(List.of(type.getName() + ": the queue of @TaskGateway is empty: give its name"));
        }
        Map<Method, GatewayMethod> methods = new HashMap<>();
        List<String> problems = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers()) && !isObjectMethod(method)) {
                try {
                    methods.put(method, GatewayMethod.parse(type, method, queue, placeholders));
                } catch (IllegalArgumentException e) {
                    problems.add(type.getName() + "." + method.getName() + ": " + e.getMessage());
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new StartException(problems.stream().sorted().toList());
        }
        return new Gateway(
                type, queue, events(type, annotation.cloudEvents(), placeholders), methods, client, transactions);
    }

    private static TaskOptions events(
            Class<?> type, CloudEventSettings events, Function<String, @Nullable String> placeholders) {
        String source = placeholders.apply(events.source());
        if (source == null || source.isBlank()) {
            if (events.mode() != CloudEventMode.BINARY || !events.source().isEmpty()) {
                throw new StartException(List.of(
                        type.getName() + ": the CloudEvents of @TaskGateway have no source: give one, such as /shop"));
            }
            return TaskOptions.NONE;
        }
        return TaskOptions.cloudEvent(source, events.mode());
    }

    private static boolean isObjectMethod(Method method) {
        return ReflectionUtils.isEqualsMethod(method)
                || ReflectionUtils.isHashCodeMethod(method)
                || ReflectionUtils.isToStringMethod(method);
    }

    List<GatewayMethod> methods() {
        return List.copyOf(methods.values());
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        GatewayMethod submits = methods.get(method);
        if (submits != null && arguments != null) {
            return submit(submits, arguments);
        }
        if (ReflectionUtils.isEqualsMethod(method) && arguments != null) {
            return proxy == arguments[0];
        }
        if (ReflectionUtils.isHashCodeMethod(method)) {
            return System.identityHashCode(proxy);
        }
        if (ReflectionUtils.isToStringMethod(method)) {
            return "TaskGateway[" + type.getName() + ", queue=" + queue + "]";
        }
        MethodHandle code = defaults.computeIfAbsent(method, Gateway::code).bindTo(proxy);
        return arguments == null ? code.invokeWithArguments() : code.invokeWithArguments(arguments);
    }

    /** Returns the code of a default method, whose interface may be package-private. */
    private static MethodHandle code(Method method) {
        Class<?> declaring = method.getDeclaringClass();
        try {
            return MethodHandles.privateLookupIn(declaring, MethodHandles.lookup())
                    .unreflectSpecial(method, declaring);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("The default method " + method + " cannot be called", e);
        }
    }

    private @Nullable TaskRef<?> submit(GatewayMethod method, Object[] arguments) {
        TaskRef<?> task = client.get().submit(method.request(arguments, options));
        if (!method.waits()) {
            return task;
        }
        if (!transactions.get().isOpen()) {
            awaitAccepted(task);
        }
        return null;
    }

    private static void awaitAccepted(TaskRef<?> task) {
        try {
            task.await(ACKNOWLEDGEMENT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SubmitException("The thread was interrupted before the task " + task.id()
                    + " was acknowledged; it may arrive all the same");
        }
    }
}
