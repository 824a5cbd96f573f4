package dev.tandem.server.handlers;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints the task and succeeds. */
final class LogHandler implements Handler {

    private static final Logger log = LoggerFactory.getLogger("dev.tandem.task");

    /** Printed of a payload, in bytes. */
    private static final int SHOWN = 1_000;

    private final boolean payloads;

    /** @param payloads whether to print what is in it; logs are read by more people than tasks are meant for */
    LogHandler(boolean payloads) {
        this.payloads = payloads;
    }

    @Override
    public Result handle(TaskContext task) {
        log.info("{}", describe(task));
        return Result.done();
    }

    private String describe(TaskContext task) {
        StringBuilder text = new StringBuilder(200)
                .append("queue=")
                .append(task.queue())
                .append(" id=")
                .append(task.id())
                .append(" type=")
                .append(task.type());
        if (task.key() != null) {
            text.append(" key=").append(task.key());
        }
        text.append(" attempt=").append(task.attempt()).append(" bytes=").append(task.payload().length);
        if (payloads) {
            int shown = Math.min(SHOWN, task.payload().length);
            text.append(" payload=").append(new String(task.payload(), 0, shown, StandardCharsets.UTF_8));
            if (shown < task.payload().length) {
                text.append('…');
            }
        }
        // One task, one line: whoever publishes can't forge another.
        return text.toString().replaceAll("\\p{Cntrl}", "?");
    }
}
