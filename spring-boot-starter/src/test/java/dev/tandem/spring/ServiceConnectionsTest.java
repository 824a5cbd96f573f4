package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests of what Tandem takes from connection details of Spring Boot. Nothing connects to a broker. */
class ServiceConnectionsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    RabbitAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    TandemConnectionsAutoConfiguration.class,
                    TandemAutoConfiguration.class))
            .withPropertyValues(
                    "spring.kafka.bootstrap-servers=other:9092",
                    "spring.rabbitmq.host=other",
                    "spring.data.redis.host=other",
                    "tandem.redis.uri=redis://mine:6379",
                    "tandem.redis.namespace=shop",
                    "tandem.queues.orders.source=kafka");

    private final ApplicationContextRunner connected = application
            .withBean(KafkaConnectionDetails.class, () -> () -> List.of("a:1", "b:2"))
            .withBean(RabbitConnectionDetails.class, () -> rabbit("shop", "p@ss/ word", "/orders"))
            .withBean(
                    DataRedisConnectionDetails.class,
                    () -> new OfRedis("tandem", "secret", OfRedis.STANDALONE, null, null));

    private static TandemSettings settings(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        return SettingsLoader.loadForProgram(
                context.getBean(SettingsEnvironment.class).get(), Map.of());
    }

    @Test
    void connectionDetailsCountMoreThanSettings() {
        connected.run(context -> {
            TandemSettings settings = settings(context);

            assertThat(settings.kafka().bootstrapServers()).isEqualTo("a:1,b:2");
            assertThat(settings.rabbit().uri())
                    .isEqualTo(
                            "amqp://shop:p%40ss%2F%20word@r:5672/%2Forders,amqp://shop:p%40ss%2F%20word@s:5673/%2Forders");
            assertThat(settings.redis().uri()).isEqualTo("redis://tandem:secret@[::1]:7/2");
            assertThat(settings.redis().namespace()).isEqualTo("shop");
            assertThat(context.getEnvironment().getProperty("tandem.redis.uri")).isEqualTo("redis://mine:6379");
        });
    }

    @Test
    void settingsOfOtherClientsAreNotThoseOfTandem() {
        application.run(context -> {
            TandemSettings settings = settings(context);

            assertThat(context)
                    .hasSingleBean(KafkaConnectionDetails.class)
                    .hasSingleBean(RabbitConnectionDetails.class)
                    .hasSingleBean(DataRedisConnectionDetails.class)
                    .doesNotHaveBean(ConnectionSettings.class);
            assertThat(settings.kafka().bootstrapServers()).isEqualTo("localhost:9092");
            assertThat(settings.redis().uri()).isEqualTo("redis://mine:6379");
        });
    }

    @Test
    void connectionsCanBeSwitchedOff() {
        connected
                .withPropertyValues("tandem.service-connections=false")
                .run(context -> assertThat(settings(context).redis().uri()).isEqualTo("redis://mine:6379"));
    }

    @Test
    void anApplicationNeedsNoneOfTheModulesThatKnowConnections() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        TandemConnectionsAutoConfiguration.class,
                        TandemAutoConfiguration.class))
                .withPropertyValues("tandem.redis.uri=redis://mine:6379", "tandem.queues.orders.source=kafka")
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.kafka",
                        "org.springframework.boot.amqp",
                        "org.springframework.boot.data.redis"))
                .run(context -> assertThat(settings(context).redis().uri()).isEqualTo("redis://mine:6379"));
    }

    @Test
    void guestsOfTheDefaultVirtualHostNeedNoMoreThanAnAddress() {
        assertThat(ServiceConnections.rabbit(rabbit(null, null, "/")))
                .containsExactly(Map.entry("tandem.rabbit.uri", "amqp://guest:guest@r:5672,amqp://guest:guest@s:5673"));
    }

    /** Two dots in a path would lead to the default virtual host. */
    @Test
    void theVirtualHostIsASegmentOfThePath() {
        assertThat(ServiceConnections.rabbit(rabbit(null, null, "..")).get("tandem.rabbit.uri"))
                .endsWith("@s:5673/%2E%2E");
    }

    @Test
    void clustersAndSentinelsOfRedisAreKnown() {
        assertThat(ServiceConnections.redis(new OfRedis(null, "p", null, OfRedis.CLUSTER, null)))
                .containsEntry("tandem.redis.cluster", "true")
                .containsEntry("tandem.redis.uri", "redis://:p@a:1,redis://:p@b:2");
        assertThat(ServiceConnections.redis(new OfRedis(null, null, null, null, OfRedis.SENTINEL)))
                .containsEntry("tandem.redis.cluster", "false")
                .containsEntry("tandem.redis.uri", "redis-sentinel://a:1,b:2/3#mymaster");
    }

    @Test
    void whatTandemCannotConnectToStopsTheStart() {
        SslBundle bundle = SslBundle.of(SslStoreBundle.NONE);
        KafkaConnectionDetails encrypted = new KafkaConnectionDetails() {
            @Override
            public List<String> getBootstrapServers() {
                return List.of("a:1");
            }

            @Override
            public SslBundle getSslBundle() {
                return bundle;
            }
        };

        application
                .withBean(KafkaConnectionDetails.class, () -> encrypted)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(StartException.class)
                        .hasMessageContaining("service connection of Kafka has an SSL bundle")
                        .hasMessageContaining("set tandem.service-connections to false"));
        assertThatThrownBy(() -> ServiceConnections.redis(new OfRedis(null, null, null, null, null)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("tandem.redis");
    }

    private static RabbitConnectionDetails rabbit(
            @Nullable String user, @Nullable String password, @Nullable String virtualHost) {
        return new RabbitConnectionDetails() {
            @Override
            public @Nullable String getUsername() {
                return user;
            }

            @Override
            public @Nullable String getPassword() {
                return password;
            }

            @Override
            public @Nullable String getVirtualHost() {
                return virtualHost;
            }

            @Override
            public List<Address> getAddresses() {
                return List.of(new Address("r", 5672), new Address("s", 5673));
            }
        };
    }

    private record OfRedis(
            @Nullable String username,
            @Nullable String password,
            @Nullable Standalone standalone,
            @Nullable Cluster cluster,
            @Nullable Sentinel sentinel)
            implements DataRedisConnectionDetails {

        static final Standalone STANDALONE = Standalone.of("::1", 7, 2);
        static final Cluster CLUSTER = () -> List.of(new Node("a", 1), new Node("b", 2));
        static final Sentinel SENTINEL = new Sentinel() {
            @Override
            public int getDatabase() {
                return 3;
            }

            @Override
            public String getMaster() {
                return "mymaster";
            }

            @Override
            public List<Node> getNodes() {
                return List.of(new Node("a", 1), new Node("b", 2));
            }

            @Override
            public @Nullable String getUsername() {
                return null;
            }

            @Override
            public @Nullable String getPassword() {
                return null;
            }
        };

        @Override
        public @Nullable String getUsername() {
            return username;
        }

        @Override
        public @Nullable String getPassword() {
            return password;
        }

        @Override
        public @Nullable Standalone getStandalone() {
            return standalone;
        }

        @Override
        public @Nullable Cluster getCluster() {
            return cluster;
        }

        @Override
        public @Nullable Sentinel getSentinel() {
            return sentinel;
        }
    }
}
