package dev.tandem.task;

import java.util.Map;

/** The priority of a task: 0, which is the default, to 9. It is kept as the header {@value TaskHeaders#PRIORITY}. */
public final class TaskPriority {

    public static final int HIGHEST = 9;

    private TaskPriority() {}

    /** Returns the priority of a task; 0 if it names none, or its header cannot be read. */
    public static int of(Task task) {
        Map<String, String> headers = task.headers();
        String text = headers.isEmpty() ? null : headers.get(TaskHeaders.PRIORITY);
        boolean digit = text != null && text.length() == 1 && text.charAt(0) >= '0' && text.charAt(0) <= '9';
        return digit ? text.charAt(0) - '0' : 0;
    }
}
