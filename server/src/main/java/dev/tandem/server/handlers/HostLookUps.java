package dev.tandem.server.handlers;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks hosts up on threads of its own, since the machine's look-up knows no end and no interrupt. Calls that need the same host
 * at once share a look-up, so there are no more threads than hosts, and a slow name holds nobody else up. Thread-safe.
 */
final class HostLookUps implements AutoCloseable {

    private record Wanted(HostResolver resolver, String host) {}

    /** There are few: hosts are of URLs in settings. */
    private final Map<Wanted, CompletableFuture<List<InetAddress>>> underWay = new ConcurrentHashMap<>();

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "tandem-dns");
        thread.setDaemon(true);
        return thread;
    });

    /** @param due when it must have ended, by {@link System#nanoTime} */
    List<InetAddress> resolve(HostResolver resolver, String host, long due) throws IOException, InterruptedException {
        CompletableFuture<List<InetAddress>> answer = underWay.computeIfAbsent(new Wanted(resolver, host), this::begin);
        try {
            return answer.get(Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new InterruptedIOException("its address was not found in time");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownHostException) {
                throw new UnknownHostException(host);
            }
            throw new IOException(e.getCause());
        }
    }

    private CompletableFuture<List<InetAddress>> begin(Wanted wanted) {
        CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                List<InetAddress> found = wanted.resolver().resolve(wanted.host());
                // Before the answer: who comes later gets a new one.
                underWay.remove(wanted);
                answer.complete(found);
            } catch (Throwable e) { // also of what is no exception: else the host would never be looked up again
                underWay.remove(wanted);
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
