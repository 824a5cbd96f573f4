package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.task.LogText;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the task and succeeds. */
final class LogHandler implements Handler {

    private static final Logger log = LoggerFactory.getLogger("dev.tandem.task");

    private static final int MAX_SHOWN_BYTES = 1_000;

    private final boolean withPayloads;

    /** @param withPayloads whether payloads are logged too; logs are often read by people who may not see them */
    LogHandler(boolean withPayloads) {
        this.withPayloads = withPayloads;
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
        if (withPayloads) {
            int shown = Math.min(MAX_SHOWN_BYTES, task.payload().length);
            text.append(" payload=").append(new String(task.payload(), 0, shown, StandardCharsets.UTF_8));
            if (shown < task.payload().length) {
                text.append('…');
            }
        }
        // A task is always one line, so that a publisher cannot forge log lines.
        return LogText.oneLine(text.toString(), Integer.MAX_VALUE);
    }
}
