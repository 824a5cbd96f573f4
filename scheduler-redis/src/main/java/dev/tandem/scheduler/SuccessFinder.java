package dev.tandem.scheduler;

import dev.tandem.scheduler.SuccessPage.Kept;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is kept of tasks that succeeded, expired or were cancelled. Each call of the script looks at a bounded piece. Thread-safe.
 */
final class SuccessFinder {

    /** The form of a cursor: number of a page, and how many of its records were listed already. */
    static final Pattern CURSOR = Pattern.compile("page (\\d{1,15}):(\\d{1,5})");

    /** The cursor behind the last page. */
    static final String END = "page 0:99999";

    private static final byte[] ALL_PAGES = {};
    private static final byte[] NO_PAYLOAD = {};
    private static final String LATEST = "";
    private static final long ALL_SEEN = -1;

    /** More records, and more bytes, than one call looks at: it ends with a MiB of pages, or of entries. */
    private static final int MANY = 10_000_000;

    /** The bytes of entries that a list counts as one task that it looked at. */
    private static final long BYTES_OF_TASK = 60;

    /** A page as the script returned it. */
    private record Numbered(long number, List<Kept> records) {}

    /**
     * The pages that a call found.
     *
     * @param next the number of the page to go on at; {@link #ALL_SEEN} at the end
     * @param looked at how many bytes of entries it looked
     */
    private record Found(long next, long looked, List<Numbered> pages) {}

    private final AdminConnection connection;

    SuccessFinder(AdminConnection connection) {
        this.connection = connection;
    }

    /** Returns the end with which tasks in this state are kept among the successes; null if those are kept elsewhere. */
    static @Nullable TaskEnd endOf(TaskState state) {
        for (TaskEnd end : TaskEnd.values()) {
            if (end.state() == state) {
                return end;
            }
        }
        return null;
    }

    /** Returns the latest end of a position. */
    CompletableFuture<Optional<TaskView>> at(Partition partition, Position position, ReadBudget budget) {
        return find(partition, position.text(), kept -> kept.position().equals(position), LATEST, 1, budget);
    }

    /** Returns the latest end of a task with an id that its publisher gave. */
    CompletableFuture<Optional<TaskView>> withId(Partition partition, String id, ReadBudget budget) {
        return find(partition, id, kept -> id.equals(kept.success().id()), LATEST, 1, budget);
    }

    /** @param enough how many records to ask for at once: one, unless pages were found that only have the same hash */
    private CompletableFuture<Optional<TaskView>> find(
            Partition partition, String hashed, Predicate<Kept> wanted, String from, int enough, ReadBudget budget) {
        budget.requireForSearch();
        budget.runs(1);
        return read(partition, SuccessPage.hash(hashed), from, enough, MANY).thenCompose(found -> {
            Kept latest = null;
            for (Numbered page : found.pages()) {
                for (Kept kept : page.records()) {
                    latest = wanted.test(kept) ? kept : latest;
                }
                if (latest != null) {
                    return CompletableFuture.completedFuture(Optional.of(view(partition, latest)));
                }
            }
            return found.next() == ALL_SEEN
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : find(partition, hashed, wanted, Long.toString(found.next()), MANY, budget);
        });
    }

    /**
     * Lists what ended in one way, the latest first. Of ends other than success, it reads only the pages that have some.
     *
     * @param end which tasks; null for all
     * @param cursor as the last page returned it; null for the first page
     * @param budget looking for rare ends spends it
     */
    CompletableFuture<ResultPage<TaskView>> list(
            Partition partition, @Nullable TaskEnd end, @Nullable String cursor, int limit, ReadBudget budget) {
        Matcher place = CURSOR.matcher(cursor == null ? "" : cursor);
        boolean goesOn = place.matches();
        String from = goesOn ? place.group(1) : LATEST;
        int listed = goesOn ? Integer.parseInt(place.group(2)) : 0;
        boolean isRare = end != null && end != TaskEnd.SUCCEEDED;
        byte[] hash = isRare ? SuccessPage.hash(end) : ALL_PAGES;
        long most = isRare ? Math.max(1, Math.min(MANY, budget.tasksLeft() * BYTES_OF_TASK)) : MANY;
        return read(partition, hash, from, limit + listed, most).thenApply(found -> {
            budget.lookedAt(isRare ? found.looked() / BYTES_OF_TASK : 0);
            List<TaskView> tasks = new ArrayList<>();
            for (Numbered page : found.pages()) {
                List<Kept> records = page.records();
                int skipped = Long.toString(page.number()).equals(from) ? listed : 0;
                for (int i = records.size() - 1 - skipped; i >= 0; i--) {
                    if (tasks.size() == limit) {
                        return new ResultPage<>(tasks, cursor(page.number(), records.size() - 1 - i));
                    }
                    if (end == null || records.get(i).success().end() == end) {
                        tasks.add(view(partition, records.get(i)));
                    }
                }
            }
            return new ResultPage<>(tasks, found.next() == ALL_SEEN ? null : cursor(found.next(), 0));
        });
    }

    private static String cursor(long page, int listed) {
        return "page " + page + ":" + listed;
    }

    private CompletableFuture<Found> read(Partition partition, byte[] hash, String from, int enough, long mostBytes) {
        return connection
                .runScript(
                        Script.FIND_SUCCESSES,
                        partition,
                        hash,
                        ascii(from),
                        ascii(Integer.toString(enough)),
                        ascii(Long.toString(mostBytes)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    long next = in.number();
                    long looked = in.number();
                    List<Numbered> pages = in.all(page -> new Numbered(page.number(), SuccessPage.read(page.bytes())));
                    return new Found(next, looked, pages);
                });
    }

    private static TaskView view(Partition partition, Kept kept) {
        SuccessRecord success = kept.success();
        Map<String, String> headers =
                success.attempts() == null ? Map.of() : Map.of(AttemptHistory.HEADER, success.attempts());
        Task task = new Task(
                success.id(), partition.queue(), success.type(), success.key(), NO_PAYLOAD, headers, 0, 0, 0, 0, null);
        return new TaskView(
                partition,
                kept.position(),
                success.end().state(),
                success.startedAt() == 0 ? -1 : success.startedAt() + success.durationMillis(),
                0,
                new Envelope(task, success.attempt(), 0, null),
                null,
                null,
                new TaskView.Success(
                        success.startedAt(),
                        success.durationMillis(),
                        success.executor(),
                        success.result(),
                        success.duplicateOf()));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
