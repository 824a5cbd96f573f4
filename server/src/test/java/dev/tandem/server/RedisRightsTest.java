package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.tandem.scheduler.RedisRights;
import dev.tandem.testkit.DocumentedBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documented rights in Redis are those that the code and the scripts need: none is missing, and none is too much. */
class RedisRightsTest {

    /** Methods of the client whose names are not those of their commands. Arguments decide what dispatch sends. */
    private static final Map<String, String> COMMANDS = Map.ofEntries(
            Map.entry("configGet", "config|get"),
            Map.entry("scriptLoad", "script|load"),
            Map.entry("waitForReplication", "wait"),
            Map.entry("dispatch", "waitaof"),
            Map.entry("zrangeWithScores", "zrange"),
            Map.entry("zrangebyscoreWithScores", "zrangebyscore"),
            Map.entry("zrevrangeWithScores", "zrevrange"),
            Map.entry("zrevrangebyscoreWithScores", "zrevrangebyscore"));

    /** What the client sends by itself, and, behind it, only in a cluster. */
    private static final Set<String> OF_THE_CLIENT = Set.of(
            "client|setinfo", "client|setname", "cluster|nodes", "cluster|slots", "cluster|myid", "readonly", "asking");

    /** Names of commands in scripts, which may also be given to functions, and words that look like them. */
    private static final Pattern NAME = Pattern.compile("'([A-Z]{2,})'(?:, '(USAGE)')?");

    private static final Set<String> OTHER_WORDS = Set.of(
            "count",
            "ended",
            "fire",
            "limit",
            "look",
            "lt",
            "nx",
            "oom",
            "pause",
            "px",
            "restore",
            "resume",
            "samples",
            "withscores",
            "xx");

    @Test
    void theDocumentedRightsAreThoseThatTandemNeeds() throws IOException {
        Set<String> needed = new TreeSet<>(OF_THE_CLIENT);
        needed.addAll(inJava());
        needed.addAll(inScripts());

        Set<String> documented = DocumentedRights.all().stream()
                .filter(word -> word.startsWith("+"))
                .map(word -> word.substring(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(needed);
    }

    /** The commands with which the doctor asks Redis. */
    @Test
    void theDoctorChecksTheDocumentedRights() {
        Set<String> documented = DocumentedRights.all().stream()
                .filter(word -> word.startsWith("+"))
                .map(word -> word.substring(1))
                .collect(Collectors.toSet());
        assertThat(RedisRights.commands(true)).containsExactlyInAnyOrderElementsOf(documented);
    }

    private static Set<String> inJava() {
        return new ClassFileImporter()
                        .withImportOption(new WithoutTests())
                        .importPackages("dev.tandem.scheduler", "dev.tandem.runtime", "dev.tandem.server")
                        .stream()
                        .flatMap(each -> each.getMethodCallsFromSelf().stream())
                        .map(JavaMethodCall::getTarget)
                        .filter(target -> target.getOwner().getName().matches("io\\.lettuce\\.core\\..*Commands"))
                        .map(target -> COMMANDS.getOrDefault(target.getName(), target.getName()))
                        .collect(Collectors.toSet());
    }

    private static Set<String> inScripts() throws IOException {
        Path scripts = DocumentedBlocks.root().resolve("scheduler-redis/src/main/resources");
        try (Stream<Path> files = Files.walk(scripts)) {
            return files.filter(file -> file.toString().endsWith(".lua"))
                    .map(RedisRightsTest::text)
                    .flatMap(text -> NAME.matcher(text).results().map(RedisRightsTest::command))
                    .filter(name -> !OTHER_WORDS.contains(name))
                    .collect(Collectors.toSet());
        }
    }

    private static String command(MatchResult call) {
        return (call.group(1) + (call.group(2) == null ? "" : "|" + call.group(2))).toLowerCase(Locale.ROOT);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
