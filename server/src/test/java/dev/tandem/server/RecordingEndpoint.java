package dev.tandem.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP service that tasks are posted to. Records all calls, and answers 204 unless told otherwise for a task's id.
 */
final class RecordingEndpoint implements AutoCloseable {

    record Call(
            String id,
            String key,
            String type,
            int attempt,
            long token,
            String contentType,
            String body,
            String lease) {}

    /** @param retryAfter seconds, or null */
    record Reply(int status, String retryAfter) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Reply> replies = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
    private final Map<String, Integer> firstReplies = new ConcurrentHashMap<>();

    RecordingEndpoint() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String id = header(exchange, "Tandem-Task-Id");
        String key = header(exchange, "Tandem-Task-Key");
        int attempt = Integer.parseInt(header(exchange, "Tandem-Attempt"));
        calls.add(new Call(
                id,
                key,
                header(exchange, "Tandem-Task-Type"),
                attempt,
                Long.parseLong(header(exchange, "Tandem-Fencing-Token")),
                header(exchange, "Content-Type"),
                body,
                header(exchange, "Tandem-Lease")));
        awaitRelease(id);
        int usual = attempt == 1 ? firstReplies.getOrDefault(key, 204) : 204;
        Reply reply = replies.getOrDefault(id, new Reply(usual, null));
        if (reply.retryAfter() != null) {
            exchange.getResponseHeaders().set("Retry-After", reply.retryAfter());
        }
        exchange.sendResponseHeaders(reply.status(), -1);
        exchange.close();
    }

    private void awaitRelease(String id) {
        CountDownLatch release = held.get(id);
        try {
            if (release != null) {
                release.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    void reply(String id, int status, String retryAfter) {
        replies.put(id, new Reply(status, retryAfter));
    }

    /** Answers the first attempt of each task of this key with a status. */
    void replyFirst(String key, int status) {
        firstReplies.put(key, status);
    }

    /** Leaves calls for this task without an answer until {@link #release}. */
    void hold(String id) {
        held.put(id, new CountDownLatch(1));
    }

    /** Answers the calls for a task that is held, and those to come. */
    void release(String id) {
        held.remove(id).countDown();
    }

    /** Answers 204 for this task from now on. */
    void accept(String id) {
        replies.remove(id);
    }

    List<Call> calls(String id) {
        return calls.stream().filter(call -> call.id().equals(id)).toList();
    }

    List<Call> callsOfKey(String key) {
        return calls.stream().filter(call -> call.key().equals(key)).toList();
    }

    List<Call> callsWith(String body) {
        return calls.stream().filter(call -> call.body().equals(body)).toList();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
