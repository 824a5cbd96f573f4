package dev.tandem.executor;

import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Writes the names of many partitions of a queue in short, for the log. */
final class PartitionNames {

    private static final int MAX_PARTS = 20;
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");

    private PartitionNames() {}

    /** Returns the number of partitions and their names, such as {@code 250 partitions (0-249)}. */
    static String describe(Collection<Partition> partitions) {
        String noun = partitions.size() == 1 ? " partition (" : " partitions (";
        return partitions.size() + noun + format(partitions) + ")";
    }

    /** Returns the names without the queue: ranges of numbers first, such as {@code 0-249, 300, eu}. */
    static String format(Collection<Partition> partitions) {
        TreeSet<Integer> numbers = new TreeSet<>();
        TreeSet<String> others = new TreeSet<>();
        for (Partition partition : partitions) {
            if (NUMBER.matcher(partition.name()).matches()) {
                numbers.add(Integer.valueOf(partition.name()));
            } else {
                others.add(partition.name());
            }
        }
        List<String> parts = ranges(numbers);
        parts.addAll(others);
        if (parts.size() <= MAX_PARTS) {
            return String.join(", ", parts);
        }
        return String.join(", ", parts.subList(0, MAX_PARTS)) + ", ...";
    }

    private static List<String> ranges(TreeSet<Integer> numbers) {
        List<String> ranges = new ArrayList<>();
        Integer first = null;
        for (int number : numbers) {
            if (first == null) {
                first = number;
            }
            if (!numbers.contains(number + 1)) {
                ranges.add(first == number ? Integer.toString(number) : first + "-" + number);
                first = null;
            }
        }
        return ranges;
    }
}
