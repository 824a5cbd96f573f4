package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.task.LogText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the task and succeeds. */
final class LogHandler implements Handler {

    private static final Logger log = LoggerFactory.getLogger("dev.tandem.task");

    private static final int MAX_SHOWN_BYTES = 1_000;

    private final @Nullable PayloadMasks payloads;

    /** @param payloads what is logged of payloads; null for nothing. Logs are often read by people who may not see them */
    LogHandler(@Nullable PayloadMasks payloads) {
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
        if (payloads != null) {
            byte[] payload =
                    payloads.show(task.queue(), task.type(), task.payload()).bytes();
            int shown = Math.min(MAX_SHOWN_BYTES, payload.length);
            text.append(" payload=").append(new String(payload, 0, shown, StandardCharsets.UTF_8));
            if (shown < payload.length) {
                text.append('…');
            }
        }
        // A task is always one line, so that a publisher cannot forge log lines.
        return LogText.oneLine(text.toString(), Integer.MAX_VALUE);
    }
}
