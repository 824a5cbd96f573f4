package dev.tandem.scheduler;

import java.time.Duration;

/** What only servers keep in Redis. Thread-safe. */
public final class ServerRecords {

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;

    ServerRecords(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
    }

    /** Returns what carries messages to other processes. */
    public Mailboxes mailboxes() {
        return new Mailboxes(connection, wakeups);
    }

    /** Returns the records of operations on many tasks. */
    public OperationBook operations() {
        return new OperationBook(connection);
    }

    /** Returns the records of tokens of the HTTP API. */
    public AccessTokenBook accessTokens() {
        return new AccessTokenBook(connection);
    }

    /**
     * Returns the records of requests with keys of their callers.
     *
     * @param keep for how long an answer is kept
     * @param most how many entries there may be; a caller may have half of them
     * @param mostBytes how many bytes they may have; a caller's half of them
     */
    public KeyedRequestBook keyedRequests(Duration keep, int most, long mostBytes) {
        return new KeyedRequestBook(connection, keep, most, mostBytes);
    }

    /** Returns a part of what was asked for by the HTTP API. @param part which one, as in docs/redis-keys.md */
    public AuditStream auditStream(String part) {
        return new AuditStream(connection, connection.keys().auditLog(part));
    }
}
