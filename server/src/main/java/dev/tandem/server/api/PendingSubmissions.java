package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;

/** Bounds the tasks that were submitted and whose broker has not confirmed them yet. Thread-safe. */
final class PendingSubmissions {

    private static final int MAX_COUNT = 10_000;
    private static final long MAX_BYTES = 64 << 20;

    private int count;
    private long bytes;

    /**
     * Counts a submission, to be ended with {@link #end}. A single one may have any size.
     *
     * @throws ApiException if there are too many already; then nothing is counted
     */
    synchronized void begin(int size) {
        if (count > 0 && (count >= MAX_COUNT || bytes + size > MAX_BYTES)) {
            throw ProblemType.BUSY.refusal(
                    Sentence.of("problem.too-many-unconfirmed"), Sentence.of("remedy.again-in-a-second"));
        }
        count++;
        bytes += size;
    }

    synchronized void end(int size) {
        count--;
        bytes -= size;
    }
}
