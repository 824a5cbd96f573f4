package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedTables;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The reference of docs/testing.md has the attributes of {@code @TandemTest}. */
class AnnotationReferenceTest {

    @Test
    void hasEveryAttribute() {
        assertThat(DocumentedTables.namesUnder("docs/testing.md", "`@TandemTest`"))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(TandemTest.class.getDeclaredMethods())
                        .map(Method::getName)
                        .toList());
    }
}
