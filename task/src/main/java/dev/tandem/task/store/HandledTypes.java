package dev.tandem.task.store;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The types of tasks that an executor has handlers for, in one queue. Immutable.
 *
 * @param types the types; {@link #NO_TYPE} stands for tasks that name none
 * @param any whether it has a handler for every other type too
 */
public record HandledTypes(Set<String> types, boolean any) {

    /** Stands for tasks that name no type. */
    public static final String NO_TYPE = "";

    /** Stands for all types, where types are listed. */
    public static final String ANY = "*";

    public HandledTypes {
        types = Set.copyOf(types);
    }

    /** Returns whether nothing of the other is missing here. */
    public boolean covers(HandledTypes other) {
        return any || (!other.any && types.containsAll(other.types));
    }

    /** Returns what the other has and this one lacks, in order. */
    public SortedSet<String> lackedOf(HandledTypes other) {
        SortedSet<String> lacked = new TreeSet<>();
        if (!any) {
            lacked.addAll(other.types);
            lacked.removeAll(types);
            if (other.any) {
                lacked.add(ANY);
            }
        }
        return lacked;
    }

    /** Returns all types as a list for people: {@link #ANY} comes first. */
    public SortedSet<String> listed() {
        SortedSet<String> all = new TreeSet<>(types);
        all.remove(NO_TYPE);
        if (any) {
            all.add(ANY);
        }
        return all;
    }

    /** Names a type in a sentence. */
    public static String describe(String type) {
        return switch (type) {
            case NO_TYPE -> "tasks without a type";
            case ANY -> "any type";
            default -> "'" + type + "'";
        };
    }
}
