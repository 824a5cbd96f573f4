package dev.tandem.runtime.settings;

import dev.tandem.task.EditDistance;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.unit.DataSize;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The settings of Spring Boot under {@code server} and {@code management}, as its jars describe them. Spring Boot ignores
 * a name that it does not know, so that a mistyped {@code server.prot} has no effect.
 */
final class BootSettings {

    private static final Logger log = LoggerFactory.getLogger(BootSettings.class);

    private static final Set<String> ROOTS = Set.of("server", "management");
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** The usual ones with their types, for which nothing needs to be read at the start. */
    private static final Map<ConfigurationPropertyName, String> USUAL = Map.of(
            ConfigurationPropertyName.of("server.port"), Integer.class.getName(),
            ConfigurationPropertyName.of("server.address"), InetAddress.class.getName(),
            ConfigurationPropertyName.of("management.server.port"), Integer.class.getName(),
            ConfigurationPropertyName.of("management.server.address"), InetAddress.class.getName());

    /** The types whose values are checked, by the name that the descriptions give them. */
    private static final Map<String, Class<?>> CHECKED = Stream.of(
                    Integer.class, Boolean.class, Duration.class, DataSize.class)
            .collect(Collectors.toMap(Class::getName, each -> each));

    private @Nullable Map<ConfigurationPropertyName, String> types;

    /**
     * The end of a sentence about a setting.
     *
     * @param meant the name that was probably meant; null if the name is right, and its value is wrong
     */
    record Advice(String text, @Nullable String meant) {}

    /**
     * Returns what is wrong with a name or its value, and what was probably meant; empty if nothing is, or it is not one
     * of these.
     */
    Optional<Advice> advice(ConfigurationPropertyName name, String value) {
        if (!ROOTS.contains(name.getElement(0, Form.UNIFORM))) {
            return Optional.empty();
        }
        if (USUAL.containsKey(name)) {
            return valueAdvice(USUAL.get(name), value);
        }
        Map<ConfigurationPropertyName, String> known = types();
        if (known.containsKey(name)) {
            return valueAdvice(known.get(name), value);
        }
        // Below a known name there are the keys of a map, or the indexes of a list.
        if (known.isEmpty() || known.keySet().stream().anyMatch(each -> each.isAncestorOf(name))) {
            return Optional.empty();
        }
        return known.keySet().stream()
                .min(Comparator.comparingInt(each -> EditDistance.between(each.toString(), name.toString())))
                .map(nearest ->
                        new Advice("there is no such setting; did you mean " + nearest + "?", nearest.toString()));
    }

    private static Optional<Advice> valueAdvice(@Nullable String typeName, String value) {
        Class<?> type = typeName == null ? null : CHECKED.get(typeName);
        // An empty value counts as none, and a placeholder is resolved later.
        if (type == null || value.isBlank() || value.contains("${")) {
            return Optional.empty();
        }
        try {
            Object unused = ApplicationConversionService.getSharedInstance().convert(value.strip(), type);
            return Optional.empty();
        } catch (ConversionException e) {
            return Optional.of(new Advice(AllowedValues.describe(ResolvableType.forClass(type), value), null));
        }
    }

    /** Returns all names with their types; none if the jars do not have their descriptions. */
    private Map<ConfigurationPropertyName, String> types() {
        Map<ConfigurationPropertyName, String> known = types;
        if (known == null) {
            known = new LinkedHashMap<>();
            try {
                for (URL file :
                        Collections.list(BootSettings.class.getClassLoader().getResources(METADATA))) {
                    read(file, known);
                }
            } catch (IOException | JacksonException e) {
                log.debug("Cannot read {}", METADATA, e);
                known.clear();
            }
            types = known;
        }
        return known;
    }

    private static void read(URL file, Map<ConfigurationPropertyName, String> into) throws IOException {
        try (InputStream in = file.openStream()) {
            for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                String name = property.path("name").asString();
                if (ROOTS.contains(name.split("\\.", 2)[0]) && ConfigurationPropertyName.isValid(name)) {
                    into.put(
                            ConfigurationPropertyName.of(name),
                            property.path("type").asString(""));
                }
            }
        }
    }
}
