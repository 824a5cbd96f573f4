package dev.tandem.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of docs/observability.md compile as they stand there. */
class ObservabilityPageTest {

    @TempDir
    private Path classes;

    @Test
    void itsProgramsCompile() {
        List<String> blocks = DocumentedBlocks.texts("docs/observability.md", "java");

        assertThat(blocks).hasSize(2);
        JavaExample.compile("ObservedShop", blocks.get(0), classes);
        JavaExample.compile("TenantInterceptor", blocks.get(1), classes);
    }
}
