package dev.tandem.server.api;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.pull.LeaseOrder;
import dev.tandem.server.pull.PulledTasks;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;

/** Carries out what pull workers say of their tasks. No thread waits for that. Thread-safe. */
final class PullOrders {

    /** Longer than it takes in any case. */
    private static final long TIMEOUT_MILLIS = 20_000;

    private final ConfiguredQueues queues;
    private final PulledTasks tasks;

    PullOrders(ConfiguredQueues queues, PulledTasks tasks) {
        this.queues = queues;
        this.tasks = tasks;
    }

    /** @throws ApiException if there is no such queue, or its tasks are not leased by asking for them */
    QueueSettings pulled(String queue) {
        QueueSettings settings = leased(queue);
        if (settings.isPosted()) {
            throw ProblemType.NOT_PULLED.refusal(
                    "The tasks of queue '" + queue + "' are posted to its http.url: nobody else can lease them",
                    "End those that were posted, or set tandem.queues." + queue + ".handler to pull, on all servers");
        }
        return settings;
    }

    /** @throws ApiException if there is no such queue, or nobody leases its tasks */
    QueueSettings leased(String queue) {
        QueueSettings settings = queues.get(queue);
        if (!settings.isLeased()) {
            String handler = settings.handler();
            throw ProblemType.NOT_PULLED.refusal(
                    "The tasks of queue '" + queue + "' are not pulled: "
                            + (handler == null ? "it has no handler" : "its handler is " + handler),
                    "Set tandem.queues." + queue + ".handler to pull, on all servers");
        }
        return settings;
    }

    /** @param fields those that the body may have */
    DeferredResult<ResponseEntity<Object>> apply(
            String queue, HttpServletRequest request, Set<String> fields, Function<PullBody, LeaseRequest> what) {
        leased(queue);
        return apply(queue, request, PullBody.read(RequestLimitFilter.takeBody(request), fields), what);
    }

    DeferredResult<ResponseEntity<Object>> apply(
            String queue, HttpServletRequest request, PullBody body, Function<PullBody, LeaseRequest> what) {
        QueueSettings settings = queues.get(queue);
        List<LeaseOrder> orders = body.orders().stream()
                .map(each -> new LeaseOrder(each.leaseName(), what.apply(each)))
                .toList();
        DeferredResult<ResponseEntity<Object>> answer = new DeferredResult<>(TIMEOUT_MILLIS);
        Caller caller = Callers.of(request);
        tasks.apply(caller == null ? "" : caller.identity(), queue, orders).whenComplete((answers, failure) -> {
            if (failure == null) {
                answer.setResult(PullViews.answer(queue, settings, orders, answers));
            } else {
                answer.setErrorResult(failure);
            }
        });
        answer.onTimeout(() -> answer.setResult(PullViews.answer(
                queue,
                settings,
                orders,
                orders.stream()
                        .map(order -> LeaseAnswer.unknown("nobody has answered"))
                        .toList())));
        return answer;
    }
}
