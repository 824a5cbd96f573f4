package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The answers that a gate got about runs that workers have not begun. Thread-safe. */
final class RunAnswers {

    /** The outcome by run; empty for a run that goes to its handler. */
    private final Map<Run, Optional<Outcome>> answers = new ConcurrentHashMap<>();

    /** @param outcome that of a task that does not run; null if the run goes to its handler */
    void put(Run run, @Nullable Outcome outcome) {
        answers.put(run, Optional.ofNullable(outcome));
    }

    boolean isEmpty() {
        return answers.isEmpty();
    }

    void clear() {
        answers.clear();
    }

    boolean has(Run run) {
        return answers.containsKey(run);
    }

    boolean mayRun(Run run) {
        Optional<Outcome> answer = answers.get(run);
        return answer == null || answer.isEmpty();
    }

    /** Takes the answer away. @return the outcome of a task that does not run, else null */
    @Nullable
    Outcome take(Run run) {
        Optional<Outcome> answer = answers.remove(run);
        return answer == null ? null : answer.orElse(null);
    }
}
