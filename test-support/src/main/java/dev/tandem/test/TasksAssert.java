package dev.tandem.test;

import dev.tandem.test.TestedTask.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asserts what has become of the tasks that were chosen, at the time of {@link TestTandem#assertThat}. What is asserted has to
 * hold for each of them, of which there has to be one or more. A failure shows all tasks of the test and their attempts.
 */
public final class TasksAssert {

    private final String what;
    private final List<TestedTask> all;
    private final List<TestedTask> succeeded;
    private final Predicate<TestedTask> chosen;
    private final JsonMapper json;

    TasksAssert(
            String what,
            List<TestedTask> all,
            List<TestedTask> succeeded,
            Predicate<TestedTask> chosen,
            JsonMapper json) {
        this.what = what;
        this.all = all;
        this.succeeded = succeeded;
        this.chosen = chosen;
        this.json = json;
    }

    /** Chooses the tasks of a key among them. */
    public TasksAssert withKey(String key) {
        return and(what + " with key '" + key + "'", each -> key.equals(each.key()));
    }

    /** Chooses the tasks with a payload among them. */
    public TasksAssert withPayload(Object payload) {
        return and(what + " with payload " + payload, each -> payload.equals(read(each, payload.getClass())));
    }

    private TasksAssert and(String text, Predicate<TestedTask> more) {
        return new TasksAssert(text, all, succeeded, chosen.and(more), json);
    }

    /** Asserts that there is none. */
    public TasksAssert isNotSubmitted() {
        return count(0);
    }

    /** Asserts how many there are. */
    public TasksAssert count(int expected) {
        int actual = tasks().size();
        if (actual != expected) {
            throw failure(expected + " of them, but there are " + actual);
        }
        return this;
    }

    /** Asserts that they have succeeded. */
    public TasksAssert succeeded() {
        return have(State.SUCCEEDED);
    }

    /** Asserts that they are dead. */
    public TasksAssert isDead() {
        return have(State.DEAD);
    }

    /** Asserts that they are dead, with an error that contains this text. */
    public TasksAssert isDead(String because) {
        isDead();
        return each("an error that contains '" + because + "'", task -> contains(task.error(), because));
    }

    /** Asserts that their time was over before their handlers began. */
    public TasksAssert expired() {
        return have(State.EXPIRED);
    }

    private static boolean contains(@Nullable String text, String part) {
        return text != null && text.contains(part);
    }

    /** Asserts that they wait: for their time, for the next attempt, or for tasks of their keys. */
    public TasksAssert isWaiting() {
        return have(State.WAITING);
    }

    private TasksAssert have(State state) {
        return each("the state " + state, task -> task.state() == state);
    }

    /** Asserts how many attempts each has begun. */
    public TasksAssert attempts(int expected) {
        return each(
                expected == 1 ? "1 attempt" : expected + " attempts",
                task -> task.runs().size() == expected);
    }

    /** Asserts how far each last said it was. */
    public TasksAssert progress(long done, long total) {
        return each(
                "the progress " + done + " of " + total,
                task -> task.progress() != null
                        && task.progress().done() == done
                        && task.progress().total() == total);
    }

    /** Asserts that each has logged a line that contains this text, among the last ones. */
    public TasksAssert logged(String text) {
        return each(
                "a logged line that contains '" + text + "'",
                task -> task.log().stream().anyMatch(line -> line.contains(text)));
    }

    /** Asserts which checkpoint each has saved last. It counts after the task has succeeded, too. */
    public TasksAssert checkpoint(Object expected) {
        return each("the checkpoint " + expected, task -> {
            byte[] saved = task.checkpoint();
            return saved != null
                    && (expected instanceof byte[] bytes
                            ? Arrays.equals(bytes, saved)
                            : expected.equals(readJson(saved, expected.getClass())));
        });
    }

    /** Asserts that none has saved a checkpoint. */
    public TasksAssert noCheckpoint() {
        return each("no checkpoint", task -> task.checkpoint() == null);
    }

    /** Asserts that those that have succeeded have these payloads, and have succeeded in this order. */
    public TasksAssert ranInOrder(Object... payloads) {
        List<TestedTask> ran = succeeded.stream().filter(chosen).toList();
        List<Object> actual = new ArrayList<>();
        for (int i = 0; i < ran.size(); i++) {
            Object read = read(ran.get(i), i < payloads.length ? payloads[i].getClass() : String.class);
            actual.add(read == null ? ran.get(i).text() : read);
        }
        if (!actual.equals(List.of(payloads))) {
            throw failure("to run in the order " + List.of(payloads) + ", but they ran in the order " + actual);
        }
        return this;
    }

    /** Returns the chosen tasks, in the order in which they were submitted. */
    public List<TestedTask> tasks() {
        return all.stream().filter(chosen).toList();
    }

    private TasksAssert each(String expected, Predicate<TestedTask> holds) {
        List<TestedTask> tasks = tasks();
        if (tasks.isEmpty()) {
            throw failure(expected + ", but there is none");
        }
        long others = tasks.stream().filter(holds.negate()).count();
        if (others > 0) {
            throw failure(expected + ", but " + others + " of " + tasks.size() + " differ");
        }
        return this;
    }

    private @Nullable Object read(TestedTask task, Class<?> type) {
        if (type == String.class) {
            return task.text();
        }
        return readJson(task.payload(), type);
    }

    private @Nullable Object readJson(byte[] bytes, Class<?> type) {
        try {
            return json.readValue(bytes, type);
        } catch (JacksonException e) {
            return null;
        }
    }

    private AssertionError failure(String expected) {
        String tasks = all.isEmpty()
                ? "  none"
                : all.stream().map(each -> "  " + each.describe()).collect(Collectors.joining("\n"));
        return new AssertionError("Expected of the tasks of " + what + ": " + expected + ".\nAll tasks:\n" + tasks);
    }
}
