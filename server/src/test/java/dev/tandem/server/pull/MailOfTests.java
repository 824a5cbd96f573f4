package dev.tandem.server.pull;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Mail in memory that goes wrong as mail in Redis may. */
final class MailOfTests implements PullMail {

    private final Map<String, Consumer<byte[]>> boxes = new ConcurrentHashMap<>();
    private final Map<String, Consumer<String>> listeners = new ConcurrentHashMap<>();

    /** The processes that get each message twice, as if Redis had forgotten that they took it. */
    final Set<String> twice = ConcurrentHashMap.newKeySet();

    /** The processes that get messages whose senders hear nothing of it. */
    final Set<String> unsure = ConcurrentHashMap.newKeySet();

    @Override
    public Box open(String name, Consumer<byte[]> receiver) {
        boxes.put(name, receiver);
        return new Box() {
            @Override
            public void look() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public CompletableFuture<Integer> post(String to, List<byte[]> messages) {
        messages.forEach(message -> deliver(to, message));
        return unsure.contains(to)
                ? CompletableFuture.failedFuture(new IllegalStateException("the connection broke"))
                : CompletableFuture.completedFuture(messages.size());
    }

    private void deliver(String to, byte[] message) {
        boxes.get(to).accept(message);
        if (twice.contains(to)) {
            boxes.get(to).accept(message);
        }
    }

    @Override
    public CompletableFuture<Void> announce(String queue, String text) {
        listeners.values().forEach(each -> each.accept(text));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public AutoCloseable listen(String queue, Consumer<String> heard) {
        String name = "listener " + listeners.size();
        listeners.put(name, heard);
        return () -> listeners.remove(name);
    }
}
