package dev.tandem.scheduler;

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

    /** Returns the changes that were asked for by the HTTP API. @param refused those that were not made */
    public AuditStream auditStream(boolean refused) {
        return new AuditStream(connection, connection.keys().auditLog(refused));
    }
}
