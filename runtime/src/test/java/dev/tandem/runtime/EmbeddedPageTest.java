package dev.tandem.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of Java in docs/embedded.md compile as they stand there. */
class EmbeddedPageTest {

    /** The program around each block of the page. */
    private static final String PROGRAM = """
            import dev.tandem.api.*;
            import dev.tandem.runtime.*;
            import java.nio.file.Path;
            import java.time.Duration;
            import java.util.HashMap;
            import java.util.Map;

            class Page {
                record Ship(String order, int items) {}
                record Cancel(String order) {}
                record Import(String name, int pages) {}
                interface Importer {
                    void read(Import file, int page);
                    boolean confirmed(Import file);
                }
                record Receipt(String number) {}
                interface Carrier {
                    Receipt book(Ship ship, long token);
                    void cancel(Cancel cancel);
                }
                interface Smtp { void send(String text); }
                static class BadAddressException extends Exception {}

                void run(Carrier carrier, Smtp smtp, Importer importer) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    private Path classes;

    @Test
    void itsProgramsCompile() {
        List<String> blocks = DocumentedBlocks.texts("docs/embedded.md", "java");

        assertThat(blocks).hasSizeGreaterThanOrEqualTo(2);
        blocks.forEach(block -> JavaExample.compile("Page", PROGRAM.formatted(block), classes));
    }
}
