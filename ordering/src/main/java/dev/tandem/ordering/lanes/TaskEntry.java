package dev.tandem.ordering.lanes;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPriority;
import dev.tandem.task.store.SettledMark;
import org.jspecify.annotations.Nullable;

/** One task in the owner's memory, delivered by the broker or given by the store. */
public final class TaskEntry {

    /** The sequence of an entry that the store gave, so that the broker waits for no commit or ack of it. */
    public static final long NOT_DELIVERED = -1;

    /** One more than the highest priority. */
    static final int PRIORITIES = TaskPriority.HIGHEST + 1;

    /** The offset of an entry that has no bit in the store. */
    public static final long NO_OFFSET = -1;

    private final Position position;
    private final @Nullable String key;
    private final long sequence;
    private final long offset;
    private final int weight;
    private final @Nullable String unreadable;
    private final int attempts;
    private final int priority;
    private final @Nullable RedeliveryNotes notes;

    private long order;
    private long cameAt = -1;
    private @Nullable Task task;
    private @Nullable String tenant;
    private boolean inStore;
    private boolean doubtful;
    private boolean mayBeDeclined;
    private boolean inLine;
    private boolean cancelled;
    private DeliveryState state = DeliveryState.PENDING;
    private long stateNumber;

    /**
     * @param key null for a task without order
     * @param sequence what the source commits or acks the task by, or {@link #NOT_DELIVERED}
     * @param offset of the task's bit in the current incarnation, or {@link #NO_OFFSET}
     * @param order when the task came in, relative to others of its partition
     * @param unreadable why the message is not a task, or null
     * @param attempts starts so far
     * @param inStore whether the store has the task's envelope
     * @param notes null in a log
     */
    public TaskEntry(
            Position position,
            @Nullable String key,
            long sequence,
            long offset,
            long order,
            Task task,
            @Nullable String unreadable,
            int attempts,
            boolean inStore,
            @Nullable RedeliveryNotes notes) {
        this.position = position;
        this.key = key;
        this.sequence = sequence;
        this.offset = offset;
        this.order = order;
        this.task = task;
        this.unreadable = unreadable;
        this.attempts = attempts;
        this.inStore = inStore;
        this.notes = notes;
        this.weight = task.weight();
        this.priority = TaskPriority.of(task);
    }

    /** Returns the same delivery under the position that it had before. */
    public TaskEntry at(Position earlier) {
        RedeliveryNotes same = new RedeliveryNotes();
        same.redelivered(notes().isRedelivered());
        same.matched(true);
        TaskEntry other = new TaskEntry(
                earlier, key, sequence, offset, order, requireTask(), unreadable, attempts, inStore, same);
        other.tenant = tenant;
        other.cameAt = cameAt;
        return other;
    }

    /** Returns an entry of the same task without its delivery: the store will have it, and it waits for its turn here. */
    public TaskEntry withoutDelivery(@Nullable RedeliveryNotes itsNotes) {
        TaskEntry other = new TaskEntry(
                position, key, NOT_DELIVERED, offset, order, requireTask(), null, attempts, true, itsNotes);
        other.cameAt = cameAt;
        return other;
    }

    public Position position() {
        return position;
    }

    public @Nullable String key() {
        return key;
    }

    public long sequence() {
        return sequence;
    }

    /** The task's offset in the bitmap of settled offsets, or {@link #NO_OFFSET}. */
    public long offset() {
        return offset;
    }

    /** The task's size in memory, in bytes. */
    public int weight() {
        return weight;
    }

    public @Nullable String unreadable() {
        return unreadable;
    }

    /** 0 to 9. Among tasks that may start, those with a higher one come first. */
    public int priority() {
        return priority;
    }

    /** The task's tenant; null if the queue has none, or the task was not counted for it. */
    public @Nullable String tenant() {
        return tenant;
    }

    public void tenant(String name) {
        tenant = name;
    }

    /** How often the task was started before, by its envelope. */
    public int attempts() {
        return attempts;
    }

    /** Whether the broker delivered the task in this ownership and waits for its commit or ack. */
    public boolean isTracked() {
        return sequence >= 0;
    }

    public long order() {
        return order;
    }

    public void order(long place) {
        order = place;
    }

    /** When the broker delivered the task, in milliseconds of elapsed time; 0 if it did not. */
    public long deliveredAt() {
        return isTracked() ? Math.max(0, cameAt) : 0;
    }

