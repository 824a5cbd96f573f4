package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskHandler;
import dev.tandem.testkit.DocumentedTables;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The reference of docs/spring-boot.md has every annotation of the API, and a table of each one's attributes. */
class AnnotationReferenceTest {

    private static final String PAGE = "docs/spring-boot.md";

    @ParameterizedTest
    @MethodSource("annotations")
    void hasTheAnnotationAndItsAttributes(Class<?> annotation) {
        String name = "@" + annotation.getSimpleName();

        assertThat(DocumentedTables.namesUnder(PAGE, "annotation")).contains(name);
        assertThat(DocumentedTables.namesUnder(PAGE, "`" + name + "`"))
                .as("attributes of %s", name)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(annotation.getDeclaredMethods())
                        .map(Method::getName)
                        .toList());
    }

    static Stream<Class<?>> annotations() throws IOException {
        String folder = TaskHandler.class.getPackageName().replace('.', '/');
        Resource[] classes =
                new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/*.class");
        return Arrays.stream(classes).map(AnnotationReferenceTest::load).filter(Class::isAnnotation);
    }

    private static Class<?> load(Resource file) {
        String name = Objects.requireNonNull(file.getFilename()).replace(".class", "");
        try {
            return Class.forName(TaskHandler.class.getPackageName() + "." + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
