package dev.tandem.demo;

import dev.tandem.local.LocalPlatform;
import java.util.List;

/** The settings files of the demonstration's processes. */
final class DemoSettings {

    /** The sample queue on Kafka of {@code ./tandem up}. */
    static final String SAMPLE = "demo-orders";

    private DemoSettings() {}

    static String demo(LocalPlatform platform, boolean mails) {
        String settings = brokers(platform) + """
                          # Enables the demo handler. Each executor gets its own file on the command line.
                          demo: { events: server.events }
                          # All fire at the same moments, so that a task waits for a permit.
                          schedules:
                            sales-report: { queue: reports, cron: "*/%1$d * * * * *", payload: '%2$s' }
                            stock-report: { queue: reports, cron: "*/%1$d * * * * *", payload: '%2$s' }
                            tax-report: { queue: reports, every: %1$ds, payload: '%2$s' }
                          queues:
                            orders:
                              source: kafka
                              partitions: 8
                              concurrency: 32
                              dead-head: skip
                              handler: demo
                              backoff: { initial: 1s }
                            reminders:
                              source: kafka
                              partitions: 4
                              ordering: none
                              concurrency: 32
                              handler: demo
                            invoices:
                              source: kafka
                              partitions: 2
                              concurrency: 8
                              handler: demo
                            reports:
                              source: kafka
                              partitions: 2
                              ordering: none
                              concurrency: 8
                              max-running: %3$d
                              handler: demo
                        """.formatted(Firings.SECONDS, Firings.PAYLOAD, Firings.MAX_RUNNING);
        return !mails ? settings : settings + """
                            mails:
                              source: rabbit
                              routing-key: "mail.#"
                              partitions: 2
                              concurrency: 32
                              prefetch: 2000
                              handler: demo
                        """;
    }

    /** Returns the settings of the samples. Nobody's own program has queues of these names. */
    static String samples(LocalPlatform platform, boolean rabbit) {
        String settings = brokers(platform) + """
                          log-payloads: true
                          queues:
                            %s:
                              source: kafka
                              handler: log
                        """.formatted(SAMPLE);
        return !rabbit ? settings : settings + """
                            demo-mail:
                              source: rabbit
                              handler: log
                        """;
    }

    /** Returns the settings of a server that shows the queues of a person's own programs. */
    static String shown(LocalPlatform platform, List<ShownQueue> queues) {
        StringBuilder settings = new StringBuilder(brokers(platform)).append("  queues:\n");
        // The brackets keep dots and underscores of the name.
        queues.forEach(queue -> settings.append("    \"[" + queue.name() + "]\": { source: " + queue.source()
                + (queue.ordering() == null ? "" : ", ordering: " + queue.ordering()) + " }\n"));
        return settings.toString();
    }

    private static String brokers(LocalPlatform platform) {
        return addresses(platform) + """
                  # Enough for all tasks of a session.
                  history: { succeeded-age: 30d, succeeded-max: 100000000, succeeded-bytes: 4GB }
                """;
    }

    /** Returns what a person's own settings do not know: where the brokers are, and that these have neither users nor TLS. */
    static String addresses(LocalPlatform platform) {
        return """
                server:
                  ssl: { enabled: false }
                tandem:
                  kafka: { bootstrap-servers: "%s" }
                  rabbit: { uri: "%s" }
                  redis:
                    uri: "%s"
                    username: ""
                    password-file: ""
                    tls: { ca-file: "", certificate-file: "", key-file: "" }
                """.formatted(platform.kafka(), platform.amqp(), platform.redis());
    }
}