    /** When the broker delivered the task, or the store gave it, in milliseconds of elapsed time; -1 if that is not known. */
    public long cameAt() {
        return cameAt;
    }

    public void cameAt(long millis) {
        cameAt = millis;
    }

    /** Gives the task its place before all others of its key. */
    public void placeFirst() {
        order = 0;
    }

    public boolean hasTask() {
        return task != null;
    }

    /** @throws IllegalStateException if the task was dropped from memory too early */
    public Task requireTask() {
        if (task == null) {
            throw new IllegalStateException("The task at " + position + " was dropped from memory too early");
        }
        return task;
    }

    /** Drops the task itself from memory. Its position stays. */
    public void dropTask() {
        task = null;
    }

    public boolean isInStore() {
        return inStore;
    }

    public void inStore(boolean has) {
        inStore = has;
    }

    /** Whether an outcome of the task was refused, so that another executor may have settled it. */
    public boolean isDoubtful() {
        return doubtful;
    }

    public void doubt() {
        doubtful = true;
    }

    /** Whether the task may go back to the store when it was offered: it has no place in its lane from before. */
    public boolean mayBeDeclined() {
        return mayBeDeclined;
    }

    public void mayBeDeclined(boolean may) {
        mayBeDeclined = may;
    }

    /** Whether the task was read from the line of its tenant, where it stays until it is claimed. */
    public boolean isInLine() {
        return inLine;
    }

    public void inLine(boolean is) {
        inLine = is;
    }

    /** Whether an operator has cancelled the task while it waited here. */
    public boolean isCancelled() {
        return cancelled;
    }

    public void cancel() {
        cancelled = true;
    }

    public DeliveryState state() {
        return state;
    }

    public boolean isPending() {
        return state == DeliveryState.PENDING;
    }

    /** The number of the request on which the state depends. */
    public long stateNumber() {
        return stateNumber;
    }

    /** Sets the state. Called by the tracker only, which counts. */
    public void state(DeliveryState now, long number) {
        state = now;
        stateNumber = number;
    }

    /** @throws IllegalStateException in a log, where nothing is redelivered under another name */
    public RedeliveryNotes notes() {
        if (notes == null) {
            throw new IllegalStateException("The record at " + position + " of a log has no notes about redelivery");
        }
        return notes;
    }

    /** See {@link RedeliveryNotes#awaitsRedelivery}. Never true in a log. */
    public boolean awaitsRedelivery() {
        return notes != null && notes.awaitsRedelivery();
    }

    public void awaitsRedelivery(boolean certain) {
        if (certain) {
            notes().awaitsRedelivery(true);
        } else if (notes != null) {
            notes.awaitsRedelivery(false);
        }
    }

    /** See {@link RedeliveryNotes#isAdoptFirst}. Never true in a log. */
    public boolean isAdoptFirst() {
        return notes != null && notes.isAdoptFirst();
    }

    public void forgetAdoptFirst() {
        if (notes != null) {
            notes.adoptFirst(false);
        }
    }

    /** See {@link RedeliveryNotes#isMatched}. Never true in a log. */
    public boolean isMatched() {
        return notes != null && notes.isMatched();
    }

    /** See {@link RedeliveryNotes#isMaybeTwin}. Never true in a log. */
    public boolean isMaybeTwin() {
        return notes != null && notes.isMaybeTwin();
    }

    /** The mark that the store sets when the task is settled: a log's offset, or the identity page of a message. */
    public SettledMark settledMark() {
        return offset < 0 && notes != null ? notes.mark() : offsetMark(offset);
    }

    /** The mark of the task's offset, which the store may or may not have set. None in a message queue. */
    public SettledMark offsetMark() {
        return offsetMark(offset);
    }

    /** Returns the mark of an offset, none for {@link #NO_OFFSET}. */
    public static SettledMark offsetMark(long offset) {
        return offset < 0 ? SettledMark.NONE : new SettledMark.Offset(offset);
    }

    /** @param error why the task ends without a run, or null */
    public byte[] envelope(@Nullable String error) {
        return new Envelope(requireTask(), attempts, 0, error == null ? unreadable : error).encode();
    }

    @Override
    public String toString() {
        return position + "(" + key + " " + state + (inStore ? " in store" : "") + ")";
    }
}
