package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the mutants replace is still there: one that replaces nothing would prove nothing. */
class MutantTest {

    @ParameterizedTest
    @EnumSource
    void everyMutantCanBeMade(Mutant mutant, @TempDir Path folder) {
        assertThat(mutant.classPath(folder)).startsWith(folder + File.pathSeparator);
        assertThat(mutant.fault().suits(mutant.workload().isRabbit())).isTrue();
    }
}
