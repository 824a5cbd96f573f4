package dev.tandem.executor;

import dev.tandem.api.BatchFailedException;
import dev.tandem.api.BatchHandler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.api.UnreadablePayloadException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The tasks of one call with their payloads as objects. Those whose payload cannot be read fail by themselves, and the code
 * gets the others.
 *
 * @param <P> what payloads are read as
 */
public final class ReadBatch<P> {

    /**
     * Runs the tasks that could be read.
     *
     * @param <P> what payloads are read as
     */
    @FunctionalInterface
    public interface Code<P> {

        /** Runs one attempt at each of the tasks, as {@link BatchHandler#handle}. */
        List<Result> handle(List<P> payloads, List<TaskContext> tasks) throws Exception;
    }

    private final int size;
    private final List<P> payloads = new ArrayList<>();
    private final List<TaskContext> tasks = new ArrayList<>();
    /** The place of each readable task among all. */
    private final List<Integer> places = new ArrayList<>();

    private final Map<Integer, Exception> failures = new TreeMap<>();

    private ReadBatch(int size) {
        this.size = size;
    }

    /** Reads the payloads. @param read throws {@link UnreadablePayloadException} for one that cannot be read */
    public static <P> ReadBatch<P> of(List<TaskContext> tasks, Function<byte[], P> read) {
        ReadBatch<P> batch = new ReadBatch<>(tasks.size());
        for (int place = 0; place < tasks.size(); place++) {
            TaskContext task = tasks.get(place);
            try {
                batch.payloads.add(read.apply(task.payload()));
                batch.tasks.add(task);
                batch.places.add(place);
            } catch (UnreadablePayloadException e) {
                batch.failures.put(place, e);
            }
        }
        return batch;
    }

    /** Returns the results of a call in which all tasks succeeded. */
    public static List<Result> allDone(int size) {
        return Collections.nCopies(size, Result.done());
    }

    /** Runs the code with the readable tasks. @return or throws what a {@link BatchHandler} does, for all tasks */
    public List<Result> run(Code<P> code) throws Exception {
        if (failures.isEmpty()) {
            return code.handle(Collections.unmodifiableList(payloads), List.copyOf(tasks));
        }
        if (tasks.isEmpty()) {
            throw new BatchFailedException(failures);
        }
        try {
            return spread(
                    BatchedHandler.checked(code.handle(Collections.unmodifiableList(payloads), tasks), tasks.size()));
        } catch (BatchFailedException e) {
            BatchedHandler.checkIndexes(e, tasks.size());
            e.failures().forEach((index, failure) -> failures.put(places.get(index), failure));
        } catch (Exception e) {
            places.forEach(place -> failures.put(place, e));
        }
        throw new BatchFailedException(failures);
    }

    /** Adds the results of the tasks that could not be read. */
    private List<Result> spread(List<Result> results) {
        List<Result> all = new ArrayList<>(allDone(size));
        failures.forEach((place, failure) -> all.set(place, Result.dead(OutcomeDecider.describe(failure))));
        for (int i = 0; i < results.size(); i++) {
            all.set(places.get(i), results.get(i));
        }
        return all;
    }
}
