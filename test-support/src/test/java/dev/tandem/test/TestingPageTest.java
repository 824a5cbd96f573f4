package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of docs/testing.md compile as they stand there. Tests of this module do the same and run. */
class TestingPageTest {

    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    @TempDir
    private Path classes;

    @Test
    void theProgramsOfThePageCompile() throws IOException {
        List<String> blocks = JAVA.matcher(Files.readString(Path.of("..", "docs", "testing.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();

        assertThat(blocks).hasSize(3);
        blocks.forEach(block -> assertThat(problems(block)).as(block).isEmpty());
    }

    private String problems(String block) {
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///shop/ShippingTest.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return block;
                    }
                };
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(messages, null, null, options, null, List.of(source))
                .call();
        return compiled ? "" : messages.toString();
    }
}
