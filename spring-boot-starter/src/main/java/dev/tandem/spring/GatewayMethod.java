package dev.tandem.spring;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Key;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskType;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A method of a gateway: where each of its arguments belongs.
 *
 * @param name the interface and the method, for people
 * @param payloadClass the class that the interface declares for the payload; null if that is not known
 * @param key the index of the key; -1 if there is none
 * @param options the index of the options; -1 if there are none
 * @param waits whether the method returns nothing, and waits for the broker's acknowledgement
 */
record GatewayMethod(
        String name,
        String queue,
        String type,
        @Nullable Class<?> payloadClass,
        int payload,
        int key,
        int options,
        boolean waits) {

    private static final int NONE = -1;

    /**
     * Parses a method.
     *
     * @param placeholders replaces <code>${...}</code> in the type
     * @throws IllegalArgumentException if the method cannot submit tasks; the message says what to do
     */
    static GatewayMethod parse(
            Class<?> gateway, Method method, String queue, Function<String, @Nullable String> placeholders) {
        TaskType annotation = AnnotatedElementUtils.findMergedAnnotation(method, TaskType.class);
        if (annotation == null) {
            throw new IllegalArgumentException("the method has no task type: add @TaskType(\"" + method.getName()
                    + "\"), or make it a default method");
        }
        String type = placeholders.apply(annotation.value());
        if (type == null || type.isBlank()) {
            throw new IllegalArgumentException("the task type is empty: give it a name");
        }
        int payload = NONE;
        int key = NONE;
        int options = NONE;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            Class<?> parameter = parameters[i].getType();
            if (parameters[i].isAnnotationPresent(Key.class)) {
                key = only(key, i, "keys", "mark one parameter with @Key");
            } else if (parameter == TaskOptions.class || parameter == TaskOptions[].class) {
                options = only(options, i, "parameters for options", "use one of the type TaskOptions...");
            } else {
                payload = only(payload, i, "parameters for the payload", "use a record, and mark the key with @Key");
            }
        }
        if (payload == NONE) {
            throw new IllegalArgumentException("the method has no parameter for the payload: add one");
        }
        return new GatewayMethod(
                gateway.getName() + "." + method.getName(),
                queue,
                type,
                parameters[payload].getType(),
                payload,
                key,
                options,
                waits(method));
    }

    private static int only(int before, int index, String what, String remedy) {
        if (before != NONE) {
            throw new IllegalArgumentException("the method has two " + what + ": " + remedy);
        }
        return index;
    }

    private static boolean waits(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned != void.class && returned != TaskRef.class) {
            throw new IllegalArgumentException("the method returns " + returned.getSimpleName()
                    + ": a task runs later and elsewhere, so return TaskRef<" + returned.getSimpleName()
                    + ">, or nothing");
        }
        return returned == void.class;
    }

    /** Returns the task of a call. @param ofAll the options of all tasks of the gateway */
    TaskRequest<?> request(Object[] arguments, TaskOptions ofAll) {
        return new TaskRequest<>(
                queue,
                type,
                key == NONE ? null : key(arguments[key]),
                arguments[payload],
                ofAll.and(options(arguments)));
    }

    private String key(@Nullable Object argument) {
        if (argument == null) {
            throw new InvalidTaskException("The key of " + name
                    + " is null: give one, or use a method without @Key for tasks that need no order");
        }
        return argument.toString();
    }

    private TaskOptions options(Object[] arguments) {
        Object given = options == NONE ? null : arguments[options];
        TaskOptions all = TaskOptions.NONE;
        if (given instanceof TaskOptions one) {
            all = one;
        } else if (given instanceof TaskOptions[] several) {
            for (TaskOptions each : several) {
                all = all.and(each);
            }
        }
        return all;
    }
}
