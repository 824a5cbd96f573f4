package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import io.lettuce.core.KeyValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks executors something about a task of a queue, of which nobody else knows where it is. A request is a field of one hash, and a
 * message says that it is there. An executor that has an answer adds it to the hash: to a field that all share, if one answer
 * tells all, or to one of its own. An answer that comes when nobody waits for it any more is dropped. Thread-safe.
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
        private final Map<String, byte[]> answersOf = new LinkedHashMap<>();

        private Request(int count, Set<String> executors) {
            names = new byte[count][];
            answers = new byte[count][];
            for (int i = 0; i < count; i++) {
                String name = UUID.randomUUID().toString();
                names[i] = bytes(name);
                answers[i] = bytes(name + ANSWER);
                executors.forEach(each -> answersOf.put(each, bytes(name + ANSWER + each + ANSWER)));
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

        /** Returns the lines that each executor has answered so far that was named when this was asked. */
        CompletableFuture<Map<String, List<String>>> answersOfEach() {
            if (answersOf.isEmpty()) {
                return CompletableFuture.completedFuture(Map.of());
            }
            List<String> executors = List.copyOf(answersOf.keySet());
            byte[][] fields = answersOf.values().toArray(byte[][]::new);
            return connection.run(commands -> commands.hmget(hash, fields)).thenApply(found -> {
                Map<String, List<String>> answered = new LinkedHashMap<>();
                for (int i = 0; i < fields.length; i++) {
                    if (found.get(i).hasValue()) {
                        answered.put(
                                executors.get(i),
                                text(found.get(i).getValue()).lines().toList());
                    }
                }
                return answered;
            });
        }

        /** Forgets the requests and their answers. */
        CompletableFuture<Void> close() {
            return connection
                    .runScript(Script.FORGET_REQUESTS, new byte[][] {hash}, names)
                    .thenApply(removed -> null);
        }
    }

    /** Asks about several tasks at once. @param ids one or more */
    CompletableFuture<Request> send(String queue, List<String> ids) {
        return new Request(ids.size(), Set.of()).send(queue, ids);
    }

    /** Asks these executors a question that each of them answers for itself. */
    CompletableFuture<Request> ask(String queue, String question, Set<String> executors) {
        return new Request(1, executors).send(queue, List.of(question));
    }

    /**
     * The answer of an executor to a request.
     *
     * @param executor its id, if each executor answers for itself; null if one answer tells all, and none that has no lines
     */
    record Answer(@Nullable String executor, List<String> lines) {}

    /**
     * Looks for requests, until the returned object is closed.
     *
     * @param answer returns lines about a task of a queue
     */
    AutoCloseable listen(BiFunction<String, String, CompletionStage<Answer>> answer) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Runnable look = () -> look(answer, seen);
        wakeups.add(channel, look);
        return () -> wakeups.remove(channel, look);
    }

    private void look(BiFunction<String, String, CompletionStage<Answer>> answer, Set<String> seen) {
        connection
                .run(commands -> commands.hgetall(hash))
                .thenAccept(all -> answer(answer, all, seen))
                .exceptionally(failure -> {
                    log.debug("Failed to look for requests on {}: {}", channel, failure.toString());
                    return null;
                });
    }

    private void answer(
            BiFunction<String, String, CompletionStage<Answer>> answer, Map<byte[], byte[]> all, Set<String> seen) {
        List<String> names = new ArrayList<>();
        all.forEach((field, value) -> {
            String name = text(field);
            names.add(name);
            String[] asked = text(value).split(" ", 2);
            if (!name.endsWith(ANSWER) && asked.length == 2 && seen.add(name)) {
                answer.apply(asked[0], asked[1]).thenAccept(said -> tell(name, said));
            }
        });
        seen.retainAll(names);
    }

    private void tell(String name, Answer answer) {
        if (answer.executor() == null && answer.lines().isEmpty()) {
            return;
        }
        String field = name + ANSWER + (answer.executor() == null ? "" : answer.executor() + ANSWER);
        byte[] lines = bytes(String.join("\n", answer.lines()));
        connection
                .runScript(Script.ANSWER_REQUEST, new byte[][] {hash}, bytes(name), bytes(field), lines)
                .exceptionally(failure -> {
                    log.warn("Failed to answer a request on {}: {}", channel, failure.toString());
                    return null;
                });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
