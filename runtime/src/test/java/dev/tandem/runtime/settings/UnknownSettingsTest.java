package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings and variables that do not exist, and names of queues that Spring Boot would change. */
class UnknownSettingsTest extends SettingsTestBase {

    @Test
    void variablesForKubernetesServicesAreIgnored() {
        set("tandem.queues.orders.source", "kafka");
        environment(Map.of(
                "TANDEM_SERVICE_HOST", "10.0.0.1",
                "TANDEM_PORT", "tcp://10.0.0.1:8080",
                "TANDEM_PORT_8080_TCP_ADDR", "10.0.0.1",
                "TANDEM_REDIS_SERVICE_PORT_TCP", "6379",
                "TANDEM_LOCAL", "path",
                "TANDEM_CLASS_ARCHIVE", "no"));
        set("tandem.local.dir", "/tmp");

        assertThat(load().queues()).hasSize(1);
    }

    @Test
    void onlyAProgramMayBeSwitchedOff() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.enabled", "true");
        environment(Map.of("TANDEM_ENABLED", "true"));

        assertThat(loadForProgram().queues()).hasSize(1);
        assertThat(problems())
                .hasSize(2)
                .anyMatch(each -> each.contains("tandem.enabled is 'true': there is no such setting"))
                .anyMatch(each -> each.contains("TANDEM_ENABLED"));
    }

    @Test
    void onlyAProgramHasAnOutbox() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.outbox.enabled", "true");

        assertThat(loadForProgram().outbox().enabled()).isEqualTo(TandemSettings.OutboxUse.TRUE);
        assertThat(problems()).singleElement().asString().contains("tandem.outbox.enabled is 'true': a server has no");
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
    void unknownSettingIsRefusedAndTheNearestIsNamed(String unknown, String meant) {
        set("tandem.queues.orders.source", "kafka");
        set(unknown, "1");

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(unknown)
                        .contains("there is no such setting; did you mean " + meant + "?"));
    }

    /** The name as it was written does not say that the value is secret. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tandem.queues.orders.http.headrs.Authorization      | tandem.queues.orders.http.headers.Authorization
            tandem.queues.orders.http.signing-key[0]            | tandem.queues.orders.http.signing-keys
            tandem.commands.report.enviroment.API_KEY           | tandem.commands.report.environment.API_KEY
            """)
    void theValueOfAMistypedSecretIsHidden(String unknown, String meant) {
        set("tandem.queues.orders.source", "kafka");
        set(unknown, "hunter2");

        assertThat(problems())
                .noneMatch(problem -> problem.contains("hunter2"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(unknown + " is '***': ")
                        .containsIgnoringCase("did you mean " + meant + "?"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tandem.redis.passwrod", "tandem.redis.pasword", "tandem.archive.passwd"})
    void theValueOfAMistypedPasswordIsHidden(String unknown) {
        set("tandem.queues.orders.source", "kafka");
        set(unknown, "hunter2");

        assertThat(problems())
                .noneMatch(problem -> problem.contains("hunter2"))
                .anyMatch(problem -> problem.contains(unknown + " is '***': "));
    }

    @Test
    void whatElseIsWrongIsSaidWithIt() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.orders.handler", "log");
        set("tandem.redis.url", "redis://redis-1");
        set("tandem.queues.orders.max-attempts", "many");
        set("tandem.queues.orders.partitions", "-1");

        assertThat(problems())
                .hasSize(3)
                .anySatisfy(problem -> assertThat(problem).startsWith("tandem.redis.url"))
                .anySatisfy(problem -> assertThat(problem).startsWith("tandem.queues.orders.max-attempts is 'many'"))
                .anySatisfy(problem -> assertThat(problem).startsWith("tandem.queues.orders.partitions is '-1'"));
    }

    /** The queue has a source, as soon as its name is corrected. */
    @Test
    void whatIsMissingBecauseItIsMistypedIsNotSaidTwice() {
        set("tandem.queues.orders.sorce", "kafka");

        assertThat(problems()).singleElement().asString().startsWith("tandem.queues.orders.sorce");
    }

    @Test
    void queuesAtTheRootAreRecognised() {
        yaml("""
                queues:
                  orders: { source: kafka, handler: log }
                redis:
                  host: redis-1
                """);

        assertThat(problems())
                .containsExactly(
                        "queues.orders.source is 'kafka': it has no effect there: it must be below tandem, as"
                                + " tandem.queues.orders.source (line 2)",
                        "queues.orders.handler is 'log': it has no effect there: it must be below tandem, as"
                                + " tandem.queues.orders.handler (line 2)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.port",
                "server.tomcat.accesslog.enabled",
                "server.servlet.contextParameters.mine",
                "management.endpoint.health.group.mine.include",
                "management.metrics.tags.region",
                "logging.level.dev.tandem",
                "my.own.placeholder",
                "redis.host"
            })
    void otherSettingsAreLeftToTheirOwners(String name) {
        set("tandem.queues.orders.source", "kafka");
        set(name, "1");

        assertThat(load().queues()).hasSize(1);
    }

    @Test
    void knownSettingsAreListedIfNoneIsSimilar() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.redis.sslTrustStore", "x");

        assertThat(problems())
                .singleElement()
                .asString()
                .contains(
                        "there are tandem.redis.uri, tandem.redis.cluster, tandem.redis.namespace, tandem.redis.durability,");
    }

    @Test
    void unknownVariableIsRefused() {
        set("tandem.queues.orders.source", "kafka");
        environment(Map.of("TANDEM_REDIS_URL", "redis://redis:6379"));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("The environment variable TANDEM_REDIS_URL")
                .contains("did you mean tandem.redis.uri?");
    }

    @Test
    void queueNamesInBracketsMayContainOtherCharacters() {
        yaml("""
                tandem.queues:
                  "[orders.created]": { source: kafka }
                  "[user_mail]": { source: rabbit }
                  "[Tandem]": { source: kafka }
                """);

        assertThat(load().queues()).containsOnlyKeys("orders.created", "user_mail", "Tandem");
    }

    @Test
    void queueNamesThatNeedBracketsAreRefusedWithoutThem() {
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
    void queueNamesThatSpringTakesForOneAreRefused() {
        set("tandem.queues.user-mail.source", "rabbit");
        set("tandem.queues.usermail.source", "rabbit");

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .contains("user-mail")
                        .contains("usermail")
                        .contains("taken for one"));
    }
}
