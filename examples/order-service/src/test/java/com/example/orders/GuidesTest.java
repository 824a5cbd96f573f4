package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.DocumentedBlocks.Block;
import dev.tandem.testkit.JavaExample;
import dev.tandem.testkit.ShellCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The programs of docs/guides compile as they stand there, and the README of this example names what there is. */
class GuidesTest {

    private static final Pattern PROGRAM = Pattern.compile("(?m)^public class (\\w+)");
    private static final Pattern CLASS = Pattern.compile("`(\\p{Upper}\\w+(?:Test|IT)?)`");

    /** Words in the README that look like classes and belong to Tandem. */
    private static final Set<String> OF_TANDEM = Set.of("Once");

    @TempDir
    private Path classes;

    @Test
    void theProgramsOfTheGuidesCompile() {
        List<Block> programs = DocumentedBlocks.all().stream()
                .filter(block -> block.page().startsWith("docs/guides/")
                        && block.language().equals("java"))
                .toList();

        assertThat(programs).hasSize(3);
        for (Block block : programs) {
            Matcher name = PROGRAM.matcher(block.text());
            assertThat(name.find()).as(block.toString()).isTrue();
            JavaExample.compile("shop." + name.group(1), block.text(), classes);
        }
    }

    @Test
    void theReadmeNamesClassesThatExist() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        Set<String> sources;
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            sources = Set.copyOf(files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.replace(".java", ""))
                    .toList());
        }

        assertThat(CLASS.matcher(readme).results().map(found -> found.group(1)))
                .hasSizeGreaterThanOrEqualTo(10)
                .allMatch(name -> sources.contains(name) || OF_TANDEM.contains(name));
    }

    /** The orders that the README types are ones that the controller takes. */
    @Test
    void theReadmesOrdersAreOrders() {
        List<NewOrder> orders = ShellCalls.in(DocumentedBlocks.in(Path.of("README.md"))).stream()
                .filter(call -> call.program().equals("curl"))
                .map(call -> call.words().get(call.words().indexOf("-d") + 1))
                .map(json -> JsonMapper.shared().readValue(json, NewOrder.class))
                .toList();

        assertThat(orders).hasSize(2);
        assertThat(orders).extracting(NewOrder::card).containsExactly("visa", "stolen");
    }
}
