package dev.tandem.scheduler;

import dev.tandem.task.FannedOut;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCancellation;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.FanOutIds;
import dev.tandem.task.store.TaskIdentity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells buckets of tasks that ended without a run: an operator cancelled them, or they died behind another one. Then their
 * deduplication keys are free, the fan-outs around them do not wait for them, and those that they began are given up. An end is taken off its partition's list when its bucket
 * has answered. Those of buckets that are away stay, and do not stop others behind them.
 */
final class UntoldEnds {

    private static final Logger log = LoggerFactory.getLogger(UntoldEnds.class);

    /** How many are passed on at once. */
    private static final int PIECE = 100;

    /** After so many that could not be passed on, the rest waits for the next round. */
    private static final int MAX_KEPT = 500;

    /** Begins an element about a subtask. */
    private static final byte SUBTASK = '~';

    /** Begins an element about the fan-outs of a master. */
    private static final String MASTER = "+";

    /** A task that was cancelled has no other run. One that died has if an operator retries it. */
    private static final long ANY_TOKEN = Long.MAX_VALUE;

    /** Stands behind the fan-outs of a master in place of an id. */
    private static final String TOKEN = "token";

    private static final Pattern TOKEN_OF_MASTER = Pattern.compile(TOKEN + " (\\d+),");

    private final AdminConnection connection;
    private final RedisBuckets buckets;
    private final FanOutCancellation cancellation;

    UntoldEnds(AdminConnection connection) {
        this.connection = connection;
        this.buckets = new RedisBuckets(connection);
        this.cancellation = buckets.cancellation();
    }

    /** Passes all of a partition on. Returns how many. Fails in the end if some could not be passed on. */
    CompletableFuture<Long> passOn(Partition partition) {
        return passOn(partition, new Progress(0, 0, null));
    }

    /** @param kept how many could not be passed on: they are the first of the list */
    private record Progress(
            long passedOn, long kept, @Nullable Throwable failure) {

        Progress with(List<CompletableFuture<@Nullable Throwable>> told) {
            List<Throwable> failures = new ArrayList<>();
            for (CompletableFuture<@Nullable Throwable> each : told) {
                Throwable problem = each.join();
                if (problem != null) {
                    failures.add(problem);
                }
            }
            Throwable first = failure == null && !failures.isEmpty() ? failures.get(0) : failure;
            return new Progress(passedOn + told.size() - failures.size(), kept + failures.size(), first);
        }

        CompletableFuture<Long> over() {
            return failure == null
                    ? CompletableFuture.completedFuture(passedOn)
                    : CompletableFuture.failedFuture(failure);
        }
    }

    private CompletableFuture<Long> passOn(Partition partition, Progress before) {
        byte[] list = connection.keys().untoldEnds(partition);
        long from = before.kept();
        return connection
                .run(commands -> commands.lrange(list, from, from + PIECE - 1))
                .thenCompose(ends -> {
                    List<CompletableFuture<@Nullable Throwable>> told = new ArrayList<>(ends.size());
                    for (byte[] end : ends) {
                        told.add(passOn(partition, list, end));
                    }
                    return CompletableFuture.allOf(told.toArray(CompletableFuture[]::new))
                            .thenCompose(done -> {
                                Progress now = before.with(told);
                                return ends.size() < PIECE || now.kept() >= MAX_KEPT
                                        ? now.over()
                                        : passOn(partition, now);
                            });
                });
    }

    /** Passes one on, and takes it off the list. Ends with null, or with why it stays. */
    private CompletableFuture<@Nullable Throwable> passOn(Partition partition, byte[] list, byte[] end) {
        return tell(partition, end)
                .thenCompose(answer -> connection.run(commands -> commands.lrem(list, 1, end)))
                .handle((removed, failure) -> failure);
    }

