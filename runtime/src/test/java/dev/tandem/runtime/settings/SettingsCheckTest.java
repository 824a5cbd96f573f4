package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules for values: bounds, addresses, and combinations. */
class SettingsCheckTest extends SettingsTestBase {

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
            tandem.rabbit.management-uri              | localhost:15672     | http://host:port
            tandem.kafka.bootstrap-servers            | localhost           | host:port
            tandem.kafka.properties.group.id          | mine                | settings of their own
            tandem.kafka.properties.enable.auto.commit| true                | guarantees need 'false'
            tandem.kafka.properties.session.timeout.ms| soon                | not allowed
            tandem.redis.replicas                     | -1                  | it must be auto, or 0 to 16
            tandem.redis.replicas                     | many                | it must be auto, or 0 to 16
            tandem.redis.namespace                    | a{b}                | it must be 1 to 50 letters
            tandem.api.allowed-hosts[0]               | http://x            | without a scheme
            tandem.history.dead-max                   | 0                   | it must be 1 to
            tandem.statistics.keep                    | 15d                 | it must be 1h to 14d
            tandem.queues.orders.source               | pulsar              | it must be kafka or rabbit
            tandem.queues.orders.topic                | a/b                 | Kafka allows
            tandem.queues.orders.partitions           | 0                   | it must be 1 to 1000
            tandem.queues.orders.ordering             | strict              | it must be key or none
            tandem.queues.orders.concurrency          | -1                  | it must be 1 to 10000
            tandem.queues.orders.max-attempts         | 0                   | it must be 1 to 1000
            tandem.queues.orders.max-running          | -1                  | it must be 0 to 100000
            tandem.queues.orders.timeout              | 0s                  | it must be 1ms to 30d
            tandem.limits.erp.max-running             | 0                   | it must be 1 to 100000
            tandem.rate-limits.erp.rate               | 100                 | such as 100/s, 5/m or 10/30s
            tandem.rate-limits.erp.rate               | 5/90d               | a time of at most 30d
            tandem.queues.orders.timeout-limit        | 29s                 | it must be 30s to 30d
            tandem.queues.orders.max-attempts-limit   | 7                   | it must be 8 to 1000
            tandem.queues.orders.max-blocked-keys     | 0                   | it must be 1 to 10000000
            tandem.queues.orders.dead-head            | stop                | it must be halt or skip or drain
            tandem.queues.orders.backoff.policy       | linear              | it must be exponential or fixed or sidekiq
            tandem.queues.orders.backoff.initial      | 2h                  | it must not be longer than tandem.queues.orders.backoff.max, which is 1h
            tandem.queues.orders.backoff.multiplier   | 0.5                 | it must be 1 to 100
            tandem.queues.orders.backoff.jitter       | 2                   | it must be 0 to 1
            tandem.queues.orders.handler              | shell               | it must be cmd or http or log or noop or pull
            tandem.queues.orders.handler              | demo                | it must be cmd or http or log or noop or pull
            tandem.queues.orders.types                | order.created       | tandem.queues.orders.handler, which is not set
            tandem.queues.orders.http.url             | ftp://host          | http:// or https://
            tandem.queues.orders.http.url             | http://169.254.169.254/ | a link-local address, which http.allow does not list
            tandem.queues.orders.http.url             | http://2130706433/  | its host must be a name, or an address as in 10.0.0.1
            tandem.http.connections-per-host          | 0                   | it must be 1 to 10000
            tandem.http.connect-timeout               | 1ms                 | it must be 10ms to 2m
            tandem.http.keep-alive                    | 1h                  | it must be 1s to 10m
            tandem.queues.orders.http.body            | event               | it must be payload or cloud-event-binary or cloud-event-structured
            tandem.queues.orders.http.answers         | maybe               | it must be now or later
            tandem.queues.orders.http.ssl-bundle      | shop                | it needs an http.url with https://
            tandem.queues.orders.http.answer-timeout  | 1h                  | it must be 100ms to 10m
            tandem.queues.orders.command              | thumbs              | it needs the handler cmd
            tandem.commands.c.program                 | convert             | it must be an absolute path
            tandem.commands.c.program                 | /bin/sh             | it runs other programs
            tandem.commands.c.args[0]                 | {file}              | in braces there must be a JSON pointer
            tandem.commands.c.args[0]                 | {/file              | in braces there must be a JSON pointer
            tandem.commands.c.user                    | A b                 | the name of a user, or uid:gid
            tandem.commands.c.directory               | tmp                 | it must be an absolute path
            tandem.commands.c.memory                  | 1MB                 | it must be 16MB to 1TB
            tandem.commands.c.kill-after              | 1m                  | it must be 0s to 8s
            tandem.commands.c.dead-on[0]              | 0                   | it must be 1 to 127
            tandem.queues.orders.http.dead-on[0]      | 200                 | it must be an HTTP status of 300 to 599
            tandem.queues.orders.pull.lease           | 10ms                | it must be 1s to 1h
            tandem.queues.orders.pull.lease           | 1m                  | it needs tandem.queues.orders.handler=pull
            tandem.queues.exports.types               | csv                 | tasks of all types are pulled
            tandem.queues.exports.http.url            | http://host         | no other handler can run its tasks
            tandem.queues.exports.weight              | 2                   | its tasks need no slots
            tandem.queues.exports.precedence          | 3                   | its tasks need no slots
            tandem.queues.exports.timeout-limit       | 30s                 | it must be 1h to 30d
            tandem.queues.orders.exchange             | tasks               | it is for rabbit queues
            tandem.queues.orders.prefetch             | 10                  | it is for rabbit queues
            tandem.queues.orders.key                  | routing-key         | it is for rabbit queues
            tandem.queues.mail.topic                  | mail                | it is for kafka queues
            tandem.queues.mail.prefetch               | 70000               | it must be 1 to 65535
            tandem.queues.orders.max-priority         | 9                   | it is for rabbit queues
            tandem.queues.mail.max-priority           | 256                 | it must be 1 to 255
            tandem.queues.mail.queue                  | amq.mail            | belong to the broker
            tandem.queues.mail.dead-head              | halt                | ordering is none (the default for rabbit)
            """)
    void invalidValueIsReportedWithTheAllowedOnes(String setting, String value, String allowed) {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.queues.mail.source", "rabbit");
        set("tandem.queues.exports.source", "kafka");
        set("tandem.queues.exports.handler", "pull");
        set(setting, value);

        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith(setting)
                        .contains("'" + value + "'")
                        .contains(allowed));
    }

    @Test
    void missingSettingsAreNamed() {
        set("tandem.queues.orders.topic", "orders");
        set("tandem.queues.calls.source", "kafka");
        set("tandem.queues.calls.handler", "http");

        set("tandem.limits.erp.types[0]", "export");
        set("tandem.rate-limits.erp.burst", "5");

        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "tandem.queues.orders.source is not set: it must be kafka or rabbit",
                        "tandem.queues.calls.http.url is not set: tandem.queues.calls.handler is http, so it must say"
                                + " where tasks are posted",
                        "tandem.limits.erp.max-running is not set: say how many tasks may run at once in the whole cluster:"
                                + " 1 to 100000",
                        "tandem.rate-limits.erp.rate is not set: say how many tasks may start in which time, such as"
                                + " 100/s");
    }

    @Test
    void missingQueuesAreReportedWithAnExample() {
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
    void sentinelAddressCannotBeCombinedWithACluster() {
        set("tandem.queues.orders.source", "kafka");
        set("tandem.redis.uri", "redis-sentinel://a:26379,b:26379#main");
        set("tandem.redis.cluster", "true");

        assertThat(problems())
                .singleElement()
                .asString()
                .contains("tandem.redis.cluster")
                .contains("leave one out");
    }
}
