package dev.tandem.ordering;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A core that breaks one rule: some texts of its source are replaced. The simulation must notice each of them, or it
 * proves nothing.
 */
enum CoreMutant {
    /** Commits or acks a hand-over before it is durable. */
    COMMIT_EARLY(edit(
            "DeliveryTracker",
            "case TAKEN_OVER, REPORTED_SETTLED -> entry.stateNumber() <= durableUpTo;",
            "case TAKEN_OVER, REPORTED_SETTLED -> true;")),
    /** Drops the tasks in memory that wait behind a failed head, instead of parking them. */
    DROP_FOLLOWERS(edit("OwnerRequests", "state.block(entry.key(), entry.position(), reason);", """
                            state.block(entry.key(), entry.position(), reason);
                            lane.takeIf(waiting -> true).forEach(waiting -> state.tracker()
                                    .mark(waiting, dev.tandem.ordering.lanes.DeliveryState.SETTLED, 0));""")),
    /** Goes on after a gap as if the request had been answered. */
    IGNORE_GAP(
            edit("OwnershipRecovery", "private void takeBackClaims(", "void takeBackClaims("),
            edit("OwnershipRecovery", "private void backInPlace(", "void backInPlace("),
            edit(
                    "StoreAnswerHandler",
                    "answer instanceof StoreAnswer.AlreadyApplied) {\n            recovery.recover();",
                    """
                            answer instanceof StoreAnswer.AlreadyApplied) {
                            RequestLog.Sent ignored = state.requests.answered(request);
                            if (ignored != null) {
                                recovery.takeBackClaims(ignored);
                                ignored.returned().forEach(recovery::backInPlace);
                            }""")),
    /** Lets offered tasks of a key start before all that a former owner may have begun was delivered again. */
    OFFER_BEFORE_REDELIVERIES(edit(
            "DeferredTasks",
            "return state.now() < offersWaitUntil && state.broker.mayDeliverBegunTasks();",
            "return false;")),
    /** Lets the store claim due tasks of keys of which the owner has something in memory. */
    CLAIM_DUE_OF_BUSY_KEYS(edit("HeldLanes", "busy.add(lane.key());", "")),
    /** Starts tasks of a key of which the store may be claiming a due one. */
    START_WHILE_DUE_IS_CLAIMED(edit("Lane", "if (held || busy != null", "if (busy != null")),
    /** Lets a task join the line of its tenant although others of its key wait or run before it. */
    JOIN_LINE_BEHIND_OTHERS(
            edit("TenantLines", "return entry.key() == null || state.lanes.isIdle(entry.key());", "return true;")),
    /** Claims tasks right after the store restarted, when it may have forgotten claims of runs that go on. */
    CLAIM_WHILE_QUIET(edit(
            "OwnerRequests", "state.ownership.isOwned() && !state.timers.isQuiet();", "state.ownership.isOwned();")),
    /** Commits past records that were left in the log. */
    COMMIT_PASSED_OVER(
            edit("LogTracker", "passedOver.isEmpty() ? prefix : Math.min(prefix, passedOver.first())", "prefix")),
    /** Lets a fresh record of a key into its lane while earlier ones wait in the log. */
    OVERTAKE_PASSED_OVER(edit("LogOverflow", "? entry.offset() >= key.from()", "? false")),
    /** Lets a fresh record start while earlier ones of its tenant wait in the log. */
    OVERTAKE_BURST(edit(
            "TenantBursts",
            "return tenant != null && entry.offset() >= tenant.from() ? tenant : null;",
            "return null;")),
    /** Reads a record again with its key although its tenant has earlier ones that wait. */
    READ_BEFORE_TENANT(edit("OverflowKeys", "if (!groups.reads(tenant)) {", "if (false) {")),
    /** Goes on reading behind a record for which there was no room. */
    SKIP_STALLED(edit("LogOverflow", "stall(key, entry.offset());", "")),
    /** Takes a cut as known to the store as soon as an acquire has told it. */
    FORGET_CUT(edit("LogCut", "            toldWith = number;", "            forget();\n            recorded = true;")),
    /** Lets a task that ran when the log was cut settle the record that has its offset now. */
    SETTLE_BY_FORMER_OFFSET(edit(
            "LogSide",
            "return run.position().offsetIn(incarnation) == NONE ? TaskEntry.NO_OFFSET : run.sequence();",
            "return run.sequence();")),
    /** Gives delivered tasks back to the store as if it had offered them. */
    DECLINE_DELIVERIES(edit(
            "Lane",
            "takeIf(entry -> mustPark(entry) && entry.mayBeDeclined() && !entry.isTracked())",
            "takeIf(this::mustPark)")),
    /** Claims fresh tasks although the store has no room for them if they fail. */
    CLAIM_WITHOUT_ROOM(edit(
            "PartitionCore",
            "state.lanes.admitFresh(state.room.isLeft() || backPressure.mustMakeWayForAwaited());",
            "state.lanes.admitFresh(true);")),
    /** Forgets that a key is blocked although its head runs elsewhere or must be redelivered. */
    FORGET_AWAITED_HEADS(edit("Lane", "return isEmpty() && blocked && !kept;", "return isEmpty() && blocked;")),
    /** Lets workers go on with rows that were stopped. */
    GO_ON_WITH_STOPPED_ROW(edit("Row", "begun.getAndUpdate(now -> now | STOPPED);", "")),
    /** Counts a run without a handler as an attempt. */
    SPEND_ATTEMPT_WITHOUT_HANDLER(edit(
            "RunLifecycle",
            "new Envelope(WaitReason.without(PutAside.without(task)), run.attempt() - 1, run.token(), outcome.error())",
            "new Envelope(WaitReason.without(PutAside.without(task)), run.attempt(), run.token(), outcome.error())")),
    /** Counts a run that asked to run again as an attempt. */
    SPEND_SNOOZED_ATTEMPT(edit(
            "RunLifecycle",
            "new Envelope(task, run.attempt() - 1, run.token(), null)",
            "new Envelope(task, run.attempt(), run.token(), null)")),
    /** Lets the grace of an unknown type begin anew at every try. */
    FORGET_FIRST_TRY(edit(
            "RunLifecycle",
            "UnhandledSince.with(withLapses(run), outcome.since(), outcome.nextTry())",
            "withLapses(run)")),
    /** Stops a row without taking in what it has begun by then. */
    FORGET_WHAT_A_ROW_BEGAN(edit(
            "Relays",
            "for (Run next = row.begunNext(); next != null; next = row.begunNext()) {",
            "for (Run next = null; next != null; ) {")),
    /** Lets the next task of a key begin before the store knows that the one before it was cancelled. */
    RELAY_BEHIND_CANCELLED(edit("Relays", "&& !active.run().isCancelled()", "")),
    /** Ends a cancelled task without its claim although it may have begun elsewhere. */
    CANCEL_BEGUN(edit("Cancellations", "isSurelyUnknown(entry) && state.lanes", "state.lanes")),
    /** Takes a message without an id for one that was settled and maybe acked. */
    FIND_UNNAMED_ON_PAGES(
            edit("RedeliveryIndex", "if (Identities.isNamed(identity)) {", "if (true) {"),
            edit("RedeliveryIndex", "return Identities.isNamed(identity) ? take(", "return true ? take("),
            edit("IdentityPages", "entry.isTracked() && Identities.isNamed(entry.position())", "entry.isTracked()"),
            edit(
                    "RedeliveryMatcher",
                    "!mayBeOnPage || !Identities.isNamed(entry.position())",
                    "!mayBeOnPage || Identities.of(entry.position()).isEmpty()")),
    /** Matches a position with more than one redelivery. */
    MATCH_TWICE(
            edit("RedeliveryMatcher", "matches.pollFirst()", "matches.peekFirst()"),
            edit("RedeliveryMatcher", "onPages.put(identity, times - 1);", ""),
            edit("RedeliveryMatcher", "onPages.remove(identity);", ""),
            edit(
                    "RedeliveryIndex",
                    "Identities.isNamed(identity) ? known.peekFirst() : known.pollFirst()",
                    "known.peekFirst()"),
            edit("RedeliveryResolver", "matched.add(message.position());", "")),
    /** Drops identity pages although an ack may still be lost. */
    DROP_PAGES_EARLY(edit("IdentityPages", "private long droppableAt(Page page, boolean caughtUp) {", """
                            private long droppableAt(Page page, boolean caughtUp) {
                                if (true) {
                                    return page.lastAckAt;
                                }""")),
    /** Takes a message without an id for a task that runs on another channel, which may be well. */
    MATCH_UNNAMED_BY_CLAIM(
            edit("RedeliveryResolver", "if (known == null && message.isNamed()) {", "if (known == null) {")),
    /** Acks a forwarded message before that is durable in its partition. */
    ACK_FORWARDED_EARLY(
            edit("RedeliveryResolver", "peer.answersFor(message, answer.runId(), now());", "settled(message);"),
            edit("RedeliveryResolver", "settledIn.answersFor(message, answer.runId(), now());", "settled(message);")),
    /** Takes redeliveries of an unordered queue without asking the other partitions. */
    ASK_NO_OTHER_PARTITION(edit("QueueContext", "kind == Source.Kind.QUEUE && !policy.ordered();", "false;"));

