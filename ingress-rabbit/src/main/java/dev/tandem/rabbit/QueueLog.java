package dev.tandem.rabbit;

/** Logs messages about one queue, which are prefixed with its name. Thread-safe. */
interface QueueLog {

    void info(String text);

    void warn(String text);
}
