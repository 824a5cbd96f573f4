package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The clock of schedules. All programs with a schedule must have nearly the same. */
interface FiringClock {

    /** Returns the time in epoch milliseconds. */
    long millis();

    /** Reads the store's time again. Called before the first use, and every few seconds. */
    CompletionStage<?> follow();

    /** Returns a clock that follows the store's, whatever the clock of this machine shows. */
    static FiringClock ofStore(ScheduleBook book) {
        return new FiringClock() {

            private volatile long ahead = System.currentTimeMillis() - monotonic();

            @Override
            public long millis() {
                return monotonic() + ahead;
            }

            @Override
            public CompletionStage<?> follow() {
                return book.now().thenAccept(now -> ahead = now - monotonic());
            }

            private static long monotonic() {
                return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            }
        };
    }
}
