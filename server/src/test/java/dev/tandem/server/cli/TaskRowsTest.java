package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class TaskRowsTest {

    @Test
    void aListSaysWhatTasksWaitFor() {
        StringWriter out = new StringWriter();

        TaskRows.list(JsonMapper.shared().readTree("""
                {"tasks": [{"id": "a", "waitsFor": "a permit of erp"}, {"id": "b", "behind": "@0/1:5"}, {"id": "c"}]}
                """), new PrintWriter(out, true));

        assertThat(out.toString().lines().map(line -> line.split(" {2,}")).map(cells -> cells[6]))
                .containsExactly("WAITS FOR", "a permit of erp", "@0/1:5", "-");
    }

    @Test
    void aListTellsDuplicatesFromRuns() {
        StringWriter out = new StringWriter();

        TaskRows.list(JsonMapper.shared().readTree("""
                {"tasks": [{"id": "a", "duplicateOf": "first"}, {"id": "b", "error": "boom"}, {"id": "c"}]}
                """), new PrintWriter(out, true));

        assertThat(out.toString().lines().map(line -> line.split(" {2,}")).map(cells -> cells[7]))
                .containsExactly("ERROR", "duplicate of first", "boom", "-");
    }

    @Test
    void aTaskIsShownWithWhatItsRunsNoted() {
        StringWriter out = new StringWriter();

        TaskRows.one(JsonMapper.shared().readTree("""
                {"id": "order-7",
                 "progress": {"at": "2026-11-20T10:00:00Z", "attempt": 2, "done": 40, "total": 100, "text": "pages"},
                 "checkpoint": {"at": "2026-11-20T10:00:00Z", "bytes": 12},
                 "log": [{"at": "2026-11-20T10:00:00Z", "attempt": 2, "text": "not confirmed yet"}]}
                """), new PrintWriter(out, true));

        assertThat(out.toString())
                .contains("id: order-7\n")
                .containsPattern("progress: 40 of 100, pages, at .+ \\(attempt 2\\)\n")
                .containsPattern("checkpoint: 12 bytes, saved .+\n")
                .containsPattern("LOGGED.* +ATTEMPT +LINE *\n.+ 2 +not confirmed yet");
    }
}
