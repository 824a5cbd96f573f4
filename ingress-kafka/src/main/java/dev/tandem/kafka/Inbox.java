package dev.tandem.kafka;

import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Brings answers that come on other threads to the loop's, and wakes it. */
final class Inbox {

    private final Wakeups wakeups;
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();

    Inbox(Wakeups wakeups) {
        this.wakeups = wakeups;
    }

    <T> void await(CompletionStage<T> stage, Consumer<T> then, Consumer<Throwable> otherwise) {
        stage.whenComplete((found, problem) -> {
            answers.add(() -> {
                if (problem == null) {
                    then.accept(found);
                } else {
                    otherwise.accept(GroupAdmin.cause(problem));
                }
            });
            wakeups.wake();
        });
    }

    /** On the loop's thread. */
    void empty() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.run();
        }
    }
}
