package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every mutant can still be built: the text that it replaces exists in the product. */
class MutantTest {

    @ParameterizedTest
    @EnumSource
    void buildsEveryMutant(Mutant mutant, @TempDir Path folder) {
        assertThat(mutant.classPath(folder)).startsWith(folder + File.pathSeparator);
        assertThat(mutant.fault().supports(mutant.workload().isRabbit())).isTrue();
    }
}
