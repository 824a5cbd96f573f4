package dev.tandem.spring;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.executor.ReadBatch;
import dev.tandem.runtime.PayloadType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Runs tasks by calling a method of a bean, through the bean's proxies. Thread-safe. */
final class MethodHandler implements Handler {

    /** The value that a parameter of the method gets. */
    enum Argument {
        PAYLOAD,
        CONTEXT
    }

    private final BeanReference bean;
    private final Method method;
    private final Argument[] parameters;
    private final @Nullable PayloadType<Object> payload;
    private volatile @Nullable Method invocable;

    /** @param payload what payloads are read as; null if no parameter takes one */
    MethodHandler(
            BeanReference bean, Method method, Argument[] parameters, @Nullable JavaType payload, JsonMapper json) {
        this.bean = bean;
        this.method = method;
        this.parameters = parameters.clone();
        this.payload = payload == null ? null : new PayloadType<>(json, payload);
    }

    @Override
    public Result handle(TaskContext task) throws Exception {
        Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = switch (parameters[i]) {
                case PAYLOAD -> payload == null ? task.payload() : payload.read(task.payload());
                case CONTEXT -> task;
            };
        }
        Object returned = call(arguments);
        if (returned != null && !(returned instanceof Result)) {
            task.result(returned);
        }
        return result(returned);
    }

    /** Runs a call of the method whose parameters are lists. */
    List<Result> handleBatch(List<TaskContext> tasks) throws Exception {
        return ReadBatch.of(tasks, payload == null ? bytes -> bytes : payload::read)
                .run((payloads, read) -> {
                    Object[] arguments = new Object[parameters.length];
                    for (int i = 0; i < arguments.length; i++) {
                        arguments[i] = switch (parameters[i]) {
                            case PAYLOAD -> payloads;
                            case CONTEXT -> read;
                        };
                    }
                    return results(call(arguments), read.size());
                });
    }

    @SuppressWarnings("unchecked") // the parser has looked at the method's type
    private List<Result> results(@Nullable Object returned, int size) {
        return returnsResults(method)
                ? (List<Result>) Objects.requireNonNull(returned, "The batch handler returned null")
                : ReadBatch.allDone(size);
    }

    /** Whether a method of a batch handler says how each task ended. */
    static boolean returnsResults(Method method) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method);
        return returned.resolve() == List.class && returned.getGeneric(0).resolve() == Result.class;
    }

    private @Nullable Object call(Object[] arguments) throws Exception {
        Object target = bean.get();
        Method called = invocable(target);
        try {
            return called.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Error error) {
                throw error;
            }
            throw thrown instanceof Exception problem ? problem : e;
        }
    }

    /** A lazy bean's class is known only once it is there. All beans of one name have the same. */
    private Method invocable(Object target) {
        Method known = invocable;
        if (known == null) {
            known = Invocables.of(method, target);
            invocable = known;
        }
        return known;
    }

    private Result result(@Nullable Object returned) {
        if (returned instanceof Result result) {
            return result;
        }
        if (returned == null && method.getReturnType() == Result.class) {
            throw new IllegalStateException(method.getDeclaringClass().getName() + "." + method.getName()
                    + " returned null: return Result.done() if the task succeeded");
        }
        return Result.done();
    }
}
