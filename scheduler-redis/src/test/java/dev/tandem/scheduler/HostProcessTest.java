package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process of this host is gone only if the host proves it. */
class HostProcessTest {

    private static final HostProcess PROCESS = new HostProcess("host", 4711, 98765);

    @TempDir
    Path proc;

    @BeforeEach
    void ofThisProcess() throws Exception {
        long pid = ProcessHandle.current().pid();
        write("sys/kernel/random/boot_id", "0a1b\n");
        write("sys/kernel/hostname", "h1\n");
        write("self/mounts", "proc /proc proc rw,nosuid 0 0\n");
        write("self/status", "Name:\tjava\nNSpid:\t" + pid + "\n");
        write(pid + "/stat", stat('S', 20, 5));
        Files.createDirectories(proc.resolve("self/ns"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[1]"));
        Files.createSymbolicLink(proc.resolve("self/ns/time"), Path.of("time:[2]"));
    }

    @Test
    void aProcessThatRunsIsNotGone() throws Exception {
        write("4711/stat", stat('T', 30, 98765));
        assertThat(PROCESS.isGone(proc)).isFalse();
    }

    @Test
    void aProcessWithoutAnEntryIsGone() {
        assertThat(PROCESS.isGone(proc)).isTrue();
    }

    @Test
    void aProcessWhoseIdWasUsedAgainIsGone() throws Exception {
        write("4711/stat", stat('S', 1, 98766));
        assertThat(PROCESS.isGone(proc)).isTrue();
    }

    @Test
    void aZombieIsGoneOnlyWithItsLastThread() throws Exception {
        write("4711/stat", stat('Z', 2, 98765));
        assertThat(PROCESS.isGone(proc)).isFalse();
        write("4711/stat", stat('Z', 1, 98765));
        assertThat(PROCESS.isGone(proc)).isTrue();
    }

    @Test
    void whatCannotBeReadProvesNothing() throws Exception {
        write("4711/stat", "4711 (ja");
        assertThat(PROCESS.isGone(proc)).isFalse();
    }

    @Test
    void processesAreComparedWithinOneHostBootAndNamespace() {
        assertThat(HostProcess.current(proc)).hasValueSatisfying(process -> {
            assertThat(process.host()).isEqualTo("0a1b/h1/pid:[1]/time:[2]");
            assertThat(process.startTicks()).isEqualTo(5);
        });
    }

    @Test
    void nothingIsKnownWhereProcessesAreHidden() throws Exception {
        write("self/mounts", "proc /proc proc rw,nosuid,hidepid=invisible 0 0\n");
        assertThat(HostProcess.current(proc)).isEmpty();
    }

    @Test
    void nothingIsKnownFromTheProcOfAnotherNamespace() throws Exception {
        write("self/status", "NSpid:\t900\t" + ProcessHandle.current().pid() + "\n");
        assertThat(HostProcess.current(proc)).isEmpty();
    }

    @Test
    void aLivingProcessOfThisHostIsSeen() throws Exception {
        assumeThat(HostProcess.current()).isPresent();
        HostProcess self = HostProcess.current().orElseThrow();
        assertThat(self.isGone(self)).isFalse();
        HostProcess before = new HostProcess(self.host(), self.pid(), self.startTicks() - 1);
        assertThat(before.isGone(self)).isTrue();
        HostProcess elsewhere = new HostProcess("elsewhere", before.pid(), before.startTicks());
        assertThat(elsewhere.isGone(self)).isFalse();
    }

    private static String stat(char state, int threads, long start) {
        return "4711 (a ) b) " + state + " 1 2 3 0 -1 4 0 0 0 0 0 0 0 0 20 0 " + threads + " 0 " + start + " 3 4\n";
    }

    private void write(String file, String text) throws Exception {
        Path path = proc.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
