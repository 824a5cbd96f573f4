package dev.tandem.executor;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Outcome;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyAnswer.State;
import dev.tandem.task.store.DependencyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a task may run that waits for others. Pure.
 *
 * @param ofQueue what counts for tasks that do not say it themselves
 */
record DependencyRules(DependencyPolicy ofQueue) {

    /** A task that waits looks again after a share of the time for which it has waited, and after these times. */
    static final long SHORTEST_LOOK_MILLIS = 1_000;

    static final long LONGEST_LOOK_MILLIS = 180_000;

    private static final int SHARE = 2;

    /** After which time a task looks again about which the store did not answer. */
    private static final long UNANSWERED_MILLIS = 5_000;

    private static final WaitReason UNANSWERED = new WaitReason.Other("an answer of Redis about what it depends on");

    Policy policyOf(TaskDependencies its) {
        Policy own = its.policy();
        return own == null ? ofQueue.policy() : own;
    }

    long timeoutOf(TaskDependencies its) {
        return its.timeoutMillis() == 0 ? ofQueue.timeoutMillis() : its.timeoutMillis();
    }

    /**
     * Returns what becomes of a task that does not run now; null if it runs.
     *
     * @param answers what is known of each task that it waits for; null where the store did not answer
     */
    @Nullable
    Outcome decide(TaskDependencies its, List<? extends @Nullable DependencyAnswer> answers) {
        Policy policy = policyOf(its);
        boolean unanswered = false;
        BusinessId waitsFor = null;
        @Nullable DependencyAnswer longest = null;
        for (int i = 0; i < answers.size(); i++) {
            DependencyAnswer answer = answers.get(i);
            BusinessId id = its.on().get(i);
            if (answer == null) {
                unanswered = true;
                continue;
            }
            String reason = reasonToDie(policy, id, answer);
            if (reason != null) {
                return new Outcome.Dead(reason);
            }
            boolean counts =
                    answer.state() == State.SUCCEEDED || answer.state() == State.FAILED && policy == Policy.RUN;
            if (!counts && (longest == null || answer.waitedMillis() > longest.waitedMillis())) {
                longest = answer;
                waitsFor = id;
            }
        }
        if (longest != null && waitsFor != null) {
            return waits(policy, timeoutOf(its), waitsFor, longest);
        }
        return unanswered ? Outcome.Snoozed.waitingFor(UNANSWERED, UNANSWERED_MILLIS) : null;
    }

    /** Returns which of the tasks have not succeeded that a task waits for, as far as is known. */
    static List<BusinessId> notSucceeded(TaskDependencies its, List<? extends @Nullable DependencyAnswer> answers) {
        List<BusinessId> others = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            DependencyAnswer answer = answers.get(i);
            if (answer == null || answer.state() != State.SUCCEEDED) {
                others.add(its.on().get(i));
            }
        }
        return others;
    }

    /** Returns for how long a task has waited for another one. */
    static long longestWait(List<? extends @Nullable DependencyAnswer> answers) {
        return answers.stream()
                .mapToLong(each -> each == null ? 0 : each.waitedMillis())
                .max()
                .orElse(0);
    }

    /** Returns whether a task has looked before, so that what holds it up is worth a search. */
    static boolean looksAgain(List<? extends @Nullable DependencyAnswer> answers) {
        return answers.stream().anyMatch(each -> each != null && each.waitedMillis() >= SHORTEST_LOOK_MILLIS / SHARE);
    }

    /** Returns what becomes of a task that has closed a cycle. */
    static Outcome cycle(String cycle) {
        return new Outcome.Dead("waits for itself: " + cycle);
    }

    private @Nullable String reasonToDie(Policy policy, BusinessId id, DependencyAnswer answer) {
        if (answer.state() == State.FAILED && policy == Policy.DIE) {
            return "waited for " + id + ", but that task (" + answer.name() + ") died, expired or was cancelled";
        } else if (answer.state() == State.UNKNOWN && ofQueue.refusesUnknown()) {
            return "waits for " + id + ", of which nothing is known: submit that task first, or set"
                    + " dependencies.unknown: wait";
        }
        return null;
    }

    private static @Nullable Outcome waits(Policy policy, long timeout, BusinessId id, DependencyAnswer longest) {
        long left = timeout - longest.waitedMillis();
        if (left > 0) {
            long look = Math.max(SHORTEST_LOOK_MILLIS, longest.waitedMillis() / SHARE);
            return Outcome.Snoozed.waitingFor(
                    new WaitReason.OtherTask(id.toString()), Math.min(left, Math.min(look, LONGEST_LOOK_MILLIS)));
        } else if (policy == Policy.RUN) {
            return null;
        }
        String known = switch (longest.state()) {
            case FAILED -> "that task (" + longest.name() + ") died, expired or was cancelled";
            case OPEN -> "that task (" + longest.name() + ") has not ended";
            default ->
                "nothing is known of it: it never came, or its end is forgotten (see dependencies.keep of its queue)";
        };
        return new Outcome.Dead("waited " + Duration.ofMillis(timeout) + " for " + id + ", but " + known);
    }
}
