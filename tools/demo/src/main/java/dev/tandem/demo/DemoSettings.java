package dev.tandem.demo;

/** The settings files of the demonstration's processes. */
final class DemoSettings {

    private DemoSettings() {}

    static String demo(LocalBrokers brokers, boolean mails) {
        String settings = brokers(brokers) + """
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

    static String up(LocalBrokers brokers, boolean rabbit) {
        String settings = brokers(brokers) + """
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

    private static String brokers(LocalBrokers brokers) {
        return """
                tandem:
                  kafka: { bootstrap-servers: "%s" }
                  rabbit: { uri: "%s" }
                  redis: { uri: "%s" }
                """.formatted(brokers.kafka(), brokers.rabbit(), brokers.redis());
    }
}
