package dev.tandem.demo;

import dev.tandem.server.settings.Secrets;

/** The addresses that a person needs after the start, with some commands to try. */
record AddressSummary(LocalBrokers brokers, LocalServers servers, boolean amqp) {

    void show(ProgressOutput output) {
        output.say("");
        output.say("  Kafka   " + brokers.kafka());
        if (amqp) {
            // guest:guest belongs to the local broker and is shown. The password of an existing broker stays hidden.
            String address = brokers.rabbit();
            output.say("  AMQP    " + (address.contains("guest:guest@") ? address : Secrets.masked(address)));
        }
        output.say("  Redis   " + Secrets.masked(brokers.redis()));
        output.say("  API     " + servers.api() + "/api/v1/queues");
        output.say("  Log     " + servers.log("server"));
        output.say("");
        output.say("  Ctrl-C ends it. Meanwhile, in another terminal:");
        String server = servers.api().endsWith(":8080") ? "" : " --server " + servers.api();
        output.say("    ./tandem queues" + server);
        output.say("    ./tandem keys list" + server + " orders");
        output.say("    ./tandem submit" + server + " orders --key customer-7 --payload '{\"total\": 12}'");
        output.say("");
    }

    /** Blocks until this JVM is told to end. The local processes end with it. */
    static void stayUp() throws InterruptedException {
        Thread.currentThread().join();
    }
}
