package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** An environment with only the settings of a test. */
abstract class SettingsTestBase {

    private final StandardEnvironment environment = new StandardEnvironment();
    private final Map<String, Object> properties = new LinkedHashMap<>();

    SettingsTestBase() {
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }

    void set(String name, String value) {
        properties.put(name, value);
        environment.getPropertySources().remove("test");
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
    }

    void yaml(String text) {
        try {
            new YamlPropertySourceLoader()
                    .load("file", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addLast);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void environment(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    }

    TandemSettings load() {
        return SettingsLoader.load(environment);
    }

    /** Loads as a program that submits only. */
    TandemSettings loadForProgram() {
        return SettingsLoader.loadForProgram(environment, Map.of());
    }

    List<String> problems() {
        SettingsException thrown = catchThrowableOfType(SettingsException.class, this::load);
        assertThat(thrown).as("a refusal").isNotNull();
        return thrown.problems();
    }
}
