package dev.tandem.runtime;

import dev.tandem.api.SubmitInterceptor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.queues.QueueHandlers;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * A program as a {@link TandemBuilder} has collected it, with checked settings: for those who run it in another way than
 * {@link TandemBuilder#start}, as tests do.
 *
 * @param all the settings with all queues, those of other programs too, to which this program may submit
 * @param own the settings with the queues whose tasks this program runs
 * @param handlers adds the handlers and interceptors of a queue
 */
public record TandemProgram(
        TandemSettings all,
        TandemSettings own,
        QueueHandlers handlers,
        JsonMapper json,
        ExecutorMetrics metrics,
        List<SubmitInterceptor> submitInterceptors) {

    public TandemProgram {
        submitInterceptors = List.copyOf(submitInterceptors);
    }
}
