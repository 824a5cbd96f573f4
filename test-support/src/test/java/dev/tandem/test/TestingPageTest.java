package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import dev.tandem.testkit.Programs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of docs/testing.md compile as they stand there. The test of the program of docs/spring-boot.md runs, and
 * examples/spring-boot is a project with both of them.
 */
class TestingPageTest {

    private static final Path ROOT = DocumentedBlocks.root();
    private static final Path EXAMPLE = ROOT.resolve("examples/spring-boot");
    private static final String PAGE = "docs/testing.md";
    private static final String STARTER_PAGE = "docs/spring-boot.md";

    @TempDir
    private Path classes;

    @Test
    void itsOtherProgramsCompile() {
        List<String> blocks = DocumentedBlocks.texts(PAGE, "java");

        assertThat(blocks).hasSize(3);
        JavaExample.compile("shop.ShippingTest", blocks.get(0), classes);
        JavaExample.compile("shop.ShippingTest", blocks.get(2), classes);
    }

    @Test
    void theTestOfTheApplicationRuns() throws IOException {
        String application = DocumentedBlocks.texts(STARTER_PAGE, "java").get(0);
        String settings = DocumentedBlocks.texts(STARTER_PAGE, "yaml").get(0);
        String test = DocumentedBlocks.texts(PAGE, "java").get(1);
        assertThat(EXAMPLE.resolve("src/main/java/shop/ShopApplication.java")).hasContent(application);
        assertThat(EXAMPLE.resolve("src/main/resources/application.yml")).hasContent(settings);
        assertThat(EXAMPLE.resolve("src/test/java/shop/ShopApplicationTest.java"))
                .hasContent(test);

        Files.writeString(classes.resolve("application.yml"), settings);
        JavaExample.compile("shop.ShopApplication", application, classes);
        JavaExample.compile("shop.ShopApplicationTest", test, classes);
        Programs.Result result = Programs.run(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        RunOneTest.class.getName(),
                        "shop.ShopApplicationTest"),
                "");
        assertThat(result.output()).contains("1 succeeded, 0 failed");
        assertThat(result.status()).isZero();
    }

    /** The example is no module of the build, since it must not depend on it. */
    @Test
    void theExampleHasTheVersionsOfTheBuild() throws IOException {
        String pom = Files.readString(EXAMPLE.resolve("pom.xml"));
        String root = Files.readString(ROOT.resolve("pom.xml"));

        assertThat(tag("spring-boot.version", root)).isEqualTo(tag("version", pom));
        assertThat(tag("tandem.version", pom)).isEqualTo(tag("version", root));
        assertThat(root).doesNotContain("<module>examples/spring-boot</module>");
        assertThat(pom).doesNotContain("tandem-parent");
    }

    /** Returns the text of the first element of this name. */
    private static String tag(String name, String pom) {
        int from = pom.indexOf("<" + name + ">") + name.length() + 2;
        return pom.substring(from, pom.indexOf("</" + name + ">"));
    }
}