    private static final Path SOURCES = Path.of("..", "..", "ordering", "src", "main", "java");

    /** A text of one class's source, and what replaces it. */
    private record Edit(String className, String text, String by) {}

    private final List<Edit> edits;

    CoreMutant(Edit... edits) {
        this.edits = List.of(edits);
    }

    private static Edit edit(String className, String text, String by) {
        return new Edit(className, text, by);
    }

    /** Runs histories with this core. Returns what it broke, or null if all of them kept the guarantees. */
    @Nullable
    String hunt(HistoryKind kind, long from, int histories) throws ReflectiveOperationException, IOException {
        return hunt(classes(), kind, from, histories);
    }

    /** Runs histories with a core of which the given classes are changed. */
    static @Nullable String hunt(Map<String, byte[]> changed, HistoryKind kind, long from, int histories)
            throws ReflectiveOperationException {
        Class<?> runner = new MutantClassLoader(changed).loadClass(Histories.class.getName());
        var hunt = runner.getDeclaredMethod("hunt", String.class, long.class, int.class);
        hunt.setAccessible(true);
        return (String) hunt.invoke(null, kind.name(), from, histories);
    }

    /** Compiles this mutant. Returns its changed classes by name. */
    Map<String, byte[]> classes() throws IOException {
        Map<Path, String> sources = new LinkedHashMap<>();
        for (Edit edit : edits) {
            Path file = file(edit.className());
            String source = sources.containsKey(file) ? sources.get(file) : Files.readString(file);
            sources.put(file, apply(edit, file, source));
        }
        return MutantCompiler.compile(name(), sources);
    }

    /** Finds a class's source in whichever package it is. */
    private Path file(String className) throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> found =
                    files.filter(file -> file.endsWith(className + ".java")).toList();
            if (found.size() != 1) {
                throw new IllegalStateException("The mutant " + this + " edits the class " + className + ", but "
                        + SOURCES.toAbsolutePath() + " has " + found.size() + " files of that name");
            }
            return found.get(0);
        }
    }

    private String apply(Edit edit, Path file, String source) {
        int first = source.indexOf(edit.text());
        if (first < 0 || source.indexOf(edit.text(), first + 1) >= 0) {
            throw new IllegalStateException("The mutant " + this + " replaces '" + edit.text() + "', which must be in "
                    + file + " exactly once but is there " + (first < 0 ? "not at all" : "more than once")
                    + ". Change the edit so that it breaks the same rule where that is kept now.");
        }
        return source.replace(edit.text(), edit.by());
    }
}
