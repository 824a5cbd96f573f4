package dev.tandem.server.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Writes answers as YAML 1.2, in blocks. Of text, only plain words stand without quotes; the rest is quoted as in JSON, which
 * YAML reads. A library would have to be loaded by every command.
 */
final class YamlText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+-]+)*");

    /** Words that YAML 1.1 or 1.2 takes for something else than text. */
    private static final Set<String> MEANING_OTHERS =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    /** How deep blocks are nested. What is deeper stands on one line: each line of it would begin with as many blanks. */
    private static final int MAX_DEPTH = 20;

    private final StringBuilder text = new StringBuilder();

    private YamlText() {}

    /** Returns a document, with a line break at its end. */
    static String of(JsonNode value) {
        YamlText yaml = new YamlText();
        if (isBlock(parsed(value))) {
            yaml.block(parsed(value), 0);
        } else {
            yaml.text.append(scalar(parsed(value))).append('\n');
        }
        return yaml.text.toString();
    }

    /** Returns an element of a list, indented as in a list of a document's top. */
    static String element(JsonNode value) {
        YamlText yaml = new YamlText();
        yaml.element(parsed(value), 0);
        return yaml.text.toString();
    }

    /** Returns a name and its value, at a document's top. */
    static String property(String name, JsonNode value) {
        YamlText yaml = new YamlText();
        yaml.property(name, parsed(value), 0);
        return yaml.text.toString();
    }

    /** Returns a name as it stands before a colon. */
    static String name(String name) {
        return word(name);
    }

    private void block(JsonNode value, int depth) {
        if (value.isArray()) {
            value.forEach(each -> element(parsed(each), depth));
        } else {
            for (Map.Entry<String, JsonNode> property : value.properties()) {
                property(property.getKey(), parsed(property.getValue()), depth);
            }
        }
    }

    private void property(String name, JsonNode value, int depth) {
        indent(depth).append(word(name)).append(':');
        if (isBlock(value) && depth < MAX_DEPTH) {
            text.append('\n');
            block(value, value.isArray() ? depth : depth + 1);
        } else {
            text.append(' ').append(scalar(value)).append('\n');
        }
    }

    private void element(JsonNode value, int depth) {
        indent(depth).append("- ");
        if (!isBlock(value) || depth >= MAX_DEPTH) {
            text.append(scalar(value)).append('\n');
            return;
        }
        int start = text.length();
        block(value, depth + 1);
        // The first line stands behind the dash.
        text.delete(start, start + 2 * (depth + 1));
    }

    private StringBuilder indent(int depth) {
        return text.append("  ".repeat(depth));
    }

    private static boolean isBlock(JsonNode value) {
        return value.isContainer() && !value.isEmpty();
    }

    /** Returns a payload, which is kept as it was sent, as the value that it stands for. */
    private static JsonNode parsed(JsonNode value) {
        return value.isPojo() ? ApiClient.JSON.readTree(RawPayload.text(value)) : value;
    }

    private static String scalar(JsonNode value) {
        if (value.isContainer()) {
            return ControlEscapes.of(value.toString());
        }
        return value.isString() ? word(value.asString()) : value.toString();
    }

    private static String word(String word) {
        return PLAIN.matcher(word).matches() && !MEANING_OTHERS.contains(word.toLowerCase(Locale.ROOT))
                ? word
                : quoted(word);
    }

    private static String quoted(String word) {
        StringBuilder quoted = new StringBuilder("\"");
        word.chars().forEach(each -> {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append((char) each);
            } else if (each == '\n') {
                quoted.append("\\n");
            } else if (each < ' ' || ControlEscapes.isControl((char) each)) {
                quoted.append(String.format("\\u%04x", each));
            } else {
                quoted.append((char) each);
            }
        });
        return quoted.append('"').toString();
    }
}
