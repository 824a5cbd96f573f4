package dev.tandem.server.pull;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Mail in memory that goes wrong as mail in Redis may. */
final class MailOfTests implements PullMail {

    private final Map<String, Consumer<byte[]>> boxes = new ConcurrentHashMap<>();
    private final Map<String, Consumer<String>> listeners = new ConcurrentHashMap<>();

    /** The processes that get each message twice, as if Redis had forgotten that they took it. */
    final Set<String> twice = ConcurrentHashMap.newKeySet();

    /** The processes that get messages whose senders hear nothing of it. */
    final Set<String> unsure = ConcurrentHashMap.newKeySet();

    /** The messages of processes that are frozen, and take none. */
    private final Map<String, Queue<byte[]>> kept = new ConcurrentHashMap<>();

    void freeze(String process) {
        kept.put(process, new ConcurrentLinkedQueue<>());
    }

    /** Lets a process take its messages. @return how many there were */
    int wake(String process) {
        Queue<byte[]> its = kept.remove(process);
        its.forEach(each -> boxes.get(process).accept(each));
        return its.size();
    }

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
        boolean isUnsure = unsure.contains(to); // A test may go on as soon as the message has arrived.
        messages.forEach(message -> deliver(to, message));
        return isUnsure
                ? CompletableFuture.failedFuture(new IllegalStateException("the connection broke"))
                : CompletableFuture.completedFuture(messages.size());
    }

    private void deliver(String to, byte[] message) {
        Queue<byte[]> its = kept.get(to);
        if (its != null) {
            its.add(message);
            return;
        }
        boxes.get(to).accept(message);
        if (twice.contains(to)) {
            boxes.get(to).accept(message);
        }
    }

    @Override
    public CompletableFuture<Boolean> retract(String from, byte[] message) {
        Queue<byte[]> its = kept.get(from);
        return CompletableFuture.completedFuture(its != null && its.removeIf(each -> Arrays.equals(each, message)));
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
