package dev.tandem.executor;

import dev.tandem.task.Outcome;
import java.util.concurrent.atomic.LongAdder;

/** What a queue's runs came to. */
final class Counters {
    final LongAdder succeeded = new LongAdder();
    final LongAdder retried = new LongAdder();
    final LongAdder dead = new LongAdder();
    final LongAdder notStarted = new LongAdder();
    final LongAdder timedOut = new LongAdder();

    void count(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            succeeded.increment();
        } else if (outcome instanceof Outcome.Retry) {
            retried.increment();
        } else if (outcome instanceof Outcome.Dead) {
            dead.increment();
        } else {
            notStarted.increment();
        }
    }
}
