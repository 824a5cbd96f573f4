package dev.tandem.verify.fault;

/** What a fault must be able to reach. */
public enum Requirement {
    /** A broker of the workload that was started here, as a process. */
    OWN_BROKER("a broker that verify starts itself"),
    /** A RabbitMQ that was started here, as a process. */
    RABBITMQ("a RabbitMQ that verify starts itself"),
    /** A single Redis that was started here, as a process. */
    OWN_REDIS("a Redis that verify starts itself"),
    /** Ways to broker and Redis that can be closed. */
    WAYS("brokers that verify starts itself"),
    /** A Redis with replicas and Sentinels. */
    SENTINEL("a Redis with Sentinels that verify starts itself"),
    /** A Redis Cluster. */
    CLUSTER("a Redis Cluster that verify starts itself"),
    /** The limits of a process that runs can be changed. */
    FILE_LIMITS("prlimit (Linux, util-linux) on the PATH");

    private final String text;

    Requirement(String text) {
        this.text = text;
    }

    /** For people: "needs …". */
    public String text() {
        return text;
    }
}
