package dev.tandem.kafka;

import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Hands answers that arrive on other threads to the polling thread, and wakes it. */
final class AnswerQueue {

    private final PollWakeup wakeup;
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();

    AnswerQueue(PollWakeup wakeup) {
        this.wakeup = wakeup;
    }

    /** Runs one of the callbacks on the polling thread once the stage has completed. */
    <T> void onAnswer(CompletionStage<T> stage, Consumer<T> onSuccess, Consumer<Throwable> onFailure) {
        stage.whenComplete((answer, problem) -> {
            answers.add(() -> {
                if (problem == null) {
                    onSuccess.accept(answer);
                } else {
                    onFailure.accept(KafkaErrors.unwrap(problem));
                }
            });
            wakeup.wake();
        });
    }

    /** Runs the callbacks of all answers so far. Called by the polling thread. */
    void handleAll() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.run();
        }
    }
}
