package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Recall;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.StoreRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records what a core orders, for a test to look at. */
abstract class RecordedCommands implements Commands {

    private final List<StoreRequest> sent = new ArrayList<>();
    private final Map<String, Run> running = new LinkedHashMap<>();
    private final ArrayDeque<Run> unheard = new ArrayDeque<>();
    private final Map<Long, String> deliveries = new HashMap<>();
    private final List<String> acked = new ArrayList<>();
    private final List<Recall> recalls = new ArrayList<>();
    private final List<String> arrivals = new ArrayList<>();
    private final List<Long> recordedEnds = new ArrayList<>();
    private final List<Long> refusedEnds = new ArrayList<>();
    private final List<CoreEvent.KeyHalted> halted = new ArrayList<>();
    private boolean opened;
    private boolean paused;
    private boolean left;
    private int rewinds;
    private int cutsRecorded;
    private String identityKind = "m";

    /** Messages have no message ids from now on, so they are recognised by their content only. */
    void publishersGiveNoIds() {
        identityKind = "c";
    }

    /** The letter with which the identities of messages begin. */
    String identityKind() {
        return identityKind;
    }

    /** Names of the runs that were started and have not ended, in the order of their starts. */
    List<String> running() {
        return List.copyOf(running.keySet());
    }

    Run run(String name) {
        Run run = running.get(name);
        if (run == null) {
            throw new AssertionError(name + " does not run, only " + running.keySet());
        }
        return run;
    }

    /** The reports of halted keys. */
    List<CoreEvent.KeyHalted> halted() {
        return List.copyOf(halted);
    }

    /** Makes a task. If its key begins with "dup", it has a deduplication key; if with "dep", it waits for another one. */
    static Task task(String name, @Nullable String key, long notBefore) {
        String dedupKey = key != null && key.startsWith("dup") ? key : null;
        Map<String, String> headers =
                key != null && key.startsWith("dep") ? Map.of(TaskHeaders.DEPENDS_ON, "other") : Map.of();
        byte[] payload = name.getBytes(StandardCharsets.US_ASCII);
        return new Task(null, "orders", null, key, payload, headers, 0, notBefore, 0, 0, dedupKey);
    }

    /** The arrivals that were reported, by name, with a question mark behind those that may have come before. */
    List<String> arrivals() {
        return List.copyOf(arrivals);
    }

    @Override
    public void arrived(Arrival arrival) {
        String name = new String(arrival.task().payload(), StandardCharsets.US_ASCII);
        arrivals.add(name + (arrival.surelyNew() ? "" : "?"));
    }

    /** The tokens of the runs whose ends were said to be recorded. */
    List<Long> recordedEnds() {
        return List.copyOf(recordedEnds);
    }

    @Override
    public void recorded(RecordedEnd end) {
        recordedEnds.add(end.token());
    }

    /** The tokens of the runs whose ends were said to be refused. */
    List<Long> refusedEnds() {
        return List.copyOf(refusedEnds);
    }

    @Override
    public void refused(RefusedEnd end) {
        refusedEnds.add(end.token());
    }

    @Override
    public void report(CoreEvent event) {
        if (event instanceof CoreEvent.KeyHalted key) {
            halted.add(key);
        }
    }

    /** Whether a worker may still begin this run. */
    boolean mayBegin(String name) {
        return run(name).mayBegin(now());
    }

    /** The position of a task of a log. */
    static Position at(long offset) {
        return Position.of(0, offset);
    }

    Run ended(String name) {
        Run run = run(name);
        running.remove(name);
        return run;
    }

    // ---- handlers ----

    /** Tells the core that a run has ended. */
    abstract void ends(Run run, Outcome outcome);

    /** The core's monotonic time. */
    abstract long now();

    void succeeds(String name) {
        ends(ended(name), Outcome.Succeeded.INSTANCE);
    }

    void fails(String name, long retryMillis) {
        ends(ended(name), new Outcome.Retry(retryMillis, "later"));
    }

