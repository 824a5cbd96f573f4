package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The training that the archive of the commands is made from. */
class CommandTrainingTest {

    @Test
    void everyLineEndsAsItShould() throws Exception {
        assertThat(CommandTraining.train()).isEmpty();
    }

    @Test
    void everyCommandIsTrained() {
        Set<String> trained = new HashSet<>(CommandTraining.commands());

        assertThat(trained).containsAll(TandemCli.commandLine().getSubcommands().keySet());
    }
}
