package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.store.DedupBuckets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the tasks that wait for one that has ended, so that they look again at once. They are read in pages, and those of a
 * partition are woken together. One that is just about to wait is tried again a few times. Whatever is lost here only takes
 * longer, because tasks that wait look again by themselves. Thread-safe.
 */
final class WaiterWakeups {

    private static final Logger log = LoggerFactory.getLogger(WaiterWakeups.class);

    private static final int PAGE = 200;

    /** After which times a task is tried again that did not wait yet. */
    private static final long[] AGAIN_MILLIS = {100, 400, 1_500};

    private static final String BEGINNING = "0";

    private final AdminConnection connection;
    private final WakeupWalks walks = new WakeupWalks();

    WaiterWakeups(AdminConnection connection) {
        this.connection = connection;
    }

    /** Wakes the tasks that wait for the one with this id. */
    void wake(BusinessId ended) {
        if (walks.begin(ended)) {
            walk(ended);
        }
    }

    private void walk(BusinessId ended) {
        page(ended, BEGINNING, new HashSet<>()).whenComplete((done, failure) -> {
            if (failure != null) {
                log.debug("Could not wake all tasks that wait for {}: they look again by themselves", ended, failure);
            }
            if (walks.end(ended)) {
                wake(ended);
            }
        });
    }

    /** Wakes those of a page, and then the others. @param seen partitions and positions, because a page may repeat some */
    private CompletableFuture<Void> page(BusinessId ended, String cursor, Set<String> seen) {
        byte[][] keys = {connection.keys().waiting(ended.queue(), DedupBuckets.of(ended), ended.key())};
        return connection
                .runScript(Script.LIST_WAITING, keys, bytes(cursor), bytes(Integer.toString(PAGE)))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    String next = in.text();
                    Map<Partition, List<String>> waiting = waiting(in, seen);
                    CompletableFuture<?>[] woken = waiting.entrySet().stream()
                            .map(each -> wake(each.getKey(), each.getValue(), 0))
                            .toArray(CompletableFuture[]::new);
                    CompletableFuture<Void> all = CompletableFuture.allOf(woken);
                    // The next page need not be deeper on the stack.
                    return next.equals(BEGINNING)
                            ? all
                            : all.thenComposeAsync(done -> page(ended, next, new HashSet<>()));
                });
    }

    private static Map<Partition, List<String>> waiting(ReplyReader in, Set<String> seen) {
        Map<Partition, List<String>> waiting = new LinkedHashMap<>();
        while (in.hasMore()) {
            Partition partition = new Partition(in.text(), in.text());
            String position = in.text();
            in.number(); // Since when it waits.
            if (!in.flag() && seen.add(partition + "/" + position)) {
                waiting.computeIfAbsent(partition, none -> new ArrayList<>()).add(position);
            }
        }
        return waiting;
    }

    /** Makes tasks of a partition due that wait for a time. */
    CompletableFuture<Void> wake(Partition partition, List<String> positions) {
        return wake(partition, positions, AGAIN_MILLIS.length);
    }

    private CompletableFuture<Void> wake(Partition partition, List<String> positions, int tries) {
        byte[][] args = new byte[positions.size() + 1][];
        args[0] = bytes(connection.keys().wakeChannel(partition));
        for (int i = 0; i < positions.size(); i++) {
            args[i + 1] = bytes(positions.get(i));
        }
        return connection.runScript(Script.WAKE_WAITING, partition, args).thenAccept(reply -> {
            ReplyReader in = new ReplyReader(reply);
            in.number();
            List<String> others = in.all(ReplyReader::text);
            if (!others.isEmpty() && tries < AGAIN_MILLIS.length) {
                CompletableFuture.delayedExecutor(AGAIN_MILLIS[tries], TimeUnit.MILLISECONDS)
                        .execute(() -> wake(partition, others, tries + 1));
            }
        });
    }
}
