package dev.tandem.server.api;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.Sentence;
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
     * @param refused how many lines were not published, since they are no tasks
     * @param unconfirmed how many tasks the broker did not confirm; they may have arrived
     * @param problems what is wrong with those lines, in their order
     */
    record Batch(String queue, long lines, long accepted, long refused, long unconfirmed, List<LineProblem> problems) {

        /** With these, an answer has about 1 KiB at most, so that no caller takes the room of others. */
        private static final int MOST_REPEATED = 4;

        private static final int MOST_DESCRIBED = 500;

        /** Returns the same to be kept for a repeat of the request: with few problems, and with few or no descriptions. */
        Batch shortened() {
            if (problems.size() <= MOST_REPEATED
                    && problems.stream().mapToInt(LineProblem::length).sum() <= MOST_DESCRIBED) {
                return this;
            }
            List<LineProblem> first = problems.stream()
                    .limit(MOST_REPEATED)
                    .map(LineProblem::brief)
                    .toList();
            return new Batch(queue, lines, accepted, refused, unconfirmed, first);
        }
    }

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

        private static final int MAX_DETAIL = 500;
        private static final String LEFT_OUT = "The answer has no room for more descriptions";

        static LineProblem of(long line, ApiException refusal) {
            String detail = String.valueOf(refusal.getMessage());
            boolean isLong = detail.length() > MAX_DETAIL;
            Map<String, String> place = isLong ? null : refusal.place(Language.EN);
            Sentence remedy = refusal.remedy();
            return new LineProblem(
                    line,
                    refusal.type().uri().toString(),
                    refusal.type().status().value(),
                    isLong ? detail.substring(0, MAX_DETAIL) + "..." : detail,
                    remedy == null ? null : remedy.english(),
                    place == null ? null : List.of(place));
        }

        /** Returns about how many characters of the answer it takes. */
        int length() {
            return detail.length()
                    + (remedy == null ? 0 : remedy.length())
                    + (errors == null ? 0 : errors.toString().length());
        }

        /** Returns the same without a description, for an answer that has no room for it. */
        LineProblem brief() {
            return new LineProblem(line, type, status, LEFT_OUT, null, null);
        }
    }
}
