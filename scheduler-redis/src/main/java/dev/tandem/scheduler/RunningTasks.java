package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.Registration.Registrant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

    /** A request that executors look for until it is closed. */
    public final class Request {

        private final String name = UUID.randomUUID().toString();

        /** Sends the request. */
        private CompletableFuture<Request> send(String queue, String id) {
            byte[] channel = bytes(connection.keys().cancelChannel());
            return connection
                    .run(commands -> commands.hset(connection.keys().cancels(), bytes(name), bytes(queue + " " + id)))
                    .thenCompose(set -> connection.run(
                            commands -> commands.expire(connection.keys().cancels(), KEPT_SECONDS)))
                    .thenCompose(kept -> connection.run(commands -> commands.publish(channel, bytes(name))))
                    .thenApply(receivers -> this);
        }

        /** Returns the places of the tasks that were interrupted, as far as executors have answered. */
        public CompletableFuture<List<String>> interrupted() {
            return connection
                    .run(commands -> commands.hget(connection.keys().cancels(), bytes(name + ANSWER)))
                    .thenApply(found ->
                            found == null ? List.of() : text(found).lines().toList());
        }

        /** Forgets the request and its answer. */
        public CompletableFuture<Void> close() {
            return connection
                    .run(commands -> commands.hdel(connection.keys().cancels(), bytes(name), bytes(name + ANSWER)))
                    .thenApply(removed -> null);
        }
    }

    /** Asks all executors to cancel the runs of tasks with this id. @param id as for {@link Registrant#cancel} */
    public CompletableFuture<Request> cancel(String queue, String id) {
        return new Request().send(queue, id);
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
        List<String> cancelled = executor.cancel(queue, id);
        if (!cancelled.isEmpty()) {
            log.info("Queue {}: an operator has cancelled the running tasks {}", queue, cancelled);
            byte[] answer = bytes(String.join("\n", cancelled));
            connection
                    .run(commands -> commands.hset(connection.keys().cancels(), bytes(name + ANSWER), answer))
                    .exceptionally(failure -> {
                        log.warn("Failed to tell that running tasks are cancelled: {}", failure.toString());
                        return null;
                    });
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
