package dev.tandem.server.inspect;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.store.HandledTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The handlers of one queue, as its live executors announce them.
 *
 * @param handled what each executor has handlers for
 * @param unhandled the types of tasks for which an executor had no handler lately, of those executors that had none
 */
public record QueueHandlers(SortedMap<String, HandledTypes> handled, SortedMap<String, SortedSet<String>> unhandled) {

    /** Nothing is known. */
    public static final QueueHandlers NONE = new QueueHandlers(new TreeMap<>(), new TreeMap<>());

    private static final int MAX_NAMES = 10;

    /** Returns what others have handlers for and this executor does not, in order. */
    public SortedSet<String> lackedBy(String executor) {
        HandledTypes own = handled.get(executor);
        return own == null ? new TreeSet<>() : lackedBy(own, new HashSet<>(handled.values()));
    }

    private static SortedSet<String> lackedBy(HandledTypes own, Set<HandledTypes> all) {
        SortedSet<String> lacked = new TreeSet<>();
        all.forEach(other -> lacked.addAll(own.lackedOf(other)));
        return lacked;
    }

    /** Returns sentences about handlers that executors lack. */
    public List<Sentence> differences() {
        List<Sentence> sentences = new ArrayList<>();
        // Executors of one version lack the same, and are named together.
        Map<SortedSet<String>, List<String>> byLack = new LinkedHashMap<>();
        Set<HandledTypes> all = new HashSet<>(handled.values());
        Map<HandledTypes, SortedSet<String>> byHandlers = new HashMap<>();
        handled.forEach((executor, own) -> {
            SortedSet<String> lacked = byHandlers.computeIfAbsent(own, each -> lackedBy(each, all));
            if (!lacked.isEmpty()) {
                byLack.computeIfAbsent(lacked, none -> new ArrayList<>()).add(executor);
            }
        });
        byLack.forEach((lacked, executors) -> sentences.add(Sentence.of(
                executors.size() == 1 ? "queue.handlers-differ-one" : "queue.handlers-differ",
                names(executors),
                types(lacked))));
        return sentences;
    }

    /** Returns sentences about tasks for which executors had no handler lately. */
    public List<Sentence> missing() {
        SortedSet<String> all = new TreeSet<>();
        unhandled.values().forEach(all::addAll);
        return all.isEmpty()
                ? List.of()
                : List.of(Sentence.of("queue.no-handler", types(all), names(List.copyOf(unhandled.keySet()))));
    }

    private static String names(List<String> executors) {
        return executors.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
                + (executors.size() > MAX_NAMES ? ", ..." : "");
    }

    private static Sentence types(SortedSet<String> types) {
        return Sentence.listed(Stream.concat(
                        types.stream().limit(MAX_NAMES).map(HandledTypes::describe),
                        types.size() > MAX_NAMES ? Stream.of("...") : Stream.empty())
                .map(Sentence::quote));
    }
}
