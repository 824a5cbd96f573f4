package dev.tandem.server.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The relations of a task to others.
 *
 * @param waitsFor the first tasks that it waits for, or waited, in their order
 * @param moreAwaited how many further ones there are
 * @param waiting some of the tasks that wait for it, in no order
 * @param moreWaiting how many further ones are known. There may be others if that is not 0
 * @param fanOuts the fan-outs that it belongs to, or has begun
 */
public record TaskRelations(
        List<Neighbour> waitsFor, int moreAwaited, List<Neighbour> waiting, int moreWaiting, List<OfFanOut> fanOuts) {

    /** A task without relations. */
    public static final TaskRelations NONE = new TaskRelations(List.of(), 0, List.of(), 0, List.of());

    /** Whether there is anything to show. */
    public boolean isEmpty() {
        return waitsFor.isEmpty() && waiting.isEmpty() && fanOuts.isEmpty();
    }

    /**
     * Another task.
     *
     * @param name its id; its deduplication key or its reference if that is not known
     * @param ref null if it is not known where the task is, or the caller may not see it
     * @param state the state of a task; of one that is waited for, that of its deduplication key, or {@code unknown}. Null if
     *     the caller may not see it
     * @param fanOut the fan-out of which it is a subtask; null if it is none, or that is not known
     */
    public record Neighbour(
            String queue,
            String name,
            @Nullable String ref,
            @Nullable String state,
            @Nullable String fanOut) {}

    /** The role of a task in a fan-out. */
    public enum Part {
        SUBTASK,
        FINAL,
        MASTER
    }

    /**
     * A fan-out of a task.
     *
     * @param number of the subtask; null if the task is none
     * @param fanOut null if it is not kept any more, or the caller may not see it
     */
    public record OfFanOut(Part part, String id, @Nullable Long number, FanOutReader.@Nullable View fanOut) {}
}
