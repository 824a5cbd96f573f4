package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks executors something about a task of a queue, of which nobody else knows where it is. A request is a field of one hash, and a
 * message says that it is there. An executor that has an answer adds it to the hash. Thread-safe.
 */
final class ExecutorRequests {

    private static final Logger log = LoggerFactory.getLogger(ExecutorRequests.class);

    /** The hash goes so long after the last request, if nobody has removed what is in it. */
    private static final long KEPT_SECONDS = 60;

    private static final String ANSWER = ":";

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;
    private final byte[] hash;
    private final String channel;

    ExecutorRequests(AdminConnection connection, WakeupSubscriber wakeups, byte[] hash, String channel) {
        this.connection = connection;
        this.wakeups = wakeups;
        this.hash = hash;
        this.channel = channel;
    }

    /** Requests that executors look for until they are closed. All are announced by one message. */
    final class Request {

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
            Map<byte[], byte[]> asked = new LinkedHashMap<>();
            for (int i = 0; i < names.length; i++) {
                asked.put(names[i], bytes(queue + " " + ids.get(i)));
            }
            return connection
                    .run(commands -> commands.hset(hash, asked))
                    .thenCompose(set -> connection.run(commands -> commands.expire(hash, KEPT_SECONDS)))
                    .thenCompose(kept -> connection.run(commands -> commands.publish(bytes(channel), names[0])))
                    .thenApply(receivers -> this);
        }

        /** Returns the lines that executors have answered so far. */
        CompletableFuture<List<String>> answers() {
            return connection
                    .run(commands -> commands.hmget(hash, answers))
                    .thenApply(found -> found.stream()
                            .filter(KeyValue::hasValue)
                            .flatMap(answer -> text(answer.getValue()).lines())
                            .toList());
        }

        /** Forgets the requests and their answers. */
        CompletableFuture<Void> close() {
            return connection
                    .run(commands -> commands.hdel(
                            hash,
                            Stream.concat(Arrays.stream(names), Arrays.stream(answers))
                                    .toArray(byte[][]::new)))
                    .thenApply(removed -> null);
        }
    }

    /** Asks about several tasks at once. @param ids one or more */
    CompletableFuture<Request> send(String queue, List<String> ids) {
        return new Request(ids.size()).send(queue, ids);
    }

    /**
     * Looks for requests, until the returned object is closed.
     *
     * @param answer returns lines about a task of a queue; none if another executor may know of it
     */
    AutoCloseable listen(BiFunction<String, String, CompletionStage<List<String>>> answer) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Runnable look = () -> look(answer, seen);
        wakeups.add(channel, look);
        return () -> wakeups.remove(channel, look);
    }

    private void look(BiFunction<String, String, CompletionStage<List<String>>> answer, Set<String> seen) {
        connection
                .run(commands -> commands.hgetall(hash))
                .thenAccept(all -> answer(answer, all, seen))
                .exceptionally(failure -> {
                    log.debug("Failed to look for requests on {}: {}", channel, failure.toString());
                    return null;
                });
    }

    private void answer(
            BiFunction<String, String, CompletionStage<List<String>>> answer,
            Map<byte[], byte[]> all,
            Set<String> seen) {
        List<String> names = new ArrayList<>();
        all.forEach((field, value) -> {
            String name = text(field);
            names.add(name);
            String[] asked = text(value).split(" ", 2);
            if (!name.endsWith(ANSWER) && asked.length == 2 && seen.add(name)) {
                answer.apply(asked[0], asked[1]).thenAccept(lines -> tell(name, lines));
            }
        });
        seen.retainAll(names);
    }

    private void tell(String name, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        byte[] answer = bytes(String.join("\n", lines));
        connection
                .run(commands -> commands.hset(hash, bytes(name + ANSWER), answer))
                .exceptionally(failure -> {
                    log.warn("Failed to answer a request on {}: {}", channel, failure.toString());
                    return null;
                });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
