package dev.tandem.executor;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutException;
import dev.tandem.api.FanOutRef;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Envelope;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutIds;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes the stream of subtasks of one fan-out, on the handler's thread. */
final class FanOutWriter {

    private static final Logger log = LoggerFactory.getLogger(FanOutWriter.class);

    private static final byte[] NO_BITS = {};

    private final Run run;
    private final QueueSpec spec;
    private final FanOuts fanOuts;
    private final FanOut plan;
    private final String id;
    private final long token;
    private final int depth;
    private final @Nullable Subtask parent;
    /** The name by which others wait for the final task; null if they cannot. */
    private @Nullable BusinessId finalId;

    private volatile boolean open;
    private volatile long keptUntil = FannedOut.NEVER;

    FanOutWriter(Run run, QueueSpec spec, FanOuts fanOuts, FanOut plan) {
        this.run = run;
        this.spec = spec;
        this.fanOuts = fanOuts;
        this.plan = plan;
        this.id = FanOutIds.of(run.partition(), run.position(), run.task(), plan.name());
        this.token = run.token();
        this.parent = Subtask.of(run.task());
        this.depth = parent == null ? 1 : parent.depth() + 1;
    }

    String id() {
        return id;
    }

    /** Returns until when the store keeps the fan-out at least, in epoch milliseconds; {@link FannedOut#NEVER} if it did not begin. */
    long keptUntil() {
        return keptUntil;
    }

    /** Returns whether the fan-out began in this run, and its stream has not ended as far as is known. */
    boolean isOpen() {
        return open;
    }

    FanOutRef write(Iterator<? extends TaskRequest<?>> subtasks) throws InterruptedException {
        if (depth > fanOuts.policy().maxDepth()) {
            throw new FatalTaskException("The task fans out at depth " + depth + ": tandem.fan-outs.max-depth is "
                    + fanOuts.policy().maxDepth());
        } else if (parent != null && !plan.name().isEmpty()) {
            throw new FatalTaskException("The task is a subtask, and fans out as '" + plan.name()
                    + "': a subtask has one fan-out, without a name");
        }
        requireNotForgotten();
        if (parent != null) {
            nest(parent);
        }
        String masterHash = FanOutIds.of(run.partition(), run.position(), run.task(), "");
        FanOutAnswer begun = await(new FanOutRequest.Open(id, token, masterHash, filed()));
        keptUntil = fanOuts.wallMillis() + fanOuts.policy().keepMillis();
        if (parent != null) {
            fanOuts.noteNested(run, new FanOuts.Nested.Own(id));
        }
        if (isClosed(begun)) {
            warnIfNoRunIsKnown();
            return closed(begun);
        }
        open = true;
        boolean stopped = isStopped(begun);
        if (parent != null) {
            stopped |= isCancelledWith(parent);
        }
        long total = publish(subtasks, begun, stopped);
        FanOutAnswer sealed = await(new FanOutRequest.Seal(id, token, total));
        open = false;
        if (sealed.code() == Code.NOT_REPEATABLE) {
            open = true;
            throw new FatalTaskException("The stream of subtasks ended after " + total
                    + ", but an earlier run of this task" + " published more: the stream must be the same in each run");
        } else if (sealed.code() == Code.CLOSED) {
            return closed(sealed);
        }
        fanOuts.metrics().fannedOut(spec.name(), total);
        return new FanOutRef(id, total);
    }

    /**
     * Tells the fan-out around this one of it, before it begins: if another run of this task does not come here, that has to be
     * known. Of two copies of this task, only the first one fans out, and none when one of them has ended.
     */
    private void nest(Subtask outer) throws InterruptedException {
        Task task = run.task();
        FanOutAnswer nested =
                answer(new FanOutRequest.Nest(outer.fanOut(), outer.number(), id, RetriedByOperator.isMarked(task)));
        if (!isRefused(nested)) {
            return;
        }
        if (nested.other().isEmpty() && answer(new FanOutRequest.View(id)).code() != Code.UNKNOWN) {
            return; // It has ended with this fan-out, which an earlier run of this task began.
        }
        endAsCopy(outer, nested);
    }

    /**
     * Ends a run that must not fan out.
     *
     * @param nested the answer of the fan-out around this one
     */
    private void endAsCopy(Subtask outer, FanOutAnswer nested) throws InterruptedException {
        // It may be the one that failed, if its executor died before that was recorded: then it must not end well.
        if (nested.code() == Code.HAS_FAILED && (run.attempt() > 1 || AttemptHistory.text(run.task()) != null)) {
            throw new FatalTaskException("Subtask " + outer.number() + " of fan-out " + outer.fanOut()
                    + " has failed before it fanned out, and counts as failed: retry it if it is to fan out");
        }
        open = false;
        fanOuts.noteNested(run, new FanOuts.Nested.OfCopy());
        // There is nothing to be given up, unless Redis has forgotten that this copy was the first, or it has just
        // begun.
        FanOutAnswer unused = answer(new FanOutRequest.Abandon(
                id, token, FanOutRequest.End.SUCCEEDED, "a copy of its master has fanned out"));
        String other = nested.other();
        throw new CopyException("A copy of subtask " + outer.number() + " of fan-out " + outer.fanOut()
                + (other.isEmpty() ? " has ended" : " has fanned out, as " + other)
                + ": this one ends as its duplicate");
    }

