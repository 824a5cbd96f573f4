package dev.tandem.server.api;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseAnswer.Status;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.pull.LeaseOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/** The answers to pull workers. Null components are left out of the JSON. */
final class PullViews {

    private PullViews() {}

    record Leased(List<Task> tasks) {

        static Leased of(List<LeasedTask> tasks) {
            return new Leased(tasks.stream().map(Task::of).toList());
        }
    }

    /** @param token the fencing token. It fits into a double until the year 2255 */
    record Task(
            String lease,
            long leaseMillis,
            String id,
            String ref,
            String type,
            @Nullable String key,
            @Nullable String dedupKey,
            int attempt,
            int maxAttempts,
            @Nullable Long timeoutMillis,
            long token,
            @Nullable Map<String, String> headers,
            @Nullable JsonText payload,
            @Nullable String payloadText,
            @Nullable String payloadBase64) {

        static Task of(LeasedTask task) {
            ShownBytes payload = ShownBytes.of(task.payload());
            return new Task(
                    task.lease().toString(),
                    task.leaseMillis(),
                    task.id(),
                    "@" + task.position(),
                    task.type(),
                    task.key(),
                    task.dedupKey(),
                    task.attempt(),
                    task.maxAttempts(),
                    task.timeoutMillis() == 0 ? null : task.timeoutMillis(),
                    task.lease().token(),
                    task.headers().isEmpty() ? null : task.headers(),
                    payload.json(),
                    payload.text(),
                    payload.base64());
        }
    }

    /**
     * The effect of a call.
     *
     * @param leaseMillis for how long the worker has its tasks from now on at least; absent if that was not asked
     * @param warnings what was said and has no effect, for people; absent if there is nothing to say
     */
    record Done(
            int changed,
            @Nullable Long leaseMillis,
            @Nullable JsonText checkpoint,
            @Nullable String checkpointText,
            @Nullable String checkpointBase64,
            @Nullable List<String> warnings) {}

    /** Something that was not done. */
    record NotDone(String lease, String why) {}

    /** Returns the answer to a worker. */
    static ResponseEntity<Object> answer(
            String queue, QueueSettings settings, List<LeaseOrder> orders, List<LeaseAnswer> answers) {
        Map<Status, List<NotDone>> notDone = new EnumMap<>(Status.class);
        Long leaseMillis = null;
        int done = 0;
        for (int i = 0; i < answers.size(); i++) {
            LeaseAnswer answer = answers.get(i);
            if (answer.status() != Status.DONE) {
                notDone.computeIfAbsent(answer.status(), none -> new ArrayList<>())
                        .add(new NotDone(orders.get(i).lease().toString(), answer.detail()));
                continue;
            }
            done++;
            if (answer.leaseMillis() > 0) {
                leaseMillis = leaseMillis == null ? answer.leaseMillis() : Math.min(leaseMillis, answer.leaseMillis());
            }
        }
        if (!notDone.isEmpty()) {
            return problem(done, notDone);
        }
        byte[] checkpoint = answers.get(0).checkpoint();
        ShownBytes shown = checkpoint == null ? ShownBytes.NONE : ShownBytes.of(checkpoint);
        return ResponseEntity.accepted()
                .body(new Done(
                        done,
                        leaseMillis,
                        shown.json(),
                        shown.text(),
                        shown.base64(),
                        settings.maxResultBytes().toBytes() > 0 ? null : droppedResults(queue, orders)));
    }

    private static @Nullable List<String> droppedResults(String queue, List<LeaseOrder> orders) {
        boolean any = orders.stream()
                .anyMatch(order -> order.request() instanceof LeaseRequest.Finish finish && finish.result() != null);
        return any
                ? List.of("The queue '" + queue + "' keeps no results, so the result is dropped: set tandem.queues."
                        + queue + ".max-result-bytes, on all servers")
                : null;
    }

    private static ResponseEntity<Object> problem(int done, Map<Status, List<NotDone>> notDone) {
        Status worst = notDone.containsKey(Status.UNKNOWN)
                ? Status.UNKNOWN
                : notDone.containsKey(Status.LOST) ? Status.LOST : Status.INVALID;
        List<NotDone> these = notDone.getOrDefault(worst, List.of());
        NotDone first = these.get(0);
        String others = these.size() == 1 ? "" : ". So it is with " + (these.size() - 1) + " more";
        ProblemDetail problem = switch (worst) {
            case UNKNOWN ->
                ProblemDetails.of(
                        ProblemType.OUTCOME_UNKNOWN,
                        "It is not known yet what became of the task with the lease " + first.lease() + ": "
                                + first.why() + others,
                        "Send the same request again, to any server; what was done is not done twice");
            case LOST ->
                ProblemDetails.of(
                        ProblemType.LEASE_LOST,
                        "You do not have the task with the lease " + first.lease() + " any more: " + first.why()
                                + others,
                        "Stop working on it. It may have begun again elsewhere, under a higher token, if it has not ended");
            default ->
                ProblemDetails.of(ProblemType.INVALID_BODY, first.why() + others, "Correct it and send it again");
        };
        problem.setProperty("changed", done);
        set(problem, "lost", notDone.get(Status.LOST));
        set(problem, "unknown", notDone.get(Status.UNKNOWN));
        set(problem, "invalid", notDone.get(Status.INVALID));
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.getStatus());
        if (worst == Status.UNKNOWN) {
            answer.header(HttpHeaders.RETRY_AFTER, "1");
        }
        return answer.body(problem);
    }

    private static void set(ProblemDetail problem, String name, @Nullable List<NotDone> leases) {
        if (leases != null) {
            problem.setProperty(name, leases);
        }
    }
}
