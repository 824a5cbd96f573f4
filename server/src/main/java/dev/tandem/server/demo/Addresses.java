package dev.tandem.server.demo;

import dev.tandem.server.settings.Secrets;

/** Where everything listens, and what to try. */
record Addresses(LocalBrokers brokers, LocalServers servers, boolean amqp) {

    void show(Screen screen) {
        screen.say("");
        screen.say("  Kafka   " + brokers.kafka());
        if (amqp) {
            // guest:guest is the local broker's own, so that it can be tried; a given one's password stays hidden.
            String address = brokers.rabbit();
            screen.say("  AMQP    " + (address.contains("guest:guest@") ? address : Secrets.masked(address)));
        }
        screen.say("  Redis   " + Secrets.masked(brokers.redis()));
        screen.say("  API     " + servers.api() + "/api/v1/queues");
        screen.say("");
        screen.say("  Ctrl-C ends it. Meanwhile, in another terminal:");
        String server = servers.api().endsWith(":8080") ? "" : " --server " + servers.api();
        screen.say("    ./tandem queues" + server);
        screen.say("    ./tandem submit" + server + " orders --key customer-7 --payload '{\"total\": 12}'");
        screen.say("");
    }

    /** Until this JVM is told to end; the local processes end with it. */
    static void stayUp() throws InterruptedException {
        Thread.currentThread().join();
    }
}
