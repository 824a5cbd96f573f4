package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/** A server says which secrets are on its command line, and never what they are. */
class CommandLineSecretsTest {

    @Test
    void secretsOnTheCommandLineAreFoundByTheirNames() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addLast(new MapPropertySource("file", Map.of("tandem.a.password", "x")));
        assertThat(CommandLineSecrets.in(environment)).isEmpty();

        environment
                .getPropertySources()
                .addFirst(new SimpleCommandLinePropertySource(
                        "--server.port=0",
                        "--tandem.redis.uri=redis://:secret@host:6379",
                        "--tandem.rabbit.uri=amqp://host:5672",
                        "--tandem.redis.password-file=/run/secrets/redis",
                        "--tandem.kafka.properties.sasl.jaas.config=secret"));

        assertThat(CommandLineSecrets.in(environment))
                .containsExactly("tandem.kafka.properties.sasl.jaas.config", "tandem.redis.uri");
    }
}
