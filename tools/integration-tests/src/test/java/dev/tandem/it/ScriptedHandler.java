package dev.tandem.it;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.it.RunJournal.Event;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A handler that follows its payload {@code <id> <action>} and keeps a journal. The actions:
 *
 * <ul>
 *   <li>{@code ok} succeeds at once, {@code work} after some milliseconds, {@code slow} after 50
 *   <li>{@code fail-once} fails at the first attempt, {@code fail} at every attempt, {@code fatal} for good
 *   <li>{@code poison} kills its process
 *   <li>{@code hold} waits until {@link #release}; forever in a separate process
 * </ul>
 */
final class ScriptedHandler {

    private final RunJournal journal;
    private final CountDownLatch released = new CountDownLatch(1);

    ScriptedHandler(RunJournal journal) {
        this.journal = journal;
    }

    static byte[] payload(String id, String action) {
        return (id + " " + action).getBytes(StandardCharsets.UTF_8);
    }

    /** Ends all runs that hold. */
    void release() {
        released.countDown();
    }

    Result handle(TaskContext task) throws InterruptedException {
        String[] text = new String(task.payload(), StandardCharsets.UTF_8).split(" ");
        String id = text[0];
        journal.note(Event.STARTED, task, id);
        switch (text[1]) {
            case "ok" -> {}
            case "work" -> TimeUnit.MILLISECONDS.sleep(5);
            case "slow" -> TimeUnit.MILLISECONDS.sleep(50);
            case "hold" -> released.await();
            case "poison" -> Runtime.getRuntime().halt(137);
            case "fail-once" -> {
                if (task.attempt() == 1) {
                    throw failed(task, id);
                }
            }
            case "fail" -> throw failed(task, id);
            case "fatal" -> {
                journal.note(Event.FAILED, task, id);
                throw new FatalTaskException("as asked");
            }
            default -> throw new IllegalArgumentException("Unknown action '" + text[1] + "'");
        }
        journal.note(Event.SUCCEEDED, task, id);
        return Result.done();
    }

    private IllegalStateException failed(TaskContext task, String id) {
        journal.note(Event.FAILED, task, id);
        return new IllegalStateException("as asked");
    }
}
