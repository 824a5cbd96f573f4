package dev.tandem.api;

/** Which of several tasks with one deduplication key runs. */
public enum DedupMode {
    /** The first that comes. */
    FIRST,
    /** The last that comes before any has begun, at its own time. */
    KEEP_LAST,
    /** The last that comes before any has begun, at the time of the first, or at its own if that is later. */
    REPLACE
}
