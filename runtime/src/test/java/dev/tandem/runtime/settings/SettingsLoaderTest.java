package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.QueueSettings.BackoffSettings;
import dev.tandem.runtime.settings.QueueSettings.KeySource;
import dev.tandem.runtime.settings.QueueSettings.Ordering;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings.Durability;
import dev.tandem.task.DeadHead;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading settings from files, environment and command line, and the report of problems. */
class SettingsLoaderTest extends SettingsTestBase {

    @Test
    void documentedExampleIsRead() {
        yaml("""
                tandem:
                  kafka: { bootstrap-servers: "localhost:9092", properties: { security.protocol: SSL } }
                  rabbit: { uri: "amqp://guest:guest@localhost:5672" }
                  redis:  { uri: "redis://localhost:6379" }
                  executor: { id: "", concurrency: 256, lease: 10s, drain-timeout: 25s }
                  queues:
                    orders:
                      source: kafka
                      topic: orders
                      partitions: 16
                      ordering: key
                      concurrency: 64
                      max-running: 0
                      timeout: 30s
                      max-attempts: 8
                      backoff: { initial: 1s, multiplier: 2, max: 1h, jitter: 0.2 }
                      dead-head: halt
                      handler: http
                      http: { url: "http://localhost:9000/orders", dead-on: [400, 410] }
                    mail:
                      source: rabbit
                      exchange: tasks
                      routing-key: "mail.#"
                      queue: mail
                      ordering: none
                      key: header
                      prefetch: 5000
                """);

        TandemSettings settings = load();

        assertThat(settings.kafka().properties()).containsEntry("security.protocol", "SSL");
        assertThat(settings.queues()).containsOnlyKeys("orders", "mail");
        QueueSettings orders = settings.queues().get("orders");
        assertThat(orders.source()).isEqualTo(SourceType.KAFKA);
        assertThat(orders.ordering()).isEqualTo(Ordering.KEY);
        assertThat(orders.deadHead()).isEqualTo(DeadHead.HALT);
        assertThat(orders.http().url()).isEqualTo("http://localhost:9000/orders");
        assertThat(orders.http().deadOn()).containsExactly(400, 410);
        QueueSettings mail = settings.queues().get("mail");
        assertThat(mail.routingKey()).isEqualTo("mail.#");
        assertThat(mail.key()).isEqualTo(KeySource.HEADER);
        assertThat(mail.prefetch()).isEqualTo(5_000);
    }

