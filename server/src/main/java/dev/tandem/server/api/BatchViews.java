package dev.tandem.server.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers to batches. */
final class BatchViews {

    private BatchViews() {}

    /**
     * The outcome of a batch.
     *
     * @param lines how many lines were read
     * @param accepted how many tasks the broker has
     * @param refused how many lines were not accepted: they are no tasks, or the broker did not confirm theirs
     * @param problems what is wrong with these
     */
    record Batch(String queue, long lines, long accepted, long refused, List<LineProblem> problems) {}

    /**
     * Why a line was not accepted.
     *
     * @param line its number, from 1
     * @param type as that of a problem
     * @param errors what is wrong in the line, if that can be said
     */
    record LineProblem(
            long line,
            String type,
            int status,
            String detail,
            @Nullable String remedy,
            @Nullable List<Map<String, String>> errors) {

        static LineProblem of(long line, ApiException refusal) {
            Map<String, String> place = refusal.place();
            return new LineProblem(
                    line,
                    refusal.type().uri().toString(),
                    refusal.type().status().value(),
                    String.valueOf(refusal.getMessage()),
                    refusal.remedy(),
                    place == null ? null : List.of(place));
        }
    }
}
