package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.LocalPlatform;
import dev.tandem.runtime.settings.Secrets;

/**
 * The addresses that a person needs after the start, with some commands to try.
 *
 * @param queue the queue of those commands
 */
record AddressSummary(LocalPlatform platform, LocalServers servers, boolean amqp, String queue) {

    /** Prints them. @param more further commands to try, without their first word */
    void show(ConsoleProgress output, String... more) {
        output.line("");
        output.line("  Kafka   " + platform.kafka());
        if (amqp) {
            // guest:guest belongs to the local broker and is shown. The password of an existing broker stays hidden.
            String address = platform.amqp();
            output.line("  AMQP    " + (address.contains("guest:guest@") ? address : Secrets.masked(address)));
        }
        output.line("  Redis   " + Secrets.masked(platform.redis()));
        output.line("  Console " + servers.api() + "/");
        output.line("  API     " + servers.api() + "/api/v1/queues");
        output.line("  Token   " + servers.tokenFile() + ", where ./tandem finds it");
        output.line("  Log     " + servers.log("server"));
        output.line("");
        output.line("  Ctrl-C ends it. Meanwhile, in another terminal:");
        String server = servers.api().endsWith(":8080") ? "" : " --server " + servers.api();
        output.line("    ./tandem login --browser" + server + "        prints a link to the console, good once");
        output.line("    ./tandem queues" + server);
        output.line("    ./tandem keys list" + server + " " + queue);
        output.line("    ./tandem submit" + server + " " + queue + " --key customer-7 --payload '{\"total\": 12}'");
        for (String command : more) {
            output.line("    ./tandem " + command + server);
        }
        output.line("");
    }

    /** Blocks until this JVM is told to end. The local processes end with it. */
    static void stayUp() throws InterruptedException {
        Thread.currentThread().join();
    }
}
