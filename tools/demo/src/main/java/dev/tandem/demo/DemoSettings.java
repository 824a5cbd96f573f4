package dev.tandem.demo;

import dev.tandem.local.LocalPlatform;

/** The settings files of the demonstration's processes. */
final class DemoSettings {

    private DemoSettings() {}

    static String demo(LocalPlatform platform, boolean mails) {
        String settings = brokers(platform) + """
                          # Enables the demo handler. Each executor gets its own file on the command line.
                          demo: { events: server.events }
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
                        """;
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

    static String up(LocalPlatform platform, boolean rabbit) {
        String settings = brokers(platform) + """
                          log-payloads: true
                          queues:
                            orders:
                              source: kafka
                              handler: log
                        """;
        return !rabbit ? settings : settings + """
                            mail:
                              source: rabbit
                              routing-key: "mail.#"
                              handler: log
                        """;
    }

    private static String brokers(LocalPlatform platform) {
        return """
                tandem:
                  kafka: { bootstrap-servers: "%s" }
                  rabbit: { uri: "%s" }
                  redis: { uri: "%s" }
                  # Enough for all tasks of a session.
                  history: { succeeded-age: 30d, succeeded-max: 100000000, succeeded-bytes: 4GB }
                """.formatted(platform.kafka(), platform.amqp(), platform.redis());
    }
}