    /** The handler asks to run the task again. */
    void snoozes(String name, long delayMillis) {
        ends(ended(name), new Outcome.Snoozed(delayMillis));
    }

    /** An executor finds the task's type or key paused. */
    void isPutAside(String name, long delayMillis) {
        ends(ended(name), Outcome.Snoozed.putAside(delayMillis));
    }

    /** A gate keeps the task from its handler. */
    void waitsFor(String name, String reason, long delayMillis) {
        ends(ended(name), Outcome.Snoozed.waitingFor(WaitReason.parse(reason), delayMillis));
    }

    /** The executor has no handler for the task. */
    void isUnhandled(String name, long since, long delayMillis) {
        ends(ended(name), new Outcome.Unhandled(since, delayMillis, since + delayMillis, "no handler"));
    }

    void dies(String name) {
        ends(ended(name), new Outcome.Dead("never"));
    }

    /** The time of the task is over before its handler begins. */
    void expires(String name) {
        ends(ended(name), new Outcome.Expired(null));
    }

    /** The attempt fails, and the time of the task would be over before the next one. */
    void expiresBehind(String name, String error) {
        ends(ended(name), new Outcome.Expired(error));
    }

    void neverBegins(String name) {
        ends(ended(name), Outcome.NotStarted.INSTANCE);
    }

    /**
     * The task succeeds, and its worker begins the next one of its row, before the core {@linkplain #hears() hears} of it.
     *
     * @return whether there was a next one that may begin
     */
    boolean goesOn(String name) {
        Run run = ended(name);
        Run next = run.beginNext(now());
        unheard.add(run);
        if (next != null) {
            start(next);
        }
        return next != null;
    }

    /** The core hears of the successes that it did not hear of yet. */
    void hears() {
        while (!unheard.isEmpty()) {
            ends(unheard.remove(), Outcome.Succeeded.INSTANCE);
        }
    }

    // ---- what was ordered ----

    /** Requests of one type that were sent, oldest first. */
    <R extends StoreRequest> List<R> sent(Class<R> type) {
        return sent.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <R extends StoreRequest> R lastSent(Class<R> type) {
        List<R> all = sent(type);
        return all.get(all.size() - 1);
    }

    void noteDelivery(long tag, String name) {
        deliveries.put(tag, name);
    }

    /** Names of the acked messages, in order. */
    List<String> acked() {
        return acked;
    }

    /** Whether deliveries may come. */
    boolean isOpen() {
        return opened;
    }

    boolean isPaused() {
        return paused;
    }

    /** Whether the partition was given up, or lost. */
    boolean hasLeft() {
        return left;
    }

    /** The number of times that the broker was told to go back to the committed offset, or to a new channel. */
    int rewinds() {
        return rewinds;
    }

    @Override
    public void send(StoreRequest request) {
        sent.add(request);
    }

    @Override
    public void start(Run run) {
        running.put(new String(run.task().payload(), StandardCharsets.US_ASCII), run);
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        sequences.forEach(tag -> acked.add(deliveries.get(tag)));
    }

    @Override
    public void open(Partition partition) {
        opened = true;
        left = false;
    }

    @Override
    public void pause(Partition partition) {
        paused = true;
    }

    @Override
    public void resume(Partition partition) {
        paused = false;
    }

    @Override
    public void rewind(Partition partition) {
        rewinds++;
    }

    @Override
    public void cutRecorded(Partition partition) {
        cutsRecorded++;
    }

    /** The number of times that the source was told that the store durably knows of a cut. */
    int cutsRecorded() {
        return cutsRecorded;
    }

    @Override
    public void recall(Partition partition, Recall recall) {
        recalls.add(recall);
    }

    /** Requests to read records of a log again, oldest first. */
    List<Recall> recalls() {
        return recalls;
    }

    @Override
    public void left(Partition partition) {
        opened = false;
        left = true;
    }
}
