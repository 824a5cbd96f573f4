package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Finds the partitions whose tasks wait because no executor owns them. Thread-safe. */
final class UnownedPartitions {

    private final AdminConnection connection;
    private final Inspector inspector;

    UnownedPartitions(AdminConnection connection, Inspector inspector) {
        this.connection = connection;
        this.inspector = inspector;
    }

    /** Finds those of a queue, as {@link Inspector#unowned} says. */
    CompletableFuture<List<Partition>> find(String queue, Collection<String> ofBroker) {
        return inspector
                .partitions(queue)
                .thenCombine(connection.now(), (known, now) -> {
                    Set<Partition> all = new LinkedHashSet<>(known);
                    ofBroker.forEach(name -> all.add(new Partition(queue, name)));
                    return Futures.all(
                            List.copyOf(all),
                            partition -> isOwned(partition, now)
                                    .thenApply(owned -> owned ? Optional.<Partition>empty() : Optional.of(partition)));
                })
                .thenCompose(Function.identity())
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList())
                .thenCompose(unowned -> withTasks(unowned, ofBroker));
    }

    private CompletableFuture<Boolean> isOwned(Partition partition, long now) {
        byte[] owner = connection.keys().owner(partition);
        return connection
                .run(commands -> commands.hmget(owner, bytes("lease"), bytes("released")))
                .thenApply(fields -> {
                    String lease = fields.get(0).map(UnownedPartitions::text).getValueOrElse("0");
                    boolean released = fields.get(1)
                            .map(UnownedPartitions::text)
                            .getValueOrElse("")
                            .equals("1");
                    return !released && Long.parseLong(lease) > now;
                });
    }

    /** Leaves out partitions that the broker does not have and that hold nothing to run. */
    private CompletableFuture<List<Partition>> withTasks(List<Partition> unowned, Collection<String> ofBroker) {
        List<Partition> others = unowned.stream()
                .filter(partition -> !ofBroker.contains(partition.name()))
                .toList();
        return Futures.all(others, inspector::counts).thenApply(views -> {
            Set<Partition> empty = views.stream()
                    .filter(view -> !Inspector.hasTasksToRun(view))
                    .map(PartitionView::partition)
                    .collect(Collectors.toSet());
            return unowned.stream()
                    .filter(partition -> !empty.contains(partition))
                    .toList();
        });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