    /**
     * Returns whether this fan-out is cancelled, because the one around it is. Whoever cancels that later finds this one there, since
     * it has begun. Another run of this task may have ended without coming here since this one was nested: then this one, which
     * was frozen meanwhile, must not fan out.
     */
    private boolean isCancelledWith(Subtask outer) throws InterruptedException {
        boolean isRetried = RetriedByOperator.isMarked(run.task());
        FanOutAnswer nested = answer(new FanOutRequest.Nest(outer.fanOut(), outer.number(), id, isRetried));
        if (isRefused(nested)) {
            endAsCopy(outer, nested);
        } else if (!nested.cancelled() || isRetried) {
            return false; // A subtask that an operator has retried runs, and so do its own subtasks.
        }
        FanOutAnswer unused = answer(new FanOutRequest.Cancel(id, FanOutRequest.Cancel.WITH_OUTER));
        return true;
    }

    private static boolean isRefused(FanOutAnswer nested) {
        return nested.code() == Code.DUPLICATE || nested.code() == Code.HAS_FAILED;
    }

    /** If an earlier run has fanned out and nothing is known of that any more, its subtasks must not run again unnoticed. */
    private void requireNotForgotten() throws InterruptedException {
        long kept = FannedOut.keptUntil(run.task(), id);
        if (kept == FannedOut.NEVER || fanOuts.wallMillis() < kept) {
            return; // What Redis has lost before that time is begun anew.
        }
        if (answer(new FanOutRequest.View(id)).code() == Code.UNKNOWN) {
            throw new FatalTaskException("An earlier run of the task fanned out as " + id
                    + ", of which nothing is known any more: fan-outs are kept for "
                    + Duration.ofMillis(fanOuts.policy().keepMillis())
                    + " (tandem.fan-outs.keep). Its subtasks would run again: submit a new task if they are to");
        }
    }

    private void warnIfNoRunIsKnown() {
        if (run.attempt() == 1 && FannedOut.keptUntil(run.task(), id) == FannedOut.NEVER) {
            log.warn(
                    "Queue {}: task {} publishes no subtasks, because fan-out {} has ended its stream already. Redis has"
                            + " forgotten the earlier run, or the task was published twice. On RabbitMQ, give every message"
                            + " a message-id of its own",
                    spec.name(),
                    spec.idOf(run),
                    id);
        }
    }

    /** Returns what is known of a fan-out whose stream has ended. */
    private FanOutRef closed(FanOutAnswer answer) {
        if (answer.stop() == Stop.ABANDONED) {
            throw new FatalTaskException("The fan-out " + id + " was given up with " + answer.total()
                    + " subtasks, when an earlier run of this task ended: submit a new task instead");
        }
        return new FanOutRef(id, answer.total());
    }

    // ---- the stream

    private long publish(Iterator<? extends TaskRequest<?>> subtasks, FanOutAnswer begun, boolean stopped)
            throws InterruptedException {
        long cursor = begun.cursor();
        for (long n = 0; n < cursor; n++) {
            if (!subtasks.hasNext()) {
                throw new FatalTaskException(
                        "The stream of subtasks ended after " + n + ", but an earlier run of this task" + " published "
                                + cursor + ": the stream must be the same in each run");
            }
            subtasks.next();
        }
        // A run before this one may have published more than is noted. The total has to count those too. Redis may have
        // forgotten notes, but what has ended was published.
        long stopsAt = begun.code() == Code.RESUMED ? Math.max(cursor, begun.reach()) + FanOutWindow.SIZE : cursor;
        // If this is not the first run, an earlier one may have published all. The store may have forgotten its notes.
        boolean mayBeCopies = begun.code() == Code.RESUMED || run.attempt() > 1 || run.lapses() > 0;
        FanOutWindow window = new FanOutWindow(fanOuts, id, token, begun, stopsAt, mayBeCopies);
        if (stopped) {
            window.stop();
        }
        try {
            publish(subtasks, cursor, window, mayBeCopies);
            return window.awaitAll();
        } catch (Throwable t) {
            window.giveUp();
            throw t;
        }
    }

    private void publish(
            Iterator<? extends TaskRequest<?>> subtasks, long cursor, FanOutWindow window, boolean mayBeCopies)
            throws InterruptedException {
        boolean goesOn = true;
        for (long n = cursor; goesOn && subtasks.hasNext(); n++) {
            if (n >= fanOuts.policy().maxSubtasks()) {
                throw new FatalTaskException(
                        "The stream has more than "
                                + fanOuts.policy().maxSubtasks()
                                + " subtasks, which is tandem.fan-outs.max-subtasks: raise it, or let subtasks fan out themselves");
            }
            TaskRequest<?> request = subtasks.next();
            goesOn = window.hasNextEnded() ? pass(window, n) : publish(window, request, n, mayBeCopies);
        }
    }

