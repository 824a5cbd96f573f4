package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The form of the scripts. What they do is tested on a real Redis. */
class ScriptTest {

    /** Lua 5.1 allows 200 locals and 60 upvalues. The difference is room for the next change. */
    private static final int MAX_LOCALS = 150;

    private static final int MAX_UPVALUES = 52;

    private static final Set<String> GLOBALS = Set.of(
            "ARGV",
            "KEYS",
            "bit",
            "cmsgpack",
            "ipairs",
            "math",
            "next",
            "pairs",
            "pcall",
            "redis",
            "string",
            "struct",
            "table",
            "tonumber",
            "type",
            "unpack");

    private static final Set<Script> WITHOUT_PARTITION = Set.of(
            Script.CHECK_RIGHTS,
            Script.ADD_STATISTICS,
            Script.READ_STATISTICS,
            Script.ANSWER_REQUEST,
            Script.FORGET_REQUESTS,
            Script.HOLD_EXECUTOR_NAME,
            Script.REGISTER_PROCESS,
            Script.DEDUPLICATE,
            Script.SHOW_DEDUP_KEY,
            Script.ASK_DEPENDENCIES,
            Script.LIST_DEPENDENTS,
            Script.SHOW_DEPENDENCY,
            Script.EXPECT_WAITS,
            Script.RESERVE_TOKENS,
            Script.SHOW_RATE,
            Script.CHANGE_LIMIT,
            Script.POST_MESSAGES,
            Script.TAKE_MESSAGES,
            Script.ADD_ACCESS_TOKEN,
            Script.REMOVE_ACCESS_TOKEN,
            Script.BEGIN_REQUEST,
            Script.END_REQUEST,
            Script.TRIM_REQUESTS,
            Script.FREE_DEDUP_KEY,
            Script.FAN_OUT,
            Script.CHANGE_PARTITION_HISTORY);

    private static final Pattern INCLUDE = Pattern.compile("(?m)^\\s*-- @include (\\w+)$");

    @ParameterizedTest
    @EnumSource(Script.class)
    void staysWithinTheLimitsOfLua(Script script) {
        LuaFunctionLimits.Usage usage = LuaFunctionLimits.of(text(script));
        assertThat(usage.functions()).allSatisfy(function -> {
            assertThat(function.locals()).as("locals of %s", function.name()).isLessThanOrEqualTo(MAX_LOCALS);
            assertThat(function.upvalues())
                    .as("upvalues of %s", function.name())
                    .hasSizeLessThanOrEqualTo(MAX_UPVALUES);
        });
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void usesNoUnknownGlobal(Script script) {
        assertThat(LuaFunctionLimits.of(text(script)).globals()).isSubsetOf(GLOBALS);
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void includesWhatItsIncludesRequire(Script script) {
        List<String> included = new ArrayList<>();
        Matcher include = INCLUDE.matcher(file(script.file()));
        while (include.find()) {
            String header = file("include/" + include.group(1) + ".lua").replaceAll("\n--", "");
            Matcher required = Pattern.compile("Requires: ([^.]*)\\.").matcher(header);
            assertThat(required.find())
                    .as("include/%s says what it requires", include.group(1))
                    .isTrue();
            assertThat(header)
                    .as("include/%s says what it provides", include.group(1))
                    .contains("Provides: ");
            assertThat(Stream.of(required.group(1).split("\\(")[0].split(",\\s*")))
                    .as("required by %s", include.group(1))
                    .allSatisfy(name -> assertThat(name.strip())
                            .satisfiesAnyOf(
                                    each -> assertThat(each).isIn("nothing", "owner"),
                                    each -> assertThat(each).isIn(included)));
            included.add(include.group(1));
        }
        assertThat(included).doesNotHaveDuplicates();
        if (!WITHOUT_PARTITION.contains(script)) {
            assertThat(included.get(0)).isIn("partition_keys", "schedule_keys", "operation_keys", "limit_keys");
        }
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void documentsItsKeysArgumentsAndReply(Script script) {
        assertThat(file(script.file())).startsWith("-- ").contains("\n-- KEYS ", "\n-- ARGV ", "\n-- Returns ");
    }

    @Test
    void codesHaveTheSameValuesInJavaAndLua() throws IllegalAccessException {
        Map<String, String> codes = new HashMap<>();
        for (Field field : ScriptCodes.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                Object value = field.get(null);
                codes.put(field.getName(), isText(value) ? "'" + value + "'" : value.toString());
            }
        }
        assertThat(codes).isNotEmpty();
        assertThat(ScriptAssembler.constants()).containsAllEntriesOf(codes);
    }

    private static boolean isText(Object code) {
        return code instanceof Character || code instanceof String;
    }

    @Test
    void replacesConstantsByTheirValues() {
        assertThat(text(Script.RELEASE)).contains("return {0, next_due()}").doesNotContain("REPLY_OK");
        String overridden = new ScriptAssembler(Map.of("REPLY_OK", "7")).assemble(Script.RELEASE.file());
        assertThat(overridden).contains("return {7, next_due()}");
    }

    @Test
    void countsLocalsAndUpvaluesByScope() {
        LuaFunctionLimits.Usage usage = LuaFunctionLimits.of("""
                local a, b = 1, 2
                local function outer(c)
                  local function inner() return a + c + print(b.x) end
                  for i = 1, c do local d = i end
                  if c then local e = {f = c} elseif b then local g else local h end
                  return inner
                end
                """);
        assertThat(usage.globals()).containsExactly("print");
        assertThat(usage.functions())
                .containsExactly(
                        new LuaFunctionLimits.LuaFunction("inner", 0, Set.of("a", "b", "c")),
                        new LuaFunctionLimits.LuaFunction("outer", 7, Set.of("a", "b")),
                        new LuaFunctionLimits.LuaFunction("script", 3, Set.of()));
    }

    private static String text(Script script) {
        return new String(script.source(), StandardCharsets.UTF_8);
    }

    private static String file(String name) {
        try (var in = Script.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
