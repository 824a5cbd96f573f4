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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the tasks that wait for one that has ended, so that they look again at once. They are read in pages, and those of a
 * partition are woken together. Whatever is lost here only takes
 * longer, because tasks that wait look again by themselves. Thread-safe.
 */
final class DependentWakeups {

    private static final Logger log = LoggerFactory.getLogger(DependentWakeups.class);

    private static final int PAGE = 200;

    private static final String BEGINNING = "0";

    private final AdminConnection connection;
    private final TaskWakeups tasks;
    private final WakeupWalks walks = new WakeupWalks();

    DependentWakeups(AdminConnection connection) {
        this.connection = connection;
        this.tasks = new TaskWakeups(connection);
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
                .runScript(Script.LIST_DEPENDENTS, keys, bytes(cursor), bytes(Integer.toString(PAGE)))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    String next = in.text();
                    Map<Partition, List<String>> waiting = waiting(in, seen);
                    CompletableFuture<?>[] woken = waiting.entrySet().stream()
                            .map(each -> tasks.wakeSoon(each.getKey(), each.getValue()))
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
}
