package dev.tandem.verify.fault;

/** A need of a fault: without it the fault cannot be injected. */
public enum Requirement {
    /** A broker of the workload, started by verify as a process. */
    OWN_BROKER("a broker that verify starts itself"),
    /** A RabbitMQ, started by verify as a process. */
    RABBITMQ("a RabbitMQ that verify starts itself"),
    /** A RabbitMQ cluster of three nodes, started by verify as processes. */
    RABBIT_CLUSTER("a RabbitMQ cluster that verify starts itself"),
    /** A single Redis, started by verify as a process. */
    OWN_REDIS("a Redis that verify starts itself"),
    /** Proxies between executors and their servers. */
    PROXIES("brokers that verify starts itself"),
    /** A Redis with replicas and Sentinels. */
    SENTINEL("a Redis with Sentinels that verify starts itself"),
    /** A Redis Cluster. */
    CLUSTER("a Redis Cluster that verify starts itself"),
    /** A workload that is submitted by an outbox. */
    OUTBOX("a workload with an outbox"),
    /** Executors that see which processes of their host are gone. */
    DEATH_PROOF("a /proc that shows all processes (Linux)"),
    /** The means to change resource limits of a running process. */
    FILE_LIMITS("prlimit (Linux, util-linux) on the PATH");

    private final String description;

    Requirement(String description) {
        this.description = description;
    }

    /** Returns the description that completes "needs ...". */
    public String description() {
        return description;
    }
}
