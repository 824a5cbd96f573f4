package dev.tandem.runtime;

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

/** The blocks of Java in docs/embedded.md compile as they stand there. */
class EmbeddedPageTest {

    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    /** What the page takes for granted. */
    private static final String PROGRAM = """
            import dev.tandem.api.*;
            import dev.tandem.runtime.*;
            import java.nio.file.Path;
            import java.time.Duration;

            class Page {
                record Ship(String order, int items) {}
                record Cancel(String order) {}
                record Receipt(String number) {}
                interface Carrier {
                    Receipt book(Ship ship, long token);
                    void cancel(Cancel cancel);
                }
                interface Smtp { void send(String text); }
                static class BadAddressException extends Exception {}

                void run(Carrier carrier, Smtp smtp) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    private Path classes;

    @Test
    void itsProgramsCompile() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "embedded.md"));
        List<String> blocks = JAVA.matcher(page)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();

        assertThat(blocks).hasSizeGreaterThanOrEqualTo(2);
        blocks.forEach(block -> assertThat(problems(block)).as(block).isEmpty());
    }

    private String problems(String block) {
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Page.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return PROGRAM.formatted(block);
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
