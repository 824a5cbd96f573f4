package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A small demonstration with local brokers and real processes, one of which is killed. */
@Execution(ExecutionMode.CONCURRENT)
class DemoIT {

    @TempDir
    private Path folder;

    @Test
    void theWorkloadSurvivesAKilledExecutor() throws IOException {
        try (LocalProcess demo = LocalProcess.java(
                        "demo",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        DemoCli.class.getName(),
                        List.of(
                                "demo",
                                "--exit",
                                "--orders",
                                "80",
                                "--seconds",
                                "4",
                                "--port",
                                "0",
                                "--seed",
                                "7",
                                "--picture",
                                "kill.svg"))
                .directory(folder)
                .start()) {
            assertThat(demo.awaitExit(Duration.ofMinutes(5))).isTrue();

            String output = Files.readString(demo.log());
            assertThat(output).contains("(kill -9)").contains("The check passed.");
            // Three wait behind the dead invoice. Of three reports at a time two run.
            assertThat(output).containsPattern("wait behind a dead one +3 +as planned: ok");
            assertThat(output).containsPattern("at once, of a limit of 2 +2 +ok");
            assertThat(demo.exitStatus()).isZero();
            assertThat(folder.resolve("kill.svg"))
                    .content()
                    .contains("The check passed.")
                    .endsWith("</svg>\n");
        }
    }
}
