package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Sends a store one request at a time and waits for the answer. */
final class StoreClient implements AutoCloseable {

    private final Store store;
    private final Map<Partition, Waiting> links = new ConcurrentHashMap<>();

    StoreClient(Store store) {
        this.store = store;
    }

    StoreAnswer ask(StoreRequest request) {
        if (request instanceof RunRequest run) {
            return store.ask(run).toCompletableFuture().join();
        }
        Waiting waiting = links.computeIfAbsent(request.partition(), partition -> {
            Waiting made = new Waiting();
            made.link = store.link(partition, made);
            made.take("up");
            return made;
        });
        waiting.link.send(request);
        return (StoreAnswer) waiting.take("an answer");
    }

    @Override
    public void close() {
        links.values().forEach(waiting -> waiting.link.close());
    }

    private static final class Waiting implements Store.Listener {
        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private Store.Link link;

        Object take(String what) {
            try {
                Object event = events.poll(120, TimeUnit.SECONDS);
                if (event == null) {
                    throw new AssertionError("Expected " + what + " from the store, but nothing came within 40 s");
                }
                return event;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            events.add(answer);
        }

        @Override
        public void down(String reason) {
            events.add(new IllegalStateException(reason));
        }

        @Override
        public void up() {
            events.add("up");
        }

        @Override
        public void woken() {}
    }
}
