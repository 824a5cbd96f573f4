package dev.tandem.verify.load;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Masters, their subtasks and final tasks. Ids say which is which: {@code fan-7-1} fans out to {@code sub-7.0} and so on, of which
 * some fail once, some die, and one fans out itself, to {@code sub-7.5.0} and so on. {@code fin-7} is the final task; a copy of it
 * has a number behind that.
 */
public final class FanTasks {

    /** How many subtasks a master has. */
    public static final int SUBTASKS = 12;

    /** The number of the subtask that fans out itself. */
    public static final int NESTED = 5;

    /** How many subtasks that one has. */
    public static final int NESTED_SUBTASKS = 4;

    static final String MASTER = "fan-";

    private static final String SUBTASK = "sub-";
    private static final String FINAL = "fin-";

    private FanTasks() {}

    /** Returns the group of a master; null if the task is none. */
    public static @Nullable String groupOfMaster(String id) {
        return id.startsWith(MASTER) ? id.substring(MASTER.length(), (id + "-").indexOf('-', MASTER.length())) : null;
    }

    /** Returns the group of a final task, or of a copy; null if the task is none. */
    public static @Nullable String groupOfFinal(String id) {
        return id.startsWith(FINAL) ? id.substring(FINAL.length(), (id + "-").indexOf('-', FINAL.length())) : null;
    }

    /** Returns whether a task is a subtask, also of a subtask. */
    public static boolean isSubtask(String id) {
        return id.startsWith(SUBTASK);
    }

    /** Returns the ids of all subtasks of a group, also those of the subtask that fans out itself. */
    public static List<String> subtasks(String group) {
        return Stream.concat(ids(SUBTASK + group, SUBTASKS), ids(SUBTASK + group + "." + NESTED, NESTED_SUBTASKS))
                .toList();
    }

    /** Returns whether a subtask is told to die. */
    public static boolean dies(String id) {
        return instruction(id).outcome() == Outcome.DIE;
    }

    /** Returns how many subtasks of a master are told to die. */
    public static long dying(String group) {
        return ids(SUBTASK + group, SUBTASKS).filter(FanTasks::dies).count();
    }

    private static Stream<String> ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(number -> prefix + "." + number);
    }

    private static HandlerInstruction instruction(String id) {
        int number = Integer.parseInt(id.substring(id.lastIndexOf('.') + 1));
        Outcome outcome = switch (number % 6) {
            case 1 -> Outcome.FAIL_ONCE;
            case 3 -> Outcome.DIE;
            default -> Outcome.SUCCEED;
        };
        return new HandlerInstruction(outcome, 5 + 20L * (number % 4));
    }

    /** Returns what a task fans out to; null if it does not. */
    public static @Nullable Stream<TaskRequest<?>> subtasksOf(String id, String queue) {
        String group = groupOfMaster(id);
        if (group != null) {
            return ids(SUBTASK + group, SUBTASKS)
                    .<TaskRequest<?>>map(each -> request(queue, "subtask", each, instruction(each)));
        }
        boolean nested = isSubtask(id) && id.endsWith("." + NESTED);
        return nested
                ? ids(id, NESTED_SUBTASKS)
                        .<TaskRequest<?>>map(each -> request(queue, "subtask", each, instruction(each)))
                : null;
    }

    /** Returns what follows when the subtasks of a task have ended. */
    public static FanOut plan(String id, String queue) {
        String group = groupOfMaster(id);
        return group == null
                ? FanOut.withoutFinalTask()
                : FanOut.then(request(queue, "final", FINAL + group, new HandlerInstruction(Outcome.SUCCEED, 5)));
    }

    private static TaskRequest<?> request(String queue, String type, String id, HandlerInstruction instruction) {
        return TaskRequest.of(queue, type, instruction.payload()).with(TaskOptions.id(id));
    }
}
