package dev.tandem.server.api;

import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases.StoppedException;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.pull.PulledTasks;
import dev.tandem.task.Envelope;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Leases tasks to pull workers, and takes what they say of them. No thread waits. A server that stops sends those who wait away. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/pull")
final class PullController implements SmartLifecycle {

    /** How long the server waits at most: a worker that has gone takes up a place until then. */
    static final Duration MAX_WAIT = Duration.ofSeconds(30);

    static final int MAX_BYTES = 16 << 20;
    private static final int DEFAULT_BYTES = 4 << 20;
    private static final int MAX_WORKER = 100;
    private static final int MAX_NOTE = 1_000;

    /** How much longer an answer may take than was asked for. */
    private static final long GRACE_MILLIS = 20_000;

    private static final Set<String> LEASE = Set.of("max", "wait", "leaseTime", "maxBytes", "worker");

    private final PullOrders orders;
    private final PulledTasks tasks;
    private final int maxWaiting;
    private final Set<CompletableFuture<List<LeasedTask>>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    /** @param maxWaiting how many calls wait for tasks at a time */
    PullController(PullOrders orders, PulledTasks tasks, int maxWaiting) {
        this.orders = orders;
        this.tasks = tasks;
        this.maxWaiting = maxWaiting;
    }

    /** Returns how many calls may wait, so that connections are left for those who wait for the ends of tasks, and for all others. */
    static int mostWaiting(int connections) {
        return Math.max(1, connections * 3 / 8);
    }

    @Needs(Permission.WORK)
    @PostMapping("/lease")
    DeferredResult<PullViews.Leased> lease(@PathVariable String queue, HttpServletRequest request) {
        orders.pulled(queue);
        PullBody body = PullBody.read(RequestLimitFilter.takeBody(request), LEASE);
        LeaseCall call = new LeaseCall(
                PullBody.number("max", body.max(), 1, PullBody.MOST),
                PullBody.number("maxBytes", body.maxBytes(), DEFAULT_BYTES, MAX_BYTES),
                body.waitTime() == null ? 0 : PullBody.millis("wait", body.waitTime(), Duration.ZERO, MAX_WAIT),
                body.leaseMillis(),
                LogText.oneLine(PullBody.cut(body.worker(), "", MAX_WORKER), MAX_WORKER));
        if (!running || waiting.size() >= maxWaiting) {
            throw running
                    ? ProblemType.BUSY.refusal(
                            maxWaiting + " calls wait for tasks in this server already",
                            "Try again in a second, ask another server, or lease more tasks with fewer calls")
                    : stopping();
        }
        DeferredResult<PullViews.Leased> answer = new DeferredResult<>(call.waitMillis() + GRACE_MILLIS);
        CompletableFuture<List<LeasedTask>> leased = tasks.lease(queue, call);
        waiting.add(leased);
        leased.whenComplete((some, failure) -> {
            waiting.remove(leased);
            if (failure == null) {
                answer.setResult(PullViews.Leased.of(some));
            } else {
                answer.setErrorResult(refusal(failure));
            }
        });
        answer.onTimeout(() -> leased.cancel(false));
        answer.onError(failure -> leased.cancel(false));
        if (!running) {
            leased.cancel(false);
        }
        return answer;
    }

    private Throwable refusal(Throwable failure) {
        boolean stopped = failure instanceof StoppedException || failure.getCause() instanceof StoppedException;
        return stopped || !running ? stopping() : failure;
    }

    private static ApiException stopping() {
        return ProblemType.STOPPING.refusal(
                "The server stops", "Ask another one, or this one once it has started again");
    }

    @Needs(Permission.WORK)
    @PostMapping("/extend")
    DeferredResult<ResponseEntity<Object>> extend(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "leaseTime", "leases"),
                body -> new LeaseRequest.Extend(body.leaseMillis()));
    }

    @Needs(Permission.WORK)
    @PostMapping("/finish")
    DeferredResult<ResponseEntity<Object>> finish(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "result", "leases"),
                body -> new LeaseRequest.Finish(body.resultText()));
    }

    @Needs(Permission.WORK)
    @PostMapping("/fail")
    DeferredResult<ResponseEntity<Object>> fail(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "error", "delay", "leases"),
                body -> new LeaseRequest.Fail(
                        PullBody.cut(body.error(), "its pull worker gave no reason", Envelope.MAX_ERROR),
                        body.delayMillis(-1)));
    }

    @Needs(Permission.WORK)
    @PostMapping("/release")
    DeferredResult<ResponseEntity<Object>> release(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "delay", "leases"),
                body -> new LeaseRequest.Release(body.delayMillis(0)));
    }

    @Needs(Permission.WORK)
    @PostMapping("/bury")
    DeferredResult<ResponseEntity<Object>> bury(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "reason", "leases"),
                body -> new LeaseRequest.Bury(
                        PullBody.cut(body.reason(), "buried by its pull worker without a reason", Envelope.MAX_ERROR)));
    }

    @Needs(Permission.WORK)
    @PostMapping("/progress")
    DeferredResult<ResponseEntity<Object>> progress(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "done", "total", "text", "log", "leaseTime", "leases"),
                body -> new LeaseRequest.Progress(
                        body.done() == null ? 0 : body.done(),
                        body.total() == null ? 0 : body.total(),
                        PullBody.cut(body.text(), "", MAX_NOTE),
                        body.log() == null ? null : PullBody.cut(body.log(), "", MAX_NOTE),
                        body.leaseMillis()));
    }

    @Needs(Permission.WORK)
    @PostMapping("/checkpoint")
    DeferredResult<ResponseEntity<Object>> checkpoint(@PathVariable String queue, HttpServletRequest request) {
        return orders.apply(
                queue,
                request,
                Set.of("lease", "value"),
                body -> body.value() == null
                        ? new LeaseRequest.ReadCheckpoint()
                        : new LeaseRequest.SaveCheckpoint(body.value().bytes()));
    }

    @Override
    public void start() {
        running = true;
    }

    /** Answers those who wait, so that the web server need not wait for them. */
    @Override
    public void stop() {
        running = false;
        waiting.forEach(call -> call.cancel(false));
        waiting.clear();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the web server does. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
