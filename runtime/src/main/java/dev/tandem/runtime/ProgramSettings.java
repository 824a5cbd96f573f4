package dev.tandem.runtime;

import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;

/** Collects the settings of a program and loads them as the server does. Not thread-safe. */
final class ProgramSettings {

    /** The name that messages give to the settings that the program itself makes. */
    private static final String OF_PROGRAM = "set in the program";

    private static final String KAFKA = "tandem.kafka.bootstrap-servers";
    private static final String RABBIT = "tandem.rabbit.uri";

    private final Map<String, Object> own = new LinkedHashMap<>();
    /** Whether files, system properties and variables count too. */
    private final boolean outer;

    private final @Nullable Path file;

    /** The settings that an application has read itself; null if it has not. */
    private final @Nullable ConfigurableEnvironment application;

    private ProgramSettings(boolean outer, @Nullable Path file, @Nullable ConfigurableEnvironment application) {
        this.outer = outer;
        this.file = file;
        this.application = application;
    }

    /** Returns settings that only the program makes. */
    static ProgramSettings ofProgram() {
        return new ProgramSettings(false, null, null);
    }

    /** Returns settings from the places in which the server looks, and one more file. */
    static ProgramSettings ofFiles(@Nullable Path file) {
        if (file != null) {
            check(file);
        }
        return new ProgramSettings(true, file, null);
    }

    /** Returns the settings of an application that has read its files itself. */
    static ProgramSettings ofEnvironment(ConfigurableEnvironment environment) {
        return new ProgramSettings(true, null, environment);
    }

    private static void check(Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    "There is no settings file " + file.toAbsolutePath() + " that can be read: name another, or use"
                            + " Tandem.connect() for application.yml and TANDEM_ variables");
        }
        if (!file.toString().matches(".*\\.(ya?ml|properties)")) {
            throw new IllegalArgumentException(
                    "The settings file " + file.toAbsolutePath() + " must end in .yml, .yaml or .properties");
        }
    }

    void kafka(String bootstrapServers) {
        own.put(KAFKA, bootstrapServers);
    }

    void rabbit(String uri) {
        own.put(RABBIT, uri);
    }

    void set(String name, String value) {
        own.put(name, value);
    }

    /** Sets a setting below a queue. */
    void set(String queue, String name, String value) {
        own.put(queueSetting(queue) + "." + name, value);
    }

    /** Sets a setting of a schedule. */
    void setSchedule(String id, String name, String value) {
        own.put("tandem.schedules" + (id.matches("[A-Za-z0-9-]+") ? "." + id : "[" + id + "]") + "." + name, value);
    }

    /** Returns the full name of a queue's section, as the checks write it. */
    static String queueSetting(String queue) {
        return queue.matches("[A-Za-z0-9-]+") ? "tandem.queues." + queue : "tandem.queues[" + queue + "]";
    }

    /**
     * Loads and checks the settings.
     *
     * @param types the types that the program has handlers for, by queue
     * @throws SettingsException naming every problem
     */
    TandemSettings load(Map<String, Set<String>> types) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        if (application != null) {
            copy(application.getPropertySources(), sources);
        } else if (outer) {
            readFiles(environment);
        } else {
            sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
            sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
            types.keySet().forEach(this::addSource);
        }
        sources.addFirst(new MapPropertySource(OF_PROGRAM, own));
        return SettingsLoader.loadForProgram(environment, types);
    }

    /** The application's environment stays as it is, whatever the program sets itself. */
    private static void copy(MutablePropertySources from, MutablePropertySources to) {
        to.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        to.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        from.stream()
                .filter(each -> !ConfigurationPropertySources.isAttachedConfigurationPropertySource(each))
                .forEach(to::addLast);
    }

    /** The server reads its files in the same way: by Spring Boot's rules, with profiles. */
    private void readFiles(ConfigurableEnvironment environment) {
        if (file != null) {
            DefaultPropertiesPropertySource.addOrMerge(
                    Map.of("spring.config.additional-location", file.toUri().toString()),
                    environment.getPropertySources());
        }
        ConfigDataEnvironmentPostProcessor.applyTo(environment);
    }

    /** A program that names one broker need not say of each queue that it is there. */
    private void addSource(String queue) {
        if (own.containsKey(KAFKA) != own.containsKey(RABBIT)) {
            own.putIfAbsent(queueSetting(queue) + ".source", own.containsKey(KAFKA) ? "kafka" : "rabbit");
        } else if (!own.containsKey(KAFKA) && !own.containsKey(queueSetting(queue) + ".source")) {
            throw SettingsException.of(
                    queueSetting(queue) + ".source",
                    null,
                    "the program names no broker for this queue: call kafka(\"localhost:9092\") or"
                            + " rabbit(\"amqp://localhost\") of Tandem.builder(), or begin with Tandem.connect() to read"
                            + " settings from files");
        }
    }
}
