package dev.tandem.server.inspect;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Says which partitions of a queue need an owner: those that its broker has, and those of which the store has tasks that are
 * to run. The store also remembers partitions that are gone and empty, which need none. Pure.
 */
public final class NeededOwners {

    /** Orders names of partitions: numbers by their value, before other names. */
    public static final Comparator<String> BY_NUMBER = Comparator.comparing(
                    (String name) -> !name.chars().allMatch(Character::isDigit))
            .thenComparing(name -> name.chars().allMatch(Character::isDigit) ? name.length() : 0)
            .thenComparing(Comparator.naturalOrder());

    private NeededOwners() {}

    /**
     * Returns the names of the partitions that the broker has, as far as they are known. RabbitMQ has as many as the settings
     * say, even before an executor has declared its sub-queues.
     *
     * @param lags the backlog by partition, as {@link Backlog} says
     */
    public static Set<String> ofBroker(QueueSettings settings, Map<String, Long> lags) {
        Set<String> names = new LinkedHashSet<>();
        if (settings.effectiveSource() == SourceType.RABBIT) {
            IntStream.range(0, settings.partitions())
                    .mapToObj(Integer::toString)
                    .forEach(names::add);
        }
        names.addAll(lags.keySet());
        names.remove("");
        return names;
    }

    /**
     * Returns the names of the partitions that need an owner and have none, numbers in numerical order.
     *
     * @param known the partitions that the store knows
     * @param ofBroker the names of those that the broker has
     */
    public static List<String> missing(Collection<PartitionInfo> known, Set<String> ofBroker) {
        Set<String> names = known.stream().map(PartitionInfo::partition).collect(Collectors.toSet());
        return Stream.concat(
                        known.stream()
                                .filter(each -> each.owner() == null)
                                .filter(each -> ofBroker.contains(each.partition())
                                        || each.counts().toRun() > 0)
                                .map(PartitionInfo::partition),
                        ofBroker.stream().filter(name -> !names.contains(name)))
                .sorted(BY_NUMBER)
                .toList();
    }
}