    @Test
    void wrongValueIsReportedOnce() {
        set("tandem.queues.orders.source", "pulsar");
        set("tandem.queues.orders.dead-head", "stop");
        set("tandem.redis.horizon", "soon");

        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "tandem.queues.orders.source is 'pulsar': it must be kafka or rabbit (test)",
                        "tandem.queues.orders.dead-head is 'stop': it must be halt or skip or drain (test)",
                        "tandem.redis.horizon is 'soon': it must be a duration, such as 500ms, 10s, 5m, 1h or PT10S"
                                + " (test)");
    }

    @Test
    void queueNeedsOnlyItsSource() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.mail.source", "rabbit");

        Map<String, QueueSettings> queues = load().queues();

        QueueSettings orders = queues.get("orders");
        assertThat(orders.effectiveTopic("orders")).isEqualTo("orders");
        assertThat(orders.effectiveGroup("orders")).isEqualTo("tandem.orders");
        assertThat(orders.effectiveOrdering()).isEqualTo(Ordering.KEY);
        assertThat(orders.effectiveDeadHead()).isEqualTo(DeadHead.HALT);
        QueueSettings mail = queues.get("mail");
        assertThat(mail.effectiveExchange()).isEqualTo("tandem");
        assertThat(mail.effectiveQueue("mail")).isEqualTo("mail");
        assertThat(mail.effectiveRoutingKey("mail")).isEqualTo("mail");
        assertThat(mail.effectiveOrdering()).isEqualTo(Ordering.NONE);
        assertThat(mail.effectiveDeadHead()).isEqualTo(DeadHead.SKIP);
    }

    @Test
    void valuesMayBeWrittenInEveryUsualForm() {
        set("tandem.queues.orders.source", "Kafka");
        set("tandem.queues.orders.backoff.policy", "sidekiq");
        set("tandem.queues.orders.timeout", "PT1M");
        set("tandem.queues.mail.source", "RABBIT");
        set("tandem.queues.mail.key", "routing-key");
        set("tandem.redis.durability", "none");
        set("tandem.maxPayload", "65536");
        set("tandem.api.allowed-hosts", "tandem.example.com,tandem");

        TandemSettings settings = load();

        assertThat(settings.queues().get("orders").backoff().policy()).isEqualTo(BackoffSettings.Policy.SIDEKIQ);
        assertThat(settings.queues().get("orders").timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.queues().get("mail").key()).isEqualTo(KeySource.ROUTING_KEY);
        assertThat(settings.redis().durability()).isEqualTo(Durability.NONE);
        assertThat(settings.maxPayload().toBytes()).isEqualTo(65_536);
        assertThat(settings.api().allowedHosts()).containsExactly("tandem.example.com", "tandem");
    }

    @Test
    void environmentVariablesSetAnySetting() {
        environment(Map.of(
                "TANDEM_QUEUES_ORDERS_SOURCE", "kafka",
                "TANDEM_QUEUES_ORDERS_MAXATTEMPTS", "3",
                "TANDEM_QUEUES_ORDERS_DEAD_HEAD", "skip",
                "TANDEM_KAFKA_BOOTSTRAP_SERVERS", "kafka:9092",
                "TANDEM_REDIS_URI", "redis://redis:6379",
                "TANDEM_API_ALLOWEDHOSTS_0", "tandem"));

        TandemSettings settings = load();

        assertThat(settings.kafka().bootstrapServers()).isEqualTo("kafka:9092");
        assertThat(settings.queues().get("orders").maxAttempts()).isEqualTo(3);
        assertThat(settings.queues().get("orders").deadHead()).isEqualTo(DeadHead.SKIP);
        assertThat(settings.api().allowedHosts()).containsExactly("tandem");
    }

    @Test
    void allProblemsAreReportedAtOnceWithTheirLine() {
        yaml("""
                tandem:
                  executor:
                    lease: forever
                  queues:
                    orders:
                      source: kafka
                      concurrency: 0
                """);

        assertThat(problems())
                .hasSize(2)
                .anySatisfy(problem ->
                        assertThat(problem).startsWith("tandem.executor.lease").endsWith("line 3)"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("tandem.queues.orders.concurrency")
                        .endsWith("line 7)"));
    }

    /** Whatever is wrong is said in one round, in the order in which a person goes through the file. */
    @Test
    void problemsOfAllKindsAreReportedInTheOrderOfTheirLines() {
        yaml("""
                tandem:
                  redis: { url: "redis://localhost" }
                  log-payloads: ture
                  limits:
                    erp.export: { max-running: 3 }
                  queues:
                    orders:
                      concurrency: 0
                      types: { a: b }
                      http: { dead-on: [many, 700] }
                    plain: kafka
                    mail: { topic: mail }
                    calls: { source: rabbit, handler: http, events: { kinds: [faild] } }
                server:
                  port: many
                """);

        assertThat(problems())
                .satisfiesExactly(
                        each -> assertThat(each)
                                .startsWith("tandem.redis.url is ")
                                .endsWith("(line 2)"),
                        each -> assertThat(each)
                                .startsWith(
                                        "tandem.log-payloads is 'ture': it must be true or false; did you mean true?"),
                        each -> assertThat(each)
                                .contains("tandem.limits[erp.export].max-running")
                                .endsWith("(line 5)"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.orders.source is not set")
                                .endsWith("(near line 8)"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.orders.concurrency is '0'")
                                .endsWith("(line 8)"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.orders.types.a")
                                .endsWith("(line 9)"),
                        each -> assertThat(each)
                                .startsWith(
                                        "tandem.queues.orders.http.dead-on[0] is 'many': it must be a whole number"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.orders.http.url is not set")
                                .endsWith("(near line 10)"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.orders.http.dead-on[1] is '700'")
                                .endsWith("(line 10)"),
                        each -> assertThat(each).startsWith("tandem.queues.plain is 'kafka': it is a section"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.mail.source is not set")
                                .endsWith("(near line 12)"),
                        each -> assertThat(each)
                                .startsWith("tandem.queues.calls.events.kinds[0] is 'faild'")
                                .contains("did you mean failed?"),
                        each -> assertThat(each).startsWith("tandem.queues.calls.http.url is not set"),
                        each -> assertThat(each)
                                .startsWith("server.port is 'many': it must be a whole number")
                                .endsWith("(line 15)"));
    }

    @ParameterizedTest
    @CsvSource({
        "tandem.queues.orders.source, kafak, kafka",
        "tandem.queues.orders.source, RabbitMQ, rabbit",
        "tandem.queues.orders.ordering, keys, key",
        "tandem.queues.orders.handler, htpp, http",
        "tandem.queues.orders.backoff.policy, expontential, exponential",
        "tandem.schedules.nightly.queue, ordrs, orders",
        "tandem.schedules.nightly.zone, Berlin, Europe/Berlin",
        "tandem.rate-limits.erp.per, kye, key",
        "tandem.limits.erp.queues[0], order, orders",
    })
    void theValueThatWasProbablyMeantIsNamed(String setting, String value, String meant) {
        set("tandem.queues.orders.source", "kafka");
        set(setting, value);

        assertThat(problems())
                .filteredOn(each -> each.contains(" is '" + value + "'"))
                .singleElement()
                .asString()
                .contains("; did you mean " + meant + "?");
    }

    @ParameterizedTest
    @CsvSource({"tandem.queues.orders.source, pulsar", "tandem.queues.orders.dead-head, stop"})
    void nothingIsGuessedForAValueThatIsLikeNone(String setting, String value) {
        set("tandem.queues.orders.source", "kafka");
        set(setting, value);

        assertThat(problems()).noneMatch(each -> each.contains("did you mean"));
    }

    @Test
    void aGapInAListIsReported() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.orders.handler", "log");
        set("tandem.queues.orders.types[0]", "a");
        set("tandem.queues.orders.types[2]", "c");

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("tandem.queues.orders.types[2] is 'c'")
                .contains("numbered from 0");
    }

    @Test
    void passwordsAreNeverShown() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.orders.handler", "http");
        set("tandem.queues.orders.http.url", "http://me:secret@host/");
        set("tandem.queues.orders.http.headers.Authorization", "Bearer secret\n");
        set("tandem.queues.orders.http.signing-keys[0]", "whsec_secret");
        set("tandem.redis.uri", "redis://:secret@host:port");
        set("tandem.rabbit.uri", "amqp://me:secret/#@host");
        set("tandem.kafka.sasl-password", "secret");
        set("tandem.archive.url", "jdbc:postgresql://host/tandem?password=secret");

        assertThat(problems())
                .filteredOn(problem -> !problem.contains("no queue has events"))
                .hasSize(7)
                .noneMatch(problem -> problem.contains("secret"))
                .anySatisfy(problem -> assertThat(problem).startsWith("tandem.kafka.sasl-password is '***'"));
        assertThat(Secrets.masked("redis://me:p@ss@a:1,redis://:x@b:2/0"))
                .isEqualTo("redis://me:***@a:1,redis://:***@b:2/0");
        assertThat(Secrets.masked("redis://localhost:6379")).isEqualTo("redis://localhost:6379");
    }
}
