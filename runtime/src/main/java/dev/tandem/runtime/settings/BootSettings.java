package dev.tandem.runtime.settings;

import dev.tandem.task.EditDistance;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
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

    /** The usual ones, for which nothing needs to be read at the start. */
    private static final Set<ConfigurationPropertyName> USUAL = Set.of(
            ConfigurationPropertyName.of("server.port"),
            ConfigurationPropertyName.of("server.address"),
            ConfigurationPropertyName.of("management.server.port"),
            ConfigurationPropertyName.of("management.server.address"));

    private @Nullable List<ConfigurationPropertyName> names;

    /** Returns what is wrong with a name and what was probably meant; empty if nothing is, or it is not one of these. */
    Optional<String> advice(ConfigurationPropertyName name) {
        if (!ROOTS.contains(name.getElement(0, Form.UNIFORM)) || USUAL.contains(name)) {
            return Optional.empty();
        }
        List<ConfigurationPropertyName> known = names();
        // Below a known name there are the keys of a map, or the indexes of a list.
        if (known.isEmpty() || known.stream().anyMatch(each -> each.equals(name) || each.isAncestorOf(name))) {
            return Optional.empty();
        }
        return known.stream()
                .min(Comparator.comparingInt(each -> EditDistance.between(each.toString(), name.toString())))
                .map(nearest -> "there is no such setting; did you mean " + nearest + "?");
    }

    /** Returns all names; none if the jars do not have their descriptions. */
    private List<ConfigurationPropertyName> names() {
        List<ConfigurationPropertyName> known = names;
        if (known == null) {
            known = new ArrayList<>();
            try {
                for (URL file :
                        Collections.list(BootSettings.class.getClassLoader().getResources(METADATA))) {
                    read(file, known);
                }
            } catch (IOException | JacksonException e) {
                log.debug("Cannot read {}", METADATA, e);
                known.clear();
            }
            names = known;
        }
        return known;
    }

    private static void read(URL file, List<ConfigurationPropertyName> into) throws IOException {
        try (InputStream in = file.openStream()) {
            for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                String name = property.path("name").asString();
                if (ROOTS.contains(name.split("\\.", 2)[0]) && ConfigurationPropertyName.isValid(name)) {
                    into.add(ConfigurationPropertyName.of(name));
                }
            }
        }
    }
}
