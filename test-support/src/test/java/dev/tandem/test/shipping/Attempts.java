package dev.tandem.test.shipping;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** An interceptor of the application: it sends a header with each task, and notes it at each attempt. */
@Component
class Attempts implements Interceptor, SubmitInterceptor {

    private final List<String> seen = new CopyOnWriteArrayList<>();

    List<String> seen() {
        return seen;
    }

    @Override
    public TaskRef<?> around(TaskRequest<?> task, Next next) {
        return next.submit(task.with(TaskOptions.header("x-shop", "s-1")));
    }

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        seen.add(task.headers().get("x-shop") + " attempt " + task.attempt());
        return next.handle(task);
    }
}
