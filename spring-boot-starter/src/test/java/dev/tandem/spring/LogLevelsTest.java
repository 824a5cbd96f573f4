package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.support.SpringFactoriesLoader;

class LogLevelsTest {

    private static final String KAFKA = "logging.level.org.apache.kafka";

    private final SpringApplication application = new SpringApplication();

    LogLevelsTest() {
        // The tests of this module have a logback-test.xml.
        application.setResourceLoader(new DefaultResourceLoader(new URLClassLoader(new URL[0], null)));
    }

    private @Nullable String level(String name, Map<String, Object> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addLast(new MapPropertySource("application", settings));
        new LogLevels().postProcessEnvironment(environment, application);
        return environment.getProperty(name);
    }

    @Test
    void theClientsOfKafkaOnlyWarn() {
        assertThat(level(KAFKA, Map.of())).isEqualTo("warn");
        assertThat(level(KAFKA + ".clients.consumer.internals.CompletedFetch", Map.of()))
                .isEqualTo("off");
    }

    @Test
    void whatTheApplicationSaysCounts() {
        assertThat(level(KAFKA, Map.of(KAFKA, "info"))).isEqualTo("info");
        assertThat(level(KAFKA, Map.of("tandem.enabled", "false"))).isNull();
        assertThat(level(KAFKA, Map.of("logging.config", "file:log.xml"))).isNull();
        application.setResourceLoader(new DefaultResourceLoader(LogLevelsTest.class.getClassLoader()));
        assertThat(level(KAFKA, Map.of())).isNull();
    }

    @Test
    void springBootFindsIt() {
        List<EnvironmentPostProcessor> all = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        EnvironmentPostProcessor.class,
                        SpringFactoriesLoader.ArgumentResolver.none(),
                        SpringFactoriesLoader.FailureHandler.handleMessage((problem, cause) -> {}));
        assertThat(all).hasAtLeastOneElementOfType(LogLevels.class);
    }
}
