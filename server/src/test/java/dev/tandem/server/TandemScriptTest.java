package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kit.Await;
import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@code ./tandem} makes the class archives and uses them, and installs, with a false JDK and a false Maven. */
class TandemScriptTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** A Java that says how it is started. As a training it writes its process id, and does what TRAINING says. */
    private static final String JAVA = """
            #!/bin/sh
            for option; do
              case $option in
                --check)
                  echo "$CHECKED"
                  [ "$CHECKED" != wrong ]
                  exit
                  ;;
                -XX:ArchiveClassesAtExit=*)
                  echo $$ >>"$TRAININGS"
                  case $TRAINING in
                    fails) echo "no training today"; exit 1 ;;
                    writes-nothing) exit 0 ;;
                    hangs) exec sleep 600 ;;
                  esac
                  echo classes >"${option#*=}"
                  exit 0
                  ;;
              esac
            done
            echo "started with $*"
            while [ "$TRAINING" = stays ]; do sleep 1; done
            """;

    private static final String JAR = """
            #!/bin/sh
            while [ "$1" != --file ]; do shift; done
            echo jar >"$2"
            """;

    @TempDir
    private Path folder;

    private Path project;
    private Path jdk;
    private Path trainings;
    private int runs;

    @BeforeEach
    void makeABuiltProject() throws IOException {
        Path real = folder.toRealPath();
        project = real.resolve("project");
        jdk = real.resolve("jdk");
        trainings = real.resolve("trainings");
        program(jdk.resolve("bin/java"), JAVA);
        program(jdk.resolve("bin/jar"), JAR);
        write(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        program(project.resolve("tandem"), Files.readString(Path.of("../tandem")));
        Files.createDirectories(project.resolve("server/target/classes"));
        write(project.resolve("server/target/runtime.classpath"), "/lib/library.jar:/lib/picocli-4.jar");
        write(project.resolve(".tandem/java"), jdk.resolve("bin/java").toString());
        write(project.resolve(".tandem/build/server"), project.toString());
        write(trainings, "");
    }

    @Test
    void theArchiveIsMadeOnceForEachBuild() throws IOException {
        assertThat(server("works")).contains("-XX:SharedArchiveFile=" + start("classes.archive"));
        assertThat(server("works")).contains("-XX:SharedArchiveFile=" + start("classes.archive"));
        assertThat(trainings()).hasSize(1);

        build();

        assertThat(server("works")).contains("-XX:SharedArchiveFile=" + start("classes.archive"));
        assertThat(trainings()).hasSize(2);
    }

    @Test
    void afterATrainingThatFailedTheServerStartsAndTrainsAgainAfterTheNextBuild() throws IOException {
        assertThat(server("fails"))
                .contains("No archive could be made", "started with")
                .doesNotContain("SharedArchiveFile");
        assertThat(project.resolve(".tandem/log/archive.log")).content().contains("no training today");

        assertThat(server("works")).startsWith("started with").doesNotContain("SharedArchiveFile");
        assertThat(trainings()).hasSize(1);

        build();

        assertThat(server("writes-nothing")).contains("No archive could be made", "started with");
        build();
        assertThat(server("works")).contains("-XX:SharedArchiveFile=");
        assertThat(trainings()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--config nope.yml", "--config=nope.yml", "--server.port=0 --config nope.yml"})
    void aMissingSettingsFileIsSaidBeforeAnythingIsBuiltOrArchived(String options) throws IOException {
        write(project.resolve("server/src/main/New.java"), "");
        List<String> words = new ArrayList<>(List.of("server"));
        words.addAll(List.of(options.split(" ")));
        try (LocalProcess process =
                tandem("works", 60, List.of(), words.toArray(String[]::new)).start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isEqualTo(2);
            assertThat(process.log())
                    .content()
                    .contains("there is no file " + folder.toRealPath().resolve("nope.yml"))
                    .doesNotContain("Building", "Archiving");
        }
        assertThat(trainings()).isEmpty();
    }

    @Test
    void aWrongSettingIsSaidBeforeTheArchiveIsMade() throws IOException {
        try (LocalProcess process = tandem("works", 60, List.of(), "server", "--tandem.quues=0")
                .environment("CHECKED", "wrong")
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isEqualTo(1);
            assertThat(process.log()).content().isEqualTo("wrong\n");
        }
        assertThat(trainings()).isEmpty();

        assertThat(server("works")).contains("Archiving", "started with").doesNotContain("right");
    }

    @Test
    void aSettingsFileThatIsThereIsPassedOn() throws IOException {
        write(folder.resolve("my settings.yml"), "");

        try (LocalProcess process = tandem("works", 60, List.of(), "server", "--config", "my settings.yml")
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.log()).content().contains("--config my settings.yml");
        }
    }

    @Test
    void aTrainingThatHangsIsEndedAndTheServerStarts() throws IOException {
        assertThat(server("hangs"))
                .contains("No archive could be made", "started with")
                .doesNotContain("Killed");

        assertThat(project.resolve(".tandem/log/archive.log")).content().contains("took too long");
        assertThat(project.resolve(".tandem/building")).doesNotExist();
        assertThat(isRunning(trainings().get(0))).isFalse();
    }

    @Test
    void anInterruptedTrainingIsEndedAndTheNextStartTrainsAgain() throws Exception {
        server("works");
        build();

        try (LocalProcess interrupted = tandem("hangs", 600, "server").start()) {
            Await.until(LIMIT, () -> trainings().size() == 2, () -> "It did not train. " + interrupted.logTail());
            interrupted.stop();
            assertThat(interrupted.exitStatus()).isNotZero();
        }

        Await.until(LIMIT, () -> !isRunning(trainings().get(1)), () -> "The training goes on.");
        assertThat(project.resolve(".tandem/building")).doesNotExist();
        assertThat(server("works")).contains("Archiving the classes", "-XX:SharedArchiveFile=");
        assertThat(trainings()).hasSize(3);
    }

    @Test
    void commandsHaveAnArchiveOfTheirOwnWithTheFewLibrariesThatTheyNeed() throws IOException {
        String archive = "-XX:SharedArchiveFile=" + start("commands.archive");
        String classPath = "-cp " + start("tandem.jar") + ":/lib/picocli-4.jar dev.tandem.server.cli.TandemCli queues";

        assertThat(command("works")).contains("Archiving the classes of the commands", archive, classPath);
        assertThat(command("works")).contains(archive, classPath).doesNotContain("Archiving");

        server("works");
        assertThat(command("works")).as("the server's archive leaves it alone").contains(archive);
        assertThat(trainings()).hasSize(2);

        build();

        assertThat(command("works")).contains(archive);
        assertThat(trainings()).hasSize(3);
    }

    @Test
    void afterATrainingThatFailedCommandsDoNotTryAgainUntilTheNextBuild() throws IOException {
        assertThat(command("fails")).contains("No archive could be made", "started with");

        assertThat(command("works")).startsWith("started with").doesNotContain("SharedArchiveFile");
        assertThat(trainings()).hasSize(1);

        build();

        assertThat(command("works")).contains("-XX:SharedArchiveFile=");
    }

    @Test
    void aCommandDoesNotWaitForABuildToGetItsArchive() throws IOException {
        write(
                project.resolve(".tandem/building/pid"),
                String.valueOf(ProcessHandle.current().pid()));

        assertThat(command("works")).startsWith("started with").doesNotContain("SharedArchiveFile");
        assertThat(trainings()).isEmpty();
    }

    @Test
    void aCommandNeedsNoArchive() throws IOException {
        try (LocalProcess process = tandem("works", 60, "queues")
                .environment("TANDEM_CLASS_ARCHIVE", "no")
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.log())
                    .content()
                    .startsWith("started with")
                    .contains("/lib/library.jar")
                    .doesNotContain("SharedArchiveFile");
        }
        assertThat(trainings()).isEmpty();
    }

    @Test
    void nothingIsBuiltWhileAProgramRunsFromItsClasses() throws Exception {
        try (LocalProcess server = tandem("stays", 60, "server")
                .environment("TANDEM_CLASS_ARCHIVE", "no")
                .start()) {
            Await.until(LIMIT, () -> server.logTail().contains("started with"), () -> "It does not run.");
            write(project.resolve("server/src/main/New.java"), "");
            for (String command : new String[] {"install", "test", "queues"}) {
                try (LocalProcess refused = tandem("works", 60, command).start()) {
                    assertThat(refused.awaitExit(LIMIT)).as(refused.logTail()).isTrue();
                    assertThat(refused.exitStatus()).as(refused.logTail()).isEqualTo(1);
                    assertThat(refused.log())
                            .content()
                            .contains("'./tandem server', which runs from this folder", "end it first");
                }
            }
            server.stop();
        }
        assertThat(installed()).contains(" install\n");
    }

    @Test
    void installInstallsTheBomAndTheLibrariesAndPassesOptionsOn() throws IOException {
        assertThat(installed())
                .endsWith(
                        "-pl bom,server,spring-boot-starter,outbox,test-support -am -Dmaven.repo.local=/elsewhere install\n");
        assertThat(project.resolve(".tandem/building")).doesNotExist();
    }

    /** Installs the libraries, and returns how Maven was called. */
    private String installed() throws IOException {
        Path calls = folder.resolve("calls");
        program(folder.resolve("bin/mvn"), """
                #!/bin/sh
                [ "$2" != --version ] || exec echo "Apache Maven 3.9.16"
                echo "$*" >>"$CALLS"
                """);
        try (LocalProcess process = LocalProcess.program(
                        "install",
                        List.of(project.resolve("tandem").toString(), "install", "-Dmaven.repo.local=/elsewhere"))
                .directory(folder)
                .log(folder.resolve("install.log"))
                .environment("JAVA_HOME", jdk.toString())
                .environment("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
                .environment("CALLS", calls.toString())
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isZero();
            assertThat(process.log()).content().contains("dev.tandem:tandem-bom");
        }
        return Files.readString(calls);
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "start log", "start log ."})
    void aCommandWorksWhereSomebodyElseHasBuilt(String folders) throws IOException {
        command("works");
        build();
        for (String each : folders.split(" ")) {
            permit(project.resolve(".tandem").resolve(each), "r-xr-xr-x");
        }
        permit(folder, "rwxr-xr-x");

        for (String command : new String[] {"queues", "server"}) {
            assertThat(run(bySomebodyElse(command)))
                    .startsWith("started with")
                    .contains("/lib/library.jar")
                    .doesNotContain("SharedArchiveFile");
        }

        assertThat(trainings()).hasSize(1);
        permit(project.resolve(".tandem"), "rwxr-xr-x");
        write(project.resolve("server/src/main/New.java"), "");
        permit(project.resolve(".tandem"), "r-xr-xr-x");
        try (LocalProcess process = bySomebodyElse("queues").start()) {
            assertThat(process.awaitExit(LIMIT)).as("it does not wait for ever").isTrue();
            assertThat(process.log()).content().contains("You may not write to");
        }
        permit(project.resolve(".tandem"), "rwxr-xr-x");
    }

    private static void permit(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** Whoever may write anywhere becomes somebody who may not. */
    private LocalProcess.Builder bySomebodyElse(String command) {
        boolean root = Files.isWritable(Path.of("/"));
        List<String> become = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        return tandem("works", 60, root ? become : List.of(), command);
    }

    /** Makes the stamp of the build newer than all that was made before. */
    private void build() throws IOException {
        Files.setLastModifiedTime(project.resolve(".tandem/build/server"), FileTime.from(Instant.now()));
    }

    /** Runs {@code ./tandem server} to its end, which must be a good one, and returns its output. */
    private String server(String training) throws IOException {
        return tandem(training, "server");
    }

    /** Runs {@code ./tandem queues} like {@link #server}. */
    private String command(String training) throws IOException {
        return tandem(training, "queues");
    }

    private String tandem(String training, String command) throws IOException {
        return run(tandem(training, training.equals("hangs") ? 1 : 60, command));
    }

    private static String run(LocalProcess.Builder program) throws IOException {
        try (LocalProcess process = program.start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isZero();
            return Files.readString(process.log());
        }
    }

    private LocalProcess.Builder tandem(String training, int limitSeconds, String command) {
        return tandem(training, limitSeconds, List.of(), command);
    }

    private LocalProcess.Builder tandem(String training, int limitSeconds, List<String> before, String... command) {
        runs++;
        List<String> words = new ArrayList<>(before);
        words.add(project.resolve("tandem").toString());
        words.addAll(List.of(command));
        return LocalProcess.program("tandem", words)
                .directory(folder)
                .log(folder.resolve("run-" + runs + ".log"))
                .environment("JAVA_HOME", jdk.toString())
                .environment("TRAINING", training)
                .environment("CHECKED", "right")
                .environment("TRAININGS", trainings.toString())
                .environment("TANDEM_CLASS_ARCHIVE", null)
                .environment("TANDEM_CLASS_ARCHIVE_LIMIT", String.valueOf(limitSeconds));
    }

    private Path start(String name) {
        return project.resolve(".tandem/start").resolve(name);
    }

    private List<String> trainings() throws IOException {
        return Files.readAllLines(trainings);
    }

    private static boolean isRunning(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::isAlive).orElse(false);
    }

    private static void program(Path file, String text) throws IOException {
        write(file, text);
        assertThat(file.toFile().setExecutable(true, false)).isTrue();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