    private CompletableFuture<?> tell(Partition partition, byte[] end) {
        Supplier<CompletableFuture<?>> request;
        try {
            request = end.length > 0 && end[0] == SUBTASK
                    ? readSubtask(partition, end)
                    : read(partition, new String(end, StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            log.warn(
                    "Dropped an unreadable record ({} bytes) of a task of {} that ended without a run: {}. If its"
                            + " deduplication key stays taken, run ./tandem dedup {} KEY --free; if its fan-out"
                            + " waits, run ./tandem fan-outs cancel ID, then ./tandem fan-outs end ID",
                    end.length,
                    partition,
                    e.getClass().getSimpleName(),
                    partition.queue());
            return CompletableFuture.completedFuture(null);
        }
        try {
            return request.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns what sends the request about an element that is about no subtask. */
    private Supplier<CompletableFuture<?>> read(Partition partition, String end) {
        if (end.startsWith(MASTER)) {
            List<String> ids = FannedOut.ids(end.substring(2)).stream()
                    .filter(id -> !id.equals(TOKEN))
                    .toList();
            Matcher token = TOKEN_OF_MASTER.matcher(end);
            GivenUp given = new GivenUp(end.charAt(1), token.find() ? Long.parseLong(token.group(1)) : ANY_TOKEN);
            return () -> Futures.all(ids, id -> giveUp(id, given));
        }
        // The position, the token, and the key, in which there may be blanks too.
        String[] parts = end.split(" ", 3);
        TaskIdentity task = TaskIdentity.of(partition.name(), new Position(parts[0]), false, "")
                .inRun(Long.parseLong(parts[1]));
        DedupRequest.Tell request = new DedupRequest.Tell(parts[2], task, Ending.FAILED, 0);
        return () -> buckets.tell(partition.queue(), request);
    }

    private Supplier<CompletableFuture<?>> readSubtask(Partition partition, byte[] element) {
        // The length of the id counts bytes. In this charset, each of them is a character.
        String[] parts = new String(element, StandardCharsets.ISO_8859_1).split(" ", 4);
        int length = Integer.parseInt(parts[2]);
        String id = length < 0 ? null : text(parts[3].substring(0, length));
        int point = parts[1].indexOf('.');
        long token = point < 0 ? ANY_TOKEN : Long.parseLong(parts[1].substring(point + 1));
        long published = Long.parseLong(point < 0 ? parts[1] : parts[1].substring(0, point));
        String own = FanOutIds.of(partition, new Position(parts[0].substring(2)), id, published, "");
        String rest = parts[3].substring(Math.max(0, length));
        int space = rest.indexOf(' ');
        GivenUp given = new GivenUp((char) element[1], token);
        return subtask(given, own, rest.substring(0, space), text(rest.substring(space + 1)));
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** @param own the id of the subtask's own fan-out, if it has fanned out */
    private Supplier<CompletableFuture<?>> subtask(GivenUp given, String own, String which, String error) {
        Subtask subtask = Subtask.parse(which);
        if (subtask == null) {
            return () -> CompletableFuture.completedFuture(null);
        }
        End end = given.end();
        Tell told = new Tell(subtask.fanOut(), subtask.number(), end, LogText.oneLine(error, FanOutRecord.MAX_ERROR));
        return () -> ask(told).thenCompose(answer -> {
            // If a copy of the subtask has fanned out, its end follows from that.
            boolean isIts = answer.code() == Code.NESTED && answer.other().equals(own);
            return !isIts
                    ? CompletableFuture.completedFuture(answer)
                    : giveUp(own, given).thenCompose(ofInner -> {
                        // If nothing is known of that fan-out, nobody will tell how it ended.
                        return ofInner.code() == Code.UNKNOWN
                                ? ask(new Tell(told.id(), told.number(), end, told.error(), own))
                                : CompletableFuture.completedFuture(ofInner);
                    });
        });
    }

    /**
     * How a master ended.
     *
     * @param how a letter of the scripts
     * @param highest the highest token when it ended: a run with a higher one goes on with its fan-outs, for an operator has retried
     *     the dead master since
     */
    private record GivenUp(char how, long highest) {

        boolean cancels() {
            return how != ScriptCodes.FAN_OUT_FAILED;
        }

        End end() {
            return cancels() ? End.CANCELLED : End.FAILED;
        }

        String why() {
            return cancels() ? "its master was cancelled" : "its master died without a run";
        }

        FanOutRequest of(String id) {
            return new FanOutRequest.Abandon(id, cancels() ? ANY_TOKEN : highest, end(), why(), cancels());
        }
    }

    /** Gives a fan-out up. If its master was cancelled, what it has begun is, too. */
    private CompletableFuture<FanOutAnswer> giveUp(String id, GivenUp given) {
        return ask(given.of(id))
                .thenCompose(answer -> given.cancels() && answer.isGivenUp()
                        ? cancellation.cancel(id, given.why()).thenApply(done -> answer)
                        : CompletableFuture.completedFuture(answer));
    }

    /** Sends a request. If the fan-out is complete by it, the patrol sees to what follows. */
    private CompletableFuture<FanOutAnswer> ask(FanOutRequest request) {
        String id = request.id();
        return buckets.fanOut(FanOutBuckets.of(id), List.of(request, new FanOutRequest.Postpone(id, 0)))
                .thenApply(answers -> answers.get(0));
    }
}
