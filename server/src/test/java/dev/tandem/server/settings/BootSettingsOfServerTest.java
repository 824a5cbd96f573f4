package dev.tandem.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Settings of Spring Boot, whose names are known where its jars are: in the server. */
class BootSettingsOfServerTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            server.prot                      | server.port
            server.tomcat.threads.maxx       | server.tomcat.threads.max
            management.server.prt            | management.server.port
            """)
    void mistypedOnesAreRefused(String unknown, String meant) {
        SettingsException thrown = catchThrowableOfType(SettingsException.class, () -> load(unknown, "8081"));

        assertThat(thrown.problems())
                .containsExactly(unknown + " is '8081': there is no such setting; did you mean " + meant + "? (test)");
    }

    /** The name as it was written does not say that the value is secret. */
    @Test
    void theValueOfAMistypedSecretIsHidden() {
        SettingsException thrown =
                catchThrowableOfType(SettingsException.class, () -> load("server.ssl.key-store-passwrod", "hunter2"));

        assertThat(thrown.problems())
                .containsExactly("server.ssl.key-store-passwrod is '***': there is no such setting; did you mean"
                        + " server.ssl.key-store-password? (test)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.port",
                "server.tomcat.accesslog.enabled",
                "server.servlet.contextParameters.mine",
                "management.endpoint.health.group.mine.include"
            })
    void realOnesAreAllowed(String name) {
        assertThat(load(name, "1").queues()).hasSize(1);
    }

    @Test
    void theNamesComeFromTheJars() {
        assertThat(getClass().getClassLoader().getResource("META-INF/spring-configuration-metadata.json"))
                .isNotNull();
    }

    private static TandemSettings load(String name, String value) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("tandem.queues.orders.source", "kafka", name, value)));
        return SettingsLoader.load(environment);
    }
}
