package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.server.archive.Archive;
import dev.tandem.server.archive.Archive.BusySearchException;
import dev.tandem.server.archive.Archive.Found;
import dev.tandem.server.archive.Archive.SlowSearchException;
import dev.tandem.server.archive.ArchivedOutcome;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.event.EventKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Searches the archive for the API and the console. Thread-safe. */
public final class ArchiveReader {

    /** The time that is searched unless somebody says otherwise. */
    public static final Duration DEFAULT_RANGE = Duration.ofHours(24);

    private static final int MAX_LIMIT = 500;
    private static final int MAX_OUTCOMES = 200;
    private static final int MAX_SHOWN = 100;
    /** Clocks of Redis and of this server may differ. */
    private static final Duration AHEAD = Duration.ofDays(1);

    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");
    private static final Set<String> ENDS = Set.of("succeeded", "dead", "expired", "cancelled");

    /**
     * Which ends a list has. Null means any.
     *
     * @param state such as {@code dead}; {@code failed} and {@code snoozed} for attempts that were not the last
     * @param from the earliest time; null for {@link #DEFAULT_RANGE} before {@code until}
     * @param until the time before which they are; null for now
     */
    public record Choice(
            @Nullable String queue,
            @Nullable String id,
            @Nullable String key,
            @Nullable String type,
            @Nullable String state,
            @Nullable String from,
            @Nullable String until) {}

    /**
     * How a task, or an attempt of it, ended.
     *
     * @param ref names the task by its place
     * @param id the id that its publisher gave, else the ref
     * @param state how it ended: {@code succeeded}, {@code dead}, {@code expired} or {@code cancelled}; of an attempt that was
     *     not the last, {@code failed} or {@code snoozed}
     * @param at when that was recorded
     * @param attempt how many attempts had been made
     * @param error how it failed, hidden as a whole if the queue masks payloads: the archive has none to look into
     */
    public record Outcome(
            String queue,
            String ref,
            String id,
            String state,
            Instant at,
            @Nullable String type,
            @Nullable String key,
            int attempt,
            @Nullable String executor,
            @Nullable String error,
            @Nullable Instant startedAt,
            @Nullable Long durationMillis,
            @Nullable String duplicateOf) {

        private static Outcome of(ArchivedOutcome outcome, List<String> mask) {
            String id = outcome.id();
            return new Outcome(
                    outcome.queue(),
                    outcome.ref(),
                    id == null ? outcome.ref() : id,
                    outcome.kind(),
                    outcome.recordedAt(),
                    outcome.type(),
                    outcome.key(),
                    outcome.attempt(),
                    outcome.executor(),
                    Echoes.of(mask, () -> null).hide(outcome.error()),
                    outcome.startedAt(),
                    outcome.durationMillis(),
                    outcome.duplicateOf());
        }
    }

    /** @param next the cursor of the next page; null if this is the last one */
    public record Page(List<Outcome> outcomes, @Nullable String next) {}

    /**
     * The outcomes of one task that the archive has.
     *
     * @param state its latest
     * @param outcomes of its attempts and of the task, the earliest first; the latest 200
     * @param others the refs of earlier tasks with the same id; null if there are none
     */
    public record ArchivedTask(
            String queue,
            String ref,
            String id,
            String state,
            @Nullable String type,
            @Nullable String key,
            List<Outcome> outcomes,
            @Nullable List<String> others) {}

    private final ConfiguredQueues queues;
    private final Archive archive;
    private final InstantSource clock;

    ArchiveReader(ConfiguredQueues queues, Archive archive, InstantSource clock) {
        this.queues = queues;
        this.archive = archive;
        this.clock = clock;
    }

    /** Returns whether there is an archive. */
    public boolean enabled() {
        return archive.enabled();
    }

    /** Returns the queues that are archived. */
    public List<String> queues() {
        return searched(null);
    }

    /** Returns how the archive is. */
    public Archive.Status status() {
        return archive.status();
    }

