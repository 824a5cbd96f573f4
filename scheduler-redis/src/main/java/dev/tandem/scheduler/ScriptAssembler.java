package dev.tandem.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the text of a script out of its file and what that includes.
 *
 * <p>A line {@code -- @include name} is replaced by {@code include/name.lua}; comment lines are left out. The names of
 * {@code include/constants.lua} are replaced by their values, so that a constant costs a script neither time nor one of
 * Lua's few locals and upvalues.
 */
final class ScriptAssembler {

    private static final String INCLUDE = "-- @include ";
    private static final Pattern CONSTANT = Pattern.compile("local ([A-Z][A-Z0-9_]*) = (\\S+)");
    private static final Pattern NAME = Pattern.compile("\\b[A-Z][A-Z0-9_]*_[A-Z0-9_]+\\b");

    private final Map<String, String> constants;

    /** @param overrides constants with values of their own, for tests */
    ScriptAssembler(Map<String, String> overrides) {
        constants = new HashMap<>(constants());
        constants.putAll(overrides);
    }

    /** Returns the constants of all scripts: names and Lua literals. */
    static Map<String, String> constants() {
        Map<String, String> constants = new HashMap<>();
        for (String line : code("include/constants.lua").split("\n")) {
            Matcher constant = CONSTANT.matcher(line);
            if (!constant.matches()) {
                throw new IllegalStateException("constants.lua has the line '" + line + "', which is no constant");
            }
            constants.put(constant.group(1), constant.group(2));
        }
        return constants;
    }

    /** Returns the text of a script, as Redis runs it. */
    String assemble(String file) {
        return NAME.matcher(code(file)).replaceAll(this::value);
    }

    private String value(MatchResult name) {
        return Matcher.quoteReplacement(constants.getOrDefault(name.group(), name.group()));
    }

    private static String code(String file) {
        StringBuilder text = new StringBuilder();
        for (String line : read(file).split("\n")) {
            String stripped = line.strip();
            if (stripped.startsWith(INCLUDE)) {
                text.append(code("include/" + stripped.substring(INCLUDE.length()) + ".lua"));
            } else if (!stripped.isEmpty() && !stripped.startsWith("--")) {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    private static String read(String file) {
        try (InputStream in = ScriptAssembler.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing beside " + ScriptAssembler.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
