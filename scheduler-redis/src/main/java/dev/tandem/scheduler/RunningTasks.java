package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.Registration.Registrant;
import io.lettuce.core.KeyValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes requests to cancel tasks to the executors that run them. A request is a field of one hash, and a message says that it
 * is there. An executor that runs such a task interrupts it and adds its answer to the hash. Thread-safe.
 */
public final class RunningTasks {

    private static final Logger log = LoggerFactory.getLogger(RunningTasks.class);

    /** The hash goes so long after the last request, if nobody has removed what is in it. */
    private static final long KEPT_SECONDS = 60;

    private static final String ANSWER = ":";

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;

    RunningTasks(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
    }

    /** Requests that executors look for until they are closed. All are announced by one message. */
    public final class Request {

        private final byte[][] names;
        private final byte[][] answers;

        private Request(int count) {
            names = new byte[count][];
            answers = new byte[count][];
            for (int i = 0; i < count; i++) {
                String name = UUID.randomUUID().toString();
                names[i] = bytes(name);
                answers[i] = bytes(name + ANSWER);
            }
        }

        private CompletableFuture<Request> send(String queue, List<String> ids) {
            byte[] channel = bytes(connection.keys().cancelChannel());
            Map<byte[], byte[]> asked = new LinkedHashMap<>();
            for (int i = 0; i < names.length; i++) {
                asked.put(names[i], bytes(queue + " " + ids.get(i)));
            }
            return connection
                    .run(commands -> commands.hset(connection.keys().cancels(), asked))
                    .thenCompose(set -> connection.run(
                            commands -> commands.expire(connection.keys().cancels(), KEPT_SECONDS)))
                    .thenCompose(kept -> connection.run(commands -> commands.publish(channel, names[0])))
                    .thenApply(receivers -> this);
        }

        /** Returns the places of the tasks that were interrupted, as far as executors have answered. */
        public CompletableFuture<List<String>> interrupted() {
            return connection
                    .run(commands -> commands.hmget(connection.keys().cancels(), answers))
                    .thenApply(found -> found.stream()
                            .filter(KeyValue::hasValue)
                            .flatMap(answer -> text(answer.getValue()).lines())
                            .toList());
        }

        /** Forgets the requests and their answers. */
        public CompletableFuture<Void> close() {
            return connection
                    .run(commands -> commands.hdel(
                            connection.keys().cancels(),
                            Stream.concat(Arrays.stream(names), Arrays.stream(answers))
                                    .toArray(byte[][]::new)))
                    .thenApply(removed -> null);
        }
    }

    /** Asks all executors to cancel the runs of tasks with this id. @param id as for {@link Registrant#cancel} */
    public CompletableFuture<Request> cancel(String queue, String id) {
        return cancel(queue, List.of(id));
    }

    /** Asks the same for several tasks at once. @param ids one or more */
    public CompletableFuture<Request> cancel(String queue, List<String> ids) {
        return new Request(ids.size()).send(queue, ids);
    }

    /** Has an executor look for requests, until the returned object is closed. */
    AutoCloseable listen(Registrant executor) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Runnable look = () -> look(executor, seen);
        wakeups.add(connection.keys().cancelChannel(), look);
        return () -> wakeups.remove(connection.keys().cancelChannel(), look);
    }

    private void look(Registrant executor, Set<String> seen) {
        connection
                .run(commands -> commands.hgetall(connection.keys().cancels()))
                .thenAccept(all -> answer(executor, all, seen))
                .exceptionally(failure -> {
                    log.debug("Failed to look for tasks that are to be cancelled: {}", failure.toString());
                    return null;
                });
    }

    private void answer(Registrant executor, Map<byte[], byte[]> all, Set<String> seen) {
        List<String> names = new ArrayList<>();
        all.forEach((field, value) -> {
            String name = text(field);
            names.add(name);
            String[] asked = text(value).split(" ", 2);
            if (!name.endsWith(ANSWER) && asked.length == 2 && seen.add(name)) {
                cancel(executor, name, asked[0], asked[1]);
            }
        });
        seen.retainAll(names);
    }

    private void cancel(Registrant executor, String name, String queue, String id) {
        executor.cancel(queue, id).thenAccept(cancelled -> {
            if (!cancelled.isEmpty()) {
                log.info("Queue {}: an operator has cancelled the tasks {}", queue, cancelled);
                tell(name, bytes(String.join("\n", cancelled)));
            }
        });
    }

    private void tell(String name, byte[] answer) {
        connection
                .run(commands -> commands.hset(connection.keys().cancels(), bytes(name + ANSWER), answer))
                .exceptionally(failure -> {
                    log.warn("Failed to tell that tasks are cancelled: {}", failure.toString());
                    return null;
                });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
