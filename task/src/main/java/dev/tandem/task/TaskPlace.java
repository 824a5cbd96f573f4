package dev.tandem.task;

/** Where a task is: its partition, and its position there. No two tasks have the same place. */
public record TaskPlace(Partition partition, Position position) {

    /** Returns the queue, the name of the partition and the position, with slashes between them. */
    @Override
    public String toString() {
        return partition + "/" + position.text();
    }
}