    private static boolean pass(FanOutWindow window, long number) throws InterruptedException {
        boolean entered = window.enter(0);
        if (entered) {
            window.left(number, 0, null);
        }
        return entered;
    }

    private boolean publish(FanOutWindow window, TaskRequest<?> request, long number, boolean again)
            throws InterruptedException {
        Subtask subtask = new Subtask(id, number, depth, again);
        Task task;
        Publication publication;
        try {
            task = fanOuts.publisher().encode(request, subtask.taskId(), Map.of(Subtask.HEADER, subtask.text()));
            publication = fanOuts.publisher().prepare(task);
            requireNotBehindFinal(task, number);
        } catch (InvalidTaskException e) {
            throw new FatalTaskException("The subtask " + number + " can never be published: " + e.getMessage(), e);
        } catch (PublishException e) {
            throw new FanOutException("The subtask " + number + " was not published: " + e.getMessage(), e);
        }
        int weight = task.weight();
        if (!window.enter(weight)) {
            return false;
        }
        publication.send(problem -> window.left(
                number,
                weight,
                problem == null
                        ? null
                        : new FanOutException(
                                "The subtask " + number + " was not published: " + problem.getMessage(), problem)));
        return true;
    }

    /** The final task comes when all subtasks have ended, so none of them can wait for it. */
    private void requireNotBehindFinal(Task subtask, long number) {
        TaskDependencies its = finalId == null ? null : TaskDependencies.of(subtask);
        if (its != null && its.on().contains(finalId)) {
            throw new FatalTaskException(
                    "The subtask " + number + " depends on " + finalId
                            + ", the final task of its own fan-out, which comes when all subtasks have ended: leave that id out");
        }
    }

    // ---- the store

    private FanOutPlan filed() {
        TaskRequest<?> then = plan.then();
        Task last = null;
        if (then != null) {
            try {
                last = fanOuts.publisher().encode(then, id + "-final", Map.of(Subtask.FINAL_HEADER, id));
                Publication unused = fanOuts.publisher().prepare(last);
                String key = last.dedupKey();
                finalId = key == null ? null : new BusinessId(last.queue(), key);
            } catch (InvalidTaskException e) {
                throw new FatalTaskException("The final task can never be published: " + e.getMessage(), e);
            } catch (PublishException e) {
                throw new FanOutException("The final task cannot be prepared: " + e.getMessage(), e);
            }
        }
        Task master = run.task();
        return new FanOutPlan(
                spec.name(),
                run.partition().name() + "/" + run.position(),
                spec.idOf(run),
                master.type() == null ? "" : master.type(),
                parent == null ? "" : parent.text(),
                depth,
                switch (plan.rule()) {
                    case COMPLETE -> FanOutPlan.Rule.COMPLETE;
                    case FAIL_FAST -> FanOutPlan.Rule.FAIL_FAST;
                    case PARTIAL -> FanOutPlan.Rule.PARTIAL;
                },
                plan.mayFail(),
                last == null ? "" : last.queue(),
                last == null ? NO_BITS : Envelope.of(last).encode(),
                fanOuts.policy().keepMillis(),
                FanOutPolicy.MAX_OPEN);
    }

    private FanOutAnswer await(FanOutRequest request) throws InterruptedException {
        FanOutAnswer answer = answer(request);
        RuntimeException problem = problem(id, answer);
        if (problem != null) {
            throw problem;
        }
        return answer;
    }

    private FanOutAnswer answer(FanOutRequest request) throws InterruptedException {
        try {
            FanOutAnswer answer = fanOuts.ask(request).toCompletableFuture().get();
            if (answer == null) {
                throw unanswered(id);
            }
            return answer;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RuntimeException unanswered(String id) {
        return new FanOutException("Redis does not answer about fan-out " + id + ": the next attempt goes on with it");
    }

    /** Returns why a run cannot go on with its fan-out; null if it can, or its stream has ended. */
    static @Nullable RuntimeException problem(String id, @Nullable FanOutAnswer answer) {
        if (answer == null) {
            return unanswered(id);
        }
        return switch (answer.code()) {
            case FENCED ->
                new FanOutException("Another run of the task goes on with fan-out " + id + ": this one has to end");
            case NO_ROOM ->
                new FanOutException(
                        "There are too many fan-outs that have not ended: wait for some, or cancel them with"
                                + " ./tandem fan-outs");
            case UNKNOWN ->
                new FanOutException(
                        "Redis has forgotten fan-out " + id + " since it began: the next attempt begins it anew");
            default -> null;
        };
    }

    /** Returns whether a master must publish no subtask that no run has published. */
    static boolean isStopped(@Nullable FanOutAnswer answer) {
        return answer != null && (answer.stop() != Stop.NO || isClosed(answer));
    }

    /** Returns whether the stream has ended already. */
    static boolean isClosed(@Nullable FanOutAnswer answer) {
        return answer != null && (answer.code() == Code.CLOSED || answer.code() == Code.COMPLETE);
    }
}
