package dev.tandem.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.server.settings.QueueSettings.BackoffSettings;
import dev.tandem.server.settings.QueueSettings.KeySource;
import dev.tandem.server.settings.QueueSettings.Ordering;
import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.server.settings.TandemSettings.Durability;
import dev.tandem.task.DeadHead;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

class SettingsLoaderTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    SettingsLoaderTest() {
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }

    @Test
    void theExampleOfTheDocumentationIsRead() {
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
    void aQueueNeedsNothingButItsSource() {
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
    void valuesMayBeWrittenInAnyUsualForm() {
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
    void theEnvironmentMaySetEverything() {
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
    void variablesThatASchedulerSetsForServicesAreNotSettings() {
        set("tandem.queues.orders.source", "kafka");
        environment(Map.of(
                "TANDEM_SERVICE_HOST", "10.0.0.1",
                "TANDEM_PORT", "tcp://10.0.0.1:8080",
                "TANDEM_PORT_8080_TCP_ADDR", "10.0.0.1",
                "TANDEM_REDIS_SERVICE_PORT_TCP", "6379",
                "TANDEM_LOCAL", "path"));
        set("tandem.local.dir", "/tmp");

        assertThat(load().queues()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tandem.redis.url                     | tandem.redis.uri
            tandem.executor.concurency           | tandem.executor.concurrency
            tandem.kafka.servers                 | tandem.kafka.bootstrap-servers
            tandem.queues.orders.max-attempt     | tandem.queues.orders.max-attempts
            tandem.queues.orders.backoff.maximum | tandem.queues.orders.backoff.max
            tandem.queues.orders.http.dead       | tandem.queues.orders.http.dead-on
            tandem.queue.orders.source           | tandem.queues.orders.source
            """)
    void anUnknownSettingStopsTheStartAndTheNearestIsNamed(String unknown, String meant) {
        set("tandem.queues.orders.source", "kafka");
        set(unknown, "1");

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(unknown)
                        .contains("there is no such setting; did you mean " + meant + "?"));
    }

    @Test
    void whereNothingIsNearTheKnownOnesAreListed() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.redis.sslTrustStore", "x");

        assertThat(problems())
                .singleElement()
                .asString()
                .contains(
                        "there are tandem.redis.uri, tandem.redis.cluster, tandem.redis.durability, tandem.redis.horizon,");
    }

    @Test
    void anUnknownVariableStopsTheStartToo() {
        set("tandem.queues.orders.source", "kafka");
        environment(Map.of("TANDEM_REDIS_URL", "redis://redis:6379"));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("The environment variable TANDEM_REDIS_URL")
                .contains("did you mean tandem.redis.uri?");
    }

    @Test
    void queueNamesWithOtherCharactersAreWrittenInBrackets() {
        yaml("""
                tandem.queues:
                  "[orders.created]": { source: kafka }
                  "[user_mail]": { source: rabbit }
                  "[Tandem]": { source: kafka }
                """);

        assertThat(load().queues()).containsOnlyKeys("orders.created", "user_mail", "Tandem");
    }

    @Test
    void andTheMessageSaysSoWhereTheyAreNot() {
        yaml("""
                tandem.queues:
                  orders.created: { source: kafka }
                  user_mail: { source: rabbit }
                """);

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .contains("tandem.queues[orders.created].source")
                        .contains("\"[orders.created]\":"))
                .anySatisfy(problem -> assertThat(problem).contains("user_mail").contains("\"[user_mail]\":"));
    }

    @Test
    void queuesWhoseNamesSpringTakesForOneAreRefused() {
        set("tandem.queues.user-mail.source", "rabbit");
        set("tandem.queues.usermail.source", "rabbit");

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .contains("user-mail")
                        .contains("usermail")
                        .contains("taken for one"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tandem.executor.lease                     | soon                | it must be a duration
            tandem.executor.lease                     | 500ms               | it must be 2s to 10m
            tandem.executor.concurrency               | many                | it must be a whole number
            tandem.executor.concurrency               | 0                   | it must be 1 to 10000
            tandem.executor.id                        | my executor         | letters, digits
            tandem.executor.drain-timeout             | 2h                  | it must be 0s to 1h
            tandem.max-payload                        | huge                | it must be a size
            tandem.max-payload                        | 1GB                 | it must be 1B to 64MB
            tandem.log-payloads                       | perhaps             | it must be true or false
            tandem.redis.uri                          | localhost:6379      | redis://host:port
            tandem.redis.durability                   | full                | it must be horizon or none
            tandem.redis.horizon                      | 30s                 | it must be at most twice tandem.executor.lease, which is 10s
            tandem.rabbit.uri                         | http://localhost    | amqp://host:port
            tandem.kafka.bootstrap-servers            | localhost           | host:port
            tandem.kafka.properties.group.id          | mine                | settings of their own
            tandem.kafka.properties.enable.auto.commit| true                | guarantees need 'false'
            tandem.kafka.properties.session.timeout.ms| soon                | not allowed
            tandem.redis.replicas                     | -1                  | it must be 0 to 16
            tandem.api.allowed-hosts[0]               | http://x            | without a scheme
            tandem.history.dead-max                   | 0                   | it must be 1 to
            tandem.queues.orders.source               | pulsar              | it must be kafka or rabbit
            tandem.queues.orders.topic                | a/b                 | Kafka allows
            tandem.queues.orders.partitions           | 0                   | it must be 1 to 1000
            tandem.queues.orders.ordering             | strict              | it must be key or none
            tandem.queues.orders.concurrency          | -1                  | it must be 1 to 10000
            tandem.queues.orders.max-attempts         | 0                   | it must be 1 to 1000
            tandem.queues.orders.max-running          | 10                  | not supported yet: leave it at 0, and set tandem.queues.orders.concurrency
            tandem.queues.orders.timeout              | 0s                  | it must be 1ms to 30d
            tandem.queues.orders.dead-head            | stop                | it must be halt or skip or drain
            tandem.queues.orders.backoff.policy       | linear              | it must be exponential or fixed or sidekiq
            tandem.queues.orders.backoff.initial      | 2h                  | it must not be longer than tandem.queues.orders.backoff.max, which is 1h
            tandem.queues.orders.backoff.multiplier   | 0.5                 | it must be 1 to 100
            tandem.queues.orders.backoff.jitter       | 2                   | it must be 0 to 1
            tandem.queues.orders.handler              | cmd                 | it must be http or log or noop
            tandem.queues.orders.handler              | demo                | it must be http or log or noop
            tandem.queues.orders.types                | order.created       | tandem.queues.orders.handler, which is not set
            tandem.queues.orders.http.url             | ftp://host          | http:// or https://
            tandem.queues.orders.http.dead-on[0]      | 200                 | it must be an HTTP status of 300 to 599
            tandem.queues.orders.exchange             | tasks               | it is for rabbit queues
            tandem.queues.orders.prefetch             | 10                  | it is for rabbit queues
            tandem.queues.orders.key                  | routing-key         | it is for rabbit queues
            tandem.queues.mail.topic                  | mail                | it is for kafka queues
            tandem.queues.mail.prefetch               | 70000               | it must be 1 to 65535
            tandem.queues.mail.queue                  | amq.mail            | belong to the broker
            tandem.queues.mail.dead-head              | halt                | ordering is none (the default for rabbit)
            """)
    void aBadValueIsNamedWithWhatIsAllowed(String setting, String value, String allowed) {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.mail.source", "rabbit");
        set(setting, value);

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(setting)
                        .contains("'" + value + "'")
                        .contains(allowed));
    }

    @Test
    void settingsThatAreMissingAreNamed() {
        set("tandem.queues.orders.topic", "orders");
        set("tandem.queues.calls.source", "kafka");
        set("tandem.queues.calls.handler", "http");

        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "tandem.queues.orders.source is not set: it must be kafka or rabbit",
                        "tandem.queues.calls.http.url is not set: tandem.queues.calls.handler is http, so it must say"
                                + " where tasks are posted");
    }

    @Test
    void aServerWithoutQueuesSaysHowToConfigureOne() {
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("configure at least one queue")
                .contains("--config");
    }

    @Test
    void twoQueuesOnOneTopicOrOneRabbitQueueAreRefused() {
        set("tandem.queues.a.source", "kafka");
        set("tandem.queues.a.topic", "orders");
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.b.source", "rabbit");
        set("tandem.queues.b.queue", "mail");
        set("tandem.queues.mail.source", "rabbit");

        assertThat(problems())
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("tandem.queues.orders.topic is 'orders': the queue a reads this topic already"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(
                                "tandem.queues.mail.queue is 'mail': the queue b reads this RabbitMQ queue already"));
    }

    @Test
    void orderByRoutingKeyNeedsAPattern() {
        set("tandem.queues.mail.source", "rabbit");
        set("tandem.queues.mail.ordering", "key");
        set("tandem.queues.mail.key", "routing-key");

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("tandem.queues.mail.routing-key is 'mail': ")
                .contains("'mail.#'");

        set("tandem.queues.mail.routing-key", "mail.#");
        assertThat(load().queues()).hasSize(1);
    }

    @Test
    void aSentinelAddressAndAClusterDoNotGoTogether() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.redis.uri", "redis-sentinel://a:26379,b:26379#main");
        set("tandem.redis.cluster", "true");

        assertThat(problems())
                .singleElement()
                .asString()
                .contains("tandem.redis.cluster")
                .contains("leave one out");
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnceAndWithItsPlace() {
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

    @Test
    void passwordsAreNeverShown() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.orders.handler", "http");
        set("tandem.queues.orders.http.url", "http://me:secret@host/");
        set("tandem.queues.orders.http.headers.Authorization", "Bearer secret\n");
        set("tandem.redis.uri", "redis://:secret@host:port");
        set("tandem.rabbit.uri", "amqp://me:secret/#@host");
        set("tandem.kafka.sasl-password", "secret");

        assertThat(problems()).singleElement().asString().startsWith("tandem.kafka.sasl-password is '***'");
        properties.remove("tandem.kafka.sasl-password");
        assertThat(problems()).hasSize(4).noneMatch(problem -> problem.contains("secret"));
        assertThat(Secrets.masked("redis://me:p@ss@a:1,redis://:x@b:2/0"))
                .isEqualTo("redis://me:***@a:1,redis://:***@b:2/0");
        assertThat(Secrets.masked("redis://localhost:6379")).isEqualTo("redis://localhost:6379");
    }

    @Test
    void theMessageAtTheStartIsShort() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.orders.concurrency", "0");
        SettingsException thrown = catchThrowableOfType(SettingsException.class, this::load);

        FailureAnalysis analysis = new SettingsFailureAnalyzer().analyze(thrown);

        assertThat(analysis.getDescription())
                .isEqualTo("  tandem.queues.orders.concurrency is '0': it must be 1 to 10000 (test)");
        assertThat(analysis.getAction()).startsWith("Correct the setting above");
    }

    // ---- The environment under test

    private final Map<String, Object> properties = new LinkedHashMap<>();

    private void set(String name, String value) {
        properties.put(name, value);
        environment.getPropertySources().remove("test");
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
    }

    private void yaml(String text) {
        try {
            new YamlPropertySourceLoader()
                    .load("file", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addLast);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void environment(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    }

    private TandemSettings load() {
        return SettingsLoader.load(environment);
    }

    private List<String> problems() {
        SettingsException thrown = catchThrowableOfType(SettingsException.class, this::load);
        assertThat(thrown).as("a refusal").isNotNull();
        return thrown.problems();
    }
}