    /**
     * Returns a page of ends, the latest first.
     *
     * @param cursor null for the first page
     * @throws ApiException if there is no archive or no such queue, or a parameter is wrong
     */
    public Page page(Choice choice, @Nullable String cursor, int limit) {
        checkEnabled();
        if (limit < 1 || limit > MAX_LIMIT) {
            throw ApiException.parameter(
                    "limit", Sentence.of("problem.limit", limit), Sentence.of("remedy.one-to", MAX_LIMIT));
        }
        Instant now = clock.instant();
        Instant until = choice.until() == null ? now.plus(AHEAD) : time("until", choice.until());
        Instant from = choice.from() != null
                ? time("from", choice.from())
                : (choice.until() == null ? now : until).minus(DEFAULT_RANGE);
        if (!from.isBefore(until)) {
            throw ApiException.parameter("from", Sentence.of("problem.from-until"), Sentence.of("remedy.from-until"));
        }
        Archive.Search search = new Archive.Search(
                searched(choice.queue()), kinds(choice.state()), choice.id(), choice.key(), choice.type(), from, until);
        Cursors cursors = Cursors.of(
                "archive",
                choice.queue(),
                choice.id(),
                choice.key(),
                choice.type(),
                choice.state(),
                choice.from(),
                choice.until());
        String place = cursors.place(cursor);
        try {
            Found found = asked(() -> archive.search(search, place, limit));
            return new Page(found.outcomes().stream().map(this::shown).toList(), cursors.next(found.next()));
        } catch (IllegalArgumentException e) {
            throw Cursors.refusal(e);
        }
    }

    /**
     * Returns what the archive has of a task.
     *
     * @param id its id or its reference
     * @throws ApiException if there is no archive, queue or task
     */
    public ArchivedTask one(String queue, String id) {
        queues.get(queue);
        checkEnabled();
        List<ArchivedOutcome> all = asked(() -> archive.ofTask(queue, id, MAX_OUTCOMES));
        if (all.isEmpty()) {
            throw ProblemType.UNKNOWN_TASK.refusal(
                    Sentence.of("problem.not-in-archive", LogText.oneLine(id, MAX_SHOWN), queue),
                    Sentence.of("remedy.in-archive"));
        }
        ArchivedOutcome last = all.get(all.size() - 1);
        Set<String> others =
                all.stream().map(ArchivedOutcome::ref).collect(Collectors.toCollection(LinkedHashSet::new));
        others.remove(last.ref());
        List<Outcome> its = all.stream()
                .filter(each -> each.ref().equals(last.ref()))
                .map(this::shown)
                .toList();
        Outcome latest = its.get(its.size() - 1);
        return new ArchivedTask(
                latest.queue(),
                latest.ref(),
                latest.id(),
                latest.state(),
                latest.type(),
                latest.key(),
                its,
                others.isEmpty() ? null : List.copyOf(others));
    }

    /**
     * Returns whether a task that ended in one of some queues has this id. Of all times: each day's partition is one look into an
     * index for each queue.
     *
     * @throws ApiException if there is no archive
     */
    public boolean has(String id, List<String> among) {
        checkEnabled();
        List<String> archived = searched(null).stream().filter(among::contains).toList();
        Archive.Search search = new Archive.Search(
                archived, ENDS, id, null, null, EARLIEST, clock.instant().plus(AHEAD));
        return !archived.isEmpty()
                && !asked(() -> archive.search(search, null, 1)).outcomes().isEmpty();
    }

    private Outcome shown(ArchivedOutcome outcome) {
        return Outcome.of(outcome, queues.get(outcome.queue()).mask());
    }

    private void checkEnabled() {
        if (!archive.enabled()) {
            throw ProblemType.NO_ARCHIVE.refusal(Sentence.of("problem.no-archive"), Sentence.of("remedy.no-archive"));
        }
    }

    private static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (SlowSearchException e) {
            throw ProblemType.SLOW_SEARCH.refusal(
                    Sentence.problem(String.valueOf(e.getMessage())), Sentence.of("remedy.slow-search"));
        } catch (BusySearchException e) {
            throw ProblemType.BUSY.refusal(
                    Sentence.problem(String.valueOf(e.getMessage())), Sentence.of("remedy.repeat-soon"));
        }
    }

    private List<String> searched(@Nullable String queue) {
        if (queue != null) {
            queues.get(queue);
            return List.of(queue);
        }
        return queues.all().entrySet().stream()
                .filter(each -> each.getValue().events().enabled())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Set<String> kinds(@Nullable String state) {
        if (state == null) {
            return ENDS;
        }
        List<String> known =
                Arrays.stream(EventKind.values()).map(EventKind::text).toList();
        if (!known.contains(state)) {
            throw ApiException.parameter(
                    "state",
                    Sentence.of("problem.state", LogText.oneLine(state, MAX_SHOWN)),
                    Sentence.of("remedy.one-of-or-all-ends", String.join(", ", known)));
        }
        return Set.of(state);
    }

    private static Instant time(String name, String text) {
        try {
            Instant time = Instant.parse(text);
            return time.isBefore(EARLIEST) ? EARLIEST : time.isAfter(LATEST) ? LATEST : time;
        } catch (DateTimeParseException e) {
            throw ApiException.parameter(
                    name,
                    Sentence.of("problem.parameter", name, LogText.oneLine(text, MAX_SHOWN)),
                    Sentence.of("remedy.time"));
        }
    }
}
